/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bani-Mohammad et al., Figs. 7 and 8: the mean time of a search of TBL and of First
 * Fit, both as the paper has them, on a mesh. The product's differ: its busy list is
 * searched only in orientations that an erosion has let pass, which takes nearly all
 * of the time, and its First Fit divides to get the coordinates of a base.
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
#include "torus/ask.h"
#include "trace/models/model.h"

#define REPEAT 4
#define JOBS 1000

struct times_box {
	int low[3], high[3];
};

struct times {
	bool list; /* TBL; else First Fit */
	int side[3];
	uint8_t *busy; /* by node, the first dimension fastest */
	struct times_box running[JOBS];
	int64_t end_us[JOBS];
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

static int times_max(int a, int b)
{
	return a > b ? a : b;
}

static int times_min(int a, int b)
{
	return a < b ? a : b;
}

static bool times_box_free(const struct times *s, const int *base,
			   const int *want)
{
	for (int z = base[2]; z < base[2] + want[2]; z++) {
		for (int y = base[1]; y < base[1] + want[1]; y++) {
			const uint8_t *row = s->busy +
					     (z * s->side[1] + y) * s->side[0];

			for (int x = base[0]; x < base[0] + want[0]; x++)
				if (row[x])
					return false;
		}
	}
	return true;
}

static bool times_first_fit(const struct times *s, const int *want, int *base)
{
	for (base[2] = 0; base[2] + want[2] <= s->side[2]; base[2]++)
		for (base[1] = 0; base[1] + want[1] <= s->side[1]; base[1]++)
			for (base[0] = 0; base[0] + want[0] <= s->side[0];
			     base[0]++)
				if (times_box_free(s, base, want))
					return true;
	return false;
}

/* Subtract the prohibited regions of the sub-meshes j and up from a plane. Return
 * true with a base if something is left (Fig. 2, as four rectangles). */
static bool times_plane(const struct times *s, const int *want, uint32_t j,
			const struct times_box *plane, int *base)
{
	for (; j < s->jobs; j++) {
		struct times_box piece[4], f = s->running[j];
		int n = 0;

		for (int d = 0; d < 3; d++)
			f.low[d] = times_max(f.low[d] - want[d] + 1, 0);
		if (plane->low[0] < f.low[0] || plane->low[0] > f.high[0] ||
		    plane->high[1] < f.low[1] || plane->low[1] > f.high[1] ||
		    plane->high[2] < f.low[2] || plane->low[2] > f.high[2])
			continue;
		for (int i = 0; i < 4; i++)
			piece[i] = *plane;
		for (int d = 2; d > 0; d--) {
			/* beside the region in this dimension, and in the other
			 * one where it is */
			piece[n++].high[d] = f.low[d] - 1;
			piece[n++].low[d] = f.high[d] + 1;
			for (int i = n; i < 4; i++) {
				piece[i].low[d] = times_max(plane->low[d],
							    f.low[d]);
				piece[i].high[d] = times_min(plane->high[d],
							     f.high[d]);
			}
		}
		for (int i = 0; i < 4; i++)
			if (piece[i].low[1] <= piece[i].high[1] &&
			    piece[i].low[2] <= piece[i].high[2] &&
			    times_plane(s, want, j + 1, &piece[i], base))
				return true;
		return false;
	}
	memcpy(base, plane->low, sizeof(plane->low));
	return true;
}

/* Fig. 3: the right border plane of each sub-mesh, the left side of the mesh first. */
static bool times_busy_list(const struct times *s, const int *want, int *base)
{
	const struct times_box left = { .low = { 0, 0, 0 },
					.high = { -1, s->side[1] - 1,
						  s->side[2] - 1 } };

	for (uint32_t i = 0; i <= s->jobs; i++) {
		const struct times_box *of = i ? &s->running[i - 1] : &left;
		struct times_box plane = { .low = { of->high[0] + 1 } };

		plane.high[0] = plane.low[0];
		for (int d = 1; d < 3; d++) {
			plane.low[d] = times_max(of->low[d] - want[d] + 1, 0);
			plane.high[d] = times_min(of->high[d],
						  s->side[d] - want[d]);
		}
		if (plane.low[0] + want[0] <= s->side[0] &&
		    plane.low[1] <= plane.high[1] &&
		    plane.low[2] <= plane.high[2] &&
		    times_plane(s, want, 0, &plane, base))
			return true;
	}
	return false;
}

/* Find a place in one of the six orientations, in the paper's order. */
static bool times_find(const struct times *s, const int *sides,
		       struct times_box *place)
{
	static const uint8_t turn[6][3] = { { 0, 1, 2 }, { 0, 2, 1 },
					    { 1, 0, 2 }, { 1, 2, 0 },
					    { 2, 0, 1 }, { 2, 1, 0 } };

