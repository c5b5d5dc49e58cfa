/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: shadow times, what delays them, what is kept of them, reservations
 * and windows. Expected values were worked out by hand. */
#include "unit.h"

#include "torus/plan.h"

struct world {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_plan *p;
};

static struct world *create(const char *machine, const char *strategy)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->m = unit_machine(machine, strategy);
	w->s = torus_state_create(&w->m);
	assert_non_null(w->s);
	w->p = torus_plan_create(w->s);
	assert_non_null(w->p);
	return w;
}

static void destroy(struct world *w)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	torus_plan_destroy(w->p);
	torus_state_destroy(w->s);
	torus_machine_free(&w->m);
	free(w);
}

/* A placement from text: a region, or {nodes}. */
static struct torus_placement place_of(const struct world *w, const char *text)
{
	static uint64_t nodes[4][64];
	static unsigned turn;
	const struct torus *t = &w->m.pod[0].torus;
	struct torus_placement place = { .axes = 1 };
	struct torus_error err = { 0 };
	uint64_t *map = nodes[turn++ % 4];

	if (torus_region_parse(&place.region, &place.scattered, map, t, text,
			       &err))
		fail_msg("%s: %s", text, err.text);
	place.nodes = map;
	place.granted = place.scattered ?
				torus_bits_count(map, w->m.words) :
				torus_region_nodes(&place.region, t);
	return place;
}

static uint32_t start(struct world *w, const char *text, int64_t now,
		      int64_t end_us)
{
	struct torus_placement place = place_of(w, text);
	uint32_t slot = torus_plan_commit(w->p, &place, 1, NULL, now, end_us);

	assert_true(slot != TORUS_NO_SLOT);
	return slot;
}

/* The shadow time; -1 for NEVER. */
static int64_t shadow(struct world *w, const struct torus_ask *ask,
		      int64_t now)
{
	int64_t when;
	enum torus_answer answer = torus_plan_shadow(w->p, ask, NULL, NULL,
						     now, &when, NULL, NULL);

	if (answer == TORUS_NEVER)
		return -1;
	assert_int_equal(answer == TORUS_FITS, when != TORUS_NO_TIME);
	return when;
}

static bool delays(struct world *w, const struct torus_ask *head, int64_t now,
		   const char *text, int64_t end_us)
{
	struct torus_placement place = place_of(w, text);

	return torus_plan_delays(w->p, head, NULL, NULL, now,
				 shadow(w, head, now), &place, end_us);
}

static uint64_t searches(const struct world *w)
{
	return torus_plan_searches(w->p);
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
	{ "flat:8", "flat", { { "{0-3}", 50 }, { "{4-6}", 30 } }, NULL, "4",
	  10, 30 },
	{ "flat:8", "flat", { { "{0-3}", 50 }, { "{4-6}", 30 } }, NULL, "5",
	  10, 50 },
	/* equal ends are one instant */
	{ "flat:8", "flat", { { "{0-3}", 50 }, { "{4-6}", 50 } }, NULL, "5",
	  10, 50 },
	/* overdue, and ending this instant: the next instant */
	{ "flat:8", "flat", { { "{0-3}", 3 }, { "{4-6}", 50 } }, NULL, "5",
	  10, 11 },
	{ "flat:8", "flat", { { "{0-3}", 10 }, { "{4-6}", 50 } }, NULL, "5",
	  10, 11 },
	{ "flat:8", "flat", { { "{0-3}", 10 }, { "{4-6}", 11 } }, NULL, "8",
	  10, 11 },
	/* an unknown end never comes */
	{ "flat:8", "flat", { { "{0-3}", INT64_MAX }, { "{4-6}", 20 } }, NULL,
	  "4", 10, 20 },
	{ "flat:8", "flat", { { "{0-3}", INT64_MAX }, { "{4-6}", 20 } }, NULL,
	  "5", 10, TORUS_NO_TIME },
	/* nodes out of service stay so when their job ends */
	{ "flat:8", "flat", { { "{0-3}", 20 }, { "{4-7}", 30 } }, "{0}", "4",
	  10, 30 },
	{ "flat:8", "flat", { { "{0-3}", 20 }, { "{4-7}", 30 } }, "{0}", "8",
	  10, TORUS_NO_TIME },
	{ "flat:8", "flat", { { "{0-3}", 20 } }, NULL, "9", 10, -1 },
	/* enough nodes are free at 20, but a line of 4 only at 40 */
	{ "4x4:MM", "submesh",
	  { { "0,0+4x1", 50 }, { "0,1+1x1", 20 }, { "2,1+1x1", 30 },
	    { "0,2+1x2", 40 }, { "3,1+1x3", 60 } }, NULL, "4x1", 10, 50 },
	{ "4x4:MM", "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } }, NULL,
	  "2x2", 10, 20 },
	{ "4x4:MM", "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } }, NULL,
	  "4x2", 10, 30 },
	{ "4x4:MM", "submesh",
	  { { "1,0+1x4", 50 }, { "2,1+2x1", 20 }, { "2,3+2x1", 30 } }, NULL,
	  "4x4", 10, 50 },
	{ "4x4:MM", "submesh", { { "1,0+1x4", 50 } }, NULL, "5x1", 10, -1 },
	/* a partition tree: its pieces must have merged */
	{ "4x4:MM", "semitorus-nep",
	  { { "0,0+4x2", 40 }, { "0,2+4x2", 20 } }, NULL, "8", 10, 20 },
	{ "4x4:MM", "semitorus-nep",
	  { { "0,0+4x2", 40 }, { "0,2+4x2", 20 } }, NULL, "16", 10, 40 },
};

