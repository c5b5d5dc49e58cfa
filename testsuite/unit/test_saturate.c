/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversions of numbers that users may set to any value (live/base/saturate.h). */
#include "unit.h"

#include <time.h>

#include "live/base/saturate.h"
#include "torus/plan.h"

#define MOST_US (TORUS_MAX_SECONDS * SECOND_US)

static void times_saturate_when_seconds_overflow(void **state)
{
	static const struct {
		int64_t seconds, us;
	} cases[] = {
		{ 0, 0 },
		{ 1, 1000000 },
		{ -1, -1000000 },
		{ INT64_C(1764000000), INT64_C(1764000000000000) },
		{ TORUS_MAX_SECONDS - 1, MOST_US - 1000000 },
		{ TORUS_MAX_SECONDS, MOST_US },
		{ TORUS_MAX_SECONDS + 1, MOST_US },
		/* sbatch --begin=now+16000000weeks */
		{ INT64_C(16000000) * 7 * 86400, MOST_US },
		{ INT64_MAX / 1000000 + 1, MOST_US },
		{ INT64_MAX, MOST_US },
		{ INT64_MIN, -MOST_US },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++)
		assert_true(seconds_to_us(cases[i].seconds) == cases[i].us);
	/* a deadline by the API, less a time limit, and the second after it */
	assert_true(seconds_sum(INT64_MAX, 1) == TORUS_MAX_SECONDS + 1);
	assert_true(seconds_sum(INT64_MIN, -1) == -TORUS_MAX_SECONDS - 1);
	assert_true(seconds_sum(INT64_MIN, INT64_MIN) == -2 * TORUS_MAX_SECONDS);
	assert_true(seconds_sum(1764000000, -59) == 1763999941);
	/* sums of such times are no overflow, and none is "never" */
	assert_true(MOST_US < TORUS_NO_TIME / 4);
}

/* A completing job whose end is any number, at any time: the loop ends. */
static void doubling_an_end_always_stops(void **state)
{
	static const struct {
		int64_t from, now, at;
	} cases[] = {
		{ 1000, 0, 1010 },
		{ 1000, 1000, 1010 },
		{ 1000, 1009, 1010 },
		{ 1000, 1010, 1020 },
		{ 1000, 1020, 1040 },
		{ 1000, 1039, 1040 },
		{ INT64_MAX, 1000, TORUS_MAX_SECONDS + 10 },
		{ INT64_MAX, INT64_MAX, TORUS_MAX_SECONDS + 10 },
		{ INT64_MIN, INT64_MIN, -TORUS_MAX_SECONDS + 10 },
		{ INT64_MAX, INT64_MIN, TORUS_MAX_SECONDS + 10 },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++)
		assert_true(seconds_doubled(cases[i].from, 10, cases[i].now) ==
			    cases[i].at);
	/* the greatest distance: after now, bounded */
	assert_true(seconds_doubled(INT64_MIN, 10, INT64_MAX) >= 0);
	assert_true(seconds_doubled(0, 10, INT64_MAX) > TORUS_MAX_SECONDS - 1);
	assert_true(seconds_doubled(0, INT64_C(1), 1764000000) ==
		    INT64_C(1) << 31);
}

static void test_from_us(void **state)
{
	(void)state;
	assert_true(seconds_from_us(0) == 0);
	assert_true(seconds_from_us(1) == 1);
	assert_true(seconds_from_us(1000000) == 1);
	assert_true(seconds_from_us(1000001) == 2);
	assert_true(seconds_from_us(-1) == 0);
	assert_true(seconds_from_us(-1000001) == -1);
	assert_true(seconds_from_us(INT64_MAX) == INT64_MAX / 1000000 + 1);
}

static void products_saturate(void **state)
{
	(void)state;
	assert_int_equal(saturated_product(0, UINT32_MAX), 0);
	assert_int_equal(saturated_product(65533, 8), 524264);
	assert_int_equal(saturated_product(65536, 65535), UINT32_C(4294901760));
	assert_int_equal(saturated_product(65536, 65536), COUNT_MOST);
	assert_int_equal(saturated_product(UINT32_MAX, UINT32_MAX), COUNT_MOST);
	assert_int_equal(saturated_product(UINT32_MAX, 1), COUNT_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_saturate_when_seconds_overflow),
		cmocka_unit_test(doubling_an_end_always_stops),
		cmocka_unit_test(test_from_us),
		cmocka_unit_test(products_saturate),
	};

	return UNIT_RUN(tests);
}
