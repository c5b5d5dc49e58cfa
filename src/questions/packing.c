/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disjoint places (packing.h): greedy choices, and the choice of proof. */
#include "questions/packing.h"

#include "torus/alloc.h"

#define ORDERS 24      /* orders of the greedy choice; all but 3 are random */
#define LISTED 8000000 /* maximum of listed nodes of all places */
#define SEED UINT64_C(0x2545f4914f6cdd1d)

struct greedy {
	const struct torus *t;
	const struct torus_placement *place;
	uint32_t places;
	uint32_t *order;
	uint64_t *taken;
	uint64_t random; /* state of the generator */
};

static uint32_t greedy_take(struct greedy *g)
{
	uint32_t count = 0;

	torus_bits_zero(g->taken, torus_bits_words(g->t->nodes));
	for (uint32_t i = 0; i < g->places; i++) {
		const struct torus_region *r = &g->place[g->order[i]].region;

		if (torus_region_touches(r, g->t, g->taken))
			continue;
		torus_region_paint(r, g->t, g->taken);
		count++;
	}
	return count;
}

/* Places whose base is a multiple of their extent come first. */
static bool greedy_aligned(const struct greedy *g, uint32_t p)
{
	const struct torus_region *r = &g->place[p].region;
	bool aligned = true;

	for (uint32_t d = 0; d < g->t->dims; d++)
		aligned = aligned && r->base[d] % r->extent[d] == 0;
	return aligned;
}

/* Sort by the node of the base: a counting sort. Return -1 with ENOMEM. */
static int greedy_order_base(struct greedy *g)
{
	uint32_t *at = torus_alloc((size_t)g->t->nodes + 1, sizeof(*at));

	if (!at)
		return -1;
	for (uint32_t p = 0; p < g->places; p++)
		at[torus_index(g->t, g->place[p].region.base) + 1]++;
	for (uint32_t i = 0; i < g->t->nodes; i++)
		at[i + 1] += at[i];
	for (uint32_t p = 0; p < g->places; p++)
		g->order[at[torus_index(g->t, g->place[p].region.base)]++] = p;
	torus_free(at);
	return 0;
}

static void greedy_order_random(struct greedy *g)
{
	for (uint32_t i = g->places; i > 1; i--) {
		uint32_t j, swap = g->order[i - 1];

		g->random ^= g->random << 13;
		g->random ^= g->random >> 7;
		g->random ^= g->random << 17;
		j = (uint32_t)((g->random >> 32) * i >> 32);
		g->order[i - 1] = g->order[j];
		g->order[j] = swap;
	}
}

/* Try several orders, until the bound is reached or the work is used up. */
static int greedy_best(struct greedy *g, uint32_t bound, uint64_t entries,
		       uint32_t *count)
{
	uint64_t orders = PACKING_WORK / (entries + 1) + 3;
	int rc = 0;

	*count = 0;
	for (uint32_t k = 0; rc == 0 && k < ORDERS && k < orders; k++) {
		uint32_t n;

		if (k == 0)
			for (uint32_t p = 0; p < g->places; p++)
				g->order[p] = p;
		else if (k == 1) {
			uint32_t at = 0;

			for (int first = 1; first >= 0; first--) {
				for (uint32_t p = 0; p < g->places; p++) {
					if (greedy_aligned(g, p) == first)
						g->order[at++] = p;
				}
			}
		} else if (k == 2)
			rc = greedy_order_base(g);
		else
			greedy_order_random(g);
		n = rc == 0 ? greedy_take(g) : 0;
		if (n > *count)
			*count = n;
		if (*count == bound)
			break;
	}
	return rc;
}

/* List the nodes of each place. Return -1 with ENOMEM. */
static int packing_list(const struct greedy *g, uint64_t entries,
			struct packing_lists *l)
{
	uint32_t words = torus_bits_words(g->t->nodes), n = 0;

	l->places = g->places;
	l->nodes = g->t->nodes;
	l->first = torus_alloc((size_t)g->places + 1, sizeof(*l->first));
	l->node = torus_alloc(entries, sizeof(*l->node));
	if (!l->first || !l->node)
		return -1;
	for (uint32_t p = 0; p < g->places; p++) {
		torus_bits_zero(g->taken, words);
		torus_region_paint(&g->place[p].region, g->t, g->taken);
		for (uint32_t i = torus_bits_next(g->taken, words, 0);
		     i != UINT32_MAX;
		     i = torus_bits_next(g->taken, words, i + 1))
			l->node[n++] = i;
		l->first[p + 1] = n;
	}
	return 0;
}

/* Prove the result of the greedy choice: exact search, then the dual bound. */
static int packing_prove(const struct greedy *g, uint64_t entries,
			 struct packing *a)
{
	struct packing_lists l = { 0 };
	int rc = packing_list(g, entries, &l), solved = 0;
	uint32_t most;

	if (rc == 0 && g->t->nodes <= 64) {
		solved = packing_exact(&l, &most);
		if (solved > 0)
			a->disjoint = a->disjoint_at_most = most;
		else if (solved < 0)
			rc = -1;
	}
	if (rc == 0 && solved == 0)
		rc = packing_dual(&l, a->disjoint_at_most, a->disjoint,
				  &a->disjoint_at_most);
	torus_free(l.first);
	torus_free(l.node);
	return rc;
}

int packing_solve(const struct torus *t, const struct torus_placement *place,
		  uint32_t places, struct packing *answer)
{
	struct greedy g = {
		.t = t,
		.place = place,
		.places = places,
		.order = torus_alloc(places, sizeof(*g.order)),
		.taken = torus_alloc(torus_bits_words(t->nodes),
				     sizeof(*g.taken)),
		.random = SEED,
	};
	uint64_t entries;
	int rc = g.order && g.taken ? 0 : -1;

	*answer = (struct packing){ 0, 0 };
	if (rc == 0 && places > 0) {
		uint32_t least = UINT32_MAX,
			 words = torus_bits_words(g.t->nodes);

		/* The bound: the covered nodes divided by those of the smallest place. */
		entries = 0;
		torus_bits_zero(g.taken, words);
		for (uint32_t p = 0; p < g.places; p++) {
			uint32_t nodes = torus_region_nodes(&g.place[p].region,
							    g.t);

			torus_region_paint(&g.place[p].region, g.t, g.taken);
			entries += nodes;
			if (nodes < least)
				least = nodes;
		}
		answer->disjoint_at_most = torus_bits_count(g.taken, words) /
					   least;
		rc = greedy_best(&g, answer->disjoint_at_most, entries,
				 &answer->disjoint);
		if (rc == 0 && answer->disjoint < answer->disjoint_at_most &&
		    entries <= LISTED)
			rc = packing_prove(&g, entries, answer);
	}
	torus_free(g.order);
	torus_free(g.taken);
	return rc;
}
