/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of preemption.h.
 *
 * Any nodes: the required ones, then free ones and those of victims that the
 * required ones cost, then those of the cheapest victims; of each the lightest ones,
 * all nodes asleep last, in the order of their indices. Cost: O(nodes + victims log
 * victims), with weights O(nodes log nodes).
 *
 * Places: the strategy's own choice is the answer if it costs nothing. Else the cost of
 * each place is summed until it exceeds the cost of the best one so far, which the
 * strategy's choice is at first. Among places of equal cost the one with the least
 * greatest weight counts, then with fewest nodes asleep, then the first. Cost:
 * O(places x (words + nodes)) at worst, bounded by PREEMPTION_MAX_VISITS and by the
 * ask's limit. bench_victims measures it.
 */
#include "torus/state_find.h"
#include "torus/weights.h"
#include "live/preemption.h"

#include <math.h>
#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/placement.h"

int preemption_open(struct preemption *v, uint32_t words, uint32_t room)
{
	*v = (struct preemption){ .words = words, .room = room };
	v->usable = torus_alloc(3 * (size_t)words, sizeof(*v->usable));
	v->job_of = torus_alloc((size_t)words * 64, sizeof(*v->job_of));
	v->cost = torus_alloc((size_t)room + 1, sizeof(*v->cost));
	v->last_place = torus_alloc((size_t)room + 1, sizeof(*v->last_place));
	v->regions = torus_alloc(1, sizeof(*v->regions));
	if (!v->usable || !v->job_of || !v->cost || !v->last_place ||
	    !v->regions)
		return -1;
	v->map = v->usable + words;
	v->chosen = v->map + words;
	return 0;
}

void preemption_close(struct preemption *v)
{
	torus_free(v->usable);
	torus_free(v->job_of);
	torus_free(v->cost);
	torus_free(v->last_place);
	torus_free(v->regions);
	*v = (struct preemption){ 0 };
}

void preemption_add_job(struct preemption *v, double cost)
{
	if (v->count < v->room)
		v->cost[++v->count] = cost;
}

void preemption_add_node(struct preemption *v, uint32_t bit)
{
	torus_bits_set(v->usable, bit);
	v->job_of[bit] = v->count;
}

/* Anywhere */

struct rank {
	double cost;
	uint32_t victim, nodes;
};

static int preemption_by_cost(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->victim < y->victim ? -1 : x->victim > y->victim;
}

/* Choose the required nodes: mark their victims in v->last_place and add up their
 * costs. Return their number. */
static uint32_t preemption_require(struct preemption *v,
				   const uint64_t *required)
{
	uint32_t bit = torus_bits_next(required, v->words, 0), n = 0;

	for (; bit != UINT32_MAX;
	     bit = torus_bits_next(required, v->words, bit + 1), n++) {
		uint32_t victim = v->job_of[bit];

		torus_bits_set(v->chosen, bit);
		if (victim == 0 || v->last_place[victim])
			continue;
		v->last_place[victim] = 1;
		v->least += v->cost[victim];
	}
	return n;
}

/* Sort the victims by cost, after the free nodes (victim 0), with the number of
 * nodes of each that may still be chosen. Marked victims cost nothing more. */
static void preemption_order(const struct preemption *v, struct rank *rank)
{
	for (uint32_t i = 0; i <= v->count; i++)
		rank[i] = (struct rank){
			.cost = v->last_place[i] ? 0 : v->cost[i],
			.victim = i,
		};
	torus_bits_copy(v->map, v->usable, v->words);
	torus_bits_andnot(v->map, v->chosen, v->words);
	for (uint32_t bit = torus_bits_next(v->map, v->words, 0);
	     bit != UINT32_MAX; bit = torus_bits_next(v->map, v->words, bit + 1))
		rank[v->job_of[bit]].nodes++;
	qsort(rank + 1, v->count, sizeof(*rank), preemption_by_cost);
}

struct light_node {
	uint32_t asleep, weight, bit;
};

static int preemption_by_weight(const void *a, const void *b)
{
	const struct light_node *x = a, *y = b;

	if (x->asleep != y->asleep)
		return x->asleep < y->asleep ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->bit < y->bit ? -1 : x->bit > y->bit;
}

/* Choose the lightest nodes in v->map of the victims that have a quota. `node` has
 * room for all. */
static void preemption_choose(struct preemption *v, uint32_t *quota,
			      const struct torus_weights *weights,
			      struct light_node *node)
{
	uint32_t n = 0;

	for (uint32_t bit = torus_bits_next(v->map, v->words, 0);
	     bit != UINT32_MAX;
	     bit = torus_bits_next(v->map, v->words, bit + 1)) {
		struct light_node *next = &node[n++];

		*next = (struct light_node){ .bit = bit };
		if (!weights)
			continue;
		next->asleep = torus_bits_test(torus_weights_asleep(weights),
					       bit);
		next->weight = torus_weights_of(weights, bit);
	}
	if (weights)
		qsort(node, n, sizeof(*node), preemption_by_weight);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bit = node[i].bit;

		if (quota[v->job_of[bit]] == 0)
			continue;
		quota[v->job_of[bit]]--;
		torus_bits_set(v->chosen, bit);
	}
}

