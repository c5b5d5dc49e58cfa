/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on numbers that users of the host may set to any value: what would
 * overflow becomes the largest value instead. Every time of the host, in whole
 * seconds, becomes microseconds here; TORUS_MAX_SECONDS leaves room for sums of several
 * such times.
 */
#ifndef LIVE_BASE_SATURATE_H
#define LIVE_BASE_SATURATE_H

#include <stdint.h>

#include "torus/number.h"

#define SECOND_US INT64_C(1000000)

static inline int64_t seconds_bounded(int64_t seconds)
{
	if (seconds > TORUS_MAX_SECONDS)
		return TORUS_MAX_SECONDS;
	return seconds < -TORUS_MAX_SECONDS ? -TORUS_MAX_SECONDS : seconds;
}

static inline int64_t seconds_to_us(int64_t seconds)
{
	return seconds_bounded(seconds) * SECOND_US;
}

/* Return the sum of two times, each of them bounded first. */
static inline int64_t seconds_sum(int64_t a, int64_t b)
{
	return seconds_bounded(a) + seconds_bounded(b);
}

/* Return the first of from + first, from + 2 first, from + 4 first, ... after `now`, for
 * first > 0; all in seconds. */
static inline int64_t seconds_doubled(int64_t from, int64_t first, int64_t now)
{
	int64_t passed = seconds_bounded(now) - seconds_bounded(from);

	while (first <= passed)
		first *= 2;
	return seconds_sum(from, first);
}

/* Rounded up. */
static inline int64_t seconds_from_us(int64_t us)
{
	return us / SECOND_US + (us % SECOND_US > 0);
}

/* Counts of tasks or CPUs. The numbers above COUNT_MOST mean something else in
 * Slurm (NO_VAL, INFINITE). */
#define COUNT_MOST (UINT32_MAX - 2)

static inline uint32_t saturated_product(uint32_t a, uint32_t b)
{
	uint64_t n = (uint64_t)a * b;

	return n < COUNT_MOST ? (uint32_t)n : COUNT_MOST;
}

#endif
