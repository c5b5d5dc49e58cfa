/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extents of interleaved subtori: each divides the size of its dimension.
 */
#ifndef PLACEMENT_SUBTORUS_H
#define PLACEMENT_SUBTORUS_H

#include "torus/ask.h"

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

#endif
