/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Positions of the cells of a torus on a flat picture: nested planes.
 *
 * Dimension 0 runs across and 1 down. Each further dimension places copies of
 * all inner dimensions beside each other (2, 4, 6: its coordinate above each
 * copy) or below each other (3, 5, 7: its coordinate on the left):
 *
 *              4=0                 4=1
 *              2=0   2=1           2=0   2=1
 *         3=0  ....  ....     3=0  ....  ....
 *              ....  ....          ....  ....
 *
 *         3=1  ....  ....     3=1  ....  ....
 *              ....  ....          ....  ....
 *
 * Copies beside each other continue below when the width is used up, and so
 * does the row of a machine of one dimension. If the whole does not fit, a cell
 * represents a block of 2, 4, 8... nodes along each dimension.
 *
 * A layout is in the drawer's own unit (characters, pixels) and linear in the
 * coordinates: a cell lies at the origin plus, for each dimension d, column *
 * step_x[d] and row * step_y[d], with column and row those of its coordinate in
 * lines of across[d]. Terminal, pictures and the page of storus report draw
 * from the same numbers. Cost: O(dimensions) per candidate.
 */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <stdbool.h>

#include "torus/torus.h"

/* Properties of the drawer. */
struct report_canvas {
	uint32_t width, height;         /* available for a torus */
	uint32_t cell_least, cell_most; /* side of a cell */
	uint32_t gap_x, gap_y; /* between panels; larger for outer dimensions */
	uint32_t letter, line; /* size of a coordinate's text */
	uint32_t block;        /* nodes per cell; 0: as needed */
};

struct report_layout {
	uint32_t cell;                   /* side */
	uint32_t block;                  /* block size, the same for all
					    dimensions */
	uint32_t blocks[TORUS_MAX_DIMS]; /* block size per dimension, at most
					    its size */
	uint32_t size[TORUS_MAX_DIMS];   /* cells along each dimension */
	uint32_t cells;                  /* all of them */
	uint32_t across[TORUS_MAX_DIMS];
	uint32_t step_x[TORUS_MAX_DIMS], step_y[TORUS_MAX_DIMS];
	uint32_t x, y;                 /* position of the first cell */
	uint32_t left[TORUS_MAX_DIMS]; /* horizontal distance from a copy's
					  corner to its first cell */
	uint32_t top[TORUS_MAX_DIMS];  /* vertical distance from a copy's
					  corner to its first cell */
	uint32_t width, height;        /* total */
};

/* Return true if the dimension places copies beside each other. */
static inline bool report_layout_beside(uint32_t d)
{
	return d % 2 == 0;
}

/* Make the layout with the fewest nodes per cell, and among these the largest
 * cells, that fits; else the one closest to fitting. */
void report_layout_make(struct report_layout *l, const struct torus *t,
			const struct report_canvas *canvas);

/* Get left and top of cell `index`; cells are numbered like nodes. */
void report_layout_cell(const struct report_layout *l, const struct torus *t,
			uint32_t index, uint32_t *x, uint32_t *y);

/* Return the cell that shows a node. */
uint32_t report_layout_of(const struct report_layout *l, const struct torus *t,
			  uint32_t node);

/* Get the coordinates above and left of the copies, each once per copy: call
 * with *k = 0, 1, ... until it returns false. text has at least 24 bytes. */
struct report_label {
	uint32_t x, y;
	char text[24];
};
bool report_layout_label(const struct report_layout *l, const struct torus *t,
			 uint32_t *k, struct report_label *label);

#endif
