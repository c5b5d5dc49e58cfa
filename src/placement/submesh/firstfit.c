/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh-tff` and `submesh-ff`: First Fit with and without turning, the
 * baselines of Bani-Mohammad et al. (sections II and VI).
 *
 * Turns that no free box can hold are skipped (turn.c). For the others every base
 * is tried in index order, and at each base every node of the box until an
 * unusable one is found: the reference scan for comparisons.
 *
 * Cost: O(nodes x volume) per orientation. Memory: none, but that of submesh where
 * cells have no node. 1 to 3 dimensions.
 */
#include <stdio.h>

#include "placement/strategies.h"
#include "placement/submesh/turn.h"
#include "torus/alloc.h"

struct firstfit {
	const struct torus *torus;
	bool turning;
	struct submesh *grants; /* torus_turn_grants() */
	const uint64_t *usable; /* of the current search */
	struct torus_search_limit *limit;
};

static void firstfit_destroy(void *self)
{
	struct firstfit *f = self;

	if (f)
		torus_strategy_submesh.destroy(f->grants);
	torus_free(f);
}

static struct firstfit *firstfit_create(const struct torus *t,
					const uint64_t *present, bool turning)
{
	struct firstfit *f = torus_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->torus = t;
	f->turning = turning;
	f->grants = torus_turn_grants(t, present);
	if (f->grants || !present)
		return f;
	firstfit_destroy(f);
	return NULL;
}

static void *tff_create(const struct torus *t, const uint64_t *present,
			const struct torus_options *options)
{
	(void)options;
	return firstfit_create(t, present, true);
}

static void *ff_create(const struct torus *t, const uint64_t *present,
		       const struct torus_options *options)
{
	(void)options;
	return firstfit_create(t, present, false);
}

/* Return true if every node of the box is usable. *tested counts the nodes
 * tested. */
static bool box_free(const struct firstfit *f, const uint32_t *base,
		     const uint32_t *want, uint32_t *tested)
{
	const struct torus *t = f->torus;
	uint32_t at[TURN_DIMS];

	*tested = 0;
	for (at[2] = 0; at[2] < want[2]; at[2]++) {
		for (at[1] = 0; at[1] < want[1]; at[1]++) {
			for (at[0] = 0; at[0] < want[0]; at[0]++) {
				uint32_t index = 0;

				for (uint32_t d = 0; d < t->dims; d++)
					index += (base[d] + at[d]) %
						 t->size[d] * t->stride[d];
				++*tested;
				if (!torus_bits_test(f->usable, index))
					return false;
			}
		}
	}
	return true;
}

/* Return true if a box at this base stays inside the machine. */
static bool firstfit_inside(const struct torus *t, const uint32_t *base,
			    const uint32_t *want)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if (!t->wrap[d] && base[d] + want[d] > t->size[d])
			return false;
	}
	return true;
}

static bool firstfit_detect(void *self, const uint32_t *want,
			    const uint64_t *bases, uint32_t *base)
{
	const struct firstfit *f = self;

	for (uint32_t i = 0; i < f->torus->nodes; i++) {
		uint32_t tested = 1;

		torus_coord(f->torus, i, base);
		if ((!bases || torus_bits_test(bases, i)) &&
		    firstfit_inside(f->torus, base, want) &&
		    box_free(f, base, want, &tested))
			return true;
		if (torus_search_limit_spend(f->limit, tested))
			return false;
	}
	return false;
}

static enum torus_answer firstfit_find(void *self, const struct torus_ask *ask,
				       const uint64_t *usable,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	struct firstfit *f = self;
	const struct torus_turn how = { f->torus, f->turning, firstfit_detect,
					f, f->grants };

	f->usable = usable;
	f->limit = ask->limit;
	return torus_turn_find(&how, ask, usable, out, why);
}

static void firstfit_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	struct firstfit *f = self;
	const struct torus_turn how = { f->torus, f->turning, firstfit_detect,
					f, f->grants };

	torus_turn_find_all(&how, ask, usable, each, arg);
}

const struct torus_strategy torus_strategy_submesh_tff = {
	.name = "submesh-tff",
	.summary = "First Fit with turning: the plain scan, in six orientations",
	.source = "Bani-Mohammad et al., baseline",
	.occupancy_only = true,
	.complete = true,
	.units = true,
	.links = true,
	.limits = true,
	.most_dims = TURN_DIMS,
	.create = tff_create,
	.destroy = firstfit_destroy,
	.find = firstfit_find,
	.lists_only = true,
	.find_all = firstfit_find_all,
};

const struct torus_strategy torus_strategy_submesh_ff = {
	.name = "submesh-ff",
	.summary = "First Fit: the plain scan, in the orientation asked for",
	.source = "Bani-Mohammad et al., baseline",
	.occupancy_only = true,
	.units = true,
	.links = true,
	.limits = true,
	.most_dims = TURN_DIMS,
	.create = ff_create,
	.destroy = firstfit_destroy,
	.find = firstfit_find,
	.lists_only = true,
	.find_all = firstfit_find_all,
};
