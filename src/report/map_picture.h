/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map as a picture, for any pen: the toruses, totals, note, and a legend of
 * as many jobs as fit.
 */
#ifndef REPORT_MAP_PICTURE_H
#define REPORT_MAP_PICTURE_H

#include "report/pen.h"
#include "report/layout.h"
#include "report/map.h"

struct report_picture {
	const struct report_map *map;
	struct report_cells *cells; /* per torus */
	uint32_t *top;              /* per torus */
	bool words; /* including everything beside the machine */
	uint32_t words_top;
	uint32_t columns, rows; /* of the legend */
	uint32_t width, height; /* pixels */
};

/* words false: only the toruses, for a page with its own text. Return 0, or -1
 * with ENOMEM. */
int report_picture_init(struct report_picture *picture,
			const struct report_map *map,
			const struct report_map_style *style, bool words);
void report_picture_free(struct report_picture *picture);

void report_picture_draw(const struct report_picture *picture,
			 struct report_pen *pen);

/*
 * Contents of cells that represent several nodes: the value of most of its
 * nodes, but a job if half of them are busy. Ties go to the job with the fewest
 * cells for its nodes. The requested place is shown if one of its nodes is in
 * the cell, and "no node" only if the cell has none. A job without a cell gets
 * the one with most of its nodes, unless that is the only cell of another job:
 * then the cell shows several jobs.
 */

struct report_cells {
	const struct report_map *map;
	const struct torus *t;
	uint32_t pod;
	struct report_layout layout;
	uint32_t *cell;  /* per cell: as report_map.cell */
	uint32_t *first; /* per cell: index of its nodes in `shows`; one more */
	uint32_t *shows; /* contents of the nodes, by cell, ascending */
	uint32_t *drawn; /* per job: number of cells that show it */
	char *titled;    /* per cell, zeroed: for the drawer's use */
};

/* Initialize. O(nodes log(nodes per cell)). Return 0, or -1 with ENOMEM. */
int report_cells_init(struct report_cells *cells, const struct report_map *map,
		      uint32_t pod, const struct report_canvas *canvas);
void report_cells_free(struct report_cells *cells);

/* Describe a cell: "2,0,1: job 12, ann, 00:04 left, REGION", or for a block
 * "from 4,0,0, 8 nodes: 6 job 12, 2 idle". Like snprintf(). */
#define REPORT_CELLS_WORDS 512
void report_cells_words(const struct report_cells *cells, uint32_t cell,
			char *buffer);

/* Write "pod0  8x8x8", and the block size if a cell is a block of nodes. */
void report_cells_title(const struct report_cells *cells, char *buffer);

#endif
