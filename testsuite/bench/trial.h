/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches on two machines in turns: their times, and random boxes in use on a
 * cube with SIDE nodes to a side (the program's own). */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include "bench.h"
#include "torus/state.h"
#include "torus/state_find.h"

#define TRIAL_BOXES 60

static inline void trial_draw_busy(const struct torus *t, uint64_t *busy)
{
	for (uint32_t i = 0; i < TRIAL_BOXES; i++) {
		struct torus_region r;

		torus_region_whole(&r, t);
		for (uint32_t d = 0; d < 3; d++) {
			r.base[d] = bench_below(SIDE);
			r.extent[d] = 1 + bench_below(5);
		}
		torus_region_paint(&r, t, busy);
	}
}

/* CPU nanoseconds of all searches; answer: what they say, or NULL. */
static inline double trial_time_ns(struct torus_state *s,
				   const struct torus_ask *ask, uint32_t n,
				   enum torus_answer *answer)
{
	double begin = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (uint32_t i = 0; i < n; i++) {
		struct torus_placement place;
		enum torus_answer a = torus_state_find(s, &ask[i], &place, NULL);

		if (answer)
			answer[i] = a;
	}
	return bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

#endif
