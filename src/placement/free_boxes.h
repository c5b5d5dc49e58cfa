/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes of a torus: a list of boxes such that every box of
 * free nodes lies within one of them. What fits in none of them fits nowhere,
 * so a search need not look.
 *
 *     . . . . . .      Two running jobs leave five maximal boxes on this mesh:
 *     . # # . . .      the upper and the lower row, the left column, the column
 *     . # # . # #      between the jobs, and the corner above the second job.
 *     . . . . # #      A request for 3x3 fits in none of them.
 *     . . . . . .
 *
 * The list starts with the whole torus. Cutting a busy region out of it
 * replaces each box that meets the region by the largest boxes beside the
 * region, at most two per dimension, and drops what lies within another box.
 * When a region is released, only boxes that meet it are new: the list is made
 * once more from the whole torus, without what does not meet the region, and
 * joins the old one. The nearer the busy regions that are cut first, the fewer
 * boxes there are on the way. Where the list has no room, a box stays uncut: it is then
 * larger than what is free, and the list still covers every free box. The next
 * release makes such a list anew.
 *
 * Cost: a cut is O(boxes + pieces x boxes), a release one cut per busy region,
 * a question O(boxes x dimensions); boxes <= TORUS_FREE_BOXES. Memory: O(boxes).
 */
#ifndef PLACEMENT_FREE_BOXES_H
#define PLACEMENT_FREE_BOXES_H

#include "torus/region.h"

#define TORUS_FREE_BOXES 128 /* a multiple of 4 */

struct torus_free_boxes;

/* NULL with ENOMEM. t must outlive it. The torus is empty. Boxes of fewer than
 * `least` nodes are left out. */
struct torus_free_boxes *torus_free_boxes_create(const struct torus *t,
						 uint32_t least);
void torus_free_boxes_destroy(struct torus_free_boxes *f);

/* Make `to` the same list as `from`, of the same torus. O(boxes). */
void torus_free_boxes_copy(struct torus_free_boxes *to,
			   const struct torus_free_boxes *from);

/* The region's nodes are busy from now on. Regions with strides are ignored:
 * their nodes stay in the boxes. */
void torus_free_boxes_cut(struct torus_free_boxes *f,
			  const struct torus_region *busy);

/*
 * A region was released, or (NULL) anything: begin, cut every region that is
 * busy now, and finish. No question may be asked in between.
 */
void torus_free_boxes_begin(struct torus_free_boxes *f,
			    const struct torus_region *released);
void torus_free_boxes_finish(struct torus_free_boxes *f);

/* Is every box of the list free? Else some hold busy nodes. */
bool torus_free_boxes_exact(const struct torus_free_boxes *f);

/*
 * May there be a free box with these extents along the dimensions below d,
 * and `nodes` more for each of its nodes in the others? False: there is none.
 * f == NULL: nothing is known, so true.
 */
bool torus_free_boxes_hold(const struct torus_free_boxes *f,
			   const uint32_t *extent, uint32_t d, uint64_t nodes);

/*
 * The bases at which a box with these extents lies within one of the list, into
 * `map`. False, and map is undefined, if that takes more than `most` rows along
 * dimension 0.
 */
bool torus_free_boxes_bases(const struct torus_free_boxes *f,
			    const uint32_t *extent, uint64_t *map,
			    uint32_t most);

/* Call each() with the extents of the boxes that are left beside `taken` (NULL:
 * nothing is): of
 * those that do not meet it, and of the parts of the others. */
void torus_free_boxes_beside(const struct torus_free_boxes *f,
			     const struct torus_region *taken,
			     void (*each)(void *arg, const int32_t *extent),
			     void *arg);

/* May there be one for this shape, however it is turned? On a torus with units
 * (a turn changes how many nodes an axis has): true. */
bool torus_free_boxes_hold_turned(const struct torus_free_boxes *f,
				  const struct torus_shape *shape);

#endif
