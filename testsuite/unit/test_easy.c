/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EASY: what the head is promised, who overtakes it, and what becomes of both
 * when jobs end early, late or not at all. */
#include "torus/state_text.h"
#include "scheduling.h"

static void test_easy_counts(void **state)
{
	struct world *w = create("flat:8", "flat", "easy");

	(void)state;
	submit(w, "5", 10, 0);
	submit(w, "6", 10, 0); /* head: at 10, two nodes to spare then */
	submit(w, "4", 10, 0); /* no room */
	submit(w, "3", 11, 0); /* would delay it */
	submit(w, "1", 99, 0); /* in the spare nodes */
	submit(w, "1", 99, 0); /* in the spare nodes */
	submit(w, "1", 99, 0); /* would delay it now */
	submit(w, "1", 10, 0); /* gone by then */
	assert_string_equal(pass(w, 0), "0 4 5 7");
	assert_int_equal(w->job[1].start_us, 10); /* the promise */
	assert_int_equal(w->job[1].state, TORUS_JOB_QUEUED);
	end(w, 7, 8);
	assert_string_equal(end(w, 0, 10), "1");
	destroy(w);
}

/* Early ends bring the head forward, and let others in beside it. */
static void test_easy_early(void **state)
{
	struct world *w = create("flat:8", "flat", "easy");

	(void)state;
	submit(w, "4", 100, 0);
	submit(w, "3", 50, 0);
	submit(w, "6", 10, 0);  /* head: at 100 */
	submit(w, "2", 150, 0); /* in the spare nodes of then, but too many */
	assert_string_equal(pass(w, 0), "0 1");
	assert_int_equal(w->job[2].start_us, 100);
	assert_string_equal(end(w, 1, 20), "3"); /* one node is free, 4 were */
	assert_int_equal(w->job[2].start_us, 100);
	assert_string_equal(end(w, 0, 30), "2");
	destroy(w);
}

/* Once the head has started, the next is the head in the same pass. */
static void test_easy_next_head(void **state)
{
	struct world *w = create("flat:8", "flat", "easy");

	(void)state;
	submit(w, "8", 10, 0);
	submit(w, "5", 10, 0);
	submit(w, "5", 10, 0);
	submit(w, "3", 12, 0); /* nothing beside the first; delays the third */
	submit(w, "3", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	assert_string_equal(end(w, 0, 10), "1 3");
	assert_int_equal(w->job[2].start_us, 20);
	destroy(w);
}

/* The head's place may move, its time may not. */
static void test_easy_region(void **state)
{
	struct world *w = create("8:M", "submesh-tff", "easy");

	(void)state;
	hold(w, "4+1", 10);
	submit(w, "5", 10, 0); /* head: 0-4 at 10 */
	submit(w, "2", 99, 0); /* 0-1: the head moves to 2-6 */
	submit(w, "1", 99, 0); /* 2: to 3-7 */
	submit(w, "1", 99, 0); /* 3: no more */
	submit(w, "1", 10, 0);
	assert_string_equal(pass(w, 0), "1 2 4");
	assert_int_equal(w->job[0].start_us, 10);
	destroy(w);
}

/* Further places for a job whose first was refused: 0-1 is in the head's
 * way, and so is 3-4, but 7-8 is not. */
static void test_easy_places(void **state)
{
	(void)state;
	for (uint32_t places = 1; places <= 3; places++) {
		struct world *w = create("10:M", "submesh-tff", "easy");

		w->settings.backfill_places = places;
		configure(w);
		hold(w, "2+1", 10);
		hold(w, "6+1", 99);
		submit(w, "6", 10, 0); /* head: 0-5 at 10 */
		submit(w, "2", 50, 0);
		submit(w, "2", 50, 0);
		assert_string_equal(pass(w, 0), places == 1 ? "" : "1");
		assert_int_equal(w->job[0].start_us, 10);
		if (places > 1) {
			const struct torus_hold *h =
				torus_state_hold(w->s, w->job[1].slot);

			assert_int_equal(h->place.region.base[0], 7);
		}
		destroy(w);
	}
}

/* A job of no length takes its instant, and delays nobody. */
static void test_easy_no_length(void **state)
{
	struct world *w = create("flat:4", "flat", "easy");

	(void)state;
	submit(w, "4", 0, 0);
	submit(w, "4", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->job[1].start_us, 1); /* any moment now */
	assert_string_equal(end(w, 0, 0), "1");
	submit(w, "1", 0, 10);
	assert_string_equal(end(w, 1, 10), "2");
	destroy(w);
}

/* Overdue jobs: the head is due any moment, so that nothing that lasts
 * longer may take its nodes. */
static void test_easy_overdue(void **state)
{
	struct world *w = create("flat:4", "flat", "easy");

	(void)state;
	submit(w, "3", 10, 0);
	submit(w, "4", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	submit(w, "1", 5, 50);
	assert_string_equal(pass(w, 50), "");
	assert_int_equal(w->job[1].start_us, 51);
	assert_string_equal(end(w, 0, 60), "1");
	destroy(w);
}

/* Nodes out of service: a head without a time holds nobody up, and gets one
 * when they are back. */
static void test_easy_service(void **state)
{
	struct world *w = create("flat:4", "flat", "easy");
	uint64_t out = 0x8;

	(void)state;
	submit(w, "2", 10, 0);
	submit(w, "4", 10, 0);
	torus_state_out(w->s, &out);
	torus_scheduler_change(w->scheduler, 0);
	submit(w, "1", 50, 0);
	assert_string_equal(pass(w, 0), "0 2");
	assert_true(w->job[1].start_us == TORUS_NO_TIME);
	torus_state_out(w->s, NULL);
	torus_scheduler_change(w->scheduler, 5);
	submit(w, "1", 99, 5);
	assert_string_equal(pass(w, 5), "");
	assert_int_equal(w->job[1].start_us, 50);
	destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_easy_counts),
		cmocka_unit_test(test_easy_early),
		cmocka_unit_test(test_easy_next_head),
		cmocka_unit_test(test_easy_region),
		cmocka_unit_test(test_easy_places),
		cmocka_unit_test(test_easy_no_length),
		cmocka_unit_test(test_easy_overdue),
		cmocka_unit_test(test_easy_service),
	};

	return UNIT_RUN(tests);
}
