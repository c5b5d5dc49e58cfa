/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extents of interleaved subtori: each divides the size of its dimension.
 */
#ifndef PLACEMENT_SUBTORUS_H
#define PLACEMENT_SUBTORUS_H

#include "torus/ask.h"
#include "torus/region.h"

/*
 * Every subtorus that a torus can hold, by volume, then the most compact first:
 * least hops along its own rings, then nearest to a cube, then lexicographic.
 * Memory: one entry per box, at most as many as nodes.
 */
struct torus_subtorus_box {
	uint32_t volume;
	bool closed;     /* every extent is a ring */
	uint64_t hops;   /* in units of torus_factor_hops() */
	uint64_t spread; /* sum of squared extents */
	uint32_t extent[TORUS_MAX_DIMS];
};

struct torus_subtorus_boxes {
	uint32_t used;
	struct torus_subtorus_box box[];
};

/* Return NULL with ENOMEM. Free with torus_free(). */
struct torus_subtorus_boxes *torus_subtorus_boxes_create(const struct torus *t);

/* Return the first box of the smallest volume >= n, and the next box of the
 * same volume (`box` is of the list). closed: only boxes of closed rings. NULL:
 * none. */
const struct torus_subtorus_box *
torus_subtorus_first(const struct torus_subtorus_boxes *all, uint32_t n,
		     bool closed);
const struct torus_subtorus_box *
torus_subtorus_next(const struct torus_subtorus_boxes *all,
		    const struct torus_subtorus_box *box, bool closed);

/* Return true if the shape's extents divide the sizes that they lie along and
 * every axis that must be a ring is one. */
bool torus_subtorus_allows(const struct torus *t, const struct torus_ask *ask,
			   const struct torus_orientation *o);

/* Return the ask without its requirements for rings, which torus_orient_each()
 * would check for undivided lines. */
struct torus_ask torus_subtorus_open(const struct torus_ask *ask);

/* Add the reason for NEVER, with the nearest shapes that would fit. */
void torus_subtorus_explain(const struct torus *t, const struct torus_ask *ask,
			    struct torus_error *why);

/* subtorus.c: internal state of the strategy `subtorus`, used by its search
 * (subtorus_find.c). */

#define SUBTORUS_ONE INT64_C(1000000)
#define SUBTORUS_FORBIDDEN INT64_MAX  /* a load or rate beyond max_dilation */
#define SUBTORUS_NO_MAXIMUM INT64_MAX /* of max_dilation */

struct subtorus_entry {
	struct torus_region region;
	int64_t end_us;
	int64_t rate; /* scratch: its dilation by all others, in millionths */
};

struct subtorus {
	const struct torus *torus;
	int64_t max_dilation; /* dilation allowed beyond 1, in millionths */
	struct subtorus_entry *entry;
	uint32_t entries;
	uint32_t *at; /* node -> the entry whose base it is */
	struct torus_subtorus_boxes *boxes;
	uint64_t *map[2]; /* scratch of find and check */
	/* scratch of find: a table per dimension, by line */
	int64_t *load;
	int64_t *rate; /* in millionths; SUBTORUS_FORBIDDEN: an old job forbids sharing the line */
};

/* Return the load that a region puts on a line along d, in millionths: the
 * slowdown of those that share the line. At least 1, so that sharing always
 * costs something. */
int64_t torus_subtorus_share(const struct torus *t,
			     const struct torus_region *r, uint32_t d);

/* Compute how much every entry is slowed by the others now. O(entries^2). */
void torus_subtorus_rates(struct subtorus *s);

/* The strategy's find() and find_all(). */
enum torus_answer torus_subtorus_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why);
void torus_subtorus_find_all(void *self, const struct torus_ask *ask,
			     const uint64_t *usable,
			     bool (*each)(void *arg,
					  const struct torus_placement *place),
			     void *arg);

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
