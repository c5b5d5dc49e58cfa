/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look-ahead: how long would the next request wait if a job is placed here and
 * nothing happens but the known ends? The next request may be any box that the
 * machine holds, so the delay is
 *
 *     sum over the intervals between ends of
 *         length x nodes of the boxes that fit in no orientation then
 *
 * Boxes that are rotations of each other are one class. Boxes of less than a fifth
 * of the machine do not count, and only the next few ends are considered.
 *
 * A class fits if and only if its sorted extents are at most those of a maximal
 * free box (free_boxes.h). Those of at least a fifth of the machine are few. They
 * are listed from the last end backwards: the state before an end is the one after
 * it minus the regions that end there.
 *
 *     after the 2nd end   whole torus less the holds that go on
 *     after the 1st       the same less what ends second
 *     now                 the same less what ends first
 *
 * A search takes over the lists of the one before up to the first hold that
 * differs (lookahead.c).
 *
 * A place then cuts these lists. The nodes of the classes within one box are read
 * from a table of prefix sums; those within several boxes by inclusion and
 * exclusion, where the common part of two boxes is the element-wise minimum of
 * their sorted extents.
 *
 * Cost: a cut of a short list for each hold from the first that differs, in that
 * order, and for each hold if nodes that are neither usable nor held differ; per
 * place and end O(boxes of that list), whatever the size of the machine. Memory: a
 * word per node, and the lists.
 */
#ifndef PLACEMENT_LOOKAHEAD_H
#define PLACEMENT_LOOKAHEAD_H

#include "torus/region.h"

/* Nodes taken until a time: a hold, or the place to be scored. */
struct torus_near {
	const struct torus_region *region;
	int64_t end_us; /* INT64_MAX: unknown */
};

struct torus_lookahead;

#define TORUS_LOOKAHEAD_HOLDS 256

/* t must outlive it. NULL with ENOMEM. */
struct torus_lookahead *torus_lookahead_create(const struct torus *t);
void torus_lookahead_destroy(struct torus_lookahead *l);

/*
 * Begin a search. The holds, at most TORUS_LOOKAHEAD_HOLDS and sorted by end, end at
 * their expected time, and nodes neither usable nor held stay so (usable == NULL: there
 * are none). Nothing after the first unknown end counts. Return false if there are too
 * many boxes to score places.
 */
bool torus_lookahead_begin(struct torus_lookahead *l, const uint64_t *usable,
			   int64_t now_us, const struct torus_near *hold,
			   uint32_t holds);

/* Return the delay in microseconds times nodes if `place` is taken from now_us
 * to its end. Stop early once it reaches `least`. */
int64_t torus_lookahead_delay(struct torus_lookahead *l,
			      const struct torus_near *place, int64_t least);

#endif
