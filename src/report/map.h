/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture of the machine at one instant: which job holds which node.
 *
 * The layout is nested planes: dimension 0 runs across, dimension 1 down, and
 * each combination of the others is a panel with its coordinates above it.
 * Machines of one dimension, and those without topology, are broken into
 * rows. Drawers share the layout; the terminal's is the first.
 */
#ifndef REPORT_MAP_H
#define REPORT_MAP_H

#include <stdio.h>

#include "torus/machine.h"

#define REPORT_MAP_IDLE 0
#define REPORT_MAP_DOWN UINT32_MAX
#define REPORT_MAP_ABSENT (UINT32_MAX - 1) /* a cell without a node */
#define REPORT_MAP_SHARED (UINT32_MAX - 2) /* several jobs */

struct report_map_job {
	char id[32];
	char user[32];
	char left[32]; /* time left, or "" */
	char *region;  /* text form; the map's own */
	uint32_t nodes;
};

struct report_map {
	const struct torus_machine *machine;
	uint32_t *cell; /* per machine bit: job + 1, or one of the above */
	struct report_map_job *job;
	uint32_t jobs;
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

struct report_map_style {
	uint32_t columns; /* width of the terminal */
	bool colour;      /* escape sequences may be used */
};

/* Panels, then a legend: a line per job. */
void report_map_terminal(const struct report_map *map,
			 const struct report_map_style *style, FILE *out);

#endif
