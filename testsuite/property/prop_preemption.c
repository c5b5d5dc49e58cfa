/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs are preempted (live/preemption.h), against weighing every place,
 * and every victim, with node weights and nodes asleep; and that a search on a large
 * machine ends.
 */
#include "torus/state_find.h"
#include "torus/weights.h"
#include "workload.h"

#include "live/preemption.h"
#include "torus/regions.h"

#include <math.h>

#define VICTIMS 12
#define ROUNDS 500

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *empty;
	struct preemption v;
	struct torus_weights *weights; /* NULL: all nodes are alike */
};

/* In half of the worlds runs of nodes have weights, some nodes are asleep. */
static void weigh(struct world *w)
{
	uint32_t run = 1 + random_below(&w->r, 6), at = 0;
	uint64_t asleep[WORKLOAD_WORDS];

	w->weights = NULL;
	if (random_percent(&w->r, 50))
		return;
	w->weights = torus_weights_create(&w->m);
	assert_non_null(w->weights);
	for (uint32_t b = 0; b < w->m.words * 64; b++) {
		if (b % run == 0)
			at = random_below(&w->r, 3);
		torus_weights_list(w->weights)[b] = at;
	}
	workload_nodes(&w->r, &w->m, 20, asleep);
	torus_weights_set_asleep(w->weights, asleep);
	assert_int_equal(torus_state_set_weights(w->empty, w->weights), 0);
}

/* Some nodes are free, some of victims, others nobody's to take; a few costs
 * are the same. */
static void fill(struct world *w)
{
	uint32_t n = 1 + random_below(&w->r, VICTIMS);
	uint64_t nodes[WORKLOAD_WORDS];
	struct preemption *v = &w->v;

	assert_int_equal(preemption_open(v, w->m.words, n), 0);
	workload_nodes(&w->r, &w->m, 20, v->usable);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bit;

		preemption_add_job(v, 1 + random_below(&w->r, 8));
		workload_nodes(&w->r, &w->m, 15, nodes);
		torus_bits_andnot(nodes, v->usable, w->m.words);
		bit = torus_bits_next(nodes, w->m.words, 0);
		for (; bit != UINT32_MAX;
		     bit = torus_bits_next(nodes, w->m.words, bit + 1))
			preemption_add_node(v, bit);
	}
	workload_nodes(&w->r, &w->m, 90, nodes); /* what is allowed */
	torus_bits_and(v->usable, v->usable, nodes, w->m.words);
}

/* What it costs to clear these nodes. */
static double cost_of(const struct preemption *v, const uint64_t *nodes)
{
	bool lost[VICTIMS + 1] = { false };
	double cost = 0;

	for (uint32_t b = 0; b < v->words * 64; b++)
		lost[v->job_of[b]] |= torus_bits_test(nodes, b);
	for (uint32_t i = 1; i <= v->count; i++)
		cost += lost[i] ? v->cost[i] : 0;
	return cost;
}

/* The order of places: cost, greatest weight, nodes asleep. */
struct load {
	double cost;
	uint32_t heaviest, asleep;
};

static struct load load_of(const struct world *w, const uint64_t *nodes)
{
	struct load l = { .cost = cost_of(&w->v, nodes) };

	for (uint32_t b = 0; w->weights && b < w->m.words * 64; b++) {
		uint32_t weight = torus_weights_of(w->weights, b);

		if (!torus_bits_test(nodes, b))
			continue;
		l.asleep += torus_bits_test(torus_weights_asleep(w->weights), b);
		l.heaviest = weight > l.heaviest ? weight : l.heaviest;
	}
	return l;
}

static bool is_less(const struct load *a, const struct load *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->heaviest != b->heaviest)
		return a->heaviest < b->heaviest;
	return a->asleep < b->asleep;
}

struct listing {
	const struct world *w;
	uint32_t places;
	struct load least;
	uint64_t nodes[WORKLOAD_WORDS];
};

static bool list(void *arg, const struct torus_placement *place)
{
	uint64_t nodes[WORKLOAD_WORDS];
	struct listing *l = arg;
	struct load load;

	workload_paint(&l->w->m, place, nodes);
	load = load_of(l->w, nodes);
	if (l->places++ == 0 || is_less(&load, &l->least)) {
		l->least = load;
		torus_bits_copy(l->nodes, nodes, WORKLOAD_WORDS);
	}
	return true;
}

