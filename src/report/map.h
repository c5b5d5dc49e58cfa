/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture of the machine at one instant: which job holds which node.
 *
 * Where the cells go is layout.h's, what a cell shows map_cells.h's; the drawers
 * (report_drawers) are chosen by the ending of the file. All draw the toruses
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

struct report_map_job {
	char id[32];
	char user[32];
	char left[32]; /* time left, or "" */
	char *region;  /* text form; the map's own */
	uint32_t nodes;
};

/* Return true if this is what a cell shows when one job holds it. */
static inline bool report_map_is_job(uint32_t cell)
{
	return cell != REPORT_MAP_IDLE && cell < REPORT_MAP_HIDDEN;
}

struct report_map {
	const struct torus_machine *machine;
	uint32_t *cell; /* per machine bit: job + 1, or one of the above */
	struct report_map_job *job;
	uint32_t jobs;
	const char *title;   /* NULL: none */
	const char *note;    /* a line about the place asked for; NULL: none */
	const char *largest; /* "largest idle box: ..."; NULL: not said */
	const char *links;   /* "links that are not healthy: ..."; NULL: none */
	const struct report_origin *origin; /* for files; NULL: not said */
};

/* An idle machine. 0, or -1 with ENOMEM. */
int report_map_init(struct report_map *map, const struct torus_machine *m);
void report_map_free(struct report_map *map);

/*
 * Add a job on the nodes of a machine bitmap; region is copied. Returns its
 * index, or -1 with ENOMEM, or EBUSY if another job holds one of the nodes.
 */
int report_map_add(struct report_map *map, const struct report_map_job *job,
		   const uint64_t *nodes);

/* The same where nodes may be shared: such cells become REPORT_MAP_SHARED. */
int report_map_add_shared(struct report_map *map,
			  const struct report_map_job *job,
			  const uint64_t *nodes);

/* The letter that stands for a job; they repeat after 62. */
char report_map_letter(uint32_t job);

/* The character that stands for what a cell shows. */
char report_map_character(uint32_t cell);

/* "5 jobs; 58 nodes busy, ...", without a newline. */
#define REPORT_MAP_WORDS 200
void report_map_totals_words(const struct report_map *map, char *buffer);

struct report_map_style {
	uint32_t columns; /* width of the terminal */
	bool colour;      /* escape sequences may be used */
	uint32_t block; /* nodes per cell, along each dimension; 0: as needed */
};

/* A way to draw: 0, or -1 with errno. */
struct report_drawer {
	const char *ending; /* ".svg" */
	const char *summary;
	int (*draw)(const struct report_map *map,
		    const struct report_map_style *style, FILE *out);
};

/* All of them, ended by a NULL ending; the one of a file's name, or NULL. */
extern const struct report_drawer report_drawers[];
const struct report_drawer *report_drawer_of(const char *path);

/* The terminal's is report_map_text() with colours. */
int report_map_text(const struct report_map *map,
		    const struct report_map_style *style, FILE *out);
int report_map_svg(const struct report_map *map,
		   const struct report_map_style *style, FILE *out);
int report_map_png(const struct report_map *map,
		   const struct report_map_style *style, FILE *out);
int report_map_html(const struct report_map *map,
		    const struct report_map_style *style, FILE *out);

#endif