static struct torus_ask ask_of(const char *text)
{
	return strchr(text, 'x') ? unit_shape(text, NULL, true) :
				   unit_count((uint32_t)atoi(text), 'N');
}

static void test_shadow(void **state)
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
			struct torus_placement out =
				place_of(w, shadows[i].out);

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
static void test_allowed(void **state)
{
	struct world *w = create("4x4", "submesh");
	struct torus_ask ask = unit_shape("2x2", NULL, true);
	struct torus_placement place;
	uint64_t allowed = 0;
	int64_t when;

	(void)state;
	unit_paint(&w->m.pod[0].torus, "2,2+2x2", true, &allowed);
	start(w, "2,1+1x2", 0, 30);
	assert_int_equal(torus_plan_shadow(w->p, &ask, NULL, &allowed, 10,
					   &when, &place, NULL),
			 TORUS_FITS);
	assert_int_equal(when, 30);
	assert_string_equal(unit_region(&w->m.pod[0].torus, &place),
			    "torus:2,2+2x2");
	assert_int_equal(torus_plan_spare(w->p), UINT32_MAX);
	assert_int_equal(shadow(w, &ask, 10), 10);
	torus_bits_clear(&allowed, 10); /* 2,2 */
	assert_int_equal(torus_plan_shadow(w->p, &ask, NULL, &allowed, 10,
					   &when, NULL, NULL),
			 TORUS_NOT_NOW);
	assert_true(when == TORUS_NO_TIME);
	destroy(w);
}

static void test_delays(void **state)
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

static void test_kept(void **state)
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
	a = start(w, "{0-2}", 0, 2);  /* overdue from 2 on */
	b = start(w, "{3-4}", 0, 12);
	start(w, "{5-7}", 0, 6);
	assert_int_equal(shadow(w, &head, 2), 6);
	torus_plan_release(w->p, b, 5);
	assert_int_equal(shadow(w, &head, 5), 6);
	torus_plan_release(w->p, a, 5);
	assert_int_equal(shadow(w, &head, 5), 5);
	destroy(w);
}

static unsigned begun, finished;

static void count_calls(void *arg, bool begin)
{
	assert_ptr_equal(arg, &begun);
	assert_int_equal(begun, finished + !begin);
	if (begin)
		begun++;
	else
		finished++;
}

