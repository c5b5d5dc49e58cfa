/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The surface that a box shares with each of a list of boxes, eight of them at
 * once.
 *
 * The surface is separable. Per dimension, let o be the overlap of the two arcs
 * and f how many of the first box's two faces lie flush against the other; then
 * the shared surface is the sum over the dimensions of f times the overlaps in
 * all others:
 *
 *     overlap' = overlap x o        surface' = surface x o + overlap x f
 *
 * The loop is compiled twice, for AVX2 and for any processor. create() chooses.
 *
 * Cost: O(boxes x dimensions). Memory: 2 numbers per box and dimension.
 */
#ifndef PLACEMENT_CONTACT_H
#define PLACEMENT_CONTACT_H

#include "torus/region.h"

#define TORUS_CONTACT_MOST 256 /* boxes; a multiple of 8 */

struct torus_contact;

/* NULL with ENOMEM. t must outlive it. The list starts empty. */
struct torus_contact *torus_contact_create(const struct torus *t);
void torus_contact_destroy(struct torus_contact *c);

/* Use the processor's wide vectors if available (the default after create), or
 * not, for comparison. */
void torus_contact_wide(struct torus_contact *c, bool wide);

void torus_contact_clear(struct torus_contact *c);
/* Append a box without strides to a list of fewer than TORUS_CONTACT_MOST. */
void torus_contact_add(struct torus_contact *c, const struct torus_region *r);

/* Return the surface in nodes that the box at x shares with each of the list, in
 * their order. Valid until the next call. */
const int32_t *torus_contact_of(struct torus_contact *c, const uint32_t *x,
				const uint32_t *extent);

#endif
