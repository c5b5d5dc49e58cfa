/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times and numbers as text. */
#include "unit.h"

#include <math.h>

#include "torus/number.h"

static void seconds_have_no_trailing_zeros(void **state)
{
	static const struct {
		int64_t us;
		const char *text;
	} table[] = {
		{ 0, "0" },
		{ 1, "0.000001" },
		{ 100, "0.0001" },
		{ 500000, "0.5" },
		{ 1000000, "1" },
		{ 90000000, "90" },
		{ 10500000, "10.5" },
		{ -1, "-0.000001" },
		{ -1250000, "-1.25" },
		{ -3000000, "-3" },
		{ INT64_MAX, "9223372036854.775807" },
		{ INT64_MIN, "-9223372036854.775808" },
	};
	char text[TORUS_SECONDS_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(torus_seconds_format(table[i].us, text),
				 strlen(table[i].text));
		assert_string_equal(text, table[i].text);
	}
}

static void numbers_have_no_trailing_zeros(void **state)
{
	static const struct {
		double value;
		int decimals;
		const char *text;
	} table[] = {
		{ 1, 6, "1" },          { 1.5, 6, "1.5" },
		{ 100, 0, "100" },      { 100, 2, "100" },
		{ 1.1, 6, "1.1" },      { 0.0000004, 6, "0" },
		{ 2. / 3, 3, "0.667" }, { NAN, 3, "-" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		torus_number_format(table[i].value, table[i].decimals, text,
				    sizeof(text));
		assert_string_equal(text, table[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_have_no_trailing_zeros),
		cmocka_unit_test(numbers_have_no_trailing_zeros),
	};

	return UNIT_RUN(tests);
}
