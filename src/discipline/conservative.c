/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conservative backfilling: every queued job has a reservation, a region in
 * time, and starts at its begin. A new job gets the earliest window that
 * disturbs none before it; so a promised start never gets later while
 * estimates hold.
 *
 * Compression: when since the last pass a job has ended otherwise than
 * planned, a queued job was withdrawn or a reservation moved, the jobs are
 * gone through in queue order. Each gets the earliest window that begins
 * before its reservation, its own nodes counting as free; if there is none,
 * the reservation stays where and when it is. What one job leaves is there
 * for those behind it at once, for those before it in the next pass.
 *
 * When estimates do not hold (a job overran, nodes went out of service), or a
 * strategy with memory can no longer grant a reserved region at its time, all
 * reservations are dropped and made anew in queue order: the head's comes
 * first then, so that no job waits for ever.
 *
 * Cost: a window (torus/plan.h) per new job. In a compression, per queued job
 * a comparison of counts with each span of the profile up to its start; and
 * another window only where they leave room that was gained since its last
 * look. Memory: the plan's reservations and profile.
 */
#include "discipline/disciplines.h"
#include "torus/alloc.h"

struct conservative {
	struct torus_scheduler *s;
	bool compress;   /* something is free earlier than planned */
	uint64_t walk;   /* through the queue: one pass, or several where
			    passes are cut */
	bool halfway;    /* it was cut: the next pass goes on with it */
	bool compresses; /* it looks for earlier windows */
	bool anew;       /* the reservations are of no more use */
	int64_t passed;  /* the latest pass */
	uint64_t gained; /* torus_plan_gain_stamp() after it */
};

/* An alternative's window. */
struct conservative_window {
	uint32_t alternative;
	int64_t when_us;
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

/* Note whether it ended as planned. (If it ran during a pass of this very
 * instant, it was planned to end in the next. Its end may have been put off
 * meanwhile.) */
static void conservative_ended(void *self, struct torus_job *job, int64_t now_us)
{
	struct conservative *c = self;

	if (c->passed == now_us ||
	    torus_plan_gain_stamp(c->s->plan) != c->gained ||
	    now_us != torus_time_after(job->start_us, job->limit_us))
		c->compress = true;
}

static void conservative_unreserve(struct conservative *c, struct torus_job *job)
{
	if (job->reservation == UINT32_MAX)
		return;
	torus_plan_cancel(c->s->plan, job->reservation);
	job->reservation = UINT32_MAX;
	job->start_us = TORUS_NO_TIME;
}

static void conservative_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct conservative *c = self;

	(void)now_us;
	conservative_unreserve(c, job);
	c->compress = true;
}

/* (Where nobody waits nothing is reserved, but a host may be about to say what
 * was.) */
static void conservative_changed(void *self, int64_t now_us)
{
	struct conservative *c = self;

	(void)now_us;
	c->anew |= c->s->queue.length > 0;
}

static bool conservative_resumed(void *self, struct torus_job *job,
				 const struct torus_promised *promised)
{
	struct conservative *c = self;

	job->reservation = torus_plan_reserve(c->s->plan, promised->place,
					      job->id, job, promised->start_us,
					      promised->end_us);
	if (job->reservation == UINT32_MAX)
		return false;
	job->start_us = promised->start_us;
	job->alternative = promised->alternative;
	c->compress = true; /* perhaps it may come earlier */
	return true;
}

/* Perhaps it may come earlier. */
static void conservative_readmitted(void *self, struct torus_job *job,
				    int64_t now_us)
{
	struct conservative *c = self;

	(void)job;
	(void)now_us;
	c->compress = true;
}

/* Alternative k's earliest window from now to `latest`; for a job with a
 * reservation, one that is earlier than it. */
static enum torus_answer find_window(struct conservative *c,
				     struct torus_job *job, uint32_t k,
				     int64_t now_us, int64_t latest_us,
				     struct conservative_window *w)
{
	struct torus_ask ask = *torus_job_ask(job, k, now_us);
	struct torus_plan *plan = c->s->plan;
	struct torus_window_cache *cache =
		torus_class_cache(torus_job_index(job)->class[k],
				  TORUS_PLAN_REAL);
	struct torus_window_bounds bounds = {
		.now_us = now_us,
		.from_us = now_us,
		.latest_us = latest_us,
		.length_us = job->limit_us,
	};

	w->alternative = k;
	ask.limit = torus_scheduler_search_limit(c->s);
	if (job->reservation == UINT32_MAX)
		return torus_plan_window(plan, &ask, &bounds, cache,
					 &w->when_us, &w->place, NULL);
	bounds.since = job->tried;
	return torus_plan_earlier(plan, job->reservation, &ask, &bounds, cache,
				  &w->when_us, &w->place);
}

/* The earliest window of the acceptable alternatives, the first of equals; none
 * if the pass ends meanwhile. (Finding none leaves the place found before as it
 * was.) */
static bool conservative_earliest(struct conservative *c, struct torus_job *job,
				  int64_t now_us, struct conservative_window *w)
{
	int64_t latest_us = TORUS_NO_TIME;
	enum torus_answer answer;
	struct conservative_window other;
	bool found = false;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now_us) || latest_us < now_us)
			continue;
		answer = find_window(c, job, k, now_us, latest_us,
				     found ? &other : w);
		if (torus_scheduler_interrupted(c->s, job))
			return false;
		c->s->lacked_memory |= answer == TORUS_FAILED;
		if (answer != TORUS_FITS)
			continue;
		if (found)
			*w = other;
		latest_us = w->when_us - 1;
		found = true;
	}
	return found;
}

/* Start at once, or reserve. False if memory was short, or the strategy did
 * not grant what it found: the job is without a reservation then. */
