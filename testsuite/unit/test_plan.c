/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: shadow times, what delays them, and what is kept of them. */
#include "torus/plan.h"
#include "planning.h"
#include "torus/placement.h"

/* The shadow time; -1 for NEVER. */
static int64_t shadow(struct world *w, const struct torus_ask *ask, int64_t now)
{
	int64_t when;
	enum torus_answer answer = torus_plan_shadow(w->p, ask, now, &when,
						     NULL);

	if (answer == TORUS_NEVER)
		return -1;
	assert_int_equal(answer == TORUS_FITS, when != TORUS_NO_TIME);
	return when;
}

static bool delays(struct world *w, const struct torus_ask *head, int64_t now,
		   const char *text, int64_t end_us)
{
	struct torus_placement place = place_of(w, text);

	return torus_plan_delays(w->p, head, now, shadow(w, head, now), &place,
				 end_us);
}

static uint64_t searches(const struct world *w)
{
	return torus_plan_searches(w->p, NULL);
}

/* Shadow times */

struct end {
	const char *place;
	int64_t end_us;
};

static const struct {
	const char *machine, *strategy;
	struct end hold[5];
	const char *out; /* out of service */
	const char *ask; /* a shape, or a number */
	int64_t now, when;
} shadows[] = {
	/* counts */
	{ "flat:8", "flat", { { "{0-7}", 50 } }, NULL, "1", 10, 50 },
	{ "flat:8", "flat", { { "{0-3}", 50 } }, NULL, "4", 10, 10 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 50 }, { "{4-6}", 30 } },
	  NULL,
	  "4",
	  10,
	  30 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 50 }, { "{4-6}", 30 } },
	  NULL,
	  "5",
	  10,
	  50 },
	/* equal ends are one instant */
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 50 }, { "{4-6}", 50 } },
	  NULL,
	  "5",
	  10,
	  50 },
	/* overdue, and ending this instant: the next instant */
	{ "flat:8", "flat", { { "{0-3}", 3 }, { "{4-6}", 50 } }, NULL, "5", 10, 11 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 10 }, { "{4-6}", 50 } },
	  NULL,
	  "5",
	  10,
	  11 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 10 }, { "{4-6}", 11 } },
	  NULL,
	  "8",
	  10,
	  11 },
	/* an unknown end never comes */
	{ "flat:8",
	  "flat",
	  { { "{0-3}", INT64_MAX }, { "{4-6}", 20 } },
	  NULL,
	  "4",
	  10,
	  20 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", INT64_MAX }, { "{4-6}", 20 } },
	  NULL,
	  "5",
	  10,
	  TORUS_NO_TIME },
	/* nodes out of service stay so when their job ends */
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 20 }, { "{4-7}", 30 } },
	  "{0}",
	  "4",
	  10,
	  30 },
	{ "flat:8",
	  "flat",
	  { { "{0-3}", 20 }, { "{4-7}", 30 } },
	  "{0}",
	  "8",
	  10,
	  TORUS_NO_TIME },
	{ "flat:8", "flat", { { "{0-3}", 20 } }, NULL, "9", 10, -1 },
	/* enough nodes are free at 20, but a line of 4 only at 40 */
	{ "4x4:MM",
	  "submesh",
	  { { "0,0+4x1", 50 },
	    { "0,1+1x1", 20 },
	    { "2,1+1x1", 30 },
	    { "0,2+1x2", 40 },
	    { "3,1+1x3", 60 } },
	  NULL,
	  "4x1",
	  10,
	  50 },
	{ "4x4:MM",
	  "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } },
	  NULL,
	  "2x2",
	  10,
	  20 },
	{ "4x4:MM",
	  "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } },
	  NULL,
	  "4x2",
	  10,
	  30 },
	{ "4x4:MM",
	  "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } },
	  NULL,
	  "4x4",
	  10,
	  50 },
	{ "4x4:MM", "submesh", { { "1,0+1x4", 50 } }, NULL, "5x1", 10, -1 },
	/* a partition tree: its pieces must have merged */
	{ "4x4:MM",
	  "semitorus-nep",
	  { { "0,0+4x2", 40 }, { "0,2+4x2", 20 } },
	  NULL,
	  "8",
	  10,
	  20 },
	{ "4x4:MM",
	  "semitorus-nep",
	  { { "0,0+4x2", 40 }, { "0,2+4x2", 20 } },
	  NULL,
	  "16",
	  10,
	  40 },
};

static struct torus_ask ask_of(const char *text)
{
	return strchr(text, 'x') ? unit_shape(text, NULL, true) :
				   unit_count((uint32_t)atoi(text), 'N');
}

