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

double torus_histogram_mean(const struct torus_histogram *h)
{
	double sum = 0;

	for (uint32_t i = 0; i < TORUS_HISTOGRAM_BUCKETS; i++)
		sum += h->bucket[i].sum;
	return h->total ? sum / (double)h->total : NAN;
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
		m->last_end_us = m->last_submit_us = INT64_MIN;
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

int64_t torus_account_held(const struct torus_account *job)
{
	return job->ran_us + job->end_us - job->start_us;
}

int64_t torus_account_wait(const struct torus_account *job)
{
	return job->start_us - job->submit_us - job->ran_us;
}

double torus_account_slowdown(const struct torus_account *job)
{
	int64_t wait_us = torus_account_wait(job);
	int64_t run_us = torus_account_held(job);
	int64_t bound_us = job->bound_us ? job->bound_us :
					   TORUS_SLOWDOWN_BOUND_US;
	double slowdown = ((double)wait_us + (double)run_us) /
			  (double)(run_us > bound_us ? run_us : bound_us);

	return slowdown > 1 ? slowdown : 1;
}

void torus_metrics_submit(struct torus_metrics *m, int64_t submit_us)
{
	m->jobs++;
	if (submit_us < m->first_submit_us)
		m->first_submit_us = submit_us;
	if (submit_us > m->last_submit_us) {
		m->last_submit_us = submit_us;
		m->beyond_us = 0; /* what ended so far ended before */
	}
}

/* Add work that waits from..to. O(slices). */
static void course_add(struct torus_course *c, int64_t from_us, int64_t to_us,
		       double work)
{
	if (!c->slice_us) {
		c->from_us = from_us;
		c->slice_us = (int64_t)SECOND;
	}
	while (to_us - c->from_us >= TORUS_COURSE_SLICES * c->slice_us) {
		/* double the slices */
		for (int i = 0; i < TORUS_COURSE_SLICES / 2; i++)
			c->waiting[i] = c->waiting[2 * i] +
					c->waiting[2 * i + 1];
		for (int i = TORUS_COURSE_SLICES / 2; i < TORUS_COURSE_SLICES;
		     i++)
			c->waiting[i] = 0;
		c->slice_us *= 2;
	}
	from_us = from_us > c->from_us ? from_us - c->from_us : 0;
	to_us -= c->from_us;
	while (from_us < to_us) {
		int64_t i = from_us / c->slice_us;
		int64_t next = (i + 1) * c->slice_us;

		next = next < to_us ? next : to_us;
		c->waiting[i] += work * (double)(next - from_us);
		from_us = next;
	}
}

/* Return the mean waiting work from..to, shares of the time between the first and the last
 * submission. */
static double course_mean(const struct torus_metrics *m, double from, double to)
{
	const struct torus_course *c = &m->course;
	double span = (double)(m->last_submit_us - m->first_submit_us);
	double begin = (double)(m->first_submit_us - c->from_us), sum = 0;
	double low = begin + from * span, high = begin + to * span;

	for (int i = 0; i < TORUS_COURSE_SLICES; i++) {
		double width = (double)c->slice_us;
		double a = fmax(low, i * width), b = fmin(high, (i + 1) * width);

		if (b > a)
			sum += c->waiting[i] * (b - a) / width;
	}
	return sum / (high - low);
}

#define GROWING_JOBS 20
#define GROWING_SHARE 0.03

bool torus_metrics_growing(const struct torus_metrics *m, uint32_t nodes)
{
	double quarter[4], span;

	if (m->jobs < GROWING_JOBS || !nodes || !m->course.slice_us ||
	    m->last_submit_us <= m->first_submit_us)
		return false;
	span = (double)(m->last_submit_us - m->first_submit_us);
	for (int k = 0; k < 4; k++)
		quarter[k] = course_mean(m, k / 4.0, (k + 1) / 4.0);
	return quarter[0] < quarter[1] && quarter[1] < quarter[2] &&
	       quarter[2] < quarter[3] && quarter[3] > 2 * quarter[0] &&
	       course_mean(m, 0.9, 1) > GROWING_SHARE * span * nodes;
}

static void run_add(struct torus_metrics *m, const struct torus_account *job)
{
	double run = (double)torus_account_held(job);

	m->requested_us += job->requested * run;
	m->granted_us += job->granted * run;
	m->running_us += run;
	if (job->end_us > m->last_submit_us) {
		int64_t from_us = job->start_us > m->last_submit_us ?
					  job->start_us :
					  m->last_submit_us;

		m->beyond_us += job->requested * (double)(job->end_us - from_us);
	}
	if (job->end_us > m->last_end_us)
		m->last_end_us = job->end_us;
}

static uint64_t not_negative(int64_t us)
{
	return us > 0 ? (uint64_t)us : 0;
}

void torus_metrics_add(struct torus_metrics *m, const struct torus_account *job)
{
	bool started = job->granted > 0;
	int64_t wait = started ? torus_account_wait(job) :
				 job->end_us - job->submit_us;
	double slowdown;

	m->outcome[job->outcome]++;
	m->queued_us += (double)wait;
	m->offered_us += (double)job->requested * (double)job->run_us;
	if (wait > 0)
		course_add(&m->course, job->submit_us, job->submit_us + wait,
			   (double)job->requested * (double)job->run_us);
	if (started)
		run_add(m, job);
	if (job->deadline) {
		double work = (double)job->requested * (double)job->run_us;

		m->deadlines++;
		m->deadline_work += work;
		if (job->outcome == TORUS_OUTCOME_REJECTED ||
		    job->outcome == TORUS_OUTCOME_MISSED) {
			m->deadlines_missed++;
			m->deadline_work_missed += work;
		}
	}
	if (job->outcome != TORUS_OUTCOME_COMPLETED)
		return;
	slowdown = torus_account_slowdown(job);
	torus_moments_add(&m->wait, (double)wait / SECOND);
	torus_moments_add(&m->response,
			  (double)(job->end_us - job->submit_us) / SECOND);
	torus_moments_add(&m->slowdown, slowdown);
	torus_histogram_add(&m->wait_us, not_negative(wait), 1);
	torus_histogram_add(&m->response_us,
			    not_negative(job->end_us - job->submit_us), 1);
	torus_histogram_add(&m->slowdown_millionths,
			    (uint64_t)llround(slowdown * 1e6), 1);
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

double torus_metrics_utilization_submitting(const struct torus_metrics *m,
					    uint32_t nodes)
{
	double span = (double)(m->last_submit_us - m->first_submit_us);

	return m->jobs && span > 0 ?
		       (m->requested_us - m->beyond_us) / span / nodes :
		       NAN;
}

double torus_metrics_offered(const struct torus_metrics *m, uint32_t nodes)
{
	double span = (double)(m->last_submit_us - m->first_submit_us);

	return m->jobs && span > 0 ? m->offered_us / span / nodes : NAN;
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
