/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations that come again: where they come next, by the calendar. */
#include "unit.h"

#include "common/recur.h"

static time_t at(const char *text)
{
	struct tm tm = { .tm_isdst = -1 };

	assert_int_equal(sscanf(text, "%d-%d-%d %d:%d", &tm.tm_year, &tm.tm_mon,
				&tm.tm_mday, &tm.tm_hour, &tm.tm_min), 5);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return mktime(&tm);
}

static const struct {
	enum recur how;
	const char *from, *to, *next_from, *next_to;
} cases[] = {
	{ RECUR_HOURLY, "2026-03-10 23:50", "2026-03-11 00:10",
	  "2026-03-11 00:50", "2026-03-11 01:10" },
	{ RECUR_DAILY, "2026-02-28 22:00", "2026-03-01 02:00",
	  "2026-03-01 22:00", "2026-03-02 02:00" },
	/* clocks go forward on 2026-03-29: it stays at its hour */
	{ RECUR_DAILY, "2026-03-28 08:00", "2026-03-28 09:00",
	  "2026-03-29 08:00", "2026-03-29 09:00" },
	{ RECUR_WEEKLY, "2026-10-20 08:00", "2026-10-20 12:00",
	  "2026-10-27 08:00", "2026-10-27 12:00" },
	/* 2026-03-12 is a Thursday */
	{ RECUR_WEEKDAY, "2026-03-12 08:00", "2026-03-12 12:00",
	  "2026-03-13 08:00", "2026-03-13 12:00" },
	{ RECUR_WEEKDAY, "2026-03-13 08:00", "2026-03-13 12:00",
	  "2026-03-16 08:00", "2026-03-16 12:00" },
	{ RECUR_WEEKEND, "2026-03-14 08:00", "2026-03-14 12:00",
	  "2026-03-15 08:00", "2026-03-15 12:00" },
	{ RECUR_WEEKEND, "2026-03-15 08:00", "2026-03-15 12:00",
	  "2026-03-21 08:00", "2026-03-21 12:00" },
	{ RECUR_WEEKEND, "2026-03-11 08:00", "2026-03-11 12:00",
	  "2026-03-14 08:00", "2026-03-14 12:00" },
	{ RECUR_NOT, "2026-03-11 08:00", "2026-03-11 12:00",
	  "2026-03-11 08:00", "2026-03-11 12:00" },
};

static void test_next(void **state)
{
	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		time_t from = at(cases[i].from), to = at(cases[i].to);

		recur_next(cases[i].how, &from, &to);
		assert_int_equal(from, at(cases[i].next_from));
		assert_int_equal(to, at(cases[i].next_to));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