void preemption_choose_nodes(struct preemption *v, uint32_t want,
			     const uint64_t *required,
			     const struct torus_weights *weights)
{
	struct rank *rank = torus_alloc((size_t)v->count + 1, sizeof(*rank));
	struct light_node *node = torus_alloc((size_t)v->words * 64,
					      sizeof(*node));
	uint32_t first = 0;

	v->possible = false;
	if (!rank || !node) {
		torus_free(rank);
		torus_free(node);
		return;
	}
	memset(v->last_place, 0,
	       ((size_t)v->count + 1) * sizeof(*v->last_place));
	torus_bits_zero(v->chosen, v->words);
	v->least = 0;
	if (required)
		first = preemption_require(v, required);
	v->possible = first <= want &&
		      torus_bits_subset(v->chosen, v->usable, v->words);
	want = v->possible ? want - first : 0;
	preemption_order(v, rank);
	for (uint32_t i = 0; i <= v->count; i++) {
		uint32_t n = rank[i].nodes < want ? rank[i].nodes : want;

		v->last_place[rank[i].victim] = n;
		v->least += n > 0 ? rank[i].cost : 0;
		want -= n;
	}
	torus_free(rank);
	v->possible = v->possible && want == 0;
	v->place = (struct torus_placement){ .scattered = true };
	preemption_choose(v, v->last_place, weights, node);
	torus_free(node);
}

/* Places */

/* Return the cost of the nodes in v->map; any cost above `most` if it is above. */
static double preemption_cost_of(struct preemption *v, uint32_t number,
				 double most)
{
	uint32_t bit = torus_bits_next(v->map, v->words, 0);
	double cost = 0;

	v->visits += v->words / 8;
	for (; bit != UINT32_MAX && cost <= most;
	     bit = torus_bits_next(v->map, v->words, bit + 1)) {
		uint32_t victim = v->job_of[bit];

		v->visits++;
		if (victim == 0 || v->last_place[victim] == number)
			continue;
		v->last_place[victim] = number;
		cost += v->cost[victim];
	}
	return cost;
}

struct weighing {
	struct preemption *v;
	const struct torus_machine *m;
	const struct torus_weights *weights; /* NULL: all nodes are alike */
	struct torus_search_limit *limit;
	uint32_t number;           /* of the place */
	uint32_t heaviest, asleep; /* of the best place: its greatest weight, its
				      nodes asleep */
};

/* Set the greatest weight of the nodes in v->map, and how many are asleep. */
static void preemption_load(const struct weighing *w, uint32_t *heaviest,
			    uint32_t *asleep)
{
	struct preemption *v = w->v;

	*heaviest = *asleep = 0;
	if (!w->weights)
		return;
	v->visits += v->words / 8;
	*asleep = torus_bits_count_both(v->map, torus_weights_asleep(w->weights),
					v->words);
	for (uint32_t bit = torus_bits_next(v->map, v->words, 0);
	     bit != UINT32_MAX;
	     bit = torus_bits_next(v->map, v->words, bit + 1)) {
		uint32_t weight = torus_weights_of(w->weights, bit);

		v->visits++;
		if (weight > *heaviest)
			*heaviest = weight;
	}
}

/* Copy the place, which is the strategy's until its next search, and its nodes in
 * v->map. */
static void preemption_take(struct preemption *v,
			    const struct torus_placement *place)
{
	v->place = *place;
	v->place.nodes = NULL;
	if (place->regions) {
		torus_regions_copy(v->regions, place->regions);
		v->place.regions = v->regions;
	}
	torus_bits_copy(v->chosen, v->map, v->words);
}

/* Keep the place if it costs less than the best one, or as much and is lighter. */
static bool preemption_weigh(void *arg, const struct torus_placement *place)
{
	struct weighing *w = arg;
	struct preemption *v = w->v;
	double most = v->possible ? v->least : HUGE_VAL, cost;
	uint32_t heaviest, asleep;

	torus_bits_zero(v->map, v->words);
	torus_placement_paint(w->m, place, v->map);
	cost = preemption_cost_of(v, ++w->number, most);
	if (cost <= most) {
		preemption_load(w, &heaviest, &asleep);
		if (!v->possible || cost < most || heaviest < w->heaviest ||
		    (heaviest == w->heaviest && asleep < w->asleep)) {
			v->possible = true;
			v->least = cost;
			w->heaviest = heaviest;
			w->asleep = asleep;
			preemption_take(v, place);
		}
	}
	return v->visits < PREEMPTION_MAX_VISITS &&
	       (v->least > 0 || w->weights) &&
	       !torus_search_limit_over(w->limit);
}

/* Return true if a strategy that the ask may get lists its places for people only. */
static bool preemption_cannot_list(const struct torus_machine *m,
				   const struct torus_ask *ask)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		int i = torus_pod_strategy(&m->pod[p], ask->strategy);

		if (i >= 0 && m->pod[p].strategy[i]->lists_only)
			return true;
	}
	return false;
}

void preemption_choose_place(struct preemption *v, struct torus_state *empty,
			     const struct torus_ask *ask)
{
	struct weighing w = { .v = v,
			      .m = torus_state_machine(empty),
			      .weights = torus_state_weights(empty),
			      .limit = ask->limit };
	struct torus_ask among = torus_ask_among(ask, v->usable);
	struct torus_placement place;

	v->possible = false;
	v->visits = 0;
	memset(v->last_place, 0,
	       ((size_t)v->count + 1) * sizeof(*v->last_place));
	/* the strategy's choice first: listing may take all the time before the
	 * first place */
	if (torus_state_find(empty, &among, &place, NULL) != TORUS_FITS)
		return;
	if (preemption_weigh(&w, &place) && v->least > 0 &&
	    !preemption_cannot_list(w.m, &among))
		torus_state_find_all(empty, &among, preemption_weigh, &w);
}
