/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list behind free_boxes.h: boxes by position and extent, tests of one box
 * against the others, and the parts of a box that remain after a cut.
 *
 * A list is a table per dimension, so that one comparison tests four boxes at
 * once. Numbers are signed because vector units compare signed integers.
 */
#ifndef PLACEMENT_BOX_LIST_H
#define PLACEMENT_BOX_LIST_H

#include "placement/state/free_boxes.h"

#define LANES 4

typedef int32_t lanes __attribute__((vector_size(4 * LANES)));
typedef uint64_t lanes_bits __attribute__((vector_size(4 * LANES)));

#define BLOCKS (TORUS_FREE_BOXES / LANES)

/* Boxes from `used` on are empty: their extents are 0. */
struct box_list {
	uint32_t used;
	lanes base[TORUS_MAX_DIMS][BLOCKS];
	lanes extent[TORUS_MAX_DIMS][BLOCKS];
};

struct free_box {
	int32_t base[TORUS_MAX_DIMS];
	int32_t extent[TORUS_MAX_DIMS];
};

struct torus_free_boxes {
	const struct torus *t;
	struct box_list list;
	/* between begin and finish: the boxes before the release */
	struct box_list before;
	uint32_t least; /* smaller boxes are not listed */
	bool loose;     /* a box could not be cut: it may hold busy nodes */
	bool only;      /* list only boxes that meet `released` */
	bool rebuilt;   /* between begin and finish */
	uint32_t parts; /* tried since begin */
	uint32_t most_parts; /* to try in a rebuild */
	struct free_box released;
};

/* The bases along one dimension as plain integers. */
static inline int32_t *box_base(struct box_list *l, uint32_t d)
{
	return (int32_t *)l->base[d];
}

static inline int32_t *box_extent(struct box_list *l, uint32_t d)
{
	return (int32_t *)l->extent[d];
}

static inline void box_put(struct box_list *l, uint32_t dims, uint32_t i,
			   const struct free_box *b)
{
	for (uint32_t d = 0; d < dims; d++) {
		box_base(l, d)[i] = b->base[d];
		box_extent(l, d)[i] = b->extent[d];
	}
}

static inline void box_get(const struct box_list *l, uint32_t dims, uint32_t i,
			   struct free_box *b)
{
	for (uint32_t d = 0; d < dims; d++) {
		b->base[d] = ((const int32_t *)l->base[d])[i];
		b->extent[d] = ((const int32_t *)l->extent[d])[i];
	}
}

static inline bool lanes_any(lanes v)
{
	lanes_bits b = (lanes_bits)v;

	return (b[0] | b[1]) != 0;
}

/* Return the distance from a to b on a dimension of `size` nodes, going up and
 * around. */
static inline lanes lanes_behind(lanes a, lanes b, int32_t size)
{
	lanes n = b - a;

	return n + ((n < 0) & size);
}

/* The parts of a box beside a region along one dimension: offsets from the
 * box's base, and extents. */
struct box_gaps {
	uint32_t used;
	int32_t ahead[2], extent[2];
};

/* Remove box i: the last box takes its index. */
void box_drop(struct box_list *l, uint32_t dims, uint32_t i);

void box_list_copy(struct box_list *to, const struct box_list *from,
		   uint32_t dims);

/* Return which boxes of block k meet the box. */
lanes box_list_meet(const struct torus *t, const struct box_list *l, uint32_t k,
		    const struct free_box *b);

/* Return true if the box lies within a box of the list. */
bool box_list_covers(const struct torus *t, const struct box_list *l,
		     const struct free_box *b);

struct free_box box_of(const struct torus *t, const struct torus_region *r);
bool box_within(const struct torus *t, const struct free_box *in,
		const struct free_box *b);
bool box_meets(const struct torus *t, const struct free_box *a,
	       const struct free_box *b);

/*
 * Return the parts of b along d that the region leaves free. Positions count
 * from b's base: the region covers [first, end), or continues across the wrap.
 */
struct box_gaps box_beside(const struct torus *t, const struct free_box *b,
			   uint32_t d, const struct free_box *r);

#endif