/* The place outlives the strategy's next search; several regions are its nodes. */
static void check_kept(struct world *w, const struct torus_ask *ask)
{
	struct torus_ask other = workload_ask(&w->r, &w->m);
	struct torus_placement place = w->v.place, found;
	uint64_t nodes[WORKLOAD_WORDS];

	torus_state_find(w->empty, &other, &found, NULL);
	assert_int_equal(place.granted,
			 torus_bits_count(w->v.chosen, w->v.words));
	assert_int_equal(place.regions != NULL, torus_ask_several(ask));
	if (place.regions) {
		assert_int_equal(place.regions->count, ask->regions);
		torus_bits_zero(nodes, WORKLOAD_WORDS);
		torus_regions_paint(&w->m, place.regions, nodes);
	} else if (!place.scattered) {
		workload_paint(&w->m, &place, nodes);
	} else {
		return;
	}
	assert_true(torus_bits_equal(nodes, w->v.chosen, w->v.words));
}

/* Places of such a strategy are not weighed: only its first choice is. */
static bool lists_for_people(const struct torus_machine *m)
{
	for (uint32_t p = 0; p < m->pods; p++) {
		if (m->pod[p].strategy[0]->lists_only)
			return true;
	}
	return false;
}

static void check_place(struct world *w)
{
	struct torus_ask ask = workload_ask(&w->r, &w->m);
	struct listing l = { .w = w };
	struct preemption *v = &w->v;
	struct torus_ask among = torus_ask_among(&ask, v->usable);
	struct torus_placement place;

	if (torus_state_find(w->empty, &among, &place, NULL) == TORUS_FITS)
		list(&l, &place);
	if (l.places > 0 && l.least.cost > 0 && !lists_for_people(&w->m))
		torus_state_find_all(w->empty, &among, list, &l);
	preemption_choose_place(v, w->empty, &ask);
	assert_int_equal(v->possible, l.places > 0);
	if (!v->possible)
		return;
	assert_true(v->least == l.least.cost);
	assert_true(torus_bits_equal(v->chosen, l.nodes, v->words));
	assert_true(torus_bits_subset(v->chosen, v->usable, v->words));
	check_kept(w, &ask);
}

/* Nodes of one victim, or free ones (0). */
static uint32_t count_of(const struct preemption *v, const uint64_t *nodes,
			 uint32_t victim)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < v->words * 64; b++)
		n += torus_bits_test(nodes, b) && v->job_of[b] == victim;
	return n;
}

/* No chosen node is heavier than a usable one of the same victim that is not chosen;
 * nodes asleep are the heaviest. */
static void check_light(const struct world *w, const uint64_t *required)
{
	const struct preemption *v = &w->v;

	for (uint32_t a = 0; w->weights && a < v->words * 64; a++) {
		const uint64_t *asleep = torus_weights_asleep(w->weights);

		if (!torus_bits_test(v->chosen, a) ||
		    (required && torus_bits_test(required, a)))
			continue;
		for (uint32_t b = 0; b < v->words * 64; b++) {
			if (!torus_bits_test(v->usable, b) ||
			    torus_bits_test(v->chosen, b) ||
			    v->job_of[a] != v->job_of[b])
				continue;
			assert_true(torus_bits_test(asleep, a) <=
				    torus_bits_test(asleep, b));
			if (torus_bits_test(asleep, a) ==
			    torus_bits_test(asleep, b))
				assert_true(torus_weights_of(w->weights, a) <=
					    torus_weights_of(w->weights, b));
		}
	}
}

/* Of a victim something is taken only if all is of those that cost less. */
static void check_anywhere(struct world *w)
{
	struct preemption *v = &w->v;
	uint32_t have = torus_bits_count(v->usable, v->words);
	uint32_t want = 1 + random_below(&w->r, w->m.nodes);

	preemption_choose_nodes(v, want, NULL, w->weights);
	assert_int_equal(v->possible, want <= have);
	if (!v->possible)
		return;
	assert_int_equal(torus_bits_count(v->chosen, v->words), want);
	assert_true(torus_bits_subset(v->chosen, v->usable, v->words));
	assert_true(v->least == cost_of(v, v->chosen));
	check_light(w, NULL);
	for (uint32_t i = 1; i <= v->count; i++) {
		if (count_of(v, v->chosen, i) == 0)
			continue;
		for (uint32_t k = 0; k <= v->count; k++) {
			if (k == 0 || v->cost[k] < v->cost[i])
				assert_int_equal(count_of(v, v->chosen, k),
						 count_of(v, v->usable, k));
		}
	}
}

