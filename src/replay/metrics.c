/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running sums of a replay (metrics.h). O(1) per job, no allocation. */
#include "replay/metrics.h"
#include "torus/alloc.h"

#include <math.h>

/*
 * Histogram with buckets that grow with the value. Values below
 * 512 have a bucket each; larger values are cut to their leading 10 bits:
 *
 *	value 0 .. 511 | 512 .. 1023 | 1024 .. 2047    | 2048 .. 4095
 *	width     1    |      1      | 2 (512 buckets) | 4 (512 buckets) ...
 */

#define SUB_BITS 9

static uint32_t histogram_bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value < TORUS_HISTOGRAM_SUB)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n)
{
	uint32_t b = histogram_bucket_of(value);

	h->bucket[b].count += n;
	h->bucket[b].sum += (double)value * (double)n;
	h->total += n;
	if (value > h->max)
		h->max = value;
}

double torus_histogram_quantile(const struct torus_histogram *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->total);
	uint64_t seen = 0;
	uint32_t i;

	if (rank < 1)
		rank = 1;
	for (i = 0; i < TORUS_HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i].count;
		if (seen >= rank && h->total)
			return h->bucket[i].sum / (double)h->bucket[i].count;
	}
	return (double)h->max;
}

#define SECOND 1e6

const char *const torus_outcome_names[TORUS_OUTCOMES] = {
	"completed", "rejected", "missed", "failed", "unfinished",
};

struct torus_metrics *torus_metrics_create(void)
{
	struct torus_metrics *m = torus_alloc(1, sizeof(*m));

	if (m) {
		m->first_submit_us = INT64_MAX;
		m->last_end_us = INT64_MIN;
	}
	return m;
}

void torus_metrics_destroy(struct torus_metrics *m)
{
	if (m)
		torus_idle_free(&m->idle);
	torus_free(m);
}

void torus_moments_add(struct torus_moments *moments, double value)
{
	double delta = value - moments->mean;

	moments->n++;
	moments->mean += delta / (double)moments->n;
	moments->m2 += delta * (value - moments->mean);
}

double torus_moments_variance(const struct torus_moments *moments)
{
	return moments->n < 2 ? NAN : moments->m2 / (double)(moments->n - 1);
}

double torus_bounded_slowdown(int64_t wait_us, int64_t run_us)
{
	int64_t floor_us = run_us > TORUS_SLOWDOWN_THRESHOLD_US ?
				   run_us :
				   TORUS_SLOWDOWN_THRESHOLD_US;
	double slowdown = ((double)wait_us + (double)run_us) / (double)floor_us;

	return slowdown > 1 ? slowdown : 1;
}

int64_t torus_account_held(const struct torus_account *job)
{
	return job->ran_us + job->end_us - job->start_us;
}

int64_t torus_account_wait(const struct torus_account *job)
{
	return job->start_us - job->submit_us - job->ran_us;
}

void torus_metrics_submit(struct torus_metrics *m, int64_t submit_us)
{
	m->jobs++;
	if (submit_us < m->first_submit_us)
		m->first_submit_us = submit_us;
}

static void deadline_add(struct torus_metrics *m,
			 const struct torus_account *job)
{
	double work = (double)job->requested * (double)job->run_us;

	m->deadlines++;
	m->deadline_work += work;
	if (job->outcome != TORUS_OUTCOME_REJECTED &&
	    job->outcome != TORUS_OUTCOME_MISSED)
		return;
	m->deadlines_missed++;
	m->deadline_work_missed += work;
}

static void run_add(struct torus_metrics *m, const struct torus_account *job)
{
	double run = (double)torus_account_held(job);

	m->requested_us += job->requested * run;
	m->granted_us += job->granted * run;
	m->running_us += run;
	if (job->end_us > m->last_end_us)
		m->last_end_us = job->end_us;
}

static uint64_t not_negative(int64_t us)
{
	return us > 0 ? (uint64_t)us : 0;
}

static void completed_add(struct torus_metrics *m, int64_t wait_us,
			  int64_t response_us, double slowdown)
{
	torus_moments_add(&m->wait, (double)wait_us / SECOND);
	torus_moments_add(&m->response, (double)response_us / SECOND);
	torus_moments_add(&m->slowdown, slowdown);
	torus_histogram_add(&m->wait_us, not_negative(wait_us), 1);
	torus_histogram_add(&m->response_us, not_negative(response_us), 1);
	torus_histogram_add(&m->slowdown_millionths,
			    (uint64_t)llround(slowdown * 1e6), 1);
}

void torus_metrics_add(struct torus_metrics *m, const struct torus_account *job)
{
	bool started = job->granted > 0;
	int64_t wait = started ? torus_account_wait(job) :
				 job->end_us - job->submit_us;

	m->outcome[job->outcome]++;
	m->queued_us += (double)wait;
	if (started)
		run_add(m, job);
	if (job->deadline)
		deadline_add(m, job);
	if (job->outcome != TORUS_OUTCOME_COMPLETED)
		return;
	completed_add(m, wait, job->end_us - job->submit_us,
		      torus_bounded_slowdown(wait, torus_account_held(job)));
}

double torus_metrics_span(const struct torus_metrics *m)
{
	if (m->last_end_us == INT64_MIN)
		return NAN;
	return (double)(m->last_end_us - m->first_submit_us) / SECOND;
}

/* Return NAN if the span is 0. */
static double over_span(const struct torus_metrics *m, double us)
{
	double span = torus_metrics_span(m);

	return span > 0 ? us / SECOND / span : NAN;
}

double torus_metrics_utilization(const struct torus_metrics *m, uint32_t nodes,
				 bool granted)
{
	return over_span(m, granted ? m->granted_us : m->requested_us) / nodes;
}

double torus_metrics_queue(const struct torus_metrics *m)
{
	return over_span(m, m->queued_us);
}

double torus_metrics_running(const struct torus_metrics *m)
{
	return over_span(m, m->running_us);
}

double torus_metrics_miss(const struct torus_metrics *m, bool by_work)
{
	if (!m->deadlines)
		return NAN;
	if (!by_work)
		return (double)m->deadlines_missed / (double)m->deadlines;
	return m->deadline_work > 0 ?
		       m->deadline_work_missed / m->deadline_work :
		       NAN;
}
