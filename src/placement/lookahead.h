/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look-ahead: how long would the next request wait, if a job is put here now
 * and nothing but the known ends happens? Of the next request nothing is
 * known: every box that the machine holds may be it. So the delay is
 *
 *     sum over the intervals between ends of
 *         length x nodes of the boxes that fit in no orientation then
 *
 * Boxes that are turns of each other are one class, as a request may be
 * turned. Boxes of less than a fifth of the machine do not count, and only
 * the next few ends are looked at.
 *
 * A class fits iff its extents, sorted, are at most those of a maximal free box
 * (free_boxes.h). The maximal boxes of a fifth of the machine or more are few.
 * They are listed once per search, from the last end that counts backwards:
 * the state before an end is the one after it less the regions that end there.
 *
 *     after the 2nd end   whole torus less the holds that go on
 *     after the 1st       the same less what ends second
 *     now                 the same less what ends first
 *
 * What a place changes is then a cut of these lists. The nodes of the classes
 * within one box are read from a table of prefix sums; those within several
 * by inclusion and exclusion, where the common part of two boxes is the
 * element by element minimum of their sorted extents.
 *
 * Cost: a cut of a short list per hold; per place and end O(boxes of that list),
 * whatever the size of the machine. Memory: a word per node, and the lists.
 */
#ifndef PLACEMENT_LOOKAHEAD_H
#define PLACEMENT_LOOKAHEAD_H

#include "torus/region.h"

/* Nodes that are taken until a time: a hold, or the place in question. */
struct torus_near {
	const struct torus_region *region;
	int64_t end_us; /* INT64_MAX: unknown */
};

struct torus_lookahead;

/* t must outlive it. NULL with ENOMEM. */
struct torus_lookahead *torus_lookahead_create(const struct torus *t);
void torus_lookahead_destroy(struct torus_lookahead *l);

/*
 * The holds (by end) end as they should, and nodes that are neither usable nor
 * held stay so (usable == NULL: there are none). Nothing beyond the first
 * unknown end counts. False: there are too many boxes to judge places by.
 */
bool torus_lookahead_begin(struct torus_lookahead *l, const uint64_t *usable,
			   int64_t now_us, const struct torus_near *hold,
			   uint32_t holds);

/* The delay in microseconds times nodes, with `place` taken from the begin's
 * now_us to its end. Stops early once it is `least` or more. */
int64_t torus_lookahead_delay(struct torus_lookahead *l,
			      const struct torus_near *place, int64_t least);

#endif
