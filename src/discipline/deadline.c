/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time disciplines (deadline.h): events and the pass.
 *
 * A pass repairs broken bookings, answers the arrival queue if it is triggered,
 * starts the bookings that are due, and tries the best-effort jobs in queue order,
 * in windows that move no booking. With `order: priority` the priority comes
 * before the deadline everywhere.
 *
 * The trigger (Mohapatra, section 3.1): the mean hold time before the earliest of
 * the latest start times in the arrival queue, or a full queue. Then all jobs in it
 * are answered, earliest deadline first. A job whose latest start has passed is
 * rejected without triggering anything.
 *
 * A batch that needs more than `windows` windows, or a pass that takes too long
 * (torus_scheduler_pass_limit()), continues in the next pass, at most a second
 * later, after at least one answer.
 *
 * Cost: a window per job answered, and more as deadline_admit.c says. Per pass
 * O(jobs with a deadline), and a window per best-effort job that would fit
 * without bookings, if nodes were freed since the job was last tried.
 */
#include "discipline/deadline.h"
#include "discipline/deadline_repair.h"

#include <errno.h>

#include "discipline/class.h"
#include "torus/alloc.h"

bool torus_deadline_before(const struct torus_job *a, const struct torus_job *b)
{
	if (torus_stands_before(&torus_job_index(a)->standing,
				&torus_job_index(b)->standing) ||
	    torus_stands_before(&torus_job_index(b)->standing,
				&torus_job_index(a)->standing))
		return torus_stands_before(&torus_job_index(a)->standing,
					   &torus_job_index(b)->standing);
	return a->sequence < b->sequence;
}

int64_t torus_deadline_rank(void *self, const struct torus_job *job,
			    int64_t now_us)
{
	(void)self;
	(void)now_us;
	return job->admitted && job->deadline_us == TORUS_NO_TIME ?
		       TORUS_NO_TIME - 1 :
		       job->deadline_us;
}

struct torus_job *torus_deadline_binding(const struct torus_deadline *d,
					 struct torus_job *job)
{
	if (d->s->settings.order_by_priority) {
		while (job && !torus_deadline_binds(job))
			job = job->next;
	}
	return job && torus_deadline_binds(job) ? job : NULL;
}

static struct torus_job *first_best_effort(const struct torus_deadline *d)
{
	struct torus_job *job = d->s->queue.head;

	while (job && torus_deadline_binds(job))
		job = job->next;
	return job;
}

void torus_deadline_submitted(void *self, struct torus_job *job, int64_t now_us)
{
	struct torus_deadline *d = self;

	(void)now_us;
	if (torus_deadline_binds(job))
		return;
	if (d->s->settings.order_by_priority)
		d->all = true;
	else if (!d->fresh)
		d->fresh = job;
}

/* The job ended before its planned end: others may start earlier. */
void torus_deadline_ended(void *self, struct torus_job *job, int64_t now_us)
{
	struct torus_deadline *d = self;
	int64_t end_us = torus_time_after(job->start_us, job->limit_us);

	if (torus_end_after(end_us, job->start_us) > now_us)
		d->compress = true;
	if (d->unplaced)
		d->anew = true;
}

void torus_deadline_note(struct torus_deadline *d, uint32_t booking)
{
	const struct torus_booking *b = &d->real.booking[booking];

	b->job->admitted = true;
	b->job->alternative = b->alternative;
	b->job->reservation = b->reservation;
	b->job->start_us = b->start_us;
}

void torus_deadline_unbook(struct torus_deadline *d, uint32_t booking)
{
	struct torus_job *job = d->real.booking[booking].job;

	torus_timetable_cancel(&d->real, booking);
	job->reservation = UINT32_MAX;
	job->start_us = TORUS_NO_TIME;
	d->s->freed = ++d->s->stamp;
}

static void unbook_job(struct torus_deadline *d, const struct torus_job *job)
{
	for (uint32_t i = 0; i < d->real.bookings; i++) {
		if (d->real.booking[i].job != job)
			continue;
		torus_deadline_unbook(d, i);
		return;
	}
}

