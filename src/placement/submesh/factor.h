/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes for node counts: which volumes a torus can hold, and how compact a box
 * is.
 */
#ifndef PLACEMENT_FACTOR_H
#define PLACEMENT_FACTOR_H

#include "torus/ask.h"
#include "torus/machine.h"

/* Return the mean number of hops between two nodes (drawn with repetition) of a
 * line of `extent` nodes, times 2^20: (e^2 - 1) / 3e on an open line, e / 4 or
 * (e^2 - 1) / 4e on a ring of even or odd size. */
uint64_t torus_factor_hops(uint32_t extent, bool ring);

/* The same for `extent` cells along dimension d, counted in vertices; and the
 * square of that length. */
uint64_t torus_factor_along(const struct torus *t, uint32_t d, uint32_t extent);
static inline uint64_t torus_factor_spread(const struct torus *t, uint32_t d,
					   uint32_t extent)
{
	uint64_t e = (uint64_t)extent * t->unit[d];

	return e * e;
}

/* Return true if a box may have this extent in dimension d. closed: it must be
 * a ring. */
bool torus_factor_allows(const struct torus *t, uint32_t d, uint32_t extent,
			 bool closed);

/* In the following functions `ask` says which boxes of a count will do: those whose
 * axes are all rings, and those within its limits; NULL: any. */
static inline bool torus_factor_closed(const struct torus_ask *ask)
{
	return ask && ask->connection[0] == TORUS_CONN_TORUS;
}

/* Return true if the box is within the limits of the ask. */
bool torus_factor_within(const struct torus *t, const uint32_t *extent,
			 const struct torus_ask *ask);

/* Return the longest side by the shortest, in thousandths, and the least number of
 * links between two halves (torus/ask.h); of one vertex 1000 and UINT32_MAX. */
uint32_t torus_factor_aspect(const struct torus *t, const uint32_t *extent);
uint32_t torus_factor_bisection(const struct torus *t, const uint32_t *extent);

/*
 * Return the smallest volume >= n of such a box in the torus, 0 if there is none.
 * O(product of all dimensions but the largest), less what pruning saves; with limits
 * O(product of all dimensions).
 */
uint32_t torus_factor_next(const struct torus *t, uint32_t n,
			   const struct torus_ask *ask);

/* The same for the largest volume <= n. O(product of all dimensions), less what pruning
 * saves. */
uint32_t torus_factor_previous(const struct torus *t, uint32_t n,
			       const struct torus_ask *ask);

/*
 * Find the most compact boxes of a volume: least hops, then most rings, then
 * nearest to a cube. Fill the extents of all equally compact ones in
 * lexicographic order and return their number. Return 0 if there are more than
 * `room`, or none. O(boxes).
 */
uint32_t torus_factor_compact(const struct torus *t, uint32_t volume,
			      const struct torus_ask *ask,
			      uint32_t (*extent)[TORUS_MAX_DIMS], uint32_t room);

/* Complete a placement chosen for a count: its shape is the extents above 1.
 * Fill orientation, axes, ring and granted from the region. */
void torus_factor_finish(const struct torus *t, const struct torus_ask *ask,
			 struct torus_placement *place);

/*
 * Iterate over the boxes of a volume, the most compact first: least hops, then
 * most rings, then nearest to a cube (least sum of squared extents), then
 * lexicographic. Start with a zeroed cursor. Return false after the last.
 * O(boxes) per call, so O(boxes^2) for all; there are at most some hundreds.
 */
struct torus_factor_box {
	bool started;
	uint64_t hops;
	uint32_t rings;
	uint64_t spread; /* sum of squared extents */
	uint32_t extent[TORUS_MAX_DIMS];
};
bool torus_factor_box_next(const struct torus *t, uint32_t volume,
			   const struct torus_ask *ask,
			   struct torus_factor_box *box);

/* nearest.c: the nearest larger shapes that a torus with units can hold. */

/* If only units or the grain exclude every orientation of the ask's shape from
 * the pod, add a line that says so and names the nearest larger shapes. */
bool torus_nearest_explain(const struct torus_pod *pod,
			   const struct torus_ask *ask, struct torus_error *why);

#endif
