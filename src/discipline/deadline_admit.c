/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission of a job (deadline.h), in the steps that the discipline allows:
 *
 * 1. A window that moves nothing (phase 1 of Mohapatra, section 3.1).
 * 2. Replanning (deadline_replan.c): running jobs stay, all bookings are made
 *    anew.
 * 3. Phase 2: running jobs are preempted as well. All jobs are planned on the
 *    empty machine from now + the overhead on, earliest deadline first, running
 *    jobs with their remaining time. The plan is adopted only if every job fits.
 *
 * Steps 2 and 3 use trial timetables; the real one changes only when a trial is
 * adopted. A job that is late already (a wrong estimate, nodes out of service)
 * must only not become later.
 *
 * Cost: a window; 3 a window per booking and running job.
 */
#include "torus/state_find.h"
#include "torus/placement.h"
#include "discipline/deadline.h"
#include "discipline/deadline_repair.h"

/* Phase 2 */

/* Return the running job after `last` in the order of deadlines (NULL: the
 * first), or NULL at the end. */
static struct torus_job *next_running(const struct torus_deadline *d,
				      const struct torus_job *last)
{
	struct torus_job *next = NULL;

	for (uint32_t k = 0; k < torus_state_holds(d->s->state); k++) {
		struct torus_job *job =
			torus_state_ending(d->s->state, k)->owner;

		if (last && !torus_deadline_before(last, job))
			continue;
		if (!next || torus_deadline_before(job, next))
			next = job;
	}
	return next;
}

/* Return true if all running jobs are tracked and none is overdue. */
static bool deadline_admit_preemptible(const struct torus_state *s,
				       int64_t now_us)
{
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h = torus_state_ending(s, k);

		if (!h->owner || h->end_us <= now_us ||
		    h->end_us == TORUS_NO_TIME)
			return false;
	}
	return true;
}

/* Plan running jobs, admitted jobs and `more`, in the order of deadlines. */
static bool plan_everything(struct torus_deadline *d,
			    const struct torus_job *more, int64_t now_us,
			    int64_t from_us)
{
	struct torus_job *queued = torus_deadline_binding(d, d->s->queue.head);
	struct torus_job *running = next_running(d, NULL);
	bool fits = true;

	while (fits) {
		while (queued && queued != more && !queued->admitted)
			queued = torus_deadline_binding(d, queued->next);
		if (!queued && !running)
			break;
		if (!running ||
		    (queued && torus_deadline_before(queued, running))) {
			int64_t latest_us =
				torus_latest_start(queued, queued->limit_us);

			if (queued->admitted && latest_us < queued->start_us)
				latest_us = TORUS_NO_TIME;
			fits = torus_deadline_plan(d, &d->phase2, queued,
						   now_us, from_us, latest_us,
						   queued->limit_us);
			queued = torus_deadline_binding(d, queued->next);
		} else {
			int64_t left = running->limit_us -
				       (now_us - running->start_us);
			int64_t latest_us = torus_latest_start(running, left);

			fits = torus_deadline_plan(d, &d->phase2, running,
						   now_us, from_us,
						   latest_us < now_us ?
							   TORUS_NO_TIME :
							   latest_us,
						   left);
			running = next_running(d, running);
		}
	}
	return fits;
}

static bool deadline_admit_phase2(struct torus_deadline *d,
				  struct torus_job *more, int64_t now_us,
				  bool *preempted)
{
	int64_t from_us = torus_time_after(now_us, d->rules.overhead_us);

	if (from_us > torus_latest_start(more, more->limit_us) ||
	    !deadline_admit_preemptible(d->s->state, now_us))
		return false;
	torus_state_out(d->empty, torus_state_out_map(d->s->state));
	if (torus_state_set_links(d->empty, torus_state_links(d->s->state)) ||
	    torus_state_set_weights(d->empty, torus_state_weights(d->s->state))) {
		d->s->lacked_memory = true;
		return false;
	}
	torus_deadline_try(d, &d->phase2);
	if (!plan_everything(d, more, now_us, from_us))
		return false;
	for (uint32_t i = 0; i < d->phase2.bookings; i++) {
		struct torus_job *job = d->phase2.booking[i].job;

		if (job->state != TORUS_JOB_RUNNING)
			continue;
		job->admitted = true;
		torus_scheduler_preempt(d->s, job, now_us);
		*preempted = true;
	}
	torus_deadline_adopt(d, &d->phase2);
	d->not_before_us = from_us;
	return true;
}

bool torus_deadline_admit(struct torus_deadline *d, struct torus_job *job,
			  int64_t now_us, bool *preempted)
{
	return torus_deadline_book(d, job, now_us,
				   torus_latest_start(job, job->limit_us)) ||
	       (d->rules.replans && torus_deadline_replan(d, job, now_us)) ||
	       (d->rules.preempts &&
		deadline_admit_phase2(d, job, now_us, preempted));
}
