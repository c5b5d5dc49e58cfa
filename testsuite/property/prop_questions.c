/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus slots, defrag, explain and what-if on every torus and mesh of at most 36 nodes
 * and on random ones with units, grains, several nodes per vertex and dead links
 * (questions_world.h), against exhaustive search: places by all turns and bases, the
 * most disjoint ones by trying all sets, the cheapest jobs to end by trying all sets of
 * jobs, the earliest start by trying all ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "questions/forward.h"
#include "questions/freeing.h"
#include "questions/packing.h"
#include "questions_world.h"
#include "torus/regions.h"

static void packing_lies_between_its_bounds(void **state)
{
	struct random r = { random_seed("packing") };
	uint32_t rounds = random_effort(3000, 20), skipped = 0, some = 0;

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		struct torus_state *s;
		struct packing answer;
		struct places list;
		struct world w;
		uint32_t pod, most, now = 0;

		world_create(&w, &r, k, "", false);
		world_draw_jobs(&w, &r, random_below(&r, 8));
		s = occupancy_prepare(w.s) ? NULL : occupancy_state(w.s);
		assert_non_null(s);
		for (uint32_t i = 0; i < w.places; i++)
			now += (w.place[i] & ~w.free) == 0;
		some += now > 0;
		w.ask.regions = 2;
		assert_int_equal(places_find(s, &w.ask, &list, &pod), -1);
		assert_true(errno == ENOSYS && pod == UINT32_MAX);
		w.ask.regions = 0;
		assert_int_equal(places_find(s, &w.ask, &list, &pod), 0);
		if (list.count != now)
			fail_msg("%s: %u places, expected %u",
				 w.s->config->path, list.count, now);
		assert_int_equal(packing_solve(w.t, list.place, list.count,
					       &answer),
				 0);
		most = world_disjoint(&w, 0, w.free, MOST_NODES);
		if (w.steps > MOST_STEPS) {
			skipped++;
			assert_true(answer.disjoint >= most);
		} else {
			assert_int_equal(answer.disjoint, most);
		}
		assert_int_equal(answer.disjoint, answer.disjoint_at_most);
		places_free(&list);
		torus_state_destroy(s);
		snapshot_destroy(w.s);
	}
	printf("# %u of %u too large for the exhaustive search, %u with places\n",
	       skipped, rounds, some);
	assert_true(skipped < rounds / 5 && some > rounds * 2 / 5);
}

/* Nodes of a set of jobs. */
static uint64_t nodes_of(const struct world *w, uint32_t set)
{
	uint64_t word[1] = { 0 };

	for (uint32_t j = 0; j < w->s->jobs; j++) {
		if (set >> j & 1)
			snapshot_paint(&w->s->job[j], word);
	}
	return *word;
}

static bool fits_without(struct world *w, uint32_t set)
{
	return world_fits(w, w->free | nodes_of(w, set));
}

/* The cheapest set by trying all: UINT64_MAX where there is none. */
static uint64_t cheapest(struct world *w, const uint64_t *cost, const bool *keep)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t set = 0; set < 1u << w->s->jobs; set++) {
		uint64_t sum = 0;
		bool may = true;

		for (uint32_t j = 0; j < w->s->jobs; j++) {
			if (set >> j & 1) {
				sum += cost[j];
				may = may && !keep[j];
			}
		}
		if (may && sum < best && fits_without(w, set))
			best = sum;
	}
	return best;
}

/* Sufficient, and minimal: every job of it is needed where all cost something. */
static void check_set(struct world *w, const struct freeing *f, const bool *keep)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < f->jobs; i++) {
		set |= 1u << f->job[i];
		assert_false(keep[f->job[i]]);
	}
	assert_true(fits_without(w, set));
	for (uint32_t i = 0; i < f->jobs; i++)
		assert_false(fits_without(w, set & ~(1u << f->job[i])));
}

