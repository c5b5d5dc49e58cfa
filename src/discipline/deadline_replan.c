/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trials of the real-time disciplines (deadline.h), and replanning: running jobs
 * stay; all bookings are made anew together with one more job, earliest deadline
 * first. The new plan is adopted if every job still ends by its deadline. No
 * running job is touched, so that the only cost is the search.
 *
 * The jobs of a batch are answered in queue order, so the bookings planned
 * before one of them are the beginning of the next one's plan:
 *
 *     booked  booked  refused  booked  more  booked  booked
 *     |------ planned ------->|------>|-----> only for this one
 *
 * Cost: a window per booking that is not planned yet, and per booking behind
 * the job; a window per booking if a failed trial cannot be continued.
 */
#include <string.h>

#include "torus/state_find.h"
#include "discipline/deadline.h"
#include "discipline/deadline_repair.h"

bool torus_deadline_plan(struct torus_deadline *d, struct torus_timetable *t,
			 struct torus_job *job, int64_t now_us, int64_t from_us,
			 int64_t latest_us, int64_t length_us)
{
	struct torus_query q = {
		.job = job,
		.now_us = now_us,
		.from_us = from_us,
		.latest_us = latest_us,
		.length_us = length_us > 0 ? length_us : 1,
		.choice = d->rules.choice,
		.eat = d->rules.eat,
	};
	enum torus_answer answer;
	uint32_t booking;

	d->searched++;
	answer = torus_timetable_place(t, &q, &booking);
	d->s->lacked_memory |= answer == TORUS_FAILED;
	return answer == TORUS_FITS;
}

void torus_deadline_try(struct torus_deadline *d, struct torus_timetable *t)
{
	torus_timetable_clear(t);
	if (t->cubic)
		memcpy(t->cubes.level, d->real.cubes.level, t->cubes.nodes);
}

void torus_deadline_adopt(struct torus_deadline *d, struct torus_timetable *t)
{
	torus_timetable_clear(&d->real);
	for (uint32_t i = 0; i < t->bookings; i++) {
		const struct torus_booking *b = &t->booking[i];
		struct torus_window w = {
			.alternative = b->alternative,
			.when_us = b->start_us,
			.place = *torus_timetable_where(t, i),
		};
		uint32_t booking = torus_timetable_book(&d->real, b->job, &w,
							b->end_us - b->start_us);

		b->job->reservation = UINT32_MAX;
		if (booking == TORUS_NO_BOOKING)
			d->anew = d->s->lacked_memory = true;
		else
			torus_deadline_note(d, booking);
	}
	if (t->cubic)
		memcpy(d->real.cubes.level, t->cubes.level, t->cubes.nodes);
	torus_timetable_clear(t);
	d->trying = false;
	d->s->freed = ++d->s->stamp;
}

/* Return how late a booked job may start when bookings move. */
static int64_t replan_latest(const struct torus_job *job)
{
	int64_t latest_us = torus_latest_start(job, job->limit_us);

	return latest_us == TORUS_NO_TIME || latest_us < job->start_us ?
		       job->start_us :
		       latest_us;
}

static bool replan_plan_booked(struct torus_deadline *d, struct torus_job *job,
			       int64_t now_us)
{
	return torus_deadline_plan(d, &d->replan, job, now_us,
				   torus_deadline_from(d, now_us),
				   replan_latest(job), job->limit_us);
}

/* Return true if a failed trial can continue once its last bookings are
 * cancelled. Not with trees: they, and sub-cubes, may be split another way. */
static bool replan_is_reversible(const struct torus_deadline *d)
{
	return torus_state_timeless(d->s->state) && !d->replan.cubic;
}

/* Plan `more` and the booked jobs behind it. */
static bool replan_with(struct torus_deadline *d, struct torus_job *more,
			int64_t now_us)
{
	struct torus_job *job = torus_deadline_binding(d, more->next);

	if (!torus_deadline_plan(d, &d->replan, more, now_us,
				 torus_deadline_from(d, now_us),
				 torus_latest_start(more, more->limit_us),
				 more->limit_us))
		return false;
	for (; job; job = torus_deadline_binding(d, job->next)) {
		if (job->reservation != UINT32_MAX &&
		    !replan_plan_booked(d, job, now_us))
			return false;
	}
	return true;
}

bool torus_deadline_replan(struct torus_deadline *d, struct torus_job *more,
			   int64_t now_us)
{
	uint32_t before;
	struct torus_job *job = d->s->queue.head;

	/* Plan the booked jobs before `more` that an earlier job's trial has not planned
	 * yet. */
	if (!d->trying || !replan_is_reversible(d)) {
		torus_deadline_try(d, &d->replan);
		d->planned = NULL;
		d->trying = true;
	}
	if (d->planned)
		job = d->planned->next;
	job = torus_deadline_binding(d, job);
	for (; job != more; job = torus_deadline_binding(d, job->next)) {
		if (job->reservation == UINT32_MAX)
			continue;
		if (!replan_plan_booked(d, job, now_us))
			return false;
		d->planned = job;
	}
	before = d->replan.bookings;
	if (replan_with(d, more, now_us)) {
		torus_deadline_adopt(d, &d->replan);
		return true;
	}
	while (replan_is_reversible(d) && d->replan.bookings > before)
		torus_timetable_cancel(&d->replan, d->replan.bookings - 1);
	return false;
}
