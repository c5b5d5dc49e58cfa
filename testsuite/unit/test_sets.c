/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bitmaps that a cycle keeps (cycle.h): each is there once, the whole
 * machine needs none, and a cycle with too many of them says so.
 */
#include "unit.h"

#include "common/cycle.h"

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

	assert_int_equal(cycle_nodes(k->cycle, map, &out), 0);
	assert_non_null(out);
	assert_true(out[0] == low && out[1] == 0);
	return out;
}

static void wait_jobs(struct kept *k, uint32_t jobs)
{
	struct cycle_wish w = {
		.limit_us = 1000000, .deadline_us = TORUS_NO_TIME,
		.request = { .alternatives = 1 },
	};

	torus_request_count(&w.request, 1);
	for (uint32_t i = 1; i <= jobs; i++) {
		w.name.job = w.key = i;
		assert_int_equal(cycle_pending(k->cycle, &w), 0);
	}
}

static void test_once(void **state)
{
	static const uint64_t all[WORDS] = { ~UINT64_C(0), ~UINT64_C(0) };
	struct kept *k = *state;
	const uint64_t *out = all, *seven = keep(k, 7);

	assert_ptr_not_equal(seven, keep(k, 8));
	assert_ptr_equal(seven, keep(k, 7));
	assert_int_equal(cycle_nodes(k->cycle, all, &out), 0);
	assert_null(out);
}

static void test_worn(void **state)
{
	struct kept *k = *state;

	for (uint64_t i = 1; i < CYCLE_SETS; i++)
		keep(k, i);
	keep(k, 1);
	assert_false(cycle_worn(k->cycle));
	keep(k, CYCLE_SETS);
	assert_true(cycle_worn(k->cycle));
	cycle_begin(k->cycle, 0);
	wait_jobs(k, CYCLE_SETS / 4); /* who may need as many */
	assert_false(cycle_worn(k->cycle));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_worn, set_up, tear_down),
	};

	return UNIT_RUN(tests);
}
