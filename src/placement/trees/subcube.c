/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `subcube-buddy`: aligned sub-cubes of a hypercube 2x2x...x2, the buddy
 * scheme that Mohapatra's real-time schedulers build on (section 2.2).
 *
 * A sub-cube of 2^k nodes is nodes j 2^k .. (j+1) 2^k - 1: the lowest k
 * dimensions completely, the others fixed. The lowest j whose nodes are all
 * usable is taken. Node counts are rounded up to a power of two. The buddy
 * scheme needs only the occupancy, so no state is kept.
 *
 * A shape is k axes of 2, which lie along the lowest k dimensions; pinned axes
 * must be exactly these. Sub-cubes across other dimensions are not recognized:
 * `subcube` is the complete search.
 *
 * Cost: O(nodes / 64), for k below 6 O(nodes / 2^k). Memory: none.
 */
#include <stdio.h>

#include "placement/orient.h"
#include "placement/strategies.h"
#include "torus/alloc.h"

struct subcube {
	const struct torus *torus;
};

static int subcube_supports(const struct torus_strategy *strategy,
			    const struct torus *t, struct torus_error *why)
{
	char machine[TORUS_STRING_SIZE];

	torus_format(t, machine, sizeof(machine));
	for (uint32_t d = 0; d < t->dims; d++) {
		if (t->flat || t->size[d] != 2)
			return torus_error_add(why,
					       "%s: %s (%s) is no hypercube 2x2x..x2",
					       strategy->name, t->name, machine);
	}
	return 0;
}

static void *subcube_create(const struct torus *t, const uint64_t *present,
			    const struct torus_options *options)
{
	struct subcube *s = torus_alloc(1, sizeof(*s));

	(void)present; /* cells without a node are never usable */
	(void)options;
	if (s)
		s->torus = t;
	return s;
}

/* Return the k of the requested sub-cube, or -1 with the reason. */
static int dimension_of(const struct torus *t, const struct torus_ask *ask,
			struct torus_error *why)
{
	int k = 0;

	if (ask->by_count) {
		while (k < (int)t->dims && 1u << k < ask->count)
			k++;
		if (1u << k >= ask->count)
			return k;
		torus_error_add(why, "%u nodes: %s has only %llu",
				torus_ask_count(ask), t->name,
				(unsigned long long)
					torus_ask_cell_nodes(ask, t->nodes));
		return -1;
	}
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		if (ask->shape.extent[a] > 2) {
			torus_orient_explain(t, ask, why);
			return -1;
		}
		k += ask->shape.extent[a] == 2;
	}
	if (torus_orient_axes(ask) > t->dims) {
		torus_orient_explain(t, ask, why);
		return -1;
	}
	for (int a = 0; a < k && !ask->rotate; a++) {
		if (ask->shape.extent[a] == 2)
			continue;
		torus_error_add(why,
				"subcube-buddy: pinned axes of 2 must be the first ones: an aligned sub-cube of %u nodes lies along dimensions 0 to %d",
				1u << k, k - 1);
		return -1;
	}
	return k;
}

/* Set the j-th aligned sub-cube of dimension k. */
static void subcube_set_place(const struct torus *t, const struct torus_ask *ask,
			      int k, uint32_t j, struct torus_placement *place)
{
	struct torus_ask shaped = *ask;

	*place = (struct torus_placement){ 0 };
	torus_region_whole(&place->region, t);
	torus_coord(t, j << k, place->region.base);
	memset(place->orientation.axis, -1, sizeof(place->orientation.axis));
	if (ask->by_count || ask->rotate) {
		shaped.shape.axes = k ? (uint32_t)k : 1;
		shaped.rotate = true;
	}
	for (uint32_t d = 0; d < t->dims; d++) {
		if ((int)d >= k)
			place->region.extent[d] = 1;
		if ((int)d < k || (!shaped.rotate && d < shaped.shape.axes))
			place->orientation.axis[d] = (int8_t)d;
	}
	torus_orient_finish(t, &shaped, place);
}

/* Return true if the j-th aligned sub-cube of dimension k is free and holds the
 * required nodes. */
static bool subcube_suits(const struct torus *t, const struct torus_ask *ask,
			  const uint64_t *usable, int k, uint32_t j)
{
	uint32_t words = torus_bits_words(t->nodes), bit;

	if (!torus_bits_all_range(usable, j << k, 1u << k))
		return false;
	bit = ask->required ? torus_bits_next(ask->required, words, 0) :
			      UINT32_MAX;
	while (bit != UINT32_MAX && bit >> k == j)
		bit = torus_bits_next(ask->required, words, bit + 1);
	return bit == UINT32_MAX;
}

static enum torus_answer subcube_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	const struct subcube *s = self;
	int k = dimension_of(s->torus, ask, why);

	if (k < 0)
		return TORUS_NEVER;
	for (uint32_t j = 0; j < s->torus->nodes >> k; j++) {
		if (!subcube_suits(s->torus, ask, usable, k, j))
			continue;
		subcube_set_place(s->torus, ask, k, j, out);
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

static void subcube_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	const struct subcube *s = self;
	int k = dimension_of(s->torus, ask, NULL);

	/* bases in lexicographic order: the first dimension slowest */
	for (uint32_t i = 0; k >= 0 && i < s->torus->nodes >> k; i++) {
		uint32_t left = s->torus->dims - (uint32_t)k, j = 0;
		struct torus_placement place;

		for (uint32_t b = 0; b < left; b++)
			j |= (i >> b & 1) << (left - 1 - b);
		if (!torus_bits_all_range(usable, j << k, 1u << k))
			continue;
		subcube_set_place(s->torus, ask, k, j, &place);
		if (!each(arg, &place))
			return;
	}
}

const struct torus_strategy torus_strategy_subcube_buddy = {
	.name = "subcube-buddy",
	.summary = "aligned sub-cubes of a hypercube, counts to powers of two",
	.source = "Mohapatra, section 2.2",
	.occupancy_only = true,
	.supports = subcube_supports,
	.create = subcube_create,
	.destroy = torus_free,
	.find = subcube_find,
	.find_all = subcube_find_all,
};