void torus_deadline_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct torus_deadline *d = self;

	(void)now_us;
	if (job->reservation != UINT32_MAX) {
		unbook_job(d, job);
		d->compress = true;
	}
	if (d->fresh == job) {
		d->fresh = NULL;
		d->all = true;
	}
	job->admitted = false;
}

void torus_deadline_changed(void *self, int64_t now_us)
{
	struct torus_deadline *d = self;

	(void)now_us;
	d->anew = true;
}

/* The job may start earlier than booked. */
void torus_deadline_readmitted(void *self, struct torus_job *job, int64_t now_us)
{
	struct torus_deadline *d = self;

	(void)job;
	(void)now_us;
	d->compress = true;
}

bool torus_deadline_resumed(void *self, struct torus_job *job,
			    const struct torus_promise *promise)
{
	struct torus_deadline *d = self;
	const struct torus_window w = {
		.alternative = promise->alternative,
		.when_us = promise->start_us,
		.place = *promise->place,
	};
	uint32_t booking = torus_timetable_book(&d->real, job, &w,
						promise->end_us -
							promise->start_us);

	if (booking == TORUS_NO_BOOKING)
		return false;
	torus_deadline_note(d, booking);
	return true;
}

bool torus_deadline_book(struct torus_deadline *d, struct torus_job *job,
			 int64_t now_us, int64_t latest_us)
{
	if (!torus_deadline_plan(d, &d->real, job, now_us,
				 torus_deadline_from(d, now_us), latest_us,
				 job->limit_us))
		return false;
	torus_deadline_note(d, d->real.bookings - 1);
	return true;
}

/* Start the booked job and remove the booking; false if its place is in use. */
static bool deadline_start(struct torus_deadline *d, uint32_t booking,
			   int64_t now_us)
{
	struct torus_booking b = d->real.booking[booking];
	struct torus_placement place = *torus_timetable_where(&d->real, booking);

	/* A cancelled reservation stays readable until the next is made. */
	torus_timetable_cancel(&d->real, booking);
	b.job->reservation = UINT32_MAX;
	b.job->start_us = TORUS_NO_TIME;
	return torus_scheduler_start(d->s, b.job, b.alternative, &place, now_us);
}

/* Return the next booking that is due, in order of submission. */
static uint32_t next_due(const struct torus_deadline *d, int64_t now_us)
{
	const struct torus_booking *b = d->real.booking;
	uint32_t due = TORUS_NO_BOOKING;

	for (uint32_t i = 0; i < d->real.bookings; i++) {
		if (b[i].start_us <= now_us &&
		    (due == TORUS_NO_BOOKING ||
		     b[i].job->sequence < b[due].job->sequence))
			due = i;
	}
	return due;
}

/* Start the jobs whose bookings are due; false if one could not start. */
static bool start_due(struct torus_deadline *d, int64_t now_us)
{
	bool good = true;
	uint32_t i;

	while ((i = next_due(d, now_us)) != TORUS_NO_BOOKING)
		good &= deadline_start(d, i, now_us);
	return good;
}

/* Return the time at which the arrival queue is answered; TORUS_NO_TIME if it is
 * empty. Reject jobs whose latest start has passed. */
static int64_t deadline_trigger(struct torus_deadline *d, int64_t now_us)
{
	int64_t first = TORUS_NO_TIME;
	struct torus_job *job, *next;
	uint32_t arrivals = 0;

	for (job = torus_deadline_binding(d, d->s->queue.head); job;
	     job = next) {
		int64_t latest_us = torus_latest_start(job, job->limit_us);

		next = torus_deadline_binding(d, job->next);
		if (job->admitted)
			continue;
		if (latest_us < now_us) {
			torus_scheduler_reject(d->s, job,
					       "its deadline cannot be met any more");
			continue;
		}
		arrivals++;
		first = latest_us < first ? latest_us : first;
	}
	if (arrivals == 0)
		return TORUS_NO_TIME;
	if (!d->rules.defers ||
	    (d->rules.arrivals && arrivals >= d->rules.arrivals))
		return now_us;
	return first - d->rules.lead_us;
}

