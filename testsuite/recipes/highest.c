/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `highest`: any free nodes, highest index first. The strategy of HACKING.md's
 * recipe; recipes.t adds it to a copy of the tree.
 *
 * Cost: O(nodes). Memory: one bitmap.
 */
#include "placement/strategies.h"
#include "torus/alloc.h"

struct highest {
	const struct torus *torus;
	uint64_t nodes[]; /* the latest answer */
};

static int highest_supports(const struct torus_strategy *strategy,
			    const struct torus *t, struct torus_error *why)
{
	return t->flat ? 0 :
			 torus_error_add(why, "%s serves flat machines only",
					 strategy->name);
}

static void *highest_create(const struct torus *t, const uint64_t *present,
			    const struct torus_options *options)
{
	size_t words = torus_bits_words(t->nodes);
	struct highest *h = torus_alloc(1,
					sizeof(*h) + words * sizeof(uint64_t));

	(void)present;
	(void)options;
	if (h)
		h->torus = t;
	return h;
}

static enum torus_answer highest_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why)
{
	struct highest *h = self;
	uint32_t words = torus_bits_words(h->torus->nodes);
	uint64_t left = torus_ask_nodes(ask);

	if (left > h->torus->nodes) {
		torus_error_add(why, "%s has %u nodes", h->torus->name,
				h->torus->nodes);
		return TORUS_NEVER;
	}
	*out = (struct torus_placement){
		.scattered = true,
		.granted = (uint32_t)left,
		.axes = 1,
		.nodes = h->nodes,
	};
	torus_bits_zero(h->nodes, words);
	for (uint32_t node = h->torus->nodes; node-- > 0 && left > 0;) {
		if (!torus_bits_test(usable, node))
			continue;
		torus_bits_set(h->nodes, node);
		left--;
	}
	return left > 0 ? TORUS_NOT_NOW : TORUS_FITS;
}

const struct torus_strategy torus_strategy_highest = {
	.name = "highest",
	.summary = "any free nodes, highest index first (no topology)",
	.source = "HACKING.md",
	.occupancy_only = true,
	.scatters = true,
	.complete = true,
	.supports = highest_supports,
	.create = highest_create,
	.destroy = torus_free,
	.find = highest_find,
};