/* Comparing every place finds none that is cheaper, nor misses one without jobs. */
static void check_every(struct world *w, const uint64_t *cost, const bool *keep,
			uint64_t best)
{
	struct freeing f;

	if (freeing_find(&(struct freeing_question){ .s = w->s,
						     .ask = &w->ask,
						     .cost = cost,
						     .keep = keep,
						     .every = true },
			 &f))
		world_fail("no memory");
	assert_int_equal(f.answer, TORUS_FITS);
	assert_true(f.cost == best);
	freeing_free(&f);
}

static void freeing_finds_the_cheapest_jobs(void **state)
{
	struct random r = { random_seed("freeing") };
	uint32_t rounds = random_effort(3000, 20);

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		uint64_t cost[12], best;
		bool keep[12];
		struct freeing f;
		struct world w;

		const char *strategy = random_percent(&r, 30) ? "submesh-tff" :
								"";

		world_create(&w, &r, k, strategy, !*strategy);
		world_draw_jobs(&w, &r, random_below(&r, 10));
		for (uint32_t j = 0; j < w.s->jobs; j++) {
			cost[j] = 1 + random_below(&r, 30);
			keep[j] = random_percent(&r, 10);
		}
		if (occupancy_prepare(w.s) ||
		    freeing_find(&(struct freeing_question){ .s = w.s,
							     .ask = &w.ask,
							     .cost = cost,
							     .keep = keep },
				 &f))
			world_fail("no memory");
		best = cheapest(&w, cost, keep);
		if (f.answer == TORUS_FITS)
			check_every(&w, cost, keep, best);
		if (f.answer != TORUS_FITS) {
			if (best != UINT64_MAX)
				fail_msg("%s %s: %d \"%s\", but %llu by ending",
					 w.s->config->path,
					 w.s->config->machine.pod[0]
						 .strategy[0]
						 ->name,
					 f.answer, f.why.text,
					 (unsigned long long)best);
		} else {
			assert_true(f.cost == best);
			assert_true(f.at_least == f.cost);
			check_set(&w, &f, keep);
		}
		freeing_free(&f);
		snapshot_destroy(w.s);
	}
}

/* Free nodes once every job that ends by `at` has ended. */
static uint64_t free_at(const struct world *w, int64_t at)
{
	uint64_t word[1] = { w->free };

	for (uint32_t j = 0; j < w->s->jobs; j++) {
		if (w->s->job[j].running && w->s->job[j].end_us <= at)
			snapshot_paint(&w->s->job[j], word);
	}
	return *word;
}

static bool fits_at(struct world *w, int64_t at)
{
	return world_fits(w, free_at(w, at));
}

/* The nodes of a region's text, or of several. */
static uint64_t nodes_of_text(const struct world *w, const char *text)
{
	const struct torus_machine *m = &w->s->config->machine;
	struct torus_regions regions;
	struct torus_region region;
	struct torus_error err = { 0 };
	uint64_t word[1] = { 0 };
	bool scattered;

	if (torus_regions_several(text)) {
		if (torus_regions_parse(m, text, NULL, &regions, &err))
			world_fail(err.text);
		torus_regions_paint(m, &regions, word);
		return *word;
	}
	if (torus_region_parse(&region, &scattered, word, w->t, text, NULL))
		world_fail(text);
	torus_region_paint(&region, w->t, word);
	return *word;
}

/* One more job waits: when and where it is told to start is when and where it can,
 * and not before. */
static void check_start(struct world *w, int64_t earliest_us)
{
	static char weak[] = "weak";
	struct snapshot_job job = { .id = (char *)(uintptr_t) "new",
				    .submit_us = 0,
				    .start_us = SNAPSHOT_NO_TIME,
				    .end_us = SNAPSHOT_NO_TIME,
				    .limit_us = 1000000,
				    .words.geometry = w->geometry,
				    .words.conn_type = w->connection,
				    .words.links = w->ask.weak ? weak : NULL,
				    .words.no_rotate = !w->ask.rotate };
	struct torus_error err = { 0 };
	struct forward f;
	const struct forward_job *start;

	if (snapshot_add_job(w->s, &job, NULL) ||
	    forward_play(w->s, &w->s->config->scheduler,
			 &(struct forward_bound){ 0 }, &f, &err))
		world_fail(err.text);
	start = &f.job[w->s->jobs - 1];
	assert_true(start->start_us == earliest_us);
	if (start->region)
		assert_true((nodes_of_text(w, start->region) &
			     ~free_at(w, start->start_us)) == 0);
	else
		assert_true(earliest_us == SNAPSHOT_NO_TIME);
	forward_free(&f);
}