static void test_watch(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask ask = unit_count(4, 'N'), all = unit_count(8, 'N');
	struct torus_placement place;

	(void)state;
	begun = finished = 0;
	torus_plan_watch(w->p, count_calls, &begun);
	assert_int_equal(torus_plan_find(w->p, &ask, NULL, NULL, &place, NULL),
			 TORUS_FITS);
	assert_int_equal(begun, 1);
	start(w, "{0}", 0, 10);
	/* by number alone: no search */
	assert_int_equal(torus_plan_find(w->p, &all, NULL, NULL, &place, NULL),
			 TORUS_NOT_NOW);
	assert_int_equal(begun, 1);
	shadow(w, &all, 0);
	assert_int_equal(begun, 2);
	assert_int_equal(finished, 2);
	assert_int_equal(searches(w), 2);
	torus_plan_watch(w->p, NULL, NULL);
	shadow(w, &ask, 0);
	assert_int_equal(begun, 2);
	destroy(w);
}

/* Reservations and windows */

/* The window's begin, TORUS_NO_TIME, or -1 for NEVER. */
static int64_t window(struct world *w, const struct torus_ask *ask,
		      int64_t from, int64_t latest, int64_t length)
{
	struct torus_placement place;
	int64_t when;
	enum torus_answer answer =
		torus_plan_window(w->p, ask, NULL, NULL, NULL, from, from,
				  latest, length, &when, &place, NULL);

	if (answer == TORUS_NEVER)
		return -1;
	assert_int_equal(answer == TORUS_FITS, when != TORUS_NO_TIME);
	return when;
}

static uint32_t reserve(struct world *w, const char *text, int64_t start_us,
			int64_t end_us)
{
	struct torus_placement place = place_of(w, text);
	uint32_t i = torus_plan_reserve(w->p, &place, 7, w, start_us, end_us);

	assert_true(i != UINT32_MAX);
	return i;
}

/*
 *        10   20   30   40   50
 *   0-3   running |            |
 *   4-7        reserved  |
 */
static void test_window(void **state)
{
	static const struct {
		uint32_t nodes;
		int64_t from, latest, length, when;
	} table[] = {
		{ 4, 10, TORUS_NO_TIME, 10, 10 },  /* before the reservation */
		{ 4, 10, TORUS_NO_TIME, 11, 25 },  /* after the running job */
		{ 4, 21, TORUS_NO_TIME, 5, 25 },
		{ 5, 10, TORUS_NO_TIME, 5, 35 },   /* after both */
		{ 8, 10, TORUS_NO_TIME, 1000, 35 },
		{ 8, 10, 35, 1, 35 },
		{ 8, 10, 34, 1, TORUS_NO_TIME },
		{ 4, 10, TORUS_NO_TIME, 0, 10 },
		{ 4, 20, TORUS_NO_TIME, 0, 25 },   /* an instant, too */
		{ 1, 19, TORUS_NO_TIME, 1, 19 },
		{ 9, 10, TORUS_NO_TIME, 1, -1 },
		{ 8, 90, TORUS_NO_TIME, INT64_MAX, 91 }, /* it is overdue */
	};
	struct world *w = create("flat:8", "flat");

	(void)state;
	start(w, "{0-3}", 0, 25);
	reserve(w, "{4-7}", 20, 35);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct torus_ask ask = unit_count(table[i].nodes, 'N');

		assert_int_equal(window(w, &ask, table[i].from,
					table[i].latest, table[i].length),
				 table[i].when);
	}
	destroy(w);
}

/* A region must be the same throughout: enough nodes are free at any time,
 * but not four of the same. */
static void test_window_same_nodes(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask ask = unit_count(4, 'N');
	struct torus_placement place;
	uint64_t allowed = 0xf;
	int64_t when;

	(void)state;
	reserve(w, "{0-4}", 10, 20);
	reserve(w, "{3-7}", 20, 30);
	assert_int_equal(window(w, &ask, 0, TORUS_NO_TIME, 10), 0);
	assert_int_equal(window(w, &ask, 0, TORUS_NO_TIME, 11), 30);
	assert_int_equal(window(w, &ask, 21, TORUS_NO_TIME, 1), 30);
	ask.count = 3;
	assert_int_equal(window(w, &ask, 0, TORUS_NO_TIME, 20), 0);
	assert_int_equal(window(w, &ask, 10, TORUS_NO_TIME, 11), 20);
	/* and inside what is allowed */
	assert_int_equal(torus_plan_window(w->p, &ask, NULL, &allowed, NULL, 0, 0,
					   TORUS_NO_TIME, 11, &when, &place,
					   NULL),
			 TORUS_FITS);
	assert_int_equal(when, 20);
	assert_int_equal(place.nodes[0], 0x7);
	destroy(w);
}

