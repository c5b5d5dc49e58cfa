/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recurring windows (recurrence.h). Slurm moves a reservation to its next occurrence
 * when it ends; the day of its end decides which days WEEKDAY and WEEKEND skip. For a
 * local time that daylight saving skips, mktime() may return an earlier time in some
 * zones (Europe/Dublin): the occurrences advance nevertheless.
 */
#include "live/base/recurrence.h"

#include "live/base/saturate.h"

enum {
	SUNDAY,
	FRIDAY = 5,
	SATURDAY
};

static int recurrence_days(enum recurrence how, time_t end)
{
	struct tm tm = { 0 };

	localtime_r(&end, &tm);
	switch (how) {
	case RECURRENCE_DAILY:
		return 1;
	case RECURRENCE_WEEKDAY:
		if (tm.tm_wday == FRIDAY)
			return 3;
		return tm.tm_wday == SATURDAY ? 2 : 1;
	case RECURRENCE_WEEKEND:
		if (tm.tm_wday == SUNDAY)
			return 6;
		return tm.tm_wday == SATURDAY ? 1 : 6 - tm.tm_wday;
	case RECURRENCE_WEEKLY:
		return 7;
	default:
		return 0;
	}
}

static void recurrence_move(time_t *t, int days, int hours)
{
	time_t plain = seconds_sum(*t, (days * 24 + hours) * INT64_C(3600));
	time_t was = *t;
	struct tm tm;

	if (*t >= TORUS_MAX_SECONDS || !localtime_r(t, &tm)) {
		*t = plain;
		return;
	}
	tm.tm_mday += days;
	tm.tm_hour += hours;
	tm.tm_isdst = -1;
	*t = mktime(&tm);
	if (plain > was && *t <= was)
		*t = plain;
}

void recurrence_next(enum recurrence how, time_t *from, time_t *to)
{
	int by = recurrence_days(how, *to), hours = how == RECURRENCE_HOURLY;

	recurrence_move(from, by, hours);
	recurrence_move(to, by, hours);
}