static void the_earliest_place_is_found(void **state)
{
	struct random r = { random_seed("earliest") };
	uint32_t rounds = random_effort(3000, 20);

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		uint64_t cost[12];
		int64_t at_us = SNAPSHOT_NO_TIME;
		struct freeing f;
		struct world w;

		world_create(&w, &r, k, "", true);
		world_draw_jobs(&w, &r, 1 + random_below(&r, 9));
		w.s->time_us = 0;
		for (uint32_t j = 0; j < w.s->jobs; j++) {
			cost[j] = 1 + random_below(&r, 30);
			w.s->job[j].end_us = (int64_t)cost[j];
		}
		if (occupancy_prepare(w.s) ||
		    freeing_earliest(&(struct freeing_question){ .s = w.s,
								 .ask = &w.ask,
								 .cost = cost },
				     &f))
			world_fail("no memory");
		if (f.answer == TORUS_FITS) {
			at_us = (int64_t)f.cost;
			assert_true(fits_at(&w, at_us));
			assert_true(at_us == 0 || !fits_at(&w, at_us - 1));
		} else {
			assert_false(fits_at(&w, 1000));
		}
		check_start(&w, at_us);
		freeing_free(&f);
		snapshot_destroy(w.s);
	}
}

/* Any nodes will do: the cheapest jobs that free enough. */
static void test_freeing_nodes(void **state)
{
	struct random r = { random_seed("freeing nodes") };
	uint32_t rounds = random_effort(300, 20);

	(void)state;
	for (uint32_t k = 0; k < rounds; k++) {
		uint64_t cost[12], best = UINT64_MAX;
		bool keep[12] = { false };
		struct freeing f;
		struct world w;
		uint32_t need;

		world_create(&w, &r, 0, "flat", false);
		world_draw_jobs(&w, &r, 1 + random_below(&r, 9));
		for (uint32_t j = 0; j < w.s->jobs; j++)
			cost[j] = 1 + random_below(&r, 30);
		need = (uint32_t)torus_ask_nodes(&w.ask);
		for (uint32_t set = 0; set < 1u << w.s->jobs; set++) {
			uint64_t sum = 0;

			for (uint32_t j = 0; j < w.s->jobs; j++)
				sum += set >> j & 1 ? cost[j] : 0;
			if (sum < best &&
			    torus_bits_ones(w.free | nodes_of(&w, set)) >= need)
				best = sum;
		}
		if (occupancy_prepare(w.s) ||
		    freeing_find(&(struct freeing_question){ .s = w.s,
							     .ask = &w.ask,
							     .cost = cost,
							     .keep = keep },
				 &f))
			world_fail("no memory");
		if (f.answer == TORUS_FITS)
			assert_true(f.cost == best && f.at_least == best);
		else
			assert_true(best == UINT64_MAX);
		freeing_free(&f);
		snapshot_destroy(w.s);
	}
}

/* The machine without a set of the running jobs, as a snapshot without them is. */
static bool asked_fits(const struct snapshot *s, const struct torus_ask *ask,
		       uint32_t set)
{
	struct snapshot_job copy[16];
	struct snapshot without = *s;
	struct torus_placement place;
	struct torus_state *state;
	bool fits;

	without.job = copy;
	for (uint32_t j = 0; j < s->jobs; j++) {
		copy[j] = s->job[j];
		copy[j].running = !(set >> j & 1);
	}
	state = occupancy_state(&without);
	if (!state)
		world_fail("no memory");
	fits = torus_state_find(state, ask, &place, NULL) == TORUS_FITS;
	torus_state_destroy(state);
	return fits;
}

