/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws jobs from a log by weeks, days or users (resample.h). A drawing is a list
 * of (job of the log, new submit time), sorted at the end. And the quality of the
 * fit. O(n log n).
 */
#include "trace/models/resample.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"
#include "trace/models/random.h"

#define HOUR_US (INT64_C(3600) * 1000000)
#define DAY_US (24 * HOUR_US)
#define WEEK_US (7 * DAY_US)
#define MOST_SLOTS (UINT64_C(1) << 24)

const char *const torus_resample_words[] = { "weeks", "days", "users", NULL };

/* One drawing. */
struct draw {
	const struct torus_log *log;
	struct torus_resample *like;
	struct torus_random random;
	uint64_t wanted; /* jobs; 0: one round */
	uint32_t room;
	uint32_t *copies; /* per user: how often drawn */
	struct torus_error *err;
};

static uint64_t like_whole(const struct torus_log *log, int64_t unit)
{
	return (uint64_t)((log->last_us - log->first_us) / unit);
}

/* Return the first job of the log from from_us on. O(log n). */
static uint64_t like_first(const struct torus_log *log, int64_t from_us)
{
	uint64_t low = 0, high = log->jobs;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (log->job[middle].submit_us < from_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int like_add(struct draw *d, uint64_t job, int64_t submit_us)
{
	struct torus_resample *like = d->like;
	struct torus_trace_record *to;

	if (TORUS_GROW(like->job, d->room, like->jobs + 1))
		return -1;
	to = &like->job[like->jobs++];
	*to = d->log->job[job];
	if (to->deadline_us != TORUS_NO_TIME)
		to->deadline_us += submit_us - to->submit_us;
	to->submit_us = submit_us;
	return 0;
}

/* Append a week or a day. */
static int like_unit(struct draw *d, int64_t unit)
{
	const struct torus_log *log = d->log;
	uint32_t k = torus_random_below(&d->random, d->like->from);
	int64_t from = log->first_us + k * unit;
	int64_t to = log->first_us + (int64_t)d->like->drawn * unit;

	for (uint64_t i = like_first(log, from);
	     i < log->jobs && log->job[i].submit_us < from + unit; i++) {
		if (like_add(d, i, to + log->job[i].submit_us - from))
			return -1;
	}
	d->like->drawn++;
	return 0;
}

/* Draw all users of a round, one by one; the log's span is its length. */
static int like_users(struct draw *d, uint32_t round)
{
	const struct torus_log *log = d->log;
	int64_t unit = like_whole(log, WEEK_US) >= TORUS_LIKE_LEAST ? WEEK_US :
		       like_whole(log, DAY_US) >= TORUS_LIKE_LEAST  ? DAY_US :
								      HOUR_US;
	uint64_t units = like_whole(log, unit) + 1;
	int64_t span = (int64_t)units * unit;

	for (uint32_t n = 0; n < log->users; n++) {
		uint32_t who = torus_random_below(&d->random, log->users);
		int64_t by = unit *
			     torus_random_below(&d->random, (uint32_t)units);

		d->copies[who]++;
		d->like->drawn++;
		for (uint64_t i = 0; i < log->jobs; i++) {
			int64_t at = log->job[i].submit_us - log->first_us + by;
			struct torus_trace_record *r;
			char name[TORUS_TRACE_USER_SIZE + 16];

			if (log->user[i] != who)
				continue;
			at = log->first_us + round * span + at % span;
			if (like_add(d, i, at))
				return -1;
			/* Rename a user who is drawn again: "ann.2", or 2000007 for user 7. */
			r = &d->like->job[d->like->jobs - 1];
			if (d->copies[who] < 2 || !*r->user)
				continue;
			if (strspn(r->user, "0123456789") == strlen(r->user))
				snprintf(name, sizeof(name), "%u%06" PRIu64,
					 d->copies[who],
					 torus_number_of(r->user));
			else
				snprintf(name, sizeof(name), "%.24s.%u",
					 r->user, d->copies[who]);
			snprintf(r->user, sizeof(r->user), "%.31s", name);
		}
	}
	return 0;
}

/* Choose the unit: the first of which the log has enough. */
static int like_settle(struct draw *d, enum torus_resample_by by)
{
	static const int64_t unit[] = {
		[TORUS_LIKE_WEEKS] = WEEK_US, [TORUS_LIKE_DAYS] = DAY_US
	};
	struct torus_resample *like = d->like;

	if (by == TORUS_LIKE_FITTING)
		by = like_whole(d->log, WEEK_US) >= TORUS_LIKE_LEAST ?
			     TORUS_LIKE_WEEKS :
		     like_whole(d->log, DAY_US) >= TORUS_LIKE_LEAST ?
			     TORUS_LIKE_DAYS :
			     TORUS_LIKE_USERS;
	like->by = by;
	like->from = by == TORUS_LIKE_USERS ?
			     d->log->users :
			     (uint32_t)like_whole(d->log, unit[by]);
	if (like->from >= 2)
		return 0;
	errno = EINVAL;
	return torus_error_add(d->err,
			       "%" PRIu32
			       " %s in the log, which is %.3g days long; two are needed to draw from: choose among weeks, days and users, or give a longer log",
			       like->from, torus_resample_words[by - 1],
			       (double)(d->log->last_us - d->log->first_us) /
				       (double)DAY_US);
}

static int like_draw_all(struct draw *d)
{
	const struct torus_resample *like = d->like;
	int64_t unit = like->by == TORUS_LIKE_WEEKS ? WEEK_US : DAY_US;
	uint32_t round = 0,
		 rounds = like->by == TORUS_LIKE_USERS ? 1 : like->from;

	while (d->wanted ? like->jobs < d->wanted : round < rounds) {
		uint64_t before = like->jobs;

		if (like->by == TORUS_LIKE_USERS ? like_users(d, round) :
						   like_unit(d, unit))
			return -1;
		round++;
		/* quiet days may follow each other, but not endlessly */
		if (like->jobs == before && round > 1000000)
			break;
	}
	return 0;
}

/* Take the log's jobs as they are. */
static int like_take_all(struct draw *d)
{
	for (uint64_t i = 0; i < d->log->jobs; i++)
		if (like_add(d, i, d->log->job[i].submit_us))
			return -1;
	return 0;
}

/* Sort equal times by the line in the log. */
static int like_in_order(const void *a, const void *b)
{
	const struct torus_trace_record *x = a, *y = b;

	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->user, y->user);
}

/* Scale submit times to the wanted load. */
static int like_scale(struct draw *d, double load)
{
	struct torus_resample *like = d->like;
	double factor, most = (double)TORUS_TRACE_MAX_SECONDS * 1e6;
	int64_t first = like->jobs ? like->job[0].submit_us : 0;

	like->load = torus_log_load(like->job, like->jobs, like->nodes);
	if (!(load > 0))
		return 0;
	if (!(like->load > 0)) {
		errno = EINVAL;
		return torus_error_add(d->err,
				       "load: %" PRIu64
				       " jobs submitted at one time have none",
				       like->jobs);
	}
	factor = like->load / load;
	for (uint64_t i = 0; i < like->jobs; i++) {
		struct torus_trace_record *r = &like->job[i];
		double us = (double)(r->submit_us - first) * factor;
		int64_t moved = first + llround(fmin(us, most)) - r->submit_us;

		r->submit_us += moved;
		if (r->deadline_us != TORUS_NO_TIME)
			r->deadline_us += moved;
	}
	like->load = torus_log_load(like->job, like->jobs, like->nodes);
	return 0;
}

struct torus_resample *
torus_resample_draw(const struct torus_log *log,
		    const struct torus_resample_options *options,
		    struct torus_error *err)
{
	struct draw d = { .log = log, .wanted = options->jobs, .err = err };

	d.like = torus_alloc(1, sizeof(*d.like));
	d.copies = torus_alloc(log->users, sizeof(*d.copies));
	torus_random_init(&d.random, options->seed, options->replication,
			  TORUS_PURPOSE_PIECES);
	if (!d.like || !d.copies || like_settle(&d, options->by) ||
	    (options->itself ? like_take_all(&d) : like_draw_all(&d)))
		goto error;
	qsort(d.like->job, d.like->jobs, sizeof(*d.like->job), like_in_order);
	if (d.wanted && d.wanted < d.like->jobs)
		d.like->jobs = d.wanted;
	d.like->nodes = options->nodes ? options->nodes : log->nodes;
	if (like_scale(&d, options->load))
		goto error;
	for (uint64_t i = 0; i < d.like->jobs; i++) {
		d.like->job[i].line = i + 1;
		snprintf(d.like->job[i].id, sizeof(d.like->job[i].id),
			 "%" PRIu64, i + 1);
	}
	torus_free(d.copies);
	return d.like;
error:
	torus_free(d.copies);
	torus_resample_destroy(d.like);
	return NULL;
}

void torus_resample_destroy(struct torus_resample *like)
{
	int saved = errno;

	if (!like)
		return;
	torus_free(like->job);
	torus_free(like);
	errno = saved;
}

/* Quality of the fit */

const char *const torus_resample_quantities[TORUS_LIKE_QUANTITIES] = {
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
double torus_resample_distance(double *a, uint64_t n, double *b, uint64_t m)
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
		    uint64_t jobs, enum torus_resample_quantity what)
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
		    uint64_t jobs, enum torus_resample_quantity what,
		    int64_t slot, uint32_t nodes)
{
	int rc = what == TORUS_LIKE_WORK ? fit_work(s, job, jobs, slot, nodes) :
					   fit_jobs(s, job, jobs, what);

	for (uint64_t i = 0; !rc && i < s->n; i++)
		s->sum += s->value[i];
	return rc;
}

int torus_resample_fit(const struct torus_log *log,
		       const struct torus_resample *like,
		       struct torus_resample_fit fit[TORUS_LIKE_QUANTITIES])
{
	bool days = log->last_us - log->first_us >= TORUS_LIKE_LEAST * DAY_US;
	int64_t slot = days ? DAY_US : HOUR_US;
	int rc = 0;

	for (int q = 0; q < TORUS_LIKE_QUANTITIES && !rc; q++) {
		enum torus_resample_quantity what =
			(enum torus_resample_quantity)q;
		struct fit_sample a = { 0 }, b = { 0 };

		rc = fit_take(&a, log->job, log->jobs, what, slot, like->nodes);
		if (!rc)
			rc = fit_take(&b, like->job, like->jobs, what, slot,
				      like->nodes);
		if (!rc)
			fit[q] = (struct torus_resample_fit){
				a.sum / (double)a.n,
				b.sum / (double)b.n,
				torus_resample_distance(a.value, a.n, b.value,
							b.n),
			};
		torus_free(a.value);
		torus_free(b.value);
	}
	return rc;
}
