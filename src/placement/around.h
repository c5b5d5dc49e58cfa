/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes that must hold certain nodes (torus_ask.required): at which bases?
 *
 * A box holds the nodes if in every dimension its interval holds their
 * coordinates. So the admissible bases are the product of one window per
 * dimension, which follows from the gaps between the coordinates:
 *
 *     . . x . x . . . .      extent 4: the interval begins at 1 or 2
 *       [ - - - ]            (with wrap also where it comes around)
 *         [ - - - ]
 *
 * Cost: to set the nodes O(nodes); of an extent O(1) to find out whether there
 * is a window; to narrow a bitmap of bases O(words + bases in the windows).
 * Memory: a bitmap, and twice the sum of the sizes in bits.
 */
#ifndef PLACEMENT_AROUND_H
#define PLACEMENT_AROUND_H

#include "torus/bits.h"
#include "torus/torus.h"

struct torus_around {
	const struct torus *torus;
	bool any;  /* are there any nodes to hold? */
	bool open; /* a wrapped dimension that is covered whole may begin
		      anywhere: dead links can open it */
	uint32_t least[TORUS_MAX_DIMS]; /* extent that holds them */
	uint64_t *seen[TORUS_MAX_DIMS]; /* their coordinates */
	uint64_t *base[TORUS_MAX_DIMS]; /* the windows of a box */
	uint64_t *narrowed;             /* the latest result */
	uint64_t *memory;
};

/* t must outlive it. -1 with ENOMEM; torus_around_free() is needed all the
 * same. */
int torus_around_init(struct torus_around *a, const struct torus *t);
void torus_around_free(struct torus_around *a);

/* The nodes to hold from now on; NULL: none. */
void torus_around_set(struct torus_around *a, const uint64_t *nodes);

/* Return true if a box of this extent along d can hold them. */
static inline bool torus_around_allows(const struct torus_around *a, uint32_t d,
				       uint32_t extent)
{
	return !a->any || extent >= a->least[d];
}

/* Those bases of a box that holds them, in a bitmap that stays until the next
 * call, or `bases` itself where there is nothing to hold; NULL: none. */
const uint64_t *torus_around_narrow(struct torus_around *a,
				    const uint32_t *extent,
				    const uint64_t *bases);

#endif
