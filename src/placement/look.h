/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look-ahead: how long would the next request wait, if a job is put here now
 * and nothing but the known ends happens? Of the next request nothing is
 * known: every box that the machine holds, in any orientation, is equally
 * likely. So the expected delay is
 *
 *     sum over the intervals between ends of
 *         length x boxes that fit in no orientation then
 *
 * Boxes that fit are counted by eroding the free nodes by one more node at a
 * time, dimension by dimension, until nothing is left. Boxes that are turns
 * of each other are one class, as a request may be turned.
 *
 * Only the next few ends are looked at.
 *
 * Cost: O(boxes that fit) passes over the bitmap per end. Memory: 2 bitmaps
 * per dimension and one more, 4 words per node.
 */
#ifndef PLACEMENT_LOOK_H
#define PLACEMENT_LOOK_H

#include "torus/region.h"

/* A hold that the question sees. */
struct torus_near {
	const struct torus_region *region;
	int64_t end_us; /* INT64_MAX: unknown */
};

struct torus_look;

/* t must outlive it. NULL with ENOMEM. */
struct torus_look *torus_look_create(const struct torus *t);
void torus_look_destroy(struct torus_look *l);

/*
 * The delay in microseconds times the number of boxes, with `region` taken
 * from now_us to end_us and the holds (by end) ending as they should. Nothing
 * beyond the first unknown end counts.
 */
int64_t torus_look_delay(struct torus_look *l, const uint64_t *usable,
			 const struct torus_region *region, int64_t now_us,
			 int64_t end_us, const struct torus_near *hold,
			 uint32_t holds);

#endif