static bool conservative_reserve_place(struct conservative *c,
				       struct torus_job *job, int64_t now_us,
				       const struct conservative_window *w)
{
	int64_t end_us = torus_time_after(w->when_us, job->limit_us);

	if (w->when_us == now_us)
		return torus_scheduler_start(c->s, job, w->alternative,
					     &w->place, now_us);
	job->reservation = torus_plan_reserve(c->s->plan, &w->place, job->id,
					      job, w->when_us, end_us);
	if (job->reservation == UINT32_MAX) {
		c->s->lacked_memory = true;
		return false;
	}
	job->alternative = w->alternative;
	job->start_us = w->when_us;
	return true;
}

/* Start at the reservation's place; it stays readable when it is cancelled.
 * False: it could not be kept. */
static bool start_reserved(struct conservative *c, struct torus_job *job,
			   int64_t now_us)
{
	const struct torus_reservation *r =
		torus_plan_reservation(c->s->plan, job->reservation);

	conservative_unreserve(c, job);
	return torus_scheduler_start(c->s, job, job->alternative, &r->place,
				     now_us);
}

/*
 * Look for a window, for an earlier one if there is a reservation. The next
 * look need only see what is gained from now on, unless a further alternative
 * becomes acceptable. Where the pass ends meanwhile, all is as if it had ended
 * before the job.
 */
static void conservative_search(struct conservative *c, struct torus_job *job,
				int64_t now_us)
{
	bool reserved = job->reservation != UINT32_MAX;
	struct conservative_window w;

	if (conservative_earliest(c, job, now_us, &w)) {
		conservative_unreserve(c, job);
		if (!conservative_reserve_place(c, job, now_us, &w))
			c->anew |= reserved;
		else
			c->compress |= reserved;
	}
	c->halfway = c->s->cut.cut;
	if (c->halfway)
		return;
	job->walk = c->walk;
	if (job->request.alternatives == 1 && !c->s->lacked_memory)
		job->tried = torus_plan_gain_stamp(c->s->plan);
}

/* False: a reservation could not be kept. Where the pass is cut, what is due
 * starts all the same. */
static bool conservative_start_due(struct conservative *c,
				   struct torus_job *job, int64_t now_us)
{
	bool reserved = job->reservation != UINT32_MAX;

	if (reserved && job->start_us < now_us)
		return false;
	if (reserved && job->start_us == now_us)
		return start_reserved(c, job, now_us);
	if (job->walk == c->walk ||
	    (reserved && !c->compresses && job->request.alternatives == 1))
		return true;
	if (!c->s->cut.cut)
		torus_plan_prepare(c->s->plan, now_us);
	if (torus_scheduler_stops(c->s, job))
		c->halfway = true;
	else
		conservative_search(c, job, now_us);
	return true;
}

static void start_anew(struct conservative *c)
{
	torus_plan_clear(c->s->plan);
	for (struct torus_job *job = c->s->queue.head; job; job = job->next) {
		job->reservation = UINT32_MAX;
		job->start_us = TORUS_NO_TIME;
	}
	c->anew = c->halfway = false;
}

/*
 * Until when reservations may do no more than wait for overdue jobs: those
 * jobs' planned end, and an instant for each job in the queue that is planned
 * to run for no time, as such jobs may stand one behind the other.
 */
static int64_t idle_until(const struct conservative *c, int64_t now_us)
{
	const struct torus_job *job;
	int64_t until_us = now_us;

	if (!torus_state_overdue(c->s->state, now_us))
		return now_us;
	until_us++;
	for (job = c->s->queue.head; job; job = job->next)
		until_us += job->limit_us <= 1;
	return until_us;
}

/*
 * Go through the queue, or as far as there is time; false: everything must be
 * reserved anew. *wake: when the first reservation begins. What waits for
 * overdue jobs begins when they end, not at a time.
 *
 * A walk that was cut is gone on with behind the jobs that it has looked at,
 * whatever has become free: else the tail of a long queue might never have its
 * turn. What became free is for the walk after it.
 */
static bool serve_all(struct conservative *c, int64_t now_us, int64_t *wake_us)
{
	int64_t idle = idle_until(c, now_us);
	struct torus_job *job, *next;

	if (!c->halfway) {
		c->walk++;
		c->compresses = c->compress;
		c->compress = false;
	}
	c->halfway = false;
	*wake_us = TORUS_NO_TIME;
	for (job = c->s->queue.head; job; job = next) {
		next = job->next;
		if (!conservative_start_due(c, job, now_us))
			return false;
		if (job->start_us > idle && job->start_us < *wake_us)
			*wake_us = job->start_us;
	}
	return true;
}

static int64_t conservative_pass(void *self, int64_t now_us)
{
	struct conservative *c = self;
	int64_t wake_us, next;

	c->passed = now_us;
	if (c->anew)
		start_anew(c);
	if (!serve_all(c, now_us, &wake_us)) {
		start_anew(c);
		serve_all(c, now_us, &wake_us);
	}
	c->compress |= c->s->lacked_memory;
	c->gained = torus_plan_gain_stamp(c->s->plan);
	next = torus_scheduler_next_alternative(c->s, now_us);
	return next < wake_us ? next : wake_us;
}

const struct torus_discipline torus_discipline_conservative = {
	.name = "conservative",
	.summary =
		"every queued job has a reservation that no later job may push back",
	.source = "Mao, Chen, Watson 2005, section 2.2 (named there)",
	.foresees = true,
	.create = conservative_create,
	.destroy = torus_free,
	.ended = conservative_ended,
	.left = conservative_left,
	.changed = conservative_changed,
	.readmitted = conservative_readmitted,
	.resumed = conservative_resumed,
	.pass = conservative_pass,
};
