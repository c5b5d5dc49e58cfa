/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cells of a torus show, where a cell may stand for several nodes:
 * what most of its nodes show, but a job where half of them are busy: of equal
 * ones the job that has the fewest cells for its nodes. The place asked for
 * whenever one of its nodes is in it, and "no node" only if none exists. A job
 * that would have no cell gets the one where it has most, unless that is the
 * only one of another job: then the cell shows several jobs.
 */
#ifndef REPORT_MAP_CELLS_H
#define REPORT_MAP_CELLS_H

#include "report/layout.h"
#include "report/map.h"

struct report_cells {
	const struct report_map *map;
	const struct torus *t;
	uint32_t pod;
	struct report_layout layout;
	uint32_t *cell;  /* per cell: as report_map.cell */
	uint32_t *first; /* per cell: of its nodes, in `shows`; one more */
	uint32_t *shows; /* what nodes show, by cell, ascending */
	uint32_t *drawn; /* per job: cells that show it */
	char *titled;    /* per cell, zeroed: a drawer's own */
};

/* O(nodes log(nodes per cell)). 0, or -1 with ENOMEM. */
int report_cells_init(struct report_cells *cells, const struct report_map *map,
		      uint32_t pod, const struct report_canvas *canvas);
void report_cells_free(struct report_cells *cells);

/* What a cell shows, for a reader: "2,0,1: job 12, ann, 00:04 left, REGION",
 * or of a block "from 4,0,0, 8 nodes: 6 job 12, 2 idle". snprintf()'s
 * manner. */
#define REPORT_CELLS_WORDS 512
void report_cells_words(const struct report_cells *cells, uint32_t cell,
			char *buffer);

/* "pod0  8x8x8", and what a cell is if it is a block of nodes. */
void report_cells_title(const struct report_cells *cells, char *buffer);

#endif