	for (int i = 0; i < 6; i++) {
		int want[3], *base = place->low;

		for (int d = 0; d < 3; d++)
			want[d] = sides[turn[i][d]];
		if (!(s->list ? times_busy_list(s, want, base) :
				times_first_fit(s, want, base)))
			continue;
		for (int d = 0; d < 3; d++)
			place->high[d] = base[d] + want[d] - 1;
		return true;
	}
	return false;
}

static void times_paint(struct times *s, const struct times_box *b, uint8_t busy)
{
	for (int z = b->low[2]; z <= b->high[2]; z++)
		for (int y = b->low[1]; y <= b->high[1]; y++)
			memset(s->busy + (z * s->side[1] + y) * s->side[0] +
				       b->low[0],
			       busy, (size_t)(b->high[0] - b->low[0] + 1));
}

/* Start the job if it fits. */
static bool times_start(struct times *s, const struct torus_trace_record *job,
			int64_t now_us)
{
	const struct torus_ask *ask = &job->request->alternative[0].ask;
	int8_t typed[TORUS_MAX_DIMS];
	double before;
	struct times_box place;
	bool found = false;
	int sides[3];

	torus_ask_typed(ask, typed);
	for (int i = 0; i < 3; i++)
		sides[i] = typed[i] < 0 ? 1 : ask->shape.extent[typed[i]];
	before = times_now();
	for (int i = 0; i < REPEAT; i++)
		found = times_find(s, sides, &place);
	s->seconds += (times_now() - before) / REPEAT;
	s->searches++;
	if (!found || s->jobs == JOBS)
		return false;
	times_paint(s, &place, true);
	s->end_us[s->jobs] = now_us + job->run_us;
	s->running[s->jobs++] = place;
	return true;
}

/* End the job that ends first, if it does by now. Return its end, or -1. */
static int64_t times_end(struct times *s, int64_t now_us)
{
	int64_t end_us;
	uint32_t first = 0;

	for (uint32_t i = 1; i < s->jobs; i++)
		if (s->end_us[i] < s->end_us[first])
			first = i;
	end_us = s->end_us[first];
	if (!s->jobs || end_us > now_us)
		return -1;
	times_paint(s, &s->running[first], false);
	s->running[first] = s->running[--s->jobs];
	s->end_us[first] = s->end_us[s->jobs];
	return end_us;
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
		while (times_end(s, now_us) >= 0)
			;
		while (!times_start(s, job, now_us) && s->jobs)
			now_us = times_end(s, INT64_MAX);
	}
}

/* Return the mean time of a search in us, NAN if something failed. */
static double times_of(bool list, const struct torus_model_options *o)
{
	struct times *s = torus_alloc(1, sizeof(*s));
	struct torus_trace *in = torus_trace_open_model(o, NULL);
	double mean = NAN;

	if (s && in) {
		s->list = list;
		for (int d = 0; d < 3; d++)
			s->side[d] = (int)o->torus.size[d];
		s->busy = torus_alloc(o->torus.nodes, 1);
		if (s->busy)
			times_run(s, in);
		if (s->searches)
			mean = 1e6 * s->seconds / (double)s->searches;
		torus_free(s->busy);
	}
	torus_trace_close(in);
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
				  times_of(!strcmp(series->strategy,
						   "submesh-tbl"),
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
