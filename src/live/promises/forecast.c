/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forecast of queued jobs without a promise: a simulation of the queue. A
 * second scheduler gets a copy of the state, without the owners of its holds, and
 * copies of the queue's first jobs. Each job runs to its limit, and no job is
 * submitted. The scheduler that decides is not used, so that a forecast cannot
 * change a decision. A forecast is no promise: early ends and new jobs move it.
 *
 * Cost: a copy of the state, then a pass per instant at which jobs end, until all
 * have started or the time is used up. The clock is read between jobs, so that a
 * long pass ends too. Jobs not reached have no forecast.
 */
#include "torus/state_text.h"
#include "live/cycle.h"
#include "live/promises/promises.h"
#include "live/mirror/mirror.h"

#include "live/base/lock_hold.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/usage.h"

struct forecast {
	struct cycle *c;
	struct torus_state *state;
	struct torus_scheduler *scheduler;
	struct torus_job *job;                 /* copies; host: the entry */
	struct torus_alternative *alternative; /* of these jobs */
	uint32_t jobs, waiting;
	int64_t until_us; /* of lock_hold_clock_us() */
};

static bool forecast_over(const struct forecast *f)
{
	return lock_hold_clock_us() >= f->until_us;
}

static bool forecast_pass_over(void *arg, uint32_t budgets)
{
	(void)budgets;
	return forecast_over(arg);
}

/* Return how many alternatives the jobs to copy have. */
static uint32_t count_alternatives(const struct forecast *f, uint32_t most)
{
	const struct torus_job *job =
		torus_scheduler_queue(f->c->scheduler)->head;
	uint32_t n = 0;

	for (uint32_t i = 0; job && i < most; job = job->next, i++)
		n += job->request.alternatives;
	return n;
}

static void copy_queue(struct forecast *f, uint32_t most)
{
	struct torus_job *job = torus_scheduler_queue(f->c->scheduler)->head;
	struct torus_alternative *alternative = f->alternative;

	for (; job && f->jobs < most; job = job->next) {
		struct mirror_entry *e = job->host;

		e->forecast_us = TORUS_NO_TIME;
		torus_free(e->forecast_nodes);
		e->forecast_nodes = NULL;
		f->job[f->jobs++] = (struct torus_job){
			.id = job->id,
			.request = torus_job_request_put(alternative,
							 &job->request),
			.submit_us = job->submit_us,
			.limit_us = job->limit_us,
			.deadline_us = job->deadline_us,
			.priority = job->priority,
			.turn = job->turn,
			.allowed = job->allowed,
			.outages = job->outages,
			.owner = job->owner,
			.host = e,
		};
		alternative += job->request.alternatives;
	}
}

static bool submit_queue(struct forecast *f)
{
	struct torus_usage usage;

	for (uint32_t i = 0;
	     torus_scheduler_usage(f->c->scheduler, i, &usage) &&
	     torus_scheduler_take_usage(f->scheduler, &usage, f->c->now_us) == 0;
	     i++)
		;
	for (uint32_t i = 0; i < f->jobs && !forecast_over(f); i++)
		f->waiting += torus_scheduler_submit(f->scheduler, &f->job[i],
						     f->c->now_us, NULL) == 0;
	return f->waiting > 0;
}

/* `job` has started: the same job starts in no other of its partitions. Return true if
 * one of those gave up nodes or its place in the queue. */
static bool forecast_settle(struct forecast *f, const struct torus_job *job,
			    int64_t now_us)
{
	const struct cycle_name *name =
		&((const struct mirror_entry *)job->host)->name;
	bool any = false;

	for (uint32_t i = 0; i < f->jobs; i++) {
		struct torus_job *other = &f->job[i];
		const struct mirror_entry *e = other->host;

		if (other == job || e->name.job != name->job ||
		    e->name.copy != name->copy)
			continue;
		if (other->state == TORUS_JOB_QUEUED) {
			torus_scheduler_remove(f->scheduler, other, now_us);
			f->waiting--;
			any = true;
		} else if (other->state == TORUS_JOB_RUNNING) {
			/* a later decision of the same pass */
			torus_scheduler_end(f->scheduler, other, now_us);
			any = true;
		}
	}
	return any;
}

