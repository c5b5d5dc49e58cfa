/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grid that a strategy searches. If regions must align to a grain, or if
 * several nodes share a vertex, the nodes that can only be allocated together
 * form one cell of a coarser torus:
 *
 *     nodes, grain 2x1      grid        a cell can be used if all
 *     . # | . . | . .       # . .       its nodes can
 *     . . | . . | # #       . . #
 *
 * A strategy sees only this grid: usable cells, bases and extents in cells,
 * node counts in cells. The state converts asks and placements. Without grain
 * and units the grid is the torus itself and nothing is converted.
 *
 * Cost: O(words + unusable nodes) to fold a bitmap; O(dimensions) to convert a
 * placement. Memory: 4 bytes per node, only if the grid differs from the torus.
 */
#ifndef PLACEMENT_GRID_H
#define PLACEMENT_GRID_H

#include "torus/machine.h"

/* Set the grid of a torus alone, without bitmaps. */
void torus_grid_torus(const struct torus *t, struct torus *grid);

/* Set the pod's grid from its torus and present nodes. Return -1 with ENOMEM;
 * call torus_grid_free() in any case. */
int torus_grid_init(struct torus_pod *pod);
void torus_grid_free(struct torus_pod *pod);

/* Return true if strategy i of the pod searches a grid that differs from the
 * pod's torus. */
static inline bool torus_grid_applies(const struct torus_pod *pod, uint32_t i)
{
	return pod->cell_nodes > 1 && !pod->strategy[i]->scatters;
}

/* Fold nodes to cells: _all sets a cell if all its nodes are in `nodes`, _any
 * if some are. */
void torus_grid_fold_all(const struct torus_pod *pod, const uint64_t *nodes,
			 uint64_t *cells);
void torus_grid_fold_any(const struct torus_pod *pod, const uint64_t *nodes,
			 uint64_t *cells);

/* Convert the ask to grid cells; false if no region of the grid can answer
 * it. */
bool torus_grid_ask(const struct torus_pod *pod, struct torus_ask *ask);

/* Convert a region between the grid and the pod's torus; _to_cells returns
 * false if it begins or ends within a cell. */
void torus_grid_to_nodes(const struct torus_pod *pod, struct torus_region *r);
bool torus_grid_from_nodes(const struct torus_pod *pod, struct torus_region *r);

/* Set the smallest region of the grid, without strides, that holds r. */
void torus_grid_cover(const struct torus_pod *pod, const struct torus_region *r,
		      struct torus_region *cover);

#endif
