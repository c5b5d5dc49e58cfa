/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maximal free boxes (free_boxes.h) of a torus less the first n regions of a
 * sequence, for several n. They are kept until the sequence changes before n:
 *
 *	before     a b c d e f      kept for n = 0, 2, 4, 5
 *	now        a b c x d e f    of use:      0, 2
 *
 * The same cuts in the same order make a list, whether it was kept or not. So no
 * answer depends on earlier searches.
 *
 * Cost: a list O(regions between it and the longest shorter one kept) cuts; a few
 * lists in between are kept, too. Memory: 28 lists.
 */
#ifndef PLACEMENT_BOX_PREFIXES_H
#define PLACEMENT_BOX_PREFIXES_H

#include "placement/state/free_boxes.h"

#define TORUS_PREFIX_REGIONS 320

struct torus_box_prefixes;

struct torus_box_prefix {
	struct torus_free_boxes *boxes;
	uint32_t note; /* the caller's; 0 when the list is new */
	/* the rest is box_prefixes.c's */
	uint32_t length;
	uint64_t last_used; /* number of a sequence; 0: empty */
};

/* Boxes of fewer than `least` nodes are not listed. t must outlive it. NULL with
 * ENOMEM. */
struct torus_box_prefixes *torus_box_prefixes_create(const struct torus *t,
						     uint32_t least);
void torus_box_prefixes_destroy(struct torus_box_prefixes *p);

/* Begin a sequence of at most TORUS_PREFIX_REGIONS; then add them in order. */
void torus_box_prefixes_begin(struct torus_box_prefixes *p);
void torus_box_prefixes_add(struct torus_box_prefixes *p,
			    const struct torus_region *region);

/* Return the boxes less the first `length` regions of the sequence, all of which have
 * been added. At most ten lengths may be asked for of one sequence, in ascending
 * order. Valid until the next sequence. */
struct torus_box_prefix *torus_box_prefixes_get(struct torus_box_prefixes *p,
						uint32_t length);

#endif
