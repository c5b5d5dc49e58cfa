/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's passes (torus/scheduler.h): where one ends, and how long the
 * search for its first job may take.
 */
#include "torus/state_find.h"
#include "discipline/disciplines.h"

void torus_scheduler_change(struct torus_scheduler *s, int64_t now_us)
{
	uint64_t generation = torus_state_generation(s->state);

	if (generation == s->generation)
		return;
	s->generation = generation;
	s->freed = ++s->stamp;
	if (s->discipline->changed)
		s->discipline->changed(s->self, now_us);
}

void torus_scheduler_pass_limit(struct torus_scheduler *s,
				const struct torus_pass_limit *limit)
{
	s->limit = *limit;
}

const struct torus_pass_cut *torus_scheduler_cut(const struct torus_scheduler *s)
{
	return &s->cut;
}

/* Cut the pass before the job. */
static void scheduler_cut_before(struct torus_scheduler *s,
				 const struct torus_job *job)
{
	s->cut.cut = true;
	for (; job; job = job->next)
		s->cut.left++;
}

bool torus_scheduler_stops(struct torus_scheduler *s,
			   const struct torus_job *job)
{
	const struct torus_pass_limit *limit = &s->limit;
	struct torus_pass_cut *cut = &s->cut;

	if (cut->cut)
		return true;
	if (limit->limited ?
		    cut->steps >= limit->steps :
		    cut->steps > 0 && limit->over && limit->over(limit->arg, 1))
		scheduler_cut_before(s, job);
	else
		cut->steps++;
	return cut->cut;
}

struct torus_search_limit *torus_scheduler_search_limit(struct torus_scheduler *s)
{
	return s->limit.limited || !s->limit.over ? NULL : &s->search_limit;
}

static bool search_is_over(void *arg)
{
	struct torus_scheduler *s = arg;

	return s->limit.over(s->limit.arg, s->cut.steps > 1 ? 1 : s->patience);
}

/* Adapt the time of the search for a pass's first job; `ended`: the limit ended
 * the search. If the search examined more windows than the first one, the next
 * pass continues behind them; otherwise the next search gets more time. */
static void settle_patience(struct torus_scheduler *s, bool ended)
{
	uint64_t windows;

	torus_plan_searches(s->plan, &windows);
	if (!ended)
		s->patience = TORUS_FIRST_BUDGETS;
	else if (windows - s->windows <= 1 && s->patience < UINT32_MAX / 2)
		s->patience *= 2;
}

bool torus_scheduler_interrupted(struct torus_scheduler *s,
				 const struct torus_job *job)
{
	if (s->cut.cut || !s->search_limit.cut)
		return false;
	s->cut.steps--;
	if (s->cut.steps == 0)
		settle_patience(s, true);
	scheduler_cut_before(s, job);
	return true;
}

bool torus_scheduler_ranks_late(struct torus_scheduler *s)
{
	if (s->limit.limited || !s->limit.over || s->cut.steps > 0 ||
	    !s->limit.over(s->limit.arg, s->patience))
		return false;
	settle_patience(s, true);
	scheduler_cut_before(s, s->queue.head);
	return true;
}

struct torus_job *torus_scheduler_pass(struct torus_scheduler *s,
				       int64_t now_us, int64_t *wake_us)
{
	torus_scheduler_change(s, now_us);
	if (s->back_us <= now_us)
		s->freed = ++s->stamp;
	s->first = s->last = NULL;
	s->lacked_memory = false;
	s->cut = (struct torus_pass_cut){ 0 };
	s->search_limit = (struct torus_search_limit){ .over = search_is_over,
						       .arg = s };
	torus_plan_searches(s->plan, &s->windows);
	s->reordered = torus_queue_order(s, now_us, false);
	torus_state_pass(s->state, true);
	if (s->discipline->pass)
		*wake_us = s->discipline->pass(s->self, now_us);
	else {
		/* Start jobs in queue order; no job overtakes the head. */
		while (s->queue.head &&
		       !torus_scheduler_stops(s, s->queue.head) &&
		       torus_scheduler_try(s, s->queue.head, now_us))
			;
		*wake_us = s->queue.head ?
				   torus_job_next_alternative(s->queue.head,
							      now_us) :
				   TORUS_NO_TIME;
	}
	torus_state_pass(s->state, false);
	if (s->cut.steps > 0)
		settle_patience(s, false);
	if (s->cut.cut && now_us + TORUS_GO_ON_US < *wake_us)
		*wake_us = now_us + TORUS_GO_ON_US;
	s->back_us = torus_scheduler_next_outage(s, now_us);
	if (s->back_us < *wake_us)
		*wake_us = s->back_us;
	s->stats.searches = torus_plan_searches(s->plan, NULL) + s->stats.aside;
	return s->first;
}
