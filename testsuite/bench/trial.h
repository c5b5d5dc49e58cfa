/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches on two machines in turns: random numbers, the clock, random boxes in
 * use on a cube with SIDE nodes to a side (the program's own), the median. */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <stdlib.h>
#include <time.h>

#include "torus/state.h"

#define TRIAL_BOXES 60

static uint64_t trial_seed = 1;

static inline uint32_t trial_below(uint32_t n)
{
	trial_seed ^= trial_seed << 13;
	trial_seed ^= trial_seed >> 7;
	trial_seed ^= trial_seed << 17;
	return (uint32_t)((trial_seed >> 11) % n);
}

static inline double trial_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline void trial_draw_busy(const struct torus *t, uint64_t *busy)
{
	for (uint32_t i = 0; i < TRIAL_BOXES; i++) {
		struct torus_region r;

		torus_region_whole(&r, t);
		for (uint32_t d = 0; d < 3; d++) {
			r.base[d] = trial_below(SIDE);
			r.extent[d] = 1 + trial_below(5);
		}
		torus_region_paint(&r, t, busy);
	}
}

/* CPU nanoseconds of all searches; answer: what they say, or NULL. */
static inline double trial_time_ns(struct torus_state *s,
				   const struct torus_ask *ask, uint32_t n,
				   enum torus_answer *answer)
{
	double begin = trial_now_ns();

	for (uint32_t i = 0; i < n; i++) {
		struct torus_placement place;
		enum torus_answer a = torus_state_find(s, &ask[i], &place, NULL);

		if (answer)
			answer[i] = a;
	}
	return trial_now_ns() - begin;
}

static inline int trial_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static inline double trial_median(double *value, uint32_t n)
{
	qsort(value, n, sizeof(*value), trial_ascending);
	return value[n / 2];
}

#endif