/* The least cost of so many nodes that hold the required ones: any set of victims
 * that has enough of them. */
static double least_of(const struct preemption *v, uint32_t want,
		       const uint64_t *required)
{
	double least = HUGE_VAL;

	for (uint32_t lost = 0; lost < 1u << v->count; lost++) {
		uint32_t have = 0;
		double cost = 0;
		bool all = true;

		for (uint32_t i = 1; i <= v->count; i++)
			cost += lost >> (i - 1) & 1 ? v->cost[i] : 0;
		for (uint32_t b = 0; b < v->words * 64; b++) {
			uint32_t of = v->job_of[b];
			bool has = torus_bits_test(v->usable, b) &&
				   (of == 0 || (lost >> (of - 1) & 1));

			have += has;
			all &= has || !torus_bits_test(required, b);
		}
		if (all && have >= want && cost < least)
			least = cost;
	}
	return least;
}

/* Around required nodes: they are among the chosen ones; never a victim more than
 * greedy choice takes, and one set of victims is the cheapest if one is enough. */
static void check_around(struct world *w)
{
	struct preemption *v = &w->v;
	uint32_t want = 1 + random_below(&w->r, w->m.nodes);
	uint64_t required[WORKLOAD_WORDS] = { 0 };
	double least;

	for (uint32_t n = 1 + random_below(&w->r, 3); n > 0; n--)
		torus_bits_set(required, random_below(&w->r, w->m.nodes));
	least = least_of(v, want, required);
	preemption_choose_nodes(v, want, required, w->weights);
	if (torus_bits_count(required, v->words) > want) {
		assert_false(v->possible);
		return;
	}
	assert_int_equal(v->possible, least < HUGE_VAL);
	if (!v->possible)
		return;
	assert_int_equal(torus_bits_count(v->chosen, v->words), want);
	assert_true(torus_bits_subset(required, v->chosen, v->words));
	assert_true(torus_bits_subset(v->chosen, v->usable, v->words));
	assert_true(v->least == cost_of(v, v->chosen));
	assert_true(v->least >= least);
	check_light(w, required);
	if (least == cost_of(v, required))
		assert_true(v->least == least);
}

static void preemption_finds_the_cheapest_victims(void **state)
{
	const struct torus_strategy *const *s;
	struct world w = { .r = { random_seed("victims") } };

	(void)state;
	for (uint32_t n = random_effort(ROUNDS, 20); n > 0; n--) {
		for (s = torus_strategies(); *s; s++) {
			if (!workload_machine(&w.m,
					      workload_machines[n %
								WORKLOAD_MACHINES],
					      *s))
				continue;
			w.empty = torus_state_create(&w.m);
			assert_non_null(w.empty);
			weigh(&w);
			fill(&w);
			check_place(&w);
			check_anywhere(&w);
			check_around(&w);
			check_place(&w);
			preemption_close(&w.v);
			torus_weights_destroy(w.weights);
			torus_state_destroy(w.empty);
			torus_machine_free(&w.m);
		}
	}
}

/* 32,768 nodes with a job on each: not all places are weighed, but the best of
 * those that are is the answer. */
static void a_bounded_weighing_gives_the_best_it_has_seen(void **state)
{
	struct torus_ask ask = { .rotate = true,
				 .end_us = INT64_MAX,
				 .shape = { .axes = 3,
					    .extent = { 16, 16, 16 } } };
	struct torus_machine m = { 0 };
	struct torus_state *empty;
	struct preemption v;
	struct torus t;

	(void)state;
	assert_int_equal(torus_parse(&t, "32x32x32", NULL), 0);
	assert_int_equal(torus_machine_init(&m, &t,
					    torus_strategy_find("submesh"),
					    NULL, NULL),
			 0);
	empty = torus_state_create(&m);
	assert_int_equal(preemption_open(&v, m.words, m.nodes), 0);
	for (uint32_t bit = 0; bit < m.nodes; bit++) {
		preemption_add_job(&v, m.nodes - bit); /* better and better */
		preemption_add_node(&v, bit);
	}
	preemption_choose_place(&v, empty, &ask);
	assert_true(v.possible);
	assert_int_equal(torus_bits_count(v.chosen, m.words), 4096);
	assert_in_range(v.visits, PREEMPTION_MAX_VISITS,
			PREEMPTION_MAX_VISITS + m.nodes);
	preemption_close(&v);
	torus_state_destroy(empty);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preemption_finds_the_cheapest_victims),
		cmocka_unit_test(a_bounded_weighing_gives_the_best_it_has_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
