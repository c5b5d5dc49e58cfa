/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node weights (torus/weights.h) with every strategy: random machines, weights, nodes
 * asleep, jobs and asks, each asked of a state with weights and of one without.
 *
 * Both fit, or none. A region: no subset of the usable nodes that leaves out the
 * heaviest class of the answer has a place; none with fewer nodes to boot, among all
 * places that the strategy lists (where it lists none: not without any one of them);
 * and the answer is the strategy's own among the nodes that are light enough and awake
 * or booted anyway. Scattered nodes: by brute force, in Slurm's order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "random.h"
#include "state_machines.h"
#include "torus/placement.h"
#include "torus/regions.h"
#include "torus/state.h"
#include "torus/state_find.h"
#include "torus/weights.h"

#define CLASSES 4

static struct random rnd;
static uint32_t regions_asked, scattered_asked, lighter, fewer_booted, several;

struct problem {
	struct torus_machine m;
	struct torus_state *weighted, *plain;
	uint32_t weight[MOST_WORDS * 64];
	uint64_t asleep[MOST_WORDS];
	uint64_t usable[MOST_WORDS]; /* free and allowed */
	uint64_t allowed[MOST_WORDS], required[MOST_WORDS];
	struct torus_ask ask;
	uint64_t nodes[MOST_WORDS]; /* of the answer */
};

/* Some toruses would answer with regions, others with scattered nodes. */
static bool is_mixed(const struct problem *x)
{
	uint32_t scatter = 0, serve = 0;

	for (uint32_t p = 0; p < x->m.pods; p++) {
		int i = torus_pod_strategy(&x->m.pod[p], x->ask.strategy);

		serve += i >= 0;
		scatter += i >= 0 && x->m.pod[p].strategy[i]->scatters;
	}
	return scatter > 0 && scatter < serve;
}

static void must(const struct problem *x, bool holds, const char *what)
{
	char shape[96] = "";

	if (holds)
		return;
	if (!x->ask.by_count)
		torus_shape_format(&x->ask.shape, shape, sizeof(shape));
	print_error("%s: %s %s*%u count %u mixed %d anywhere %d required %d strategy %s\n",
		    what, x->m.pod[0].torus.name, shape, x->ask.regions,
		    x->ask.count, is_mixed(x), x->ask.anywhere,
		    x->ask.required != NULL,
		    x->ask.strategy ? x->ask.strategy :
				      x->m.pod[0].strategy[0]->name);
	fail();
}

static void random_nodes(const struct problem *x, uint64_t *map,
			 uint32_t percent)
{
	torus_bits_zero(map, MOST_WORDS);
	for (uint32_t p = 0; p < x->m.pods; p++) {
		for (uint32_t i = 0; i < x->m.pod[p].torus.nodes; i++) {
			if (random_percent(&rnd, percent))
				torus_bits_set(map,
					       torus_machine_bit(&x->m, p, i));
		}
	}
}

static void set_weights(struct problem *x)
{
	static const uint32_t value[CLASSES] = { 0, 1, 100, UINT32_MAX };
	struct torus_weights *w = torus_weights_create(&x->m);
	uint32_t classes = 1 + random_below(&rnd, CLASSES);
	uint32_t run = 1 + random_below(&rnd, 12), at = 0;

	assert_non_null(w);
	for (uint32_t b = 0; b < x->m.words * 64; b++) {
		if (b % run == 0)
			at = value[random_below(&rnd, classes)];
		torus_weights_list(w)[b] = x->weight[b] = at;
	}
	random_nodes(x, x->asleep,
		     random_percent(&rnd, 50) ? 0 : random_below(&rnd, 90));
	torus_weights_set_asleep(w, x->asleep);
	assert_int_equal(torus_state_set_weights(x->weighted, w), 0);
	torus_weights_destroy(w);
}

static void random_ask(struct problem *x)
{
	const struct torus_pod *pod = &x->m.pod[random_below(&rnd, x->m.pods)];
	uint32_t i = random_below(&rnd, pod->strategies);
	struct torus_ask *ask = &x->ask;

	*ask = (struct torus_ask){ .rotate = random_percent(&rnd, 80),
				   .end_us = INT64_MAX };
	ask->by_count = random_percent(&rnd, 40);
	if (i > 0)
		ask->strategy = pod->strategy[i]->name;
	ask->count = 1 + random_below(&rnd, random_percent(&rnd, 30) ? 60 : 9);
	ask->anywhere = ask->by_count && pod->strategy[i]->scatters;
	ask->shape.axes = pod->torus.dims ? pod->torus.dims : 1;
	for (uint32_t a = 0; a < ask->shape.axes; a++)
		ask->shape.extent[a] = 1 + random_below(&rnd, 3);
	if (ask->rotate)
		torus_shape_squeeze(&ask->shape);
	if (!ask->by_count && random_percent(&rnd, 15))
		ask->regions = 2;
	torus_machine_settle(&x->m, ask);
	ask->allowed = NULL;
	if (random_percent(&rnd, 30)) {
		random_nodes(x, x->allowed, 80);
		ask->allowed = x->allowed;
	}
	torus_bits_copy(x->usable, torus_state_free_map(x->plain), x->m.words);
	if (ask->allowed)
		torus_bits_and(x->usable, x->usable, x->allowed, x->m.words);
	ask->required = NULL;
	if (random_percent(&rnd, 15) && torus_state_timeless(x->plain)) {
		uint32_t bit = torus_bits_next(x->usable, x->m.words,
					       random_below(&rnd,
							    x->m.words * 64));

		torus_bits_zero(x->required, MOST_WORDS);
		if (bit != UINT32_MAX)
			torus_bits_set(x->required, bit);
		ask->required = x->required;
	}
}