/* The least cost of a set that suffices, by asking about all sets. */
static uint64_t asked_cheapest(const struct snapshot *s,
			       const struct torus_ask *ask,
			       const uint64_t *cost, const bool *keep)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t set = 0; set < 1u << s->jobs; set++) {
		uint64_t sum = 0;
		bool may = true;

		for (uint32_t j = 0; j < s->jobs; j++) {
			sum += set >> j & 1 ? cost[j] : 0;
			may = may && !(set >> j & 1 && keep[j]);
		}
		if (may && sum < best && asked_fits(s, ask, set))
			best = sum;
	}
	return best;
}

/* Jobs where the strategy puts them, while there are some ended in between, so that
 * its memory has a past. */
static void draw_tree_jobs(struct snapshot *s, struct random *r, uint32_t many)
{
	const struct torus_machine *m = &s->config->machine;
	struct torus_state *state = torus_state_create(m);
	uint32_t slot[24];

	for (uint32_t i = 0; i < 24; i++) {
		struct torus_request request;
		struct torus_placement place;

		slot[i] = TORUS_NO_SLOT;
		torus_request_count(&request, 1u << random_below(r, 3));
		if (torus_state_find(state, &request.alternative[0].ask, &place,
				     NULL) == TORUS_FITS)
			slot[i] = torus_state_commit(state, &place, i + 1, NULL,
						     0, 1000000, NULL);
	}
	for (uint32_t i = 0; i < 24; i++) {
		struct torus_text text = { 0 };
		uint64_t nodes[1] = { 0 };
		char id[8];
		struct snapshot_job job = { .running = true,
					    .id = id,
					    .end_us = 1000000 };

		if (slot[i] == TORUS_NO_SLOT || s->jobs == many ||
		    random_percent(r, 25))
			continue;
		torus_placement_format(m,
				       &torus_state_hold(state, slot[i])->place,
				       &text);
		torus_placement_paint(m,
				      &torus_state_hold(state, slot[i])->place,
				      nodes);
		snprintf(id, sizeof(id), "%u", i);
		job.place = text.data;
		if (snapshot_add_job(s, &job, nodes))
			world_fail("no memory");
		torus_text_free(&text);
	}
	torus_state_destroy(state);
}

/* The least cost of the jobs in a box of 2^i x 2^j x ... nodes at multiples of its
 * extents, none of whose nodes is kept: no place of a partition tree is cheaper to
 * free. */
static uint64_t cheapest_box(const struct snapshot *s, uint32_t nodes,
			     const uint64_t *cost, const bool *keep)
{
	const struct torus *t = &s->config->machine.pod[0].torus;
	uint32_t from[DIMS] = { 0 }, to[DIMS];
	uint64_t best = UINT64_MAX;
	struct units_torus u = { .dims = t->dims, .per_vertex = 1 };

	for (uint32_t d = 0; d < t->dims; d++) {
		u.size[d] = t->size[d];
		u.unit[d] = 1;
	}
	do {
		memset(to, 0, sizeof(to));
		do {
			uint64_t box, sum = 0;
			uint32_t volume = 1;
			bool may = true;

			for (uint32_t d = 0; d < t->dims; d++) {
				uint32_t e = to[d] + 1;

				volume *= e;
				may = may && (e & (e - 1)) == 0 &&
				      from[d] % e == 0 &&
				      from[d] + e <= t->size[d];
				to[d]++;
			}
			box = may && volume == nodes ? world_box(&u, from, to) :
						       0;
			for (uint32_t j = 0; box && j < s->jobs; j++) {
				uint64_t held[1] = { 0 };

				snapshot_paint(&s->job[j], held);
				sum += box & *held ? cost[j] : 0;
				may = may && !(box & *held && keep[j]);
			}
			if (box && may && sum < best)
				best = sum;
			for (uint32_t d = 0; d < t->dims; d++)
				to[d]--;
		} while (units_step(&u, to, u.size));
	} while (units_step(&u, from, u.size));
	return best;
}

/* The bound where all sets are too many to try: at least the cheapest box or job.
 * More where every place is listed: a sub-cube of a buddy system is not any box.
 * check_asked() judges whether it is too much. */