/* Run a pass. Return when the next one is needed: at once if a job of several partitions
 * has started. */
static int64_t forecast_pass(struct forecast *f, int64_t now_us)
{
	int64_t wake_us, next = TORUS_NO_TIME;
	bool again = false;
	struct torus_job *job = torus_scheduler_pass(f->scheduler, now_us,
						     &wake_us);

	for (; job; job = job->decided) {
		struct mirror_entry *e = job->host;

		f->waiting--;
		if (job->state != TORUS_JOB_RUNNING)
			continue;
		e->forecast_us = now_us;
		torus_free(e->forecast_nodes);
		e->forecast_nodes = torus_alloc(f->c->m->words,
						sizeof(*e->forecast_nodes));
		if (e->forecast_nodes)
			torus_hold_paint(f->state,
					 torus_state_hold(f->state, job->slot),
					 e->forecast_nodes);
		again |= forecast_settle(f, job, now_us);
	}
	if (again)
		return now_us;
	if (torus_state_holds(f->state) > 0)
		next = torus_state_hold(f->state,
					torus_state_by_end(f->state, 0))
			       ->end_us;
	if (wake_us > now_us && wake_us < next)
		next = wake_us;
	return next > now_us ? next : now_us + 1;
}

static void forecast_play(struct forecast *f)
{
	const struct torus_pass_limit limit = { .over = forecast_pass_over,
						.arg = f };
	int64_t now_us = f->c->now_us;

	torus_scheduler_pass_limit(f->scheduler, &limit);
	do {
		int64_t next = forecast_pass(f, now_us);

		if (next == TORUS_NO_TIME)
			return;
		now_us = next;
		torus_scheduler_end_overdue(f->scheduler, now_us);
	} while (f->waiting > 0 && !forecast_over(f));
}

/* Let the running jobs end when the host's records say so, in whole seconds. A pass
 * starts its jobs between two seconds; with such ends chance decides whether a job ends
 * by the end of another, and the forecast would differ from a play of the host's
 * records (questions/forward.h). Without memory ends stay as they are. */
static void forecast_round_ends(struct forecast *f)
{
	uint32_t holds = torus_state_holds(f->state);
	uint32_t *slot = torus_alloc(holds, sizeof(*slot));

	for (uint32_t k = 0; slot && k < holds; k++)
		slot[k] = torus_state_by_end(f->state, k);
	for (uint32_t k = 0; slot && k < holds; k++) {
		const struct torus_hold *h = torus_state_hold(f->state, slot[k]);
		const struct cycle_name name = { .job = (uint32_t)h->job };
		const struct mirror_entry *e =
			h->job ? mirror_table_find(&f->c->running, &name) : NULL;

		if (e && e->host_end_us != TORUS_NODE_IDLE)
			torus_state_set_end(f->state, slot[k], e->host_end_us);
		else if (h->end_us != TORUS_NO_TIME)
			torus_state_set_end(f->state, slot[k],
					    h->end_us - h->end_us % 1000000);
	}
	torus_free(slot);
}

void forecast_run(struct cycle *c, uint32_t most, int64_t budget_us)
{
	const struct torus_job *job = torus_scheduler_queue(c->scheduler)->head;
	uint32_t queued = torus_scheduler_queue(c->scheduler)->length;
	struct forecast f = { .c = c,
			      .until_us = lock_hold_clock_us() + budget_us };

	while (job && job->reservation != UINT32_MAX)
		job = job->next;
	if (!job || c->settings.discipline->defers)
		return;
	f.job = torus_alloc(queued < most ? queued : most, sizeof(*f.job));
	f.alternative = torus_alloc(count_alternatives(&f, most),
				    sizeof(*f.alternative));
	f.state = torus_state_twin(c->state);
	if (f.job && f.alternative && f.state)
		f.scheduler = torus_scheduler_create(f.state, &c->settings,
						     NULL);
	if (f.scheduler) {
		forecast_round_ends(&f);
		copy_queue(&f, most);
		if (submit_queue(&f))
			forecast_play(&f);
	}
	torus_scheduler_destroy(f.scheduler);
	torus_state_destroy(f.state);
	torus_free(f.job);
	torus_free(f.alternative);
}
