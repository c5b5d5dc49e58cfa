/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of traces: every digit counts, and nothing else is taken. */
#include "unit.h"

#include "trace/formats.h"

static void takes(void **state)
{
	static const struct {
		const char *text;
		int64_t whole;
		int32_t micro;
		uint8_t decimals;
		const char *rest;
	} table[] = {
		{ "0", 0, 0, 0, "" },
		{ "-1 x", -1, 0, 0, " x" },
		{ "007,", 7, 0, 0, "," },
		{ "12.5", 12, 500000, 1, "" },
		{ "-12.5", -12, -500000, 1, "" },
		{ "-0.25", 0, -250000, 2, "" },
		{ "1.000001", 1, 1, 6, "" },
		{ "1.0000004", 1, 0, 7, "" },
		{ "1.0000005", 1, 1, 7, "" },
		{ "1.00000049999", 1, 0, 11, "" },
		{ "0.9999999", 0, 1000000, 7, "" },
		{ "999999999999999999", 999999999999999999, 0, 0, "" },
		{ "-999999999999999999", -999999999999999999, 0, 0, "" },
		{ "5e3", 5, 0, 0, "e3" },
		{ "0x10", 0, 0, 0, "x10" },
		{ "1.5.5", 1, 500000, 1, ".5" },
	};
	struct torus_number n;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const char *rest = torus_number_scan(table[i].text, &n);

		assert_non_null(rest);
		assert_string_equal(rest, table[i].rest);
		assert_true(n.whole == table[i].whole);
		assert_int_equal(n.micro, table[i].micro);
		assert_int_equal(n.decimals, table[i].decimals);
	}
}

static void refuses(void **state)
{
	static const char *const table[] = {
		"",
		"-",
		"+1",
		" 1",
		"x",
		".5",
		"1.",
		"1.x",
		"--1",
		"nan",
		"inf",
		"1000000000000000000",
		"99999999999999999999999999",
	};
	struct torus_number n;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (torus_number_scan(table[i], &n))
			fail_msg("\"%s\" was taken", table[i]);
}

static void to_microseconds(void **state)
{
	struct torus_number n;
	int64_t us;

	(void)state;
	torus_number_scan("1000000000000", &n);
	assert_true(torus_number_us(&n, &us) && us == 1000000000000000000);
	torus_number_scan("1000000000001", &n);
	assert_false(torus_number_us(&n, &us));
	torus_number_scan("-1000000000001", &n);
	assert_false(torus_number_us(&n, &us));
	torus_number_scan("-1.5", &n);
	assert_true(torus_number_us(&n, &us) && us == -1500000);
	torus_number_scan("0.9999999", &n);
	assert_true(torus_number_us(&n, &us) && us == 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes),
		cmocka_unit_test(refuses),
		cmocka_unit_test(to_microseconds),
	};

	return UNIT_RUN(tests);
}