static void the_shadow_is_the_first_end_with_a_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shadows) / sizeof(shadows[0]); i++) {
		struct world *w = create(shadows[i].machine,
					 shadows[i].strategy);
		struct torus_ask ask = ask_of(shadows[i].ask);
		uint64_t generation;

		for (int k = 0; k < 5 && shadows[i].hold[k].place; k++)
			start(w, shadows[i].hold[k].place, 0,
			      shadows[i].hold[k].end_us);
		if (shadows[i].out) {
			struct torus_placement out = place_of(w, shadows[i].out);

			torus_state_out(w->s, out.nodes);
		}
		generation = torus_state_generation(w->s);
		/* twice: the second answer is the kept one */
		assert_int_equal(shadow(w, &ask, shadows[i].now),
				 shadows[i].when);
		assert_int_equal(shadow(w, &ask, shadows[i].now),
				 shadows[i].when);
		assert_int_equal(torus_state_generation(w->s), generation);
		destroy(w);
	}
}

/* `allowed` bounds the place, now and later; the place comes with it. */
static void allowed_nodes_bound_places_now_and_later(void **state)
{
	struct world *w = create("4x4", "submesh");
	struct torus_ask ask = unit_shape("2x2", NULL, true);
	struct torus_placement place;
	uint64_t allowed = 0;
	int64_t when;

	(void)state;
	unit_paint(&w->m.pod[0].torus, "2,2+2x2", true, &allowed);
	start(w, "2,1+1x2", 0, 30);
	ask.allowed = &allowed;
	assert_int_equal(torus_plan_shadow(w->p, &ask, 10, &when, &place),
			 TORUS_FITS);
	assert_int_equal(when, 30);
	assert_string_equal(unit_region(&w->m.pod[0].torus, &place),
			    "torus:2,2+2x2");
	assert_int_equal(torus_plan_spare(w->p), UINT32_MAX);
	ask.allowed = NULL;
	assert_int_equal(shadow(w, &ask, 10), 10);
	ask.allowed = &allowed;
	torus_bits_clear(&allowed, 10); /* 2,2 */
	assert_int_equal(torus_plan_shadow(w->p, &ask, 10, &when, NULL),
			 TORUS_NOT_NOW);
	assert_true(when == TORUS_NO_TIME);
	destroy(w);
}

static void a_start_that_moves_the_shadow_delays(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask head = unit_count(6, 'N');

	(void)state;
	start(w, "{0-3}", 0, 50);
	assert_int_equal(shadow(w, &head, 10), 50);
	assert_int_equal(torus_plan_spare(w->p), 2);
	assert_false(delays(w, &head, 10, "{4-7}", 50)); /* ends by then */
	assert_true(delays(w, &head, 10, "{4-7}", 51));
	assert_true(delays(w, &head, 10, "{4-6}", INT64_MAX));
	assert_false(delays(w, &head, 10, "{4-5}", INT64_MAX));
	/* a time that cannot get later */
	head.count = 8;
	torus_state_out(w->s, place_of(w, "{7}").nodes);
	assert_false(delays(w, &head, 10, "{4-6}", INT64_MAX));
	destroy(w);
}

/* The head's place may move, its time may not. */
static void test_delays_region(void **state)
{
	struct world *w = create("4x4:MM", "submesh");
	struct torus_ask head = unit_shape("4x2", NULL, false);

	(void)state;
	start(w, "0,1+4x1", 0, 50); /* from 50 on: rows 0-1, 1-2 or 2-3 */
	start(w, "0,3+1x1", 0, 50);
	assert_int_equal(shadow(w, &head, 10), 50);
	assert_false(delays(w, &head, 10, "0,0+4x1", 90));
	assert_false(delays(w, &head, 10, "0,2+4x1", 90));
	start(w, "0,0+1x1", 10, 90); /* no longer rows 0-1 */
	assert_int_equal(shadow(w, &head, 10), 50);
	assert_false(delays(w, &head, 10, "1,3+1x1", 90));
	assert_true(delays(w, &head, 10, "1,2+1x1", 90));
	assert_false(delays(w, &head, 10, "1,2+1x1", 50));
	destroy(w);
}

static void test_delays_memory(void **state)
{
	struct world *w = create("4x4:MM", "semitorus-nep");
	struct torus_ask head = unit_count(8, 'N');
	uint64_t generation;

	(void)state;
	start(w, "0,0+4x2", 0, 50);
	start(w, "0,2+2x2", 0, 30);
	generation = torus_state_generation(w->s);
	assert_int_equal(shadow(w, &head, 10), 30);
	assert_false(delays(w, &head, 10, "2,2+2x2", 30));
	assert_true(delays(w, &head, 10, "2,2+2x2", 31));
	assert_int_equal(torus_state_generation(w->s), generation);
	/* what the strategy cannot grant cannot start */
	assert_true(delays(w, &head, 10, "0,0+4x2", 12));
	destroy(w);
}

