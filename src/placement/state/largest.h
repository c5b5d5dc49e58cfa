/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef PLACEMENT_LARGEST_H
#define PLACEMENT_LARGEST_H

#include "torus/machine.h"

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
