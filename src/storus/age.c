/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How old an answer is (age.h). */
#include "storus/age.h"

#include <stdio.h>
#include <time.h>

#include "storus/clock.h"

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
	printf("%s of %s, %s old.\n", what, storus_clock(&dated, time_us, at),
	       age);
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