static void check_bound(const struct snapshot *s, uint32_t nodes,
			const struct freeing *f, const uint64_t *cost,
			const bool *keep)
{
	uint64_t least = cheapest_box(s, nodes, cost, keep), job = UINT64_MAX;
	uint32_t may_end = 0;

	for (uint32_t j = 0; j < s->jobs; j++) {
		may_end += !keep[j];
		if (!keep[j] && cost[j] < job)
			job = cost[j];
	}
	if (f->answer != TORUS_FITS || f->jobs == 0 || may_end <= 10)
		return;
	least = least < job ? job : least;
	assert_true(f->at_least >= (least < f->cost ? least : f->cost));
}

/* Sufficient, minimal, and between the bound and the cheapest set of all. */
static bool check_asked(const struct snapshot *s, const struct torus_ask *ask,
			const struct freeing *f, const uint64_t *cost,
			const bool *keep)
{
	uint64_t best = asked_cheapest(s, ask, cost, keep);
	uint32_t set = 0;

	if (f->answer != TORUS_FITS) {
		assert_true(best == UINT64_MAX);
		return true;
	}
	for (uint32_t i = 0; i < f->jobs; i++) {
		assert_false(keep[f->job[i]]);
		set |= 1u << f->job[i];
	}
	assert_true(asked_fits(s, ask, set));
	for (uint32_t i = 0; i < f->jobs; i++)
		assert_false(asked_fits(s, ask, set & ~(1u << f->job[i])));
	assert_true(f->at_least <= best && best <= f->cost);
	return f->at_least == f->cost;
}

/* Every strategy: also those with a memory, and those that cannot list places. */
static void test_freeing_strategies(void **state)
{
	static const char *const machine[][2] = {
		{ "4x4", "semitorus-ep" },    { "2x4x4", "semitorus-nep" },
		{ "4x8", "semitorus-buddy" }, { "3x8", "semitorus-nep" },
		{ "2^4", "subcube-buddy" },   { "4x6", "submesh-ff" },
		{ "4x6", "submesh-bl" },      { "4x6", "submesh-tbl" },
		{ "4x6", "subtorus" },
	};
	struct torus_error err = { 0 };
	struct random r = { random_seed("freeing strategies") };
	uint32_t rounds = random_effort(150, 20), exact = 0, asked = 0;

	(void)state;
	for (uint32_t k = 0; k < rounds * 9; k++) {
		struct torus_config *config =
			torus_config_string(machine[k % 9][0], &err);
		uint64_t cost[16] = { 0 };
		struct torus_request request;
		bool keep[16] = { false };
		struct snapshot *s;
		struct freeing f;

		if (!config ||
		    torus_config_strategy(config, machine[k % 9][1], &err))
			world_fail(err.text);
		s = snapshot_create(config, NULL);
		if (!s || occupancy_prepare(s))
			world_fail("no memory");
		draw_tree_jobs(s, &r, 12);
		for (uint32_t j = 0; j < s->jobs; j++) {
			cost[j] = 1 + random_below(&r, 30);
			keep[j] = random_percent(&r, 10);
		}
		torus_request_count(&request, 2u << random_below(&r, 3));
		assert_int_equal(freeing_find(
					 &(struct freeing_question){
						 .s = s,
						 .ask = &request.alternative[0].ask,
						 .cost = cost,
						 .keep = keep },
					 &f),
				 0);
		if (k % 9 < 5)
			check_bound(s, request.alternative[0].ask.count, &f,
				    cost, keep);
		exact += check_asked(s, &request.alternative[0].ask, &f, cost,
				     keep);
		asked++;
		freeing_free(&f);
		snapshot_destroy(s);
	}
	printf("# %u of %u answers known to be exact\n", exact, asked);
	assert_true(exact * 10 >= asked * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packing_lies_between_its_bounds),
		cmocka_unit_test(freeing_finds_the_cheapest_jobs),
		cmocka_unit_test(the_earliest_place_is_found),
		cmocka_unit_test(test_freeing_nodes),
		cmocka_unit_test(test_freeing_strategies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
