/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of preemption.h.
 *
 * Anywhere: free nodes, then those of the cheapest victims, as they come; in
 * O(nodes + victims log victims).
 *
 * Places are weighed one by one, and no longer than until they cost as much as
 * the best one so far: O(places x (words + nodes)) at worst, of which a search
 * does VICTIMS_LOOKS at most, and no more than the ask's limit leaves time for.
 * The strategy's own choice is the answer where nothing else was weighed. (32x32x32 with a job on each node, a place of
 * 8x8x8: see bench_victims.)
 */
#include "live/preemption.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "torus/alloc.h"

int victims_open(struct victims *v, uint32_t words, uint32_t room)
{
	*v = (struct victims){ .words = words, .room = room };
	v->usable = torus_alloc(3 * (size_t)words, sizeof(*v->usable));
	v->of = torus_alloc((size_t)words * 64, sizeof(*v->of));
	v->cost = torus_alloc((size_t)room + 1, sizeof(*v->cost));
	v->looked = torus_alloc((size_t)room + 1, sizeof(*v->looked));
	if (!v->usable || !v->of || !v->cost || !v->looked)
		return -1;
	v->map = v->usable + words;
	v->chosen = v->map + words;
	return 0;
}

void victims_close(struct victims *v)
{
	torus_free(v->usable);
	torus_free(v->of);
	torus_free(v->cost);
	torus_free(v->looked);
	*v = (struct victims){ 0 };
}

void victims_add(struct victims *v, double cost)
{
	if (v->count < v->room)
		v->cost[++v->count] = cost;
}

void victims_node(struct victims *v, uint32_t bit)
{
	torus_bits_set(v->usable, bit);
	v->of[bit] = v->count;
}

/* Anywhere */

struct rank {
	double cost;
	uint32_t victim, nodes;
};

static int by_cost(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->victim < y->victim ? -1 : x->victim > y->victim;
}

/* Victims from the cheapest on, the free nodes before them; with what they
 * have of the usable nodes. */
static void order(const struct victims *v, struct rank *rank)
{
	uint32_t bit = torus_bits_next(v->usable, v->words, 0);

	for (uint32_t i = 0; i <= v->count; i++)
		rank[i] = (struct rank){ .cost = v->cost[i], .victim = i };
	for (; bit != UINT32_MAX;
	     bit = torus_bits_next(v->usable, v->words, bit + 1))
		rank[v->of[bit]].nodes++;
	qsort(rank + 1, v->count, sizeof(*rank), by_cost);
}

/* The first of these nodes that are the victims' with a quota. */
static void choose(struct victims *v, uint32_t *quota)
{
	uint32_t bit = torus_bits_next(v->usable, v->words, 0);

	torus_bits_zero(v->chosen, v->words);
	for (; bit != UINT32_MAX;
	     bit = torus_bits_next(v->usable, v->words, bit + 1)) {
		if (quota[v->of[bit]] == 0)
			continue;
		quota[v->of[bit]]--;
		torus_bits_set(v->chosen, bit);
	}
}

void victims_take(struct victims *v, uint32_t want)
{
	struct rank *rank = torus_alloc((size_t)v->count + 1, sizeof(*rank));

	v->found = false;
	if (!rank)
		return;
	order(v, rank);
	memset(v->looked, 0, ((size_t)v->count + 1) * sizeof(*v->looked));
	v->least = 0;
	for (uint32_t i = 0; i <= v->count && want > 0; i++) {
		uint32_t n = rank[i].nodes < want ? rank[i].nodes : want;

		v->looked[rank[i].victim] = n;
		v->least += n > 0 ? rank[i].cost : 0;
		want -= n;
	}
	torus_free(rank);
	v->found = want == 0;
	v->place = (struct torus_placement){ .scattered = true };
	choose(v, v->looked);
}

/* Places */

/* What the nodes in v->map cost, or `most` and more. */
static double cost_of(struct victims *v, uint32_t number, double most)
{
	uint32_t bit = torus_bits_next(v->map, v->words, 0);
	double cost = 0;

	v->looks += v->words / 8;
	for (; bit != UINT32_MAX && cost < most;
	     bit = torus_bits_next(v->map, v->words, bit + 1)) {
		uint32_t victim = v->of[bit];

		v->looks++;
		if (victim == 0 || v->looked[victim] == number)
			continue;
		v->looked[victim] = number;
		cost += v->cost[victim];
	}
	return cost;
}

struct weighing {
	struct victims *v;
	const struct torus_machine *m;
	struct torus_limit *limit;
	uint32_t number; /* of the place */
};

static bool weigh(void *arg, const struct torus_placement *place)
{
	struct weighing *w = arg;
	struct victims *v = w->v;
	double cost;

	torus_bits_zero(v->map, v->words);
	torus_placement_paint(w->m, place, v->map);
	cost = cost_of(v, ++w->number, v->found ? v->least : HUGE_VAL);
	if (!v->found || cost < v->least) {
		v->found = true;
		v->least = cost;
		v->place = *place;
		v->place.nodes = NULL; /* the strategy's; they are in chosen */
		torus_bits_copy(v->chosen, v->map, v->words);
	}
	return v->looks < VICTIMS_LOOKS && v->least > 0 &&
	       !torus_limit_over(w->limit);
}

void victims_place(struct victims *v, struct torus_state *empty,
		   const struct torus_ask *ask)
{
	struct weighing w = { .v = v,
			      .m = torus_state_machine(empty),
			      .limit = ask->limit };
	struct torus_ask among = torus_ask_among(ask, v->usable);
	struct torus_placement place;

	v->found = false;
	v->looks = 0;
	memset(v->looked, 0, ((size_t)v->count + 1) * sizeof(*v->looked));
	/* first, while there is time: between two places of a list long ones
	 * may pass */
	if (torus_state_find(empty, &among, &place, NULL) != TORUS_FITS)
		return;
	torus_state_find_all(empty, &among, weigh, &w);
	if (!v->found) /* not listed by the strategy, or not in time */
		weigh(&w, &place);
}