/* The usable nodes lighter than `limit` (equal: also those), and awake or in
 * `boot` (NULL: all). */
static void restrict_to(const struct problem *x, uint64_t limit,
			const uint64_t *boot, uint64_t *map)
{
	torus_bits_zero(map, MOST_WORDS);
	for (uint32_t b = 0; b < x->m.words * 64; b++) {
		if (torus_bits_test(x->usable, b) && x->weight[b] <= limit &&
		    (!boot || !torus_bits_test(x->asleep, b) ||
		     torus_bits_test(boot, b)))
			torus_bits_set(map, b);
	}
}

/* Ask the state without weights. */
static bool plain_fits(const struct problem *x, const uint64_t *map,
		       struct torus_placement *place)
{
	struct torus_ask ask = torus_ask_among(&x->ask, map);

	return torus_state_find(x->plain, &ask, place, NULL) == TORUS_FITS;
}

static uint32_t heaviest(const struct problem *x, const uint64_t *nodes)
{
	uint32_t most = 0;

	for (uint32_t b = 0; b < x->m.words * 64; b++) {
		if (torus_bits_test(nodes, b) && x->weight[b] > most)
			most = x->weight[b];
	}
	return most;
}

struct least {
	const struct problem *x;
	uint32_t weight, asleep, granted;
};

static bool list_place(void *arg, const struct torus_placement *place)
{
	uint64_t nodes[MOST_WORDS] = { 0 };
	struct least *l = arg;
	uint32_t weight, asleep;

	if (l->x->ask.by_count && place->granted != l->granted)
		return true;
	torus_placement_paint(&l->x->m, place, nodes);
	weight = heaviest(l->x, nodes);
	asleep = torus_bits_count_both(nodes, l->x->asleep, MOST_WORDS);
	if (weight < l->weight || (weight == l->weight && asleep < l->asleep)) {
		l->weight = weight;
		l->asleep = asleep;
	}
	return true;
}

static void check_listed(struct problem *x, uint32_t weight, uint32_t asleep,
			 uint32_t granted)
{
	struct least l = { .x = x,
			   .weight = UINT32_MAX,
			   .asleep = UINT32_MAX,
			   .granted = granted };

	for (uint32_t p = 0; p < x->m.pods; p++) {
		int i = torus_pod_strategy(&x->m.pod[p], x->ask.strategy);

		if (i >= 0 && x->m.pod[p].strategy[i]->lists_only)
			return; /* its list is for people */
	}
	if (torus_ask_several(&x->ask) ||
	    torus_state_find_all(x->plain, &x->ask, list_place, &l))
		return;
	must(x, l.weight == weight, "a listed place is lighter");
	must(x, l.asleep == asleep, "a listed place boots fewer nodes");
}

static void check_region(struct problem *x, const struct torus_placement *place,
			 const uint64_t *before)
{
	uint32_t weight = heaviest(x, x->nodes), asleep;
	uint64_t map[MOST_WORDS], boot[MOST_WORDS], own[MOST_WORDS] = { 0 };
	struct torus_placement other;

	regions_asked++;
	several += torus_ask_several(&x->ask);
	lighter += heaviest(x, before) > weight;
	if (weight > 0) {
		restrict_to(x, weight - 1, NULL, map);
		must(x, !plain_fits(x, map, &other), "a lighter place");
	}
	torus_bits_and(boot, x->nodes, x->asleep, MOST_WORDS);
	asleep = torus_bits_count(boot, MOST_WORDS);
	fewer_booted += torus_bits_count_both(before, x->asleep, MOST_WORDS) >
			asleep;
	restrict_to(x, weight, boot, map);
	must(x, plain_fits(x, map, &other), "the place is gone");
	torus_placement_paint(&x->m, &other, own);
	must(x,
	     torus_bits_equal(own, x->nodes, MOST_WORDS) &&
		     other.granted == place->granted && other.pod == place->pod,
	     "not the strategy's choice");
	for (uint32_t b = 0; asleep <= 8 && b < x->m.words * 64; b++) {
		if (!torus_bits_test(boot, b))
			continue;
		torus_bits_clear(boot, b);
		restrict_to(x, weight, boot, map);
		must(x, !plain_fits(x, map, &other), "a node booted in vain");
		torus_bits_set(boot, b);
	}
	if (!x->ask.required)
		check_listed(x, weight, asleep, place->granted);
}