static void test_reservations(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask all = unit_count(8, 'N');
	uint32_t a = reserve(w, "{0-3}", 10, 20);
	uint32_t b = reserve(w, "{4-7}", 20, 30), c;
	const struct torus_reservation *r = torus_plan_reservation(w->p, b);

	(void)state;
	assert_int_equal(r->job, 7);
	assert_ptr_equal(r->owner, w);
	assert_int_equal(r->start_us, 20);
	assert_int_equal(r->place.nodes[0], 0xf0);
	assert_int_equal(window(w, &all, 5, TORUS_NO_TIME, 10), 30);
	torus_plan_cancel(w->p, b);
	assert_int_equal(window(w, &all, 5, TORUS_NO_TIME, 10), 20);
	c = reserve(w, "{0-7}", 20, 21);
	assert_int_equal(c, b); /* its entry is used again */
	assert_int_equal(window(w, &all, 5, TORUS_NO_TIME, 10), 21);
	torus_plan_cancel(w->p, a);
	assert_int_equal(window(w, &all, 5, TORUS_NO_TIME, 10), 5);
	torus_plan_clear(w->p);
	assert_int_equal(window(w, &all, 15, TORUS_NO_TIME, 10), 15);
	destroy(w);
}

/* The profile follows starts and ends, also those of no length, and ends that
 * come when they should beside a reservation of the same nodes. */
static void test_window_follows(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask all = unit_count(8, 'N'), half = unit_count(4, 'N');
	uint32_t slot;

	(void)state;
	assert_int_equal(window(w, &all, 0, TORUS_NO_TIME, 5), 0);
	slot = start(w, "{0-3}", 1, 1);
	torus_plan_release(w->p, slot, 1);
	assert_int_equal(window(w, &all, 1, TORUS_NO_TIME, 5), 1);
	slot = start(w, "{0-3}", 2, 2);
	assert_int_equal(window(w, &all, 2, TORUS_NO_TIME, 5), 3);
	torus_plan_release(w->p, slot, 2);
	assert_int_equal(window(w, &all, 2, TORUS_NO_TIME, 5), 2);
	slot = start(w, "{0-3}", 3, 20);
	assert_int_equal(window(w, &all, 3, TORUS_NO_TIME, 5), 20);
	reserve(w, "{0-7}", 20, 21);
	assert_int_equal(window(w, &all, 3, TORUS_NO_TIME, 5), 21);
	torus_plan_release(w->p, slot, 20);
	assert_int_equal(window(w, &half, 20, TORUS_NO_TIME, 5), 21);
	slot = start(w, "{0-3}", 22, 90);
	torus_plan_release(w->p, slot, 30); /* early */
	assert_int_equal(window(w, &all, 30, TORUS_NO_TIME, 5), 30);
	destroy(w);
}

/* The earlier start of reservation r; TORUS_NO_TIME: none. */
static int64_t earlier(struct world *w, uint32_t r, const struct torus_ask *ask,
		       int64_t now, uint64_t since)
{
	struct torus_placement place;
	int64_t when;
	bool found = torus_plan_earlier(w->p, r, ask, NULL, NULL, NULL, now,
					TORUS_NO_TIME, since, &when, &place);

	assert_int_equal(found, when != TORUS_NO_TIME);
	return when;
}

