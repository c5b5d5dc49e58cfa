/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of a snapshot for people, and how old it is (replay.h). */
#include "storus/base/clock.h"
#include "storus/base/table.h"

#include <stdio.h>
#include <time.h>

#include "torus/number.h"

const char *storus_clock(const struct snapshot *s, int64_t us, char *buffer)
{
	time_t at = (time_t)(us / 1000000 + (us % 1000000 > 0));
	char seconds[TORUS_SECONDS_SIZE];
	struct tm tm;

	if (us == SNAPSHOT_NO_TIME) {
		snprintf(buffer, STORUS_CLOCK_SIZE, "-");
	} else if (!s->dated || !localtime_r(&at, &tm) ||
		   !strftime(buffer, STORUS_CLOCK_SIZE, "%FT%T", &tm)) {
		torus_seconds_format(us, seconds);
		snprintf(buffer, STORUS_CLOCK_SIZE, "%s s", seconds);
	}
	return buffer;
}

void storus_clock_left(const struct snapshot *s, int64_t us, char *buffer,
		       size_t size)
{
	long long left = (us - s->time_us) / 1000000;

	if (left < 0)
		left = 0;
	if (!s->dated)
		snprintf(buffer, size, "%lld s", left);
	else if (left >= 86400)
		snprintf(buffer, size, "%lld-%02lld:%02lld:%02lld", left / 86400,
			 left / 3600 % 24, left / 60 % 60, left % 60);
	else
		snprintf(buffer, size, "%02lld:%02lld:%02lld", left / 3600,
			 left / 60 % 60, left % 60);
}

void storus_clock_duration(int64_t us, char *buffer, size_t size)
{
	const char *minus = us < 0 ? "-" : "";
	long long s = (us < 0 ? -us : us) / 1000000;

	if (s >= 86400)
		snprintf(buffer, size, "%s%lld-%02lld:%02lld:%02lld", minus,
			 s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
	else
		snprintf(buffer, size, "%s%02lld:%02lld:%02lld", minus,
			 s / 3600, s / 60 % 60, s % 60);
}

json_t *storus_clock_json(int64_t us)
{
	if (us == SNAPSHOT_NO_TIME)
		return json_null();
	if (us % 1000000 == 0)
		return json_integer(us / 1000000);
	return json_real((double)us * 1e-6);
}

int64_t storus_age_time_us(const struct snapshot *s)
{
	return s->dated ? s->time_us : SNAPSHOT_NO_TIME;
}

/* A file from a host whose clock is ahead is 0 s old. */
static int64_t age_us(int64_t time_us)
{
	int64_t now_us = (int64_t)time(NULL) * 1000000;

	return now_us > time_us ? now_us - time_us : 0;
}

void storus_age_print(const char *what, int64_t time_us)
{
	const struct snapshot dated = { .dated = true };
	char at[STORUS_CLOCK_SIZE], age[32];

	if (time_us == SNAPSHOT_NO_TIME)
		return;
	storus_clock_duration(age_us(time_us), age, sizeof(age));
	storus_print("%s of %s, %s old.\n", what,
		     storus_clock(&dated, time_us, at), age);
}

json_t *storus_age_json(json_t *o, int64_t time_us)
{
	if (o && time_us != SNAPSHOT_NO_TIME) {
		json_object_set_new(o, "as_of", storus_clock_json(time_us));
		json_object_set_new(o, "age_s",
				    json_integer(age_us(time_us) / 1000000));
	}
	return o;
}