/* A node's turn in Slurm's order. */
static uint64_t turn(const struct problem *x, uint32_t b)
{
	return torus_bits_test(x->asleep, b) ? UINT64_MAX : x->weight[b];
}

/* No node that is not taken comes before one that is. Of one torus: among its
 * nodes. */
static void check_scattered(const struct problem *x,
			    const struct torus_placement *place)
{
	uint64_t last = 0, next = UINT64_MAX;
	bool left = false;

	scattered_asked++;
	if (place->spread && is_mixed(x))
		return;
	for (uint32_t b = 0; b < x->m.words * 64; b++) {
		uint32_t index, p = torus_machine_pod(&x->m, b, &index);
		int i;

		if (!torus_bits_test(x->usable, b))
			continue;
		i = torus_pod_strategy(&x->m.pod[p], x->ask.strategy);
		if (torus_bits_test(x->nodes, b)) {
			if (!x->ask.required || !torus_bits_test(x->required, b))
				last = turn(x, b) > last ? turn(x, b) : last;
		} else if (i >= 0 && ((x->ask.anywhere && !is_mixed(x)) ||
				      p == place->pod)) {
			next = turn(x, b) < next ? turn(x, b) : next;
			left = true;
		}
	}
	must(x, !left || last <= next, "a node before its turn");
}

static void run_ask(struct problem *x)
{
	struct torus_placement place, other;
	uint64_t before[MOST_WORDS] = { 0 };
	enum torus_answer answer, plain;

	random_ask(x);
	plain = torus_state_find(x->plain, &x->ask, &other, NULL);
	if (plain == TORUS_FITS)
		torus_placement_paint(&x->m, &other, before);
	answer = torus_state_find(x->weighted, &x->ask, &place, NULL);
	must(x, answer == plain, "weights change the answer");
	if (answer != TORUS_FITS)
		return;
	torus_bits_zero(x->nodes, MOST_WORDS);
	torus_placement_paint(&x->m, &place, x->nodes);
	must(x, torus_bits_subset(x->nodes, x->usable, MOST_WORDS),
	     "nodes in use");
	must(x, torus_bits_count(x->nodes, MOST_WORDS) == place.granted,
	     "granted");
	if (place.scattered && !place.regions)
		check_scattered(x, &place);
	else
		check_region(x, &place, before);
	if (random_percent(&rnd, 40)) { /* both states get the job */
		assert_int_not_equal(torus_state_commit(x->weighted, &place, 1,
							NULL, 0, 100, NULL),
				     TORUS_NO_SLOT);
		assert_int_not_equal(torus_state_commit(x->plain, &place, 1,
							NULL, 0, 100, NULL),
				     TORUS_NO_SLOT);
	}
}

static void check_text(struct problem *x)
{
	struct torus_weights *w = torus_weights_create(&x->m);
	const struct torus_weights *set = torus_state_weights(x->weighted);
	struct torus_text text = { 0 }, again = { 0 };

	if (set) {
		assert_int_equal(torus_weights_format(&x->m, set, false, &text),
				 0);
		assert_int_equal(torus_weights_format(&x->m, set, false, &again),
				 0);
		assert_int_equal(torus_weights_parse(&x->m, again.data, w, NULL),
				 0);
		must(x, torus_weights_equal(&x->m, set, w), text.data);
	}
	torus_text_free(&text);
	torus_text_free(&again);
	torus_weights_destroy(w);
}

static void run_machine(const struct pod_text *pods)
{
	struct problem x = { 0 };

	machine_build(&x.m, pods);
	x.weighted = torus_state_create(&x.m);
	x.plain = torus_state_create(&x.m);
	assert_non_null(x.weighted);
	assert_non_null(x.plain);
	for (int round = 0; round < 3; round++) {
		set_weights(&x);
		check_text(&x);
		for (int i = 0; i < 12; i++)
			run_ask(&x);
	}
	torus_state_destroy(x.weighted);
	torus_state_destroy(x.plain);
	torus_machine_free(&x.m);
}

static void weights_choose_among_places_and_never_refuse_one(void **state)
{
	uint32_t rounds = random_effort(12, 20);

	(void)state;
	for (uint32_t n = 0; n < rounds; n++) {
		for (uint32_t k = 0; state_machines[k][0].torus; k++)
			run_machine(state_machines[k]);
		for (const struct torus_strategy *const *all =
			     torus_strategies();
		     *all; all++) {
			struct pod_text pod[MOST_PODS];

			for (uint32_t k = 0; machine_for_any(*all, k, pod); k++)
				run_machine(pod);
		}
	}
	printf("# regions %u (several %u), lighter %u, fewer booted %u; scattered %u\n",
	       regions_asked, several, lighter, fewer_booted, scattered_asked);
	assert_true(lighter > 0 && fewer_booted > 0 && several > 0 &&
		    scattered_asked > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			weights_choose_among_places_and_never_refuse_one),
	};

	rnd.state = random_seed("prop_weights");
	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
