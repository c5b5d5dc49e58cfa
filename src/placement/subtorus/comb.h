/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free bases of strided boxes: extent x stride = size in every dimension, as
 * interleaved subtori have it (subtorus.c).
 *
 *     size 8, extent 4, stride 2:  base 0   # . # . # . # .
 *                                  base 1   . # . # . # . #
 *
 * The nodes of such a box are its base plus whole strides, and a base lies
 * below the stride. So the bitmap of usable nodes is ANDed with itself, shifted
 * by half of the strides, then by a quarter, and so on, from the last dimension
 * to the first. No shift leaves the part of the dimension that is still needed,
 * so nothing wraps around, and this part shrinks with each pass:
 *
 *     # # . # # # # .  AND  # # # .   (moved by 2 strides)  ->  # # . .
 *                      AND  . .       (moved by 1 stride)   ->  . .
 *
 * Cost: O(words) for the last dimension, and O(words / its extent x log(extent))
 * for the others. Memory: none of its own.
 */
#ifndef PLACEMENT_COMB_H
#define PLACEMENT_COMB_H

#include "torus/region.h"

/*
 * Return the bitmap of the bases at which all nodes of `like` are usable, or
 * NULL if there is none. The base of `like` is ignored. Only bits of bases
 * below the strides are meaningful. The bitmap is `usable` itself or one of
 * `spare`, two bitmaps of the torus's nodes.
 */
const uint64_t *torus_comb_bases(const struct torus *t,
				 const struct torus_region *like,
				 const uint64_t *usable,
				 uint64_t *const spare[2]);

#endif
