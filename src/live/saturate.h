/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on numbers that users of the host may set to any value: what would
 * overflow becomes the largest value instead. Every time of the host, in whole
 * seconds, becomes microseconds here. SECONDS_MOST (30,000 years, the most that a trace
 * may hold) leaves room for sums of several such times.
 */
#ifndef LIVE_SATURATE_H
#define LIVE_SATURATE_H

#include <stdint.h>

#define SECOND_US INT64_C(1000000)
#define SECONDS_MOST INT64_C(1000000000000)

static inline int64_t seconds_to_us(int64_t seconds)
{
	if (seconds > SECONDS_MOST)
		seconds = SECONDS_MOST;
	if (seconds < -SECONDS_MOST)
		seconds = -SECONDS_MOST;
	return seconds * SECOND_US;
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