/*
 * Answer all jobs of the arrival queue, or those with the earliest deadlines if
 * it takes too many windows. Return true if running jobs were preempted.
 */
static bool deadline_answer(struct torus_deadline *d, int64_t now_us)
{
	uint64_t most = d->rules.windows ? d->rules.windows : UINT64_MAX;
	struct torus_job *job, *next;
	bool preempted = false;

	d->s->stats.batches += !d->halfway;
	d->halfway = d->trying = false;
	d->searched = 0;
	for (job = torus_deadline_binding(d, d->s->queue.head); job;
	     job = next) {
		next = torus_deadline_binding(d, job->next);
		if (job->admitted)
			continue;
		d->halfway = d->searched >= most ||
			     torus_scheduler_stops(d->s, job);
		if (d->halfway)
			break;
		d->s->stats.answered++;
		if (!torus_deadline_admit(d, job, now_us, &preempted) &&
		    !d->s->lacked_memory)
			torus_scheduler_reject(d->s, job,
					       "no place in time for its deadline");
	}
	return preempted;
}

/* Return true if the job would fit now without the bookings. */
static bool fits_without_bookings(struct torus_deadline *d,
				  struct torus_job *job, int64_t now_us)
{
	struct torus_placement place;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (torus_job_accepts(job, k, now_us) &&
		    torus_scheduler_find(d->s, job, k, now_us, &place))
			return true;
	}
	return false;
}

/* Start the job if that moves no booking. */
static bool try_best_effort(struct torus_deadline *d, struct torus_job *job,
			    int64_t now_us)
{
	if (job->tried == d->s->freed)
		return false;
	job->answer_us = 0;
	if (fits_without_bookings(d, job, now_us)) {
		if (!torus_deadline_spares(d, job, now_us))
			return false; /* tried again after the answers */
		if (torus_deadline_book(d, job, now_us, now_us)) {
			job->admitted = false; /* no promise was made */
			if (deadline_start(d, d->real.bookings - 1, now_us))
				return true;
		}
	}
	/* Time alone opens no window: a booking that begins later blocks the
	 * later starts too. */
	if (torus_job_next_alternative(job, now_us) == TORUS_NO_TIME)
		job->tried = d->s->freed;
	return false;
}

/* Scan the queue once. Return true if a job started. */
static bool scan_best_effort(struct torus_deadline *d, int64_t now_us)
{
	bool all = d->all || d->tried != d->s->freed || d->s->ladders;
	struct torus_job *job = all ? first_best_effort(d) : d->fresh, *next;
	bool started = false, spared = false;

	d->fresh = NULL;
	d->all = false;
	for (; job; job = next) {
		next = job->next;
		if (torus_state_free_nodes(d->s->state) == 0)
			break;
		if (torus_deadline_binds(job))
			continue;
		if (torus_scheduler_stops(d->s, job))
			break;
		started |= try_best_effort(d, job, now_us);
		spared |= job->answer_us != 0;
	}
	/* later jobs were not tried, or some wait for answers */
	d->all = job != NULL || spared;
	d->tried = d->s->freed;
	return started;
}

static void best_effort(struct torus_deadline *d, int64_t now_us)
{
	if (now_us < d->not_before_us) {
		d->all = true;
		return;
	}
	/* A start may split a partition tree into pieces that fit other jobs. */
	while (scan_best_effort(d, now_us) && !d->s->timeless)
		d->all = true;
}

/*
 * Return the next time at which a booking begins, the arrival queue is triggered
 * or an alternative becomes acceptable. A booking for the next instant waits for
 * an overdue job, whose end wakes the discipline; so does one behind jobs of no
 * length that wait for it. A timer would only move them on, instant by instant.
 */
