/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture of the machine at one instant: which job holds which node.
 *
 * layout.h places the cells, map_picture.h chooses what they show. The drawers
 * (report_drawers) are selected by the ending of the file. All draw the toruses
 * one below the other, the totals, a note, and a legend.
 */
#ifndef REPORT_MAP_H
#define REPORT_MAP_H

#include <stdio.h>

#include "report/origin.h"
#include "torus/machine.h"

#define REPORT_MAP_IDLE 0
#define REPORT_MAP_DOWN UINT32_MAX
#define REPORT_MAP_ABSENT (UINT32_MAX - 1) /* a cell without a node */
#define REPORT_MAP_SHARED (UINT32_MAX - 2) /* several jobs */
#define REPORT_MAP_FIT (UINT32_MAX - 3)    /* idle: where a job would go */
#define REPORT_MAP_HIDDEN (UINT32_MAX - 4) /* in use; the job is not shown */
#define REPORT_MAP_RESERVED                                                    \
	(UINT32_MAX - 5) /* idle: for a reservation's jobs */

struct report_map_job {
	char id[32];
	char user[32];
	char left[32]; /* time left, or "" */
	char *region;  /* text form; owned by the map */
	uint32_t nodes;
	char letter; /* report_map_add() sets it: neighbours have different ones,
			which repeat after 62 jobs */
};

/* Return true if the value shows a single job. */
static inline bool report_map_is_job(uint32_t cell)
{
	return cell != REPORT_MAP_IDLE && cell < REPORT_MAP_RESERVED;
}

struct report_map {
	const struct torus_machine *machine;
	uint32_t *cell; /* per machine bit: job + 1, or one of the above */
	struct report_map_job *job;
	uint32_t jobs, room;
	const char *title;    /* NULL: none */
	const char *note;     /* line about the requested place; NULL: none */
	const char *largest;  /* "largest idle box: ..."; NULL: omit */
	const char *reserved; /* "reservations: ..."; NULL: none */
	const char *links; /* "links that are not healthy: ..."; NULL: none */
	const struct report_origin *origin; /* for files; NULL: omit */
};

/* Create the map of an idle machine. Return 0, or -1 with ENOMEM. */
int report_map_init(struct report_map *map, const struct torus_machine *m);
void report_map_free(struct report_map *map);

/* Add a job on the nodes of a machine bitmap; region is copied. Cells that another
 * job holds become REPORT_MAP_SHARED. Return its index, or -1 with ENOMEM. */
int report_map_add(struct report_map *map, const struct report_map_job *job,
		   const uint64_t *nodes);

/* Return the letter of a job: its turn's, or the next one that is not used beside it. */
#define REPORT_MAP_LETTERS 62
char report_map_letter(uint32_t job, const bool used[256]);

/* Return the character for the contents of a cell. */
char report_map_character(const struct report_map *map, uint32_t cell);

/* "5 jobs; 58 nodes busy, ...", without a newline. */
#define REPORT_MAP_WORDS 320
void report_map_totals_words(const struct report_map *map, char *buffer);

struct report_map_style {
	uint32_t columns; /* width of the terminal */
	bool colour;      /* escape sequences are allowed */
	uint32_t block; /* nodes per cell, along each dimension; 0: as needed */
};

/* A drawer. draw() returns 0, or -1 with errno. */
struct report_drawer {
	const char *ending; /* ".svg" */
	const char *summary;
	int (*draw)(const struct report_map *map,
		    const struct report_map_style *style, FILE *out);
};

/* The drawers. A new one is its file, with report_drawer_NAME, and a line here. */
#define REPORT_DRAWERS(X)                                                      \
	X(txt)                                                                 \
	X(svg)                                                                 \
	X(png)                                                                 \
	X(html)

#define REPORT_DRAWER_DECLARE(name)                                            \
	extern const struct report_drawer report_drawer_##name;
REPORT_DRAWERS(REPORT_DRAWER_DECLARE)

/* All drawers, ended by NULL; the drawer for a file name, or NULL. */
extern const struct report_drawer *const report_drawers[];
const struct report_drawer *report_drawer_of(const char *path);

/* Draw in text; for a terminal with colours. */
int report_map_text(const struct report_map *map,
		    const struct report_map_style *style, FILE *out);

#endif
