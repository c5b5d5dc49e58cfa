/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy outside the library (torus/discipline.h, struct torus_policy_host) is asked
 * once in each pass. It orders the queue, and the pass is EASY's (easy.c) on that order;
 * jobs that it does not name follow by arrival. Or it names the jobs to start: each
 * starts if the strategy has a place for it now.
 *
 * The queue that a policy sees is in the order of arrival, which a list of the queued
 * jobs keeps: O(jobs) per pass, as is the sorting by the answer.
 */
#include <string.h>

#include "discipline/disciplines.h"
#include "torus/alloc.h"

struct policy {
	struct torus_scheduler *s;
	void *easy; /* its self */
	struct torus_job **arrived;
	uint32_t count, room;
};

static void policy_destroy(void *self)
{
	struct policy *p = self;

	if (p->easy)
		torus_discipline_easy.destroy(p->easy);
	torus_free(p->arrived);
	torus_free(p);
}

static void *policy_create(struct torus_scheduler *s)
{
	struct policy *p = torus_alloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->s = s;
	p->easy = torus_discipline_easy.create(s);
	if (!p->easy) {
		policy_destroy(p);
		return NULL;
	}
	return p;
}

static int policy_supports(const struct torus_machine *m,
			   const struct torus_scheduler_settings *settings,
			   struct torus_error *why)
{
	(void)m;
	if (settings->policy)
		return 0;
	return torus_error_add(why, "no policy is attached to the scheduler");
}

static int64_t policy_rank(void *self, const struct torus_job *job,
			   int64_t now_us)
{
	(void)self;
	(void)now_us;
	return job->policy_rank;
}

static void policy_submitted(void *self, struct torus_job *job, int64_t now_us)
{
	struct policy *p = self;

	if (TORUS_GROW(p->arrived, p->room, p->count + 1))
		p->s->lacked_memory = true;
	else
		p->arrived[p->count++] = job;
	torus_discipline_easy.submitted(p->easy, job, now_us);
}

static void policy_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct policy *p = self;
	uint32_t i = 0;

	while (i < p->count && p->arrived[i] != job)
		i++;
	if (i < p->count) {
		memmove(p->arrived + i, p->arrived + i + 1,
			(p->count - i - 1) * sizeof(*p->arrived));
		p->count--;
	}
	torus_discipline_easy.left(p->easy, job, now_us);
}

static int64_t policy_pass(void *self, int64_t now_us)
{
	struct policy *p = self;
	const struct torus_policy_host *host = p->s->settings.policy;
	struct torus_policy_answer answer = { .wake_us = TORUS_NO_TIME };
	int64_t wake_us;
	uint32_t queued = 0;

	if (p->count == 0)
		return TORUS_NO_TIME;
	for (uint32_t i = 0; i < p->count; i++)
		p->arrived[i]->policy_rank = 0;
	if (!host->ask(host->arg, p->arrived, p->count, now_us, &answer))
		return TORUS_NO_TIME;
	for (uint32_t i = 0; i < answer.count && !answer.start; i++)
		answer.named[i]->policy_rank = (int64_t)i - answer.count;
	if (answer.start) {
		/* Start the named jobs that have a place. */
		for (uint32_t i = 0; i < answer.count; i++) {
			if (torus_scheduler_stops(p->s, answer.named[i]))
				break;
			torus_scheduler_try(p->s, answer.named[i], now_us);
		}
		wake_us = torus_scheduler_next_alternative(p->s, now_us);
	} else {
		p->s->reordered |= torus_queue_order(p->s, now_us, true);
		wake_us = torus_discipline_easy.pass(p->easy, now_us);
	}
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->arrived[i]->state == TORUS_JOB_QUEUED)
			p->arrived[queued++] = p->arrived[i];
	}
	p->count = queued;
	return answer.wake_us < wake_us ? answer.wake_us : wake_us;
}

const struct torus_discipline torus_discipline_policy = {
	.name = "pipe",
	.summary = "easy in the order of a policy, or the jobs that it starts",
	.source = "own",
	.supports = policy_supports,
	.foresees = true,
	.rank = policy_rank,
	.why_no_limit = "the policy orders the queue",
	.searches = TORUS_SEARCHES_TIME,
	.create = policy_create,
	.destroy = policy_destroy,
	.submitted = policy_submitted,
	.left = policy_left,
	.pass = policy_pass,
};

const struct torus_discipline *
torus_policy_easy(const struct torus_discipline *own,
		  struct torus_discipline *slot)
{
	*slot = torus_discipline_easy;
	slot->name = own->name;
	slot->summary = own->summary ? own->summary : "";
	slot->source = own->source ? own->source : "own";
	slot->own = true;
	slot->rank = own->rank;
	slot->rank_stays = own->rank_stays;
	slot->rank_least = own->rank_least;
	slot->sorts = NULL;
	return slot;
}
