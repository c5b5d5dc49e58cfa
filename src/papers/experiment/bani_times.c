/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bani-Mohammad et al., Figs. 7 and 8: the mean time of a search of TBL and of the
 * paper's First Fit, which scans the mesh and has no list of free boxes. The
 * strategies are called without a state, which would keep such a list for meshes of
 * 512 nodes or more.
 *
 * Jobs of the model run first come, first served. The head is searched for at its
 * arrival and after each end. A search is pure, so that it is repeated and the
 * processor time of the repetitions divided by their number: the mean then does not
 * depend on what else the machine does. O(events x search).
 */
#include "papers/experiment/lab.h"
#include "papers/experiment/papers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/alloc.h"
#include "torus/region.h"
#include "torus/strategy.h"
#include "trace/models/model.h"

#define REPEAT 4
#define JOBS 1000

struct times_job {
	int64_t end_us;
	struct torus_placement place;
};

struct times {
	const struct torus_strategy *strategy;
	void *self;
	struct torus torus;
	uint64_t *usable;
	struct times_job running[JOBS];
	uint32_t jobs; /* running */
	double seconds;
	uint64_t searches;
};

static double times_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Start the job if it fits. */
static bool times_start(struct times *s, const struct torus_trace_record *job,
			int64_t now_us)
{
	const struct torus_ask *ask = &job->request->alternative[0].ask;
	struct torus_placement place;
	struct torus_memo memo;
	enum torus_answer answer = TORUS_NOT_NOW;
	double before = times_now();

	for (int i = 0; i < REPEAT; i++)
		answer = s->strategy->find(s->self, ask, s->usable, &place,
					   NULL);
	s->seconds += (times_now() - before) / REPEAT;
	s->searches++;
	if (answer != TORUS_FITS || s->jobs == JOBS)
		return false;
	torus_region_erase(&place.region, &s->torus, s->usable);
	if (s->strategy->commit)
		s->strategy->commit(s->self, &place, &memo);
	s->running[s->jobs++] = (struct times_job){ now_us + job->run_us,
						    place };
	return true;
}

/* End the job that ends first. Return its end. */
static int64_t times_end(struct times *s)
{
	struct times_job *first = &s->running[0], ended;
	struct torus_memo memo;

	for (uint32_t i = 1; i < s->jobs; i++)
		if (s->running[i].end_us < first->end_us)
			first = &s->running[i];
	ended = *first;
	*first = s->running[--s->jobs];
	if (s->strategy->release)
		s->strategy->release(s->self, &ended.place, &memo);
	torus_region_paint(&ended.place.region, &s->torus, s->usable);
	return ended.end_us;
}

static void times_run(struct times *s, struct torus_trace *in)
{
	const struct torus_trace_record *job;
	int64_t now_us = 0;

	while (torus_trace_next(in, &job, NULL) == TORUS_TRACE_JOB) {
		if (!job->shaped)
			continue;
		if (job->submit_us > now_us)
			now_us = job->submit_us;
		for (uint32_t i = 0; i < s->jobs;) {
			int64_t end_us = s->running[i].end_us;

			if (end_us > now_us) {
				i++;
				continue;
			}
			times_end(s);
			i = 0;
		}
		while (!times_start(s, job, now_us) && s->jobs)
			now_us = times_end(s);
	}
}

/* Return the mean time of a search in us, NAN if something failed. */
static double times_of(const struct torus_strategy *strategy,
		       const struct torus_model_options *o)
{
	static const struct torus_options none;
	struct times *s = torus_alloc(1, sizeof(*s));
	struct torus_trace *in = torus_trace_open_model(o, NULL);
	double mean = NAN;

	if (!s || !in)
		goto out;
	s->strategy = strategy;
	s->torus = o->torus;
	s->usable = torus_alloc(torus_bits_words(s->torus.nodes),
				sizeof(*s->usable));
	s->self = strategy->create(&s->torus, NULL, &none);
	if (s->usable && s->self) {
		for (uint32_t i = 0; i < s->torus.nodes; i++)
			torus_bits_set(s->usable, i);
		times_run(s, in);
		mean = s->searches ? 1e6 * s->seconds / (double)s->searches :
				     NAN;
	}
	strategy->destroy(s->self);
out:
	torus_trace_close(in);
	if (s)
		torus_free(s->usable);
	torus_free(s);
	return mean;
}

/* Add the points of one key. mesh: "8x8x8:MMM". */
static int times_points(struct torus_lab *lab, const char *mesh, double rate,
			double key, uint32_t seeds)
{
	const struct torus_experiment *e = lab->experiment;

	for (uint32_t i = 0; i < 2 * seeds; i++) {
		const struct torus_series *series = &e->series[i % 2];
		struct torus_model_options o;

		torus_model_options_init(&o, torus_model_find(e->trace));
		o.seed = torus_lab_first(lab) + i / 2;
		o.jobs = JOBS;
		if (torus_parse(&o.torus, mesh, NULL) ||
		    torus_model_set(&o, "rate", rate, NULL) ||
		    torus_model_set(&o, "rotate", 1, NULL) ||
		    torus_lab_add(lab, series, key, (uint32_t)o.seed, key,
				  times_of(torus_strategy_find(series->strategy),
					   &o)))
			return -1;
	}
	return 0;
}

int torus_bani_times(struct torus_lab *lab)
{
	static const double uniform[] = { 1, 1.8, 2.6, 3.4, 3.8, 4.2, 4.6, 0 };
	static const double exponential[] = { 1, 1.8, 2.6, 4.6, 7, 10, 14, 0 };
	static const double quick[] = { 1, 2.6, 4.6, 14, 0 };
	bool exp = strstr(lab->experiment->trace, "exponential") != NULL;
	const double *rate = lab->quick ? quick : exp ? exponential : uniform;

	for (; *rate && (exp || *rate <= 4.6); rate++) {
		if (times_points(lab, "8x8x8:MMM", *rate, *rate,
				 torus_lab_seeds(lab, 10, 3)))
			return -1;
	}
	torus_lab_sort(lab);
	return 0;
}

int torus_bani_growth(struct torus_lab *lab)
{
	static const char *const mesh[] = { "8x8x8:MMM", "12x12x12:MMM",
					    "16x16x16:MMM" };

	for (int i = 0; i < 3; i += lab->quick ? 2 : 1) {
		if (times_points(lab, mesh[i], 4.6, 8 + 4 * i,
				 torus_lab_seeds(lab, 5, 2)))
			return -1;
	}
	torus_lab_sort(lab);
	return 0;
}
