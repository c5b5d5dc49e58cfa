/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bitmaps that a cycle keeps (cycle.h), and the lists of outages: each is
 * there once, the whole machine needs none, and those of no use any more go.
 *
 * Linked with --wrap=torus_alloc, --wrap=torus_realloc, --wrap=torus_free.
 */
#include "failing.h"
#include "unit.h"

#include "live/cycle.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"
#include "live/mirror/mirror.h"
#include "torus/discipline.h"

#define WORDS 2

struct kept {
	struct torus_machine m;
	struct torus_scheduler_settings settings;
	struct cycle *cycle;
};

static int set_up(void **state)
{
	struct kept *k = calloc(1, sizeof(*k));

	assert_non_null(k);
	k->m = unit_machine("8x4x4", "submesh");
	assert_int_equal(k->m.words, WORDS);
	torus_scheduler_defaults(&k->settings);
	k->settings.discipline = torus_discipline_find("fcfs");
	k->cycle = cycle_create(&k->m, &k->settings, 1, NULL);
	assert_non_null(k->cycle);
	*state = k;
	return 0;
}

static int tear_down(void **state)
{
	struct kept *k = *state;

	cycle_destroy(k->cycle);
	torus_machine_free(&k->m);
	free(k);
	return 0;
}

static const uint64_t *keep(struct kept *k, uint64_t low)
{
	const uint64_t map[WORDS] = { low, 0 }, *out;

	assert_int_equal(node_sets_add(k->cycle, map, &out), 0);
	assert_non_null(out);
	assert_true(out[0] == low && out[1] == 0);
	return out;
}

static void equal_sets_are_stored_once(void **state)
{
	static const uint64_t all[WORDS] = { ~UINT64_C(0), ~UINT64_C(0) };
	struct kept *k = *state;
	const uint64_t *out = all, *seven = keep(k, 7);

	assert_ptr_not_equal(seven, keep(k, 8));
	assert_ptr_equal(seven, keep(k, 7));
	assert_int_equal(node_sets_add(k->cycle, all, &out), 0);
	assert_null(out);
}

static void tell(struct kept *k, const uint64_t *allowed,
		 const struct torus_outages *outages)
{
	struct torus_alternative alternative;
	struct cycle_pending_job w = {
		.name = { .job = 1 },
		.key = 1,
		.limit_us = 1000000,
		.deadline_us = TORUS_NO_TIME,
		.allowed = allowed,
		.outages = outages,
		.request = torus_job_request_count(&alternative, 1),
	};

	if (!waiting_unchanged(k->cycle, &w.name, w.key, allowed, outages, 0))
		assert_int_equal(waiting_add(k->cycle, &w), 0);
}

/* Ever new ones, as -w and -x make them: they go, but not those that are in
 * the snapshot, nor those of a job that waits. */
static void unused_sets_are_swept(void **state)
{
	struct kept *k = *state;
	const uint64_t *own = keep(k, 7), *last = NULL;
	uint64_t n = 100;
	long most = 0;

	for (int64_t now = 1; now < 100; now++) {
		long before;

		cycle_begin(k->cycle, now);
		tell(k, own, NULL);
		for (int i = 0; i < 50; i++)
			last = keep(k, n++);
		before = blocks;
		assert_int_equal(cycle_update(k->cycle), 0);
		if (before > most)
			most = before;
		assert_true(own[0] == 7 && last[0] == n - 1);
		assert_ptr_equal(last, keep(k, n - 1));
		assert_ptr_equal(own, keep(k, 7));
	}
	assert_true(most < 300);
}

/* A list of one outage until then, the job's own of this snapshot. */
static const struct torus_outages *keep_until(struct kept *k, int64_t to_us)
{
	const uint64_t nodes[WORDS] = { 1, 0 };
	const struct torus_outage outage = { 1, to_us, nodes, "service", 0 };
	const struct torus_outages list = { .last_start_us = TORUS_NO_TIME,
					    .count = 1,
					    .outage = &outage };
	const struct torus_outages *out;

	assert_int_equal(outages_add(k->cycle, &list, &out), 0);
	assert_non_null(out);
	assert_int_equal(out->outage[0].to_us, to_us);
	return out;
}

/* Lists that differ in each snapshot, as reservations that move on make them:
 * those of the snapshot stay, all others go. */
static void test_outages_swept(void **state)
{
	struct kept *k = *state;
	const struct torus_outages *own = keep_until(k, 7);
	long before = 0;

	for (int64_t now = 1; now < 20; now++) {
		const struct torus_outages *last;

		cycle_begin(k->cycle, now);
		assert_ptr_equal(own, keep_until(k, 7));
		last = keep_until(k, now * 1000);
		tell(k, NULL, own);
		assert_int_equal(cycle_update(k->cycle), 0);
		assert_ptr_equal(last, keep_until(k, now * 1000));
		assert_true(now == 1 || blocks == before);
		before = blocks;
	}
}

/* What is left to a job after nodes turned out to be unfit stays until it is
 * offered that, though no snapshot names it. */
static void test_narrowed_stays(void **state)
{
	struct kept *k = *state;
	uint64_t left[WORDS];
	const uint64_t *out;
	uint64_t n = 100;
	long before;

	cycle_begin(k->cycle, 1);
	tell(k, NULL, NULL);
	assert_int_equal(cycle_update(k->cycle), 0);
	assert_int_equal(orders_plan(k->cycle, 1), 1);
	for (int w = 0; w < WORDS; w++)
		left[w] = ~orders_get(k->cycle, 0)->nodes[w];
	orders_done(k->cycle, 0, CYCLE_UNFIT, 0, NULL);
	for (int64_t now = 2; now < 5; now++) {
		cycle_begin(k->cycle, now);
		tell(k, NULL, NULL);
		for (int i = 0; i < 100; i++)
			keep(k, n++);
		assert_int_equal(cycle_update(k->cycle), 0);
	}
	before = blocks;
	assert_int_equal(node_sets_add(k->cycle, left, &out), 0);
	assert_int_equal(blocks, before);
	cycle_begin(k->cycle, 5000000);
	tell(k, NULL, NULL);
	assert_int_equal(cycle_update(k->cycle), 0);
	assert_int_equal(orders_plan(k->cycle, 5000000), 1);
	assert_true(
		torus_bits_subset(orders_get(k->cycle, 0)->nodes, left, WORDS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_sets_are_stored_once,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(unused_sets_are_swept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_outages_swept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_narrowed_stays, set_up,
						tear_down),
	};

	return UNIT_RUN(tests);
}