static int64_t next_wake(struct torus_deadline *d, int64_t now_us)
{
	int64_t next = torus_scheduler_next_alternative(d->s, now_us);
	int64_t soon = torus_state_overdue(d->s->state, now_us) ?
			       now_us + 1 + d->real.bookings :
			       now_us;
	int64_t triggered = deadline_trigger(d, now_us);

	torus_deadline_note_answer(d, triggered, now_us);
	for (uint32_t i = 0; i < d->real.bookings; i++) {
		int64_t t = d->real.booking[i].start_us;

		if (t > soon && t < next)
			next = t;
	}
	if (triggered > now_us && triggered < next)
		next = triggered;
	if (d->halfway && now_us + TORUS_GO_ON_US < next)
		next = now_us + TORUS_GO_ON_US;
	if (d->not_before_us > now_us && d->not_before_us < next &&
	    first_best_effort(d))
		next = d->not_before_us;
	return next;
}

static int64_t deadline_pass(struct torus_deadline *d, int64_t now_us)
{
	d->spared = 0;
	if (d->anew || torus_deadline_blocked(d, now_us))
		torus_deadline_repair(d, now_us);
	else if (d->compress)
		torus_deadline_compress(d, now_us);
	if ((deadline_trigger(d, now_us) <= now_us || d->halfway) &&
	    deadline_answer(d, now_us))
		return next_wake(d, now_us); /* another pass follows */
	if (!start_due(d, now_us)) {
		torus_deadline_repair(d, now_us);
		d->unplaced |= !start_due(d, now_us);
	}
	torus_deadline_note_answer(d, deadline_trigger(d, now_us), now_us);
	best_effort(d, now_us);
	return next_wake(d, now_us);
}

/* After a failed allocation the next pass considers all jobs again. */
int64_t torus_deadline_pass(void *self, int64_t now_us)
{
	struct torus_deadline *d = self;
	int64_t wake_us = deadline_pass(d, now_us);
	uint64_t searches = d->real.cubes.searches + d->replan.cubes.searches +
			    d->phase2.cubes.searches;

	/* the searches that the scheduler's own plan does not count */
	if (d->replan_plan)
		searches += torus_plan_searches(d->replan_plan, NULL);
	if (d->phase2_plan)
		searches += torus_plan_searches(d->phase2_plan, NULL);
	d->s->stats.aside = searches;
	if (d->s->lacked_memory) {
		d->anew = d->all = true;
		d->s->freed = ++d->s->stamp;
	}
	return wake_us;
}

/* Create a timetable for trials, with its own plan. -1 with ENOMEM. */
static int deadline_create_trial(struct torus_timetable *t,
				 struct torus_state *state,
				 struct torus_plan **plan, uint32_t which)
{
	*plan = state ? torus_plan_create(state) : NULL;
	return *plan ? torus_timetable_init(t, state, *plan, which) : -1;
}

void *torus_deadline_create(struct torus_scheduler *s,
			    const struct torus_deadline_rules *rules)
{
	struct torus_deadline *d = torus_alloc(1, sizeof(*d));
	int rc;

	if (!d)
		return NULL;
	d->s = s;
	d->rules = *rules;
	torus_deadline_read(&d->rules, s);
	d->not_before_us = INT64_MIN;
	rc = torus_timetable_init(&d->real, s->state, s->plan, TORUS_PLAN_REAL);
	if (!rc && d->real.cubic) {
		d->levels = torus_alloc(d->real.cubes.nodes, 1);
		rc = d->levels ? 0 : -1;
	}
	if (!rc && d->rules.replans)
		rc = deadline_create_trial(&d->replan, s->state,
					   &d->replan_plan, TORUS_PLAN_TRIAL);
	if (!rc && d->rules.preempts) {
		d->empty = torus_state_create(torus_state_machine(s->state));
		rc = deadline_create_trial(&d->phase2, d->empty,
					   &d->phase2_plan, TORUS_PLANS);
	}
	if (!rc)
		return d;
	torus_deadline_destroy(d);
	return NULL;
}

void torus_deadline_destroy(void *self)
{
	struct torus_deadline *d = self;

	torus_timetable_free(&d->real);
	torus_timetable_free(&d->replan);
	torus_timetable_free(&d->phase2);
	torus_free(d->levels);
	torus_plan_destroy(d->replan_plan);
	torus_plan_destroy(d->phase2_plan);
	torus_state_destroy(d->empty);
	torus_free(d);
}
