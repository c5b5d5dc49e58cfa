/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulation of Mohapatra, section 4, on libtorus: Poisson arrivals on an
 * 8-cube, hold times and laxities normal, cut off at 0 and one standard
 * deviation above the mean (both deviations are the means), sub-cube
 * dimensions modified geometric, uniform or reverse geometric. And a host
 * that plays any such jobs through a discipline.
 *
 * Jobs are drawn from the seed alone, so that disciplines are compared on the
 * same jobs (paired).
 */
#ifndef BENCH_MOHAPATRA_H
#define BENCH_MOHAPATRA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "torus/scheduler.h"

#define MOHAPATRA_UNIT 1000000 /* microseconds per time unit */
#define MOHAPATRA_DIMENSION 8
#define MOHAPATRA_HOLD 3.0 /* mean, time units */

enum mohapatra_sizes {
	MOHAPATRA_GEOMETRIC, /* p = 1/3: 9.36 nodes on average */
	MOHAPATRA_UNIFORM,   /* 31.9 */
	MOHAPATRA_REVERSE,   /* 66.7 */
};

static const char *const mohapatra_names[] __attribute__((unused)) = {
	"geometric",
	"uniform",
	"reverse",
};

struct mohapatra {
	uint64_t seed;
	enum mohapatra_sizes sizes;
	double load;
	double laxity;                         /* mean, in mean hold times */
	struct torus_alternative *alternative; /* the memory of one per job */
};

struct mohapatra_result {
	uint32_t missed;
	double miss;      /* per cent of the jobs */
	double work_miss; /* per cent of the work */
	double batch;     /* jobs answered at a time */
};

/* Normal with deviation = mean, redrawn outside of 0 .. 2 means. */
static inline double mohapatra_normal(struct mohapatra *w, double mean)
{
	double value;

	do {
		double r = sqrt(-2 * log(bench_unit(&w->seed)));

		value = mean +
			mean * r * cos(6.283185307179586 * bench_unit(&w->seed));
	} while (value < 0 || value > 2 * mean);
	return value;
}

/* Probability of each dimension; returns the mean number of nodes. */
static inline double mohapatra_sizes(enum mohapatra_sizes sizes, double *share)
{
	double sum = 0, nodes = 0;

	for (int k = 0; k < MOHAPATRA_DIMENSION; k++) {
		int power = sizes == MOHAPATRA_GEOMETRIC ?
				    k :
			    sizes == MOHAPATRA_UNIFORM ?
				    0 :
				    MOHAPATRA_DIMENSION - 1 - k;

		share[k] = pow(2.0 / 3, power);
		sum += share[k];
	}
	for (int k = 0; k < MOHAPATRA_DIMENSION; k++) {
		share[k] /= sum;
		nodes += share[k] * (1 << k);
	}
	return nodes;
}

static inline void mohapatra_draw(struct mohapatra *w, struct torus_job *job,
				  uint32_t jobs)
{
	double share[MOHAPATRA_DIMENSION];
	double nodes = mohapatra_sizes(w->sizes, share), t = 0, u;
	double rate = w->load * (1 << MOHAPATRA_DIMENSION) /
		      (MOHAPATRA_HOLD * nodes);

	memset(job, 0, jobs * sizeof(*job));
	for (uint32_t i = 0; i < jobs; i++) {
		int k = 0;

		t -= log(bench_unit(&w->seed)) / rate;
		u = bench_unit(&w->seed);
		while (k < MOHAPATRA_DIMENSION - 1 && u >= share[k])
			u -= share[k++];
		job[i].id = i;
		job[i].submit_us = (int64_t)(t * MOHAPATRA_UNIT);
		job[i].limit_us = 1 +
				  (int64_t)(mohapatra_normal(w, MOHAPATRA_HOLD) *
					    MOHAPATRA_UNIT);
		job[i].deadline_us =
			job[i].submit_us + job[i].limit_us +
			(int64_t)(mohapatra_normal(w,
						   MOHAPATRA_HOLD * w->laxity) *
				  MOHAPATRA_UNIT);
		job[i].request = torus_job_request_count(&w->alternative[i],
							 1u << k);
	}
}

/* All ends that are due, then all submits, then passes. */
static inline void mohapatra_instant(struct torus_scheduler *s,
				     struct torus_job *job, uint32_t jobs,
				     uint32_t *next, int64_t now, int64_t *wake)
{
	struct torus_state *state = torus_scheduler_state(s);
	struct torus_job *decided;
	bool again = true;

	while (torus_state_holds(state) > 0) {
		const struct torus_hold *h =
			torus_state_hold(state, torus_state_by_end(state, 0));

		if (h->end_us > now)
			break;
		torus_scheduler_end(s, h->owner, now);
	}
	for (; *next < jobs && job[*next].submit_us <= now; ++*next)
		torus_scheduler_submit(s, &job[*next], now, NULL);
	while (again) {
		again = false;
		decided = torus_scheduler_pass(s, now, wake);
		for (; decided; decided = decided->decided)
			again |= decided->state == TORUS_JOB_QUEUED;
	}
}

/* Play the jobs, in order of their submits, which run as long as they say.
 * False: the settings were refused. */
static inline bool mohapatra_play(const struct torus_machine *m,
				  const struct torus_scheduler_settings *how,
				  struct torus_job *job, uint32_t jobs,
				  struct mohapatra_result *result)
{
	struct torus_state *state = torus_state_create(m);
	struct torus_scheduler *s =
		state ? torus_scheduler_create(state, how, NULL) : NULL;
	int64_t now, wake = TORUS_NO_TIME;
	double work = 0, lost = 0;
	uint32_t next = 0;

	*result = (struct mohapatra_result){ 0 };
	while (s) {
		now = wake;
		if (next < jobs && job[next].submit_us < now)
			now = job[next].submit_us;
		if (torus_state_holds(state) > 0) {
			uint32_t slot = torus_state_by_end(state, 0);
			int64_t end = torus_state_hold(state, slot)->end_us;

			now = end < now ? end : now;
		}
		if (now == TORUS_NO_TIME)
			break;
		mohapatra_instant(s, job, jobs, &next, now, &wake);
	}
	for (uint32_t i = 0; s && i < jobs; i++) {
		double its = (double)job[i].limit_us *
			     job[i].request.alternative[0].ask.count;

		work += its;
		if (job[i].state == TORUS_JOB_DONE)
			continue;
		result->missed++;
		lost += its;
	}
	if (s) {
		const struct torus_scheduler_stats *stats =
			torus_scheduler_stats(s);

		result->miss = 100.0 * result->missed / jobs;
		result->work_miss = 100 * lost / work;
		result->batch = (double)stats->answered / (double)stats->batches;
	}
	torus_scheduler_destroy(s);
	torus_state_destroy(state);
	return s != NULL;
}

#endif
