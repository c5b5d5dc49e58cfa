/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans: reservations, and windows between them. */
#include "torus/plan.h"
#include "planning.h"

/* The window's begin, TORUS_NO_TIME, or -1 for NEVER. */
static int64_t window(struct world *w, const struct torus_ask *ask,
		      int64_t from, int64_t latest, int64_t length)
{
	struct torus_window_bounds bounds = { .now_us = from,
					      .from_us = from,
					      .latest_us = latest,
					      .length_us = length };
	struct torus_placement place;
	int64_t when;
	enum torus_answer answer = torus_plan_window(w->p, ask, &bounds, NULL,
						     &when, &place);

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
static void the_first_window_is_found(void **state)
{
	static const struct {
		uint32_t nodes;
		int64_t from, latest, length, when;
	} table[] = {
		{ 4, 10, TORUS_NO_TIME, 10, 10 }, /* before the reservation */
		{ 4, 10, TORUS_NO_TIME, 11, 25 }, /* after the running job */
		{ 4, 21, TORUS_NO_TIME, 5, 25 },
		{ 5, 10, TORUS_NO_TIME, 5, 35 }, /* after both */
		{ 8, 10, TORUS_NO_TIME, 1000, 35 },
		{ 8, 10, 35, 1, 35 },
		{ 8, 10, 34, 1, TORUS_NO_TIME },
		{ 4, 10, TORUS_NO_TIME, 0, 10 },
		{ 4, 20, TORUS_NO_TIME, 0, 25 }, /* an instant, too */
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

		assert_int_equal(window(w, &ask, table[i].from, table[i].latest,
					table[i].length),
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
	struct torus_window_bounds bounds = { .latest_us = TORUS_NO_TIME,
					      .length_us = 11 };
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
	ask.allowed = &allowed;
	assert_int_equal(torus_plan_window(w->p, &ask, &bounds, NULL, &when,
					   &place),
			 TORUS_FITS);
	assert_int_equal(when, 20);
	assert_int_equal(place.nodes[0], 0x7);
	destroy(w);
}

static void cancelled_reservations_free_their_window(void **state)
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
	struct torus_window_bounds bounds = { .now_us = now,
					      .latest_us = TORUS_NO_TIME,
					      .since = since };
	struct torus_placement place;
	int64_t when;
	bool found = torus_plan_earlier(w->p, r, ask, &bounds, NULL, &when,
					&place) == TORUS_FITS;

	assert_int_equal(found, when != TORUS_NO_TIME);
	return when;
}

static void reservations_move_up_when_nodes_are_gained(void **state)
{
	struct world *w = create("flat:8", "flat");
	struct torus_ask half = unit_count(4, 'N'), all = unit_count(8, 'N');
	uint32_t long_one = start(w, "{0-3}", 0, 40), short_one, a, b;
	uint64_t gained;

	(void)state;
	short_one = start(w, "{4-7}", 0, 20);
	a = reserve(w, "{0-7}", 40, 50);
	b = reserve(w, "{4-7}", 50, 65);
	/* not before the others let it: from 20 to 40 there are 20, not 15 */
	assert_int_equal(earlier(w, a, &all, 5, 0), TORUS_NO_TIME);
	assert_int_equal(earlier(w, b, &half, 5, 0), 20);
	/* its own time counts as free, whatever it asks for now */
	assert_int_equal(earlier(w, a, &half, 5, 0), 20);
	/* nothing was gained since, then something that does not help, then
	 * something that does */
	gained = torus_plan_gain_stamp(w->p);
	assert_int_equal(earlier(w, b, &half, 5, gained), TORUS_NO_TIME);
	torus_plan_release(w->p, short_one, 10);
	assert_true(torus_plan_gain_stamp(w->p) > gained);
	assert_int_equal(earlier(w, a, &all, 10, gained), TORUS_NO_TIME);
	assert_int_equal(earlier(w, b, &half, 10, gained), 10);
	gained = torus_plan_gain_stamp(w->p);
	torus_plan_release(w->p, long_one, 40); /* as expected */
	assert_int_equal(torus_plan_gain_stamp(w->p), gained);
	torus_plan_cancel(w->p, a);
	assert_int_equal(earlier(w, b, &all, 41, gained), 41);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_window_is_found),
		cmocka_unit_test(test_window_same_nodes),
		cmocka_unit_test(cancelled_reservations_free_their_window),
		cmocka_unit_test(test_window_follows),
		cmocka_unit_test(reservations_move_up_when_nodes_are_gained),
		cmocka_unit_test(test_window_memory),
	};

	return UNIT_RUN(tests);
}