/* What is kept */

static void cached_answers_stay_until_the_state_changes(void **state)
{
	struct world *w = create("4x4:MM", "submesh");
	struct torus_ask head = unit_shape("4x4", NULL, true);
	struct torus_ask other = unit_shape("4x3", NULL, true);
	uint32_t early, late;
	uint64_t before;

	(void)state;
	early = start(w, "0,0+2x1", 0, 30);
	late = start(w, "0,1+2x1", 0, 80);
	assert_int_equal(shadow(w, &head, 10), 80);
	before = searches(w);
	assert_int_equal(shadow(w, &head, 10), 80);
	assert_int_equal(shadow(w, &head, 29), 80);
	assert_int_equal(searches(w), before);
	/* a start that ends by it changes nothing */
	start(w, "0,3+2x1", 29, 80);
	assert_int_equal(shadow(w, &head, 29), 80);
	assert_int_equal(searches(w), before);
	/* nor does an end that was expected */
	torus_plan_release(w->p, early, 30);
	assert_int_equal(shadow(w, &head, 30), 80);
	assert_int_equal(searches(w), before);
	/* another question, a new end, a passed time: worked out again */
	assert_int_equal(shadow(w, &other, 30), 80);
	torus_state_set_end(w->s, late, 40);
	assert_int_equal(shadow(w, &head, 30), 80);
	assert_int_equal(shadow(w, &other, 30), 40);
	assert_int_equal(shadow(w, &other, 40), 41);
	assert_true(searches(w) > before);
	destroy(w);
}

/* Jobs that end early make it earlier, or not. */
static void test_early_ends(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask head = unit_count(6, 'N');
	uint32_t a, b, c;

	(void)state;
	a = start(w, "{0-1}", 0, 30);
	b = start(w, "{2-3}", 0, 60);
	c = start(w, "{4-7}", 0, 90);
	assert_int_equal(shadow(w, &head, 10), 90);
	torus_plan_release(w->p, b, 12); /* 4 free at 30 */
	assert_int_equal(shadow(w, &head, 12), 90);
	torus_plan_release(w->p, c, 20); /* 6 free now */
	assert_int_equal(shadow(w, &head, 20), 20);
	start(w, "{4-5}", 20, 200);
	assert_int_equal(shadow(w, &head, 20), 30);
	torus_plan_release(w->p, a, 25);
	assert_int_equal(shadow(w, &head, 25), 25);
	destroy(w);
}

/* Overdue jobs: what they hold is expected in the next instant, until they
 * end, whatever else was looked at meanwhile. */
static void test_overdue_ends(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask head = unit_count(6, 'N');
	uint32_t a, b;

	(void)state;
	a = start(w, "{0-2}", 0, 5); /* overdue */
	b = start(w, "{3}", 0, 20);
	start(w, "{4-6}", 0, 11);
	head.count = 7;
	assert_int_equal(shadow(w, &head, 6), 11);
	torus_plan_release(w->p, b, 10); /* early: may it start at 10? */
	assert_int_equal(shadow(w, &head, 10), 11);
	head.count = 5;
	assert_int_equal(shadow(w, &head, 10), 11);
	torus_plan_release(w->p, a, 10);
	assert_int_equal(shadow(w, &head, 10), 10);
	destroy(w);
}

/* As before, the head being the same throughout. */
static void test_overdue_kept(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask head = unit_count(5, 'N');
	uint32_t a, b;

	(void)state;
	a = start(w, "{0-2}", 0, 2); /* overdue from 2 on */
	b = start(w, "{3-4}", 0, 12);
	start(w, "{5-7}", 0, 6);
	assert_int_equal(shadow(w, &head, 2), 6);
	torus_plan_release(w->p, b, 5);
	assert_int_equal(shadow(w, &head, 5), 6);
	torus_plan_release(w->p, a, 5);
	assert_int_equal(shadow(w, &head, 5), 5);
	destroy(w);
}

static void too_few_nodes_need_no_search(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask ask = unit_count(4, 'N'), all = unit_count(8, 'N');
	struct torus_placement place;

	(void)state;
	assert_int_equal(torus_plan_find(w->p, &ask, &place), TORUS_FITS);
	assert_int_equal(searches(w), 1);
	start(w, "{0}", 0, 10);
	/* by number alone: no search */
	assert_int_equal(torus_plan_find(w->p, &all, &place), TORUS_NOT_NOW);
	assert_int_equal(searches(w), 1);
	shadow(w, &all, 0);
	assert_int_equal(searches(w), 2);
	destroy(w);
}

