/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conservative backfilling, in a plain form: every queued job has a
 * reservation, a region in time, and starts at its begin. A new job gets the
 * earliest window that disturbs none before it. When nodes become free
 * earlier than planned, the jobs are gone through in queue order and each
 * keeps its reservation unless it finds an earlier window; so a promised start
 * never gets later while estimates hold.
 *
 * When they do not (a job overran, nodes went out of service), or a strategy
 * with memory can no longer grant a reserved region at its time, all
 * reservations are dropped and made anew in queue order: the head's comes
 * first then, so that no job waits for ever.
 *
 * Cost: a window (torus/plan.h) per new job, and one per queued job whenever
 * a job ended early. Memory: the plan's reservations and profile.
 */
#include "discipline/disciplines.h"
#include "torus/alloc.h"

struct conservative {
	struct torus_scheduler *s;
	bool compress; /* something is free earlier than planned */
	bool anew;     /* the reservations are of no more use */
	int64_t passed; /* the latest pass */
};

/* An alternative's window. */
struct window {
	uint32_t alternative;
	int64_t when;
	struct torus_placement place;
};

static void *conservative_create(struct torus_scheduler *s)
{
	struct conservative *c = torus_alloc(1, sizeof(*c));

	if (c) {
		c->s = s;
		c->passed = INT64_MIN;
	}
	return c;
}

/* Ended as planned? (If it ran during a pass of this very instant, it was
 * planned to end in the next.) */
static void conservative_ended(void *self, struct torus_job *job, int64_t now)
{
	struct conservative *c = self;

	if (c->passed == now ||
	    now != torus_time_after(job->start_us, job->limit_us))
		c->compress = true;
}

static void unreserve(struct conservative *c, struct torus_job *job)
{
	if (job->reservation == UINT32_MAX)
		return;
	torus_plan_cancel(c->s->plan, job->reservation);
	job->reservation = UINT32_MAX;
	job->start_us = TORUS_NO_TIME;
}

static void conservative_left(void *self, struct torus_job *job, int64_t now)
{
	struct conservative *c = self;

	(void)now;
	unreserve(c, job);
	c->compress = true;
}

static void conservative_changed(void *self, int64_t now)
{
	struct conservative *c = self;

	(void)now;
	c->anew = true;
}

/* The earliest window of the acceptable alternatives, the first of equals.
 * (Finding none leaves the place found before as it was.) */
static bool earliest(struct conservative *c, struct torus_job *job,
		     int64_t now, int64_t latest, struct window *w)
{
	struct window other;
	bool found = false;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now) || latest < now)
			continue;
		if (torus_plan_window(c->s->plan, torus_job_ask(job, k, now),
				      job->request.strategy, job->allowed, now,
				      now, latest, job->limit_us, &other.when,
				      &other.place, NULL) != TORUS_FITS)
			continue;
		other.alternative = k;
		*w = other;
		latest = other.when - 1;
		found = true;
	}
	return found;
}

/* Start at once, or reserve. False if memory was short, or the strategy did
 * not grant what it found: the job is without a reservation then. */
static bool take(struct conservative *c, struct torus_job *job, int64_t now,
		 const struct window *w)
{
	int64_t end_us = torus_time_after(w->when, job->limit_us);

	if (w->when == now)
		return torus_scheduler_start(c->s, job, w->alternative,
					     &w->place, now);
	job->reservation = torus_plan_reserve(c->s->plan, &w->place, job->id,
					      job, w->when, end_us);
	if (job->reservation == UINT32_MAX)
		return false;
	job->alternative = w->alternative;
	job->start_us = w->when;
	return true;
}

/* The job's reservation, taken out of the plan; its place stays readable
 * until the next one is made, which takes its entry. */
static struct window withdraw(struct conservative *c, struct torus_job *job)
{
	const struct torus_reservation *r =
		torus_plan_reservation(c->s->plan, job->reservation);
	struct window w = { .alternative = job->alternative,
			    .when = r->start_us,
			    .place = r->place };

	unreserve(c, job);
	return w;
}

/* Look for an earlier window; keep the old one if there is none. */
static void improve(struct conservative *c, struct torus_job *job, int64_t now)
{
	struct window old = withdraw(c, job), w;

	if (!earliest(c, job, now, old.when - 1, &w))
		take(c, job, now, &old);
	else if (take(c, job, now, &w))
		c->compress = true;
	else
		c->anew = true;
}

/* False: a reservation could not be kept. */
static bool serve(struct conservative *c, struct torus_job *job, int64_t now,
		  bool compress)
{
	struct window w;

	if (job->reservation == UINT32_MAX) {
		if (earliest(c, job, now, TORUS_NO_TIME, &w))
			take(c, job, now, &w);
		return true;
	}
	if (job->start_us < now)
		return false;
	if (job->start_us == now) {
		w = withdraw(c, job);
		return take(c, job, now, &w);
	}
	if (compress || job->request.alternatives > 1)
		improve(c, job, now);
	return true;
}

static void start_anew(struct conservative *c)
{
	torus_plan_clear(c->s->plan);
	for (struct torus_job *job = c->s->queue.head; job; job = job->next) {
		job->reservation = UINT32_MAX;
		job->start_us = TORUS_NO_TIME;
	}
	c->anew = false;
}

/* Go through the queue; false: everything must be reserved anew. */
static bool serve_all(struct conservative *c, int64_t now)
{
	struct torus_job *job, *next;
	bool compress = c->compress;

	c->compress = false;
	for (job = c->s->queue.head; job; job = next) {
		next = job->next;
		if (!serve(c, job, now, compress))
			return false;
	}
	return true;
}

/* Is a running job overdue? It is planned to end in the next instant then,
 * and again in the one after that. */
static bool overdue(const struct torus_state *state, int64_t now)
{
	return torus_state_holds(state) > 0 &&
	       torus_state_hold(state, torus_state_by_end(state, 0))->end_us <=
		       now;
}

/* When a reservation begins or an alternative becomes acceptable. What waits
 * for overdue jobs begins when they end, not at a time. */
static int64_t next_start(const struct conservative *c, int64_t now)
{
	int64_t next = torus_scheduler_next_alternative(c->s, now);
	int64_t soon = overdue(c->s->state, now) ? now + 1 : now;
	const struct torus_job *job = c->s->queue.head;

	for (; job; job = job->next) {
		if (job->start_us > soon && job->start_us < next)
			next = job->start_us;
	}
	return next;
}

static int64_t conservative_pass(void *self, int64_t now)
{
	struct conservative *c = self;

	c->passed = now;
	if (c->anew)
		start_anew(c);
	if (!serve_all(c, now)) {
		start_anew(c);
		serve_all(c, now);
	}
	return next_start(c, now);
}

const struct torus_discipline torus_discipline_conservative = {
	.name = "conservative",
	.summary = "every queued job has a reservation that no later job may push back",
	.source = "Mao, Chen, Watson 2005, section 2.2 (named there)",
	.create = conservative_create,
	.destroy = torus_free,
	.ended = conservative_ended,
	.left = conservative_left,
	.changed = conservative_changed,
	.pass = conservative_pass,
};
