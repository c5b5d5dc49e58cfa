/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations that come again: where they come next, by the calendar. */
#include "unit.h"

#include "live/base/recurrence.h"

static time_t at(const char *text)
{
	struct tm tm = { .tm_isdst = -1 };

	assert_int_equal(sscanf(text, "%d-%d-%d %d:%d", &tm.tm_year, &tm.tm_mon,
				&tm.tm_mday, &tm.tm_hour, &tm.tm_min),
			 5);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return mktime(&tm);
}

static const struct {
	enum recurrence how;
	const char *from, *to, *next_from, *next_to;
} cases[] = {
	{ RECURRENCE_HOURLY, "2026-03-10 23:50", "2026-03-11 00:10",
	  "2026-03-11 00:50", "2026-03-11 01:10" },
	{ RECURRENCE_DAILY, "2026-02-28 22:00", "2026-03-01 02:00",
	  "2026-03-01 22:00", "2026-03-02 02:00" },
	/* clocks go forward on 2026-03-29: it stays at its hour */
	{ RECURRENCE_DAILY, "2026-03-28 08:00", "2026-03-28 09:00",
	  "2026-03-29 08:00", "2026-03-29 09:00" },
	{ RECURRENCE_WEEKLY, "2026-10-20 08:00", "2026-10-20 12:00",
	  "2026-10-27 08:00", "2026-10-27 12:00" },
	/* 2026-03-12 is a Thursday */
	{ RECURRENCE_WEEKDAY, "2026-03-12 08:00", "2026-03-12 12:00",
	  "2026-03-13 08:00", "2026-03-13 12:00" },
	{ RECURRENCE_WEEKDAY, "2026-03-13 08:00", "2026-03-13 12:00",
	  "2026-03-16 08:00", "2026-03-16 12:00" },
	{ RECURRENCE_WEEKEND, "2026-03-14 08:00", "2026-03-14 12:00",
	  "2026-03-15 08:00", "2026-03-15 12:00" },
	{ RECURRENCE_WEEKEND, "2026-03-15 08:00", "2026-03-15 12:00",
	  "2026-03-21 08:00", "2026-03-21 12:00" },
	{ RECURRENCE_WEEKEND, "2026-03-11 08:00", "2026-03-11 12:00",
	  "2026-03-14 08:00", "2026-03-14 12:00" },
	{ RECURRENCE_NONE, "2026-03-11 08:00", "2026-03-11 12:00",
	  "2026-03-11 08:00", "2026-03-11 12:00" },
};

static void the_next_occurrence_follows_the_local_clock(void **state)
{
	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		time_t from = at(cases[i].from), to = at(cases[i].to);

		recurrence_next(cases[i].how, &from, &to);
		assert_int_equal(from, at(cases[i].next_from));
		assert_int_equal(to, at(cases[i].next_to));
	}
}

/* Whatever the zone makes of hours that its clock skips, time goes on: who
 * looks for the first window that is not over comes to an end. */
static void test_goes_on(void **state)
{
	static const char *const zones[] = {
		"CET-1CEST,M3.5.0,M10.5.0/3",
		"IST-1GMT0,M10.5.0,M3.5.0/1", /* Dublin: summer is standard */
		"Europe/Dublin",
		"Africa/Casablanca",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++) {
		time_t from, to;

		setenv("TZ", zones[i], 1);
		tzset();
		from = at("2026-01-01 00:30");
		to = from + 60;
		for (int hour = 0; hour < 366 * 24; hour++) {
			time_t was = from;

			recurrence_next(RECURRENCE_HOURLY, &from, &to);
			assert_true(from > was && to > from);
		}
	}
}

/* A reservation by the API may end at any time. */
static void a_window_at_the_end_of_time_stays_defined(void **state)
{
	static const time_t ends[] = { INT64_MAX, INT64_MAX - 3600,
				       INT64_C(1) << 60, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		for (int how = RECURRENCE_NONE; how <= RECURRENCE_WEEKLY;
		     how++) {
			time_t from = ends[i], to = ends[i];

			recurrence_next((enum recurrence)how, &from, &to);
			recurrence_next((enum recurrence)how, &from, &to);
			assert_true(from == to);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_occurrence_follows_the_local_clock),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(a_window_at_the_end_of_time_stays_defined),
	};

	return UNIT_RUN(tests);
}
