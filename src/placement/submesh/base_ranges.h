/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bases of boxes that must hold certain nodes (torus_ask.required).
 *
 * A box holds the nodes if in every dimension its interval holds their
 * coordinates. So the allowed bases are the product of one window per
 * dimension, which follows from the gaps between the coordinates:
 *
 *     . . x . x . . . .      extent 4: the interval begins at 1 or 2
 *       [ - - - ]            (with wrap also where it comes around)
 *         [ - - - ]
 *
 * Cost: O(nodes) to set the nodes; O(1) to test an extent; O(words + bases in
 * the windows) to narrow a bitmap of bases. Memory: one bitmap, and twice the
 * sum of the sizes in bits.
 */
#ifndef PLACEMENT_BASE_RANGES_H
#define PLACEMENT_BASE_RANGES_H

#include "torus/bits.h"
#include "torus/torus.h"

struct torus_base_ranges {
	const struct torus *torus;
	bool any;  /* true if any node is required */
	bool open; /* a wrapped dimension that is covered whole may begin
		      anywhere: dead links can open it */
	uint32_t least[TORUS_MAX_DIMS]; /* smallest extent that holds the nodes */
	uint64_t *seen[TORUS_MAX_DIMS]; /* coordinates of the nodes */
	uint64_t *base[TORUS_MAX_DIMS]; /* allowed bases of the current box */
	uint64_t *narrowed; /* result of the latest torus_base_ranges_narrow() */
	uint64_t *memory;
};

/* t must outlive a. Return -1 with ENOMEM; call torus_base_ranges_free() in any
 * case. */
int torus_base_ranges_init(struct torus_base_ranges *a, const struct torus *t);
void torus_base_ranges_free(struct torus_base_ranges *a);

/* Set the required nodes; NULL: none. */
void torus_base_ranges_set(struct torus_base_ranges *a, const uint64_t *nodes);

/* Return true if a box with this extent along d can hold the required nodes. */
static inline bool torus_base_ranges_allows(const struct torus_base_ranges *a,
					    uint32_t d, uint32_t extent)
{
	return !a->any || extent >= a->least[d];
}

/* Return those of `bases` at which the box holds the required nodes. The bitmap
 * stays valid until the next call. It is `bases` itself if no node is required,
 * and NULL if no base is left. */
const uint64_t *torus_base_ranges_narrow(struct torus_base_ranges *a,
					 const uint32_t *extent,
					 const uint64_t *bases);

#endif
