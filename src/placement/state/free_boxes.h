/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes of a torus: a list such that every box of free nodes
 * lies within one of its boxes. A request that fits in none of them fits
 * nowhere, and needs no search.
 *
 *     . . . . . .      Two running jobs leave five maximal boxes on this mesh:
 *     . # # . . .      the upper and the lower row, the left column, the column
 *     . # # . # #      between the jobs, and the corner above the second job.
 *     . . . . # #      A request for 3x3 fits in none of them.
 *     . . . . . .
 *
 * The list starts with the whole torus. Cutting a busy region replaces each box
 * that meets the region by the largest boxes beside the region, at most two per
 * dimension, and drops those that lie within another box. When a region is
 * released, only boxes that meet it are new: the list is rebuilt from the whole
 * torus, without the boxes that do not meet the region, and merged with the old
 * one. Cutting the nearest busy regions first keeps the intermediate lists
 * short. If the list has no room, a box stays uncut: it then includes busy
 * nodes, and the list still covers every free box. So it is with all boxes once a
 * rebuild has tried as many parts as it may. The next release rebuilds such a list.
 *
 * Cost: a cut is O(boxes + pieces x boxes), a release one cut per busy region,
 * a query O(boxes x dimensions); boxes <= TORUS_FREE_BOXES. Memory: O(boxes).
 */
#ifndef PLACEMENT_FREE_BOXES_H
#define PLACEMENT_FREE_BOXES_H

#include "torus/region.h"
#include "torus/machine.h"

#define TORUS_FREE_BOXES 256 /* a multiple of 4 */

struct torus_free_boxes;

/* Return NULL with ENOMEM. t must outlive the list. The torus starts empty.
 * Boxes of fewer than `least` nodes are not listed. A rebuild tries at most
 * `parts` parts. */
struct torus_free_boxes *torus_free_boxes_create(const struct torus *t,
						 uint32_t least, uint32_t parts);
void torus_free_boxes_destroy(struct torus_free_boxes *f);

/* Copy the list `from` to `to`, both of the same torus. O(boxes). */
void torus_free_boxes_copy(struct torus_free_boxes *to,
			   const struct torus_free_boxes *from);

/* Mark the region's nodes busy. Regions with strides are ignored: their nodes
 * stay in the boxes. */
void torus_free_boxes_cut(struct torus_free_boxes *f,
			  const struct torus_region *busy);

/*
 * Rebuild after a release of a region (NULL: of unknown regions): call begin,
 * then cut for every region that is still busy, then finish. No query may come
 * in between.
 */
void torus_free_boxes_begin(struct torus_free_boxes *f,
			    const struct torus_region *released);
void torus_free_boxes_finish(struct torus_free_boxes *f);

/* Return true if every listed box is free. Otherwise some hold busy nodes. */
bool torus_free_boxes_exact(const struct torus_free_boxes *f);

/*
 * Return false if there is no free box with these extents along the dimensions
 * below d and at least `nodes` nodes per such node in the other dimensions.
 * True means that there may be one. f == NULL: true.
 */
bool torus_free_boxes_hold(const struct torus_free_boxes *f,
			   const uint32_t *extent, uint32_t d, uint64_t nodes);

/*
 * Fill `map` with the bases at which a box with these extents lies within a
 * listed one. Return false, with map undefined, if that takes more than `most`
 * rows along dimension 0.
 */
bool torus_free_boxes_bases(const struct torus_free_boxes *f,
			    const uint32_t *extent, uint64_t *map,
			    uint32_t most);

/* Call each() with the extents of the boxes that remain free beside `taken`
 * (NULL: nothing): the boxes that do not meet it, and the parts of the
 * others. */
void torus_free_boxes_beside(const struct torus_free_boxes *f,
			     const struct torus_region *taken,
			     void (*each)(void *arg, const int32_t *extent),
			     void *arg);

/* Return false if no listed box can hold the shape in any orientation. On a
 * torus with units, where a turn changes how many nodes an axis has, always
 * true. */
bool torus_free_boxes_hold_turned(const struct torus_free_boxes *f,
				  const struct torus_shape *shape);

/*
 * The largest box of adjacent usable nodes of a torus: exact.
 *
 * The extents are chosen from the last dimension to the first, and the usable
 * nodes are eroded by each (erode.h). What is left are the bases of boxes that
 * fit, without dead links (link_map.h). A branch ends when no base is left, or
 * when even the full remaining dimensions cannot exceed the best box so far.
 *
 * The longest run along the first dimension is found by doubling and bisection.
 *
 * Cost: at most log(size of dimension 0) erosions per product of the other extents,
 * O(nodes / size of dimension 0 x words x log). On one dimension O(words x log^2).
 * Memory: two bitmaps per dimension and two more; a link map where links are
 * dead.
 */

/*
 * Find the largest region of pod p, aligned to its grain, within `usable` (a
 * bitmap of the pod's nodes), that holds no link that is down or weak. Among
 * equally large regions any is returned. *nodes gets its size, 0 if there is
 * none. Return 0, or -1 with ENOMEM.
 */
int torus_largest_region(const struct torus_machine *m, uint32_t p,
			 const uint64_t *usable, struct torus_region *box,
			 uint32_t *nodes);

#endif
