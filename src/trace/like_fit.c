/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quality of fit of drawn jobs (like.h): Kolmogorov-Smirnov distances between
 * two samples. O(n log n).
 */
#include "trace/like.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "torus/alloc.h"

#define HOUR_US (INT64_C(3600) * 1000000)
#define MOST_SLOTS (UINT64_C(1) << 24)

const char *const torus_like_quantities[TORUS_LIKE_QUANTITIES] = {
	"interarrival s",
	"nodes",
	"run time s",
	"offered load",
};

struct fit_sample {
	double *value;
	uint64_t n;
	double sum;
};

static int fit_ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Both distribution functions step at a value together. */
double torus_like_distance(double *a, uint64_t n, double *b, uint64_t m)
{
	double most = 0;
	uint64_t i = 0, k = 0;

	qsort(a, n, sizeof(*a), fit_ascending);
	qsort(b, m, sizeof(*b), fit_ascending);
	while (i < n && k < m) {
		double x = a[i] < b[k] ? a[i] : b[k];

		while (i < n && a[i] <= x)
			i++;
		while (k < m && b[k] <= x)
			k++;
		most = fmax(most,
			    fabs((double)i / (double)n - (double)k / (double)m));
	}
	return most;
}

/* Add the jobs' work to each slot of time, as a share of the nodes. */
static int fit_work(struct fit_sample *s, const struct torus_trace_record *job,
		    uint64_t jobs, int64_t slot, uint32_t nodes)
{
	int64_t span = jobs ? job[jobs - 1].submit_us - job[0].submit_us : 0;

	s->n = (uint64_t)(span / slot) + 1;
	if (s->n > MOST_SLOTS)
		s->n = MOST_SLOTS;
	s->value = torus_alloc(s->n, sizeof(*s->value));
	if (!s->value)
		return -1;
	for (uint64_t i = 0; i < jobs; i++) {
		uint64_t at = (uint64_t)((job[i].submit_us - job[0].submit_us) /
					 slot);

		s->value[at < s->n ? at : s->n - 1] += (double)job[i].run_us *
						       torus_log_nodes(&job[i]) /
						       ((double)slot * nodes);
	}
	return 0;
}

static int fit_jobs(struct fit_sample *s, const struct torus_trace_record *job,
		    uint64_t jobs, enum torus_like_quantity what)
{
	s->value = torus_alloc(jobs, sizeof(*s->value));
	if (!s->value)
		return -1;
	for (uint64_t i = 0; i < jobs; i++) {
		const struct torus_trace_record *r = &job[i];

		if (what == TORUS_LIKE_GAP && !i)
			continue;
		s->value[s->n++] = what == TORUS_LIKE_SIZE ?
					   torus_log_nodes(r) :
				   what == TORUS_LIKE_RUN ?
					   (double)r->run_us * 1e-6 :
					   (double)(r->submit_us -
						    job[i - 1].submit_us) *
						   1e-6;
	}
	return 0;
}

static int fit_take(struct fit_sample *s, const struct torus_trace_record *job,
		    uint64_t jobs, enum torus_like_quantity what, int64_t slot,
		    uint32_t nodes)
{
	int rc = what == TORUS_LIKE_WORK ? fit_work(s, job, jobs, slot, nodes) :
					   fit_jobs(s, job, jobs, what);

	for (uint64_t i = 0; !rc && i < s->n; i++)
		s->sum += s->value[i];
	return rc;
}

int torus_like_fit(const struct torus_log *log, const struct torus_like *like,
		   struct torus_like_fit fit[TORUS_LIKE_QUANTITIES])
{
	bool days = log->last_us - log->first_us >=
		    TORUS_LIKE_LEAST * 24 * HOUR_US;
	int64_t slot = days ? 24 * HOUR_US : HOUR_US;
	int rc = 0;

	for (int q = 0; q < TORUS_LIKE_QUANTITIES && !rc; q++) {
		enum torus_like_quantity what = (enum torus_like_quantity)q;
		struct fit_sample a = { 0 }, b = { 0 };

		rc = fit_take(&a, log->job, log->jobs, what, slot, like->nodes);
		if (!rc)
			rc = fit_take(&b, like->job, like->jobs, what, slot,
				      like->nodes);
		if (!rc)
			fit[q] = (struct torus_like_fit){
				a.sum / (double)a.n,
				b.sum / (double)b.n,
				torus_like_distance(a.value, a.n, b.value, b.n),
			};
		torus_free(a.value);
		torus_free(b.value);
	}
	return rc;
}
