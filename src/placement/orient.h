/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orientations: the distinct ways in which the axes of a shape can lie along
 * the machine's dimensions. Axes of equal extent and equal connection are
 * interchangeable; the lowest axis takes the lowest dimension.
 */
#ifndef PLACEMENT_ORIENT_H
#define PLACEMENT_ORIENT_H

#include "torus/ask.h"

/* Return true if axis a may lie along dimension d, undivided (stride 1): its
 * extent does not exceed the size, and it is closed if its connection requires
 * it. */
bool torus_orient_allows(const struct torus *t, const struct torus_ask *ask,
			 uint32_t a, uint32_t d);

/* Return the cells of a line of `vertices` along dimension d; 0 if the unit
 * does not divide it. */
static inline uint32_t torus_orient_cells(const struct torus *t, uint32_t d,
					  uint32_t vertices)
{
	if (t->unit[d] == 1)
		return vertices;
	return vertices % t->unit[d] ? 0 : vertices / t->unit[d];
}

/* Return the cells of the ask's axis a (-1: none) along dimension d, as
 * torus_orient_cells() does. */
static inline uint32_t torus_orient_extent(const struct torus *t,
					   const struct torus_ask *ask, int a,
					   uint32_t d)
{
	return torus_orient_cells(t, d, a < 0 ? 1 : ask->shape.extent[a]);
}

/* Return true if a line of `extent` adjacent cells along dimension d is a
 * closed ring. */
bool torus_orient_closed(const struct torus *t, uint32_t d, uint32_t extent);

/*
 * Call each() for every distinct orientation in lexicographic order ('-' before
 * 0). each() returns false to stop. Return false if it was stopped. Cost:
 * O(orientations x dimensions).
 */
bool torus_orient_each(const struct torus *t, const struct torus_ask *ask,
		       bool (*each)(void *arg,
				    const struct torus_orientation *o),
		       void *arg);

/* Return true if there is an orientation. */
bool torus_orient_any(const struct torus *t, const struct torus_ask *ask);

/*
 * From `bases`, at which a box holds no dead link, keep those with as many
 * rings as possible on axes that prefer one (N, link_map.h). Return `bases`
 * itself if no ring may be open, NULL if no base is left. o == NULL: the box of
 * a count. *open gets the number of those rings that are impossible.
 */
const uint64_t *torus_orient_rings(const struct torus_ask *ask,
				   const struct torus_orientation *o,
				   const uint32_t *extent,
				   const uint64_t *bases, uint32_t *open);

/*
 * Call each() for places in lexicographic order of (orientation text, base), until it
 * returns false. at() emits the places at one base, until emit() returns false or the
 * limit of the search is reached, and then returns false; it is called for all bases,
 * once for each orientation, and once more.
 */
struct torus_places {
	const struct torus *torus;
	bool (*at)(void *self, const uint32_t *base,
		   bool (*emit)(void *arg, const struct torus_placement *place),
		   void *arg);
	void *self;
};
void torus_orient_list(const struct torus_places *places,
		       bool (*each)(void *arg,
				    const struct torus_placement *place),
		       void *arg);

/* Return the number of axes that need a dimension of their own. */
uint32_t torus_orient_axes(const struct torus_ask *ask);

/* Add the reason for NEVER: why no orientation exists. */
void torus_orient_explain(const struct torus *t, const struct torus_ask *ask,
			  struct torus_error *why);

/* Fill granted, axes, ring and orientation of a placement whose region and
 * orientation are set. */
void torus_orient_finish(const struct torus *t, const struct torus_ask *ask,
			 struct torus_placement *place);

#endif