/* Expected failures */

static void an_impossible_request_gets_no_time(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask ask = unit_count(9, 'N');
	struct torus_window_bounds bounds = { .latest_us = 50, .length_us = 1 };
	struct torus_placement place;
	int64_t when = 5;

	(void)state;
	torus_plan_destroy(NULL);
	/* NEVER promises no time */
	assert_int_equal(torus_plan_shadow(w->p, &ask, 0, &when, NULL),
			 TORUS_NEVER);
	assert_true(when == TORUS_NO_TIME);
	when = 5;
	assert_int_equal(torus_plan_window(w->p, &ask, &bounds, NULL, &when,
					   &place),
			 TORUS_NEVER);
	assert_true(when == TORUS_NO_TIME);
	/* a taken place cannot be committed; what was known stands */
	start(w, "{0-3}", 0, 9);
	ask.count = 8;
	assert_int_equal(shadow(w, &ask, 0), 9);
	place = place_of(w, "{3-4}");
	errno = 0;
	assert_int_equal(torus_plan_commit(w->p, &place, 1, NULL, 0, 99),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(shadow(w, &ask, 0), 9);
	destroy(w);
}

/* Shadow times and delays leave the place of torus_plan_find() as it is: they have a
 * room of their own. EASY asks the head's shadow time while it holds a refused place. */
static void test_found_place_stays(void **state)
{
	static const uint64_t service = 0xf0f0;
	static const struct torus_outage outage = { 20, 30, &service, NULL, 0 };
	static const struct torus_outages outages = { 1, INT64_MAX, false, 1,
						      &outage };
	static const struct {
		const char *machine, *strategy;
		uint32_t regions; /* 0: a count of nodes */
		const char *busy;
	} cases[] = {
		{ "4x4", "submesh", 1, "0,0+4x1" },
		{ "4x4", "submesh", 2, "0,0+4x1" },
		{ "4x4", "submesh", 3, "0,0+4x1" },
		{ "4x4:MM", "submesh-tff", 1, "0,0+1x4" },
		{ "flat:16", "flat", 0, "{0-3}" },
		{ "4x4:MM", "semitorus-nep", 0, "0,0+4x2" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
		struct world *w = create(cases[i].machine, cases[i].strategy);
		struct torus_ask ask, head;
		struct torus_placement place, other;
		struct torus_text text = { 0 }, again = { 0 };
		uint64_t nodes = 0;
		int64_t when;

		start(w, cases[i].busy, 0, 10);
		ask = cases[i].regions ? unit_shape("2x1", NULL, true) :
					 unit_count(4, 'N');
		ask.regions = cases[i].regions > 1 ? cases[i].regions : 0;
		head = cases[i].regions ? unit_shape("4x4", NULL, true) :
					  unit_count(16, 'N');
		ask.end_us = head.end_us = 50;
		if (torus_plan_find(w->p, &ask, &place) != TORUS_FITS)
			fail_msg("%s: no place", cases[i].strategy);
		assert_int_equal(torus_placement_format(&w->m, &place, &text),
				 0);
		torus_placement_paint(&w->m, &place, &nodes);
		for (int round = 0; round < 4; round++) {
			struct torus_ask beside = ask;
			uint64_t now = 0;

			beside.outages = head.outages = round % 2 ? &outages :
								    NULL;
			torus_plan_shadow(w->p, &head, 0, &when, &other);
			torus_plan_delays(w->p, &head, 0, when, &place, 50);
			torus_plan_shadow(w->p, &beside, 0, &when, &other);
			torus_plan_delays(w->p, &beside, 0, when, &place, 50);
			assert_int_equal(torus_placement_format(&w->m, &place,
								&again),
					 0);
			assert_string_equal(again.data, text.data);
			torus_placement_paint(&w->m, &place, &now);
			assert_true(now == nodes);
			torus_text_free(&again);
			again = (struct torus_text){ 0 };
		}
		torus_text_free(&text);
		destroy(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shadow_is_the_first_end_with_a_place),
		cmocka_unit_test(allowed_nodes_bound_places_now_and_later),
		cmocka_unit_test(a_start_that_moves_the_shadow_delays),
		cmocka_unit_test(test_delays_region),
		cmocka_unit_test(test_delays_memory),
		cmocka_unit_test(cached_answers_stay_until_the_state_changes),
		cmocka_unit_test(test_early_ends),
		cmocka_unit_test(test_overdue_ends),
		cmocka_unit_test(test_overdue_kept),
		cmocka_unit_test(too_few_nodes_need_no_search),
		cmocka_unit_test(an_impossible_request_gets_no_time),
		cmocka_unit_test(test_found_place_stays),
	};

	return UNIT_RUN(tests);
}
