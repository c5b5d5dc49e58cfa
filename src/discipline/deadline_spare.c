/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Best-effort jobs leave the windows of deadline jobs that wait for an answer.
 *
 * While answers are deferred, the jobs of the arrival queue have no bookings. So
 * each best-effort job is tried before it starts: the job is booked, then the
 * arrival queue in its order. The job may start if as many of them have windows
 * as without it. All these bookings are then cancelled, so that the answers to
 * the arrival queue do not depend on the trial.
 *
 * Cost: a window per job of the arrival queue for each best-effort job that
 * would start, except for jobs equal to one that had to wait at the same stamp.
 * After `windows` windows in a pass the other best-effort jobs wait.
 */
#include "discipline/deadline.h"
#include "discipline/deadline_repair.h"

#include <string.h>

static bool spare_is_unanswered(const struct torus_job *job, int64_t now_us)
{
	return !job->admitted &&
	       torus_latest_start(job, job->limit_us) >= now_us;
}

/* Book the arrival queue. Return the number of jobs that have a window. */
static uint32_t spare_book_all(struct torus_deadline *d, int64_t now_us)
{
	struct torus_job *job = torus_deadline_binding(d, d->s->queue.head);
	uint32_t placed = 0;

	for (; job; job = torus_deadline_binding(d, job->next)) {
		if (!spare_is_unanswered(job, now_us))
			continue;
		d->spared++;
		placed += torus_deadline_plan(d, &d->real, job, now_us,
					      torus_deadline_from(d, now_us),
					      torus_latest_start(job,
								 job->limit_us),
					      job->limit_us);
	}
	return placed;
}

/* Cancel the bookings of a trial: those from `base` on. */
static void spare_unbook_from(struct torus_deadline *d, uint32_t base)
{
	struct torus_cubes *cubes = &d->real.cubes;

	while (d->real.bookings > base)
		torus_timetable_cancel(&d->real, d->real.bookings - 1);
	if (d->real.cubic)
		memcpy(cubes->level, d->levels, cubes->nodes);
}

static bool spare_has_unanswered(const struct torus_deadline *d, int64_t now_us)
{
	struct torus_job *job = torus_deadline_binding(d, d->s->queue.head);

	while (job && !spare_is_unanswered(job, now_us))
		job = torus_deadline_binding(d, job->next);
	return job != NULL;
}

/* Return true if the job is equal to one that had to wait, and not shorter. */
static bool spare_waited_like(const struct torus_deadline *d,
			      const struct torus_job *job)
{
	return job->request.alternatives == 1 &&
	       torus_job_index(job)->class[0] &&
	       torus_job_index(job)->class[0] == d->waited &&
	       d->waited_at == d->s->freed && job->limit_us >= d->waited_us;
}

/* Return true if as many jobs have windows with the job as without it. */
static bool spare_try_out(struct torus_deadline *d, struct torus_job *job,
			  int64_t now_us)
{
	uint32_t base = d->real.bookings, without, with = 0;

	if (d->real.cubic)
		memcpy(d->levels, d->real.cubes.level, d->real.cubes.nodes);
	without = spare_book_all(d, now_us);
	spare_unbook_from(d, base);
	if (without == 0)
		return true;
	if (torus_deadline_plan(d, &d->real, job, now_us, now_us, now_us,
				job->limit_us))
		with = spare_book_all(d, now_us);
	spare_unbook_from(d, base);
	return with >= without;
}

bool torus_deadline_spares(struct torus_deadline *d, struct torus_job *job,
			   int64_t now_us)
{
	uint64_t most = d->rules.windows ? d->rules.windows : UINT64_MAX;

	if (d->rules.takes || !d->rules.defers ||
	    !spare_has_unanswered(d, now_us))
		return true;
	if (!spare_waited_like(d, job) && d->spared < most &&
	    spare_try_out(d, job, now_us))
		return true;
	d->waited = torus_job_index(job)->class[0];
	d->waited_at = d->s->freed;
	d->waited_us = job->limit_us;
	job->answer_us = d->answer_us;
	return false;
}

void torus_deadline_note_answer(struct torus_deadline *d, int64_t at_us,
				int64_t now_us)
{
	struct torus_job *job = torus_deadline_binding(d, d->s->queue.head);

	d->answer_us = at_us;
	for (; job; job = torus_deadline_binding(d, job->next))
		job->answer_us = spare_is_unanswered(job, now_us) ? at_us : 0;
}
