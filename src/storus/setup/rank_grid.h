/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An application's grid on the hosts of a job: the ranks of a host form a block of the
 * grid (--grid 8x4 --cell 2x2), and neighbours in the grid are on near hosts.
 */
#ifndef STORUS_RANK_GRID_H
#define STORUS_RANK_GRID_H

#include "format/ranks.h"

struct rank_grid {
	uint32_t axes, ranks;
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t cell[TORUS_MAX_DIMS]; /* of a host; all 0: choose the best */

	/* the result: hops over all pairs of neighbours, the ends of each axis
	 * included, of this layout and of ranks in order */
	uint64_t hops, hops_in_order;
};

/* Read "8x4" and, unless NULL, "2x2". 0, or -1 with a line in err. */
int rank_grid_parse(struct rank_grid *grid, const char *extent,
		    const char *cell, struct torus_error *err);

/*
 * Replace the list, which has an entry for each host, by one with an entry for each
 * rank of the grid, row-major. Unless the cell is given, the hops are never more than
 * those of ranks in order, with the ends of the axes and without; up to 8 hosts they are
 * the fewest of all layouts by blocks. 0, or -1 with lines in err.
 */
int rank_grid_lay_out(struct torus_ranks *hosts, struct rank_grid *grid,
		      struct torus_error *err);

#endif
