/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulation of Bani-Mohammad et al., section VI, on libtorus: sides
 * uniform, run times exponential with mean 1, first come first served, a run
 * of so many completed jobs. Rate 0: saturated, there is always a next job.
 *
 * Jobs are drawn from the seed alone, so that strategies are compared on the
 * same jobs (paired).
 */
#ifndef BENCH_BANI_H
#define BENCH_BANI_H

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "torus/state.h"
#include "torus/state_find.h"

#define BANI_UNIT 1000000 /* microseconds per time unit */

struct bani_job {
	int64_t arrival, length; /* microseconds */
	struct torus_ask ask;
};

struct bani {
	/* How to choose a place; NULL: torus_state_find(). */
	bool (*choose)(struct bani *b, int64_t now,
		       struct torus_placement *place);
	void *arg; /* choose()'s own */
	uint64_t seed;
	double rate; /* arrivals per time unit; 0: saturated */
	struct torus_state *state;
	struct bani_job next;
	int64_t arrived; /* of the latest arrival */
};

struct bani_result {
	double utilization, turnaround;
};

static inline void bani_draw(struct bani *b)
{
	const struct torus *t = &torus_state_machine(b->state)->pod[0].torus;
	struct bani_job *j = &b->next;

	j->ask = (struct torus_ask){ .rotate = true };
	j->ask.shape.axes = t->dims;
	for (uint32_t d = 0; d < t->dims; d++)
		j->ask.shape.extent[d] = 1 + (uint32_t)(bench_unit(&b->seed) *
							t->size[d]);
	j->length = (int64_t)(-log(bench_unit(&b->seed)) * BANI_UNIT);
	torus_ask_drop_ones(&j->ask);
	if (b->rate > 0)
		b->arrived += (int64_t)(-log(bench_unit(&b->seed)) / b->rate *
					BANI_UNIT);
	j->arrival = b->arrived;
}

static inline bool bani_place(struct bani *b, int64_t now,
			      struct torus_placement *place)
{
	if (b->choose)
		return b->choose(b, now, place);
	return torus_state_find(b->state, &b->next.ask, place, NULL) ==
	       TORUS_FITS;
}

/* Start the next job if it has come and fits. */
static inline bool bani_start(struct bani *b, int64_t now,
			      struct bani_result *sum)
{
	struct bani_job *j = &b->next;
	struct torus_placement place;

	if (b->rate > 0 && j->arrival > now)
		return false;
	j->ask.now_us = now;
	j->ask.end_us = now + j->length;
	if (!bani_place(b, now, &place))
		return false;
	if (torus_state_commit(b->state, &place, 0, NULL, now, j->ask.end_us,
			       NULL) == TORUS_NO_SLOT)
		abort();
	if (b->rate <= 0)
		j->arrival = now;
	sum->turnaround += (double)(j->ask.end_us - j->arrival);
	sum->utilization += (double)place.granted * (double)j->length;
	bani_draw(b);
	return true;
}

/* One run of *b, whose seed, rate, state and choose are set. The state must
 * be empty; it is emptied again. */
static inline struct bani_result bani_run_as(struct bani *b,
					     uint32_t completions)
{
	struct torus_state *state = b->state;
	uint32_t nodes = torus_state_machine(state)->nodes;
	struct bani_result sum = { 0 };
	uint32_t done = 0, started = 0;
	int64_t now = 0;

	bani_draw(b);
	while (done < completions) {
		const struct torus_hold *h = NULL;

		while (bani_start(b, now, &sum))
			started++;
		if (torus_state_holds(state) > 0)
			h = torus_state_hold(state,
					     torus_state_by_end(state, 0));
		if (b->rate > 0 && b->next.arrival > now &&
		    (!h || b->next.arrival < h->end_us)) {
			now = b->next.arrival;
			continue;
		}
		now = h->end_us;
		torus_state_release(state, torus_state_by_end(state, 0), NULL);
		done++;
	}
	while (torus_state_holds(state) > 0) {
		uint32_t slot = torus_state_by_end(state, 0);
		const struct torus_hold *h = torus_state_hold(state, slot);

		sum.utilization -= (double)h->place.granted *
				   (double)(h->end_us - now);
		torus_state_release(state, slot, NULL);
	}
	sum.utilization /= (double)nodes * (double)now;
	sum.turnaround /= (double)started * BANI_UNIT;
	return sum;
}

static inline struct bani_result bani_run(struct torus_state *state,
					  uint64_t seed, double rate,
					  uint32_t completions)
{
	struct bani b = { .seed = seed * 1000003, .rate = rate, .state = state };

	return bani_run_as(&b, completions);
}

#endif
