/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest box of adjacent usable nodes of a torus: exact.
 *
 * The extents are chosen from the last dimension to the first, and the usable
 * nodes eroded by each (erode.h): what is left are the bases of boxes that
 * fit, without dead links (link_map.h). A branch ends where nothing is left, or
 * where the whole of the remaining dimensions cannot exceed the best box so far.
 *
 * Cost: at most one erosion pass per box of the torus, O(nodes x words).
 * Memory: two bitmaps per dimension and two more; a link map where links are
 * dead.
 */
#ifndef PLACEMENT_LARGEST_H
#define PLACEMENT_LARGEST_H

#include "torus/machine.h"

/*
 * Find the region of most nodes of pod p, on its grain, in `usable` (a bitmap of
 * the pod's nodes), that holds none of the machine's links that are down or
 * weak; of equally large ones any. *nodes gets its size, 0 where there is none.
 * 0, or -1 with ENOMEM.
 */
int torus_largest_region(const struct torus_machine *m, uint32_t p,
			 const uint64_t *usable, struct torus_region *box,
			 uint32_t *nodes);

#endif
