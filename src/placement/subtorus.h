/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which extents an interleaved subtorus can have: each divides the size of
 * its dimension.
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

/* NULL with ENOMEM. To be freed with torus_free(). */
struct torus_subtorus_boxes *torus_subtorus_boxes_create(const struct torus *t);

/* The first box of the smallest volume >= n, and the next of the same volume
 * (`box` is of the list). closed: only such boxes. NULL: none. */
const struct torus_subtorus_box *
torus_subtorus_first(const struct torus_subtorus_boxes *all, uint32_t n,
		     bool closed);
const struct torus_subtorus_box *
torus_subtorus_next(const struct torus_subtorus_boxes *all,
		    const struct torus_subtorus_box *box, bool closed);

/* Return true if the shape's extents divide the sizes they lie along and every
 * axis is a ring that must be one. */
bool torus_subtorus_allows(const struct torus *t, const struct torus_ask *ask,
			   const struct torus_orientation *o);

/* The ask with its demands for rings hidden from torus_orient_each(), which
 * thinks of undivided lines. */
struct torus_ask torus_subtorus_open(const struct torus_ask *ask);

/* The sentence for NEVER, with the nearest shapes that would fit. */
void torus_subtorus_explain(const struct torus *t, const struct torus_ask *ask,
			    struct torus_error *why);

#endif