static void test_earlier(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask half = unit_count(4, 'N'), all = unit_count(8, 'N');
	uint32_t long_one = start(w, "{0-3}", 0, 40), short_one, a, b;
	uint64_t given;

	(void)state;
	short_one = start(w, "{4-7}", 0, 20);
	a = reserve(w, "{0-7}", 40, 50);
	b = reserve(w, "{4-7}", 50, 65);
	/* not before the others let it: from 20 to 40 there are 20, not 15 */
	assert_int_equal(earlier(w, a, &all, 5, 0), TORUS_NO_TIME);
	assert_int_equal(earlier(w, b, &half, 5, 0), 20);
	/* its own time counts as free, whatever it asks for now */
	assert_int_equal(earlier(w, a, &half, 5, 0), 20);
	/* nothing was given since, then something that does not help, then
	 * something that does */
	given = torus_plan_given(w->p);
	assert_int_equal(earlier(w, b, &half, 5, given), TORUS_NO_TIME);
	torus_plan_release(w->p, short_one, 10);
	assert_true(torus_plan_given(w->p) > given);
	assert_int_equal(earlier(w, a, &all, 10, given), TORUS_NO_TIME);
	assert_int_equal(earlier(w, b, &half, 10, given), 10);
	given = torus_plan_given(w->p);
	torus_plan_release(w->p, long_one, 40); /* as expected */
	assert_int_equal(torus_plan_given(w->p), given);
	torus_plan_cancel(w->p, a);
	assert_int_equal(earlier(w, b, &all, 41, given), 41);
	/* a window that reaches into its own time */
	a = reserve(w, "{0-7}", 42, 45);
	assert_int_equal(earlier(w, b, &all, 41, 0), 45);
	/* it was only asked */
	assert_int_equal(torus_plan_reservation(w->p, b)->start_us, 50);
	destroy(w);
}

static void test_window_memory(void **state)
{
	struct world *w = create("4x4:MM", "semitorus-nep");
	struct torus_ask half = unit_count(8, 'N'), all = unit_count(16, 'N');
	uint64_t generation;

	(void)state;
	start(w, "0,0+4x2", 0, 40);
	generation = torus_state_generation(w->s);
	assert_int_equal(window(w, &half, 10, TORUS_NO_TIME, 99), 10);
	assert_int_equal(window(w, &all, 10, TORUS_NO_TIME, 99), 40);
	assert_int_equal(window(w, &all, 10, 39, 99), TORUS_NO_TIME);
	reserve(w, "0,2+4x2", 20, 60);
	assert_int_equal(window(w, &half, 10, TORUS_NO_TIME, 10), 10);
	assert_int_equal(window(w, &half, 10, TORUS_NO_TIME, 11), 40);
	assert_int_equal(window(w, &all, 10, TORUS_NO_TIME, 11), 60);
	all.count = 32;
	assert_int_equal(window(w, &all, 10, TORUS_NO_TIME, 11), -1);
	assert_int_equal(torus_state_generation(w->s), generation);
	destroy(w);
}

/* Expected failures */

static void test_failures(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask ask = unit_count(9, 'N');
	struct torus_error why = { 0 };
	struct torus_placement place;
	int64_t when = 5;

	(void)state;
	torus_plan_destroy(NULL);
	/* NEVER says why, and promises no time */
	assert_int_equal(torus_plan_shadow(w->p, &ask, NULL, NULL, 0, &when,
					   NULL, &why),
			 TORUS_NEVER);
	assert_true(when == TORUS_NO_TIME);
	assert_int_equal(why.count, 1);
	when = 5;
	assert_int_equal(torus_plan_window(w->p, &ask, NULL, NULL, NULL, 0, 0,
					   50, 1, &when, &place, &why),
			 TORUS_NEVER);
	assert_true(when == TORUS_NO_TIME);
	assert_int_equal(why.count, 2);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shadow),
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_delays_region),
		cmocka_unit_test(test_delays_memory),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_early_ends),
		cmocka_unit_test(test_overdue_ends),
		cmocka_unit_test(test_overdue_kept),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_window_same_nodes),
		cmocka_unit_test(test_reservations),
		cmocka_unit_test(test_window_follows),
		cmocka_unit_test(test_earlier),
		cmocka_unit_test(test_window_memory),
		cmocka_unit_test(test_failures),
	};

	return UNIT_RUN(tests);
}
