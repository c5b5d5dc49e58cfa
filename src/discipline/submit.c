/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that enter and leave the queue (torus/scheduler.h): their node counts, their
 * classes, and whether the machine could ever serve them.
 */
#include "torus/state_find.h"
#include "discipline/disciplines.h"

/* Set the job's node count on this machine, also in its ask. */
static uint64_t scheduler_nodes(const struct torus_scheduler *s,
				struct torus_ask *ask)
{
	torus_machine_settle(torus_state_machine(s->state), ask);
	return torus_ask_nodes(ask);
}

void torus_scheduler_classify(struct torus_scheduler *s, struct torus_job *job)
{
	const struct torus_job_request *r = &job->request;

	job->nodes = UINT32_MAX;
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_ask *ask = &job->request.alternative[k].ask;
		uint64_t nodes = scheduler_nodes(s, ask);
		struct torus_class *c = torus_class_take(s->classes, s->state,
							 job, k);

		if (torus_lanes_reserve(&s->lanes, s->classes->count,
					s->shares.on ? s->shares.count + 1 : 0)) {
			torus_class_drop(s->classes, c);
			c = NULL;
		}
		torus_job_index(job)->class[k] = c;
		s->lacked_memory |= c == NULL;
		if (nodes < job->nodes)
			job->nodes = (uint32_t)nodes;
	}
}

/* Copy the job's allowed nodes and outages into each of its asks. */
static void bind_asks(struct torus_job *job, const uint64_t *allowed,
		      const struct torus_outages *outages)
{
	job->allowed = allowed;
	job->outages = outages;
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask *ask = &job->request.alternative[k].ask;

		ask->allowed = allowed;
		ask->outages = outages;
	}
}

static void scheduler_declassify(struct torus_scheduler *s,
				 struct torus_job *job)
{
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		torus_class_drop(s->classes, torus_job_index(job)->class[k]);
		torus_job_index(job)->class[k] = NULL;
	}
}

/* Return FITS if any of the job's alternatives could ever be served, NOT_NOW if
 * the bounded search for several regions left one open. */
static enum torus_answer scheduler_possible(struct torus_scheduler *s,
					    const struct torus_job *job,
					    struct torus_error *why)
{
	const struct torus_job_request *r = &job->request;
	enum torus_answer best = TORUS_NEVER;

	for (uint32_t k = 0; k < r->alternatives; k++) {
		enum torus_answer answer =
			torus_job_index(job)->class[k] ?
				torus_job_index(job)->class[k]->possible :
				torus_state_possible(s->state,
						     &r->alternative[k].ask,
						     NULL, NULL);

		if (answer == TORUS_FITS)
			return TORUS_FITS;
		if (answer == TORUS_NOT_NOW)
			best = TORUS_NOT_NOW;
	}
	for (uint32_t k = 0; why && k < r->alternatives; k++)
		torus_state_possible(s->state, &r->alternative[k].ask, NULL,
				     why);
	return best;
}

void torus_scheduler_enter(struct torus_scheduler *s, struct torus_job *job,
			   int64_t now_us)
{
	job->state = TORUS_JOB_QUEUED;
	torus_queue_add(s, job, now_us);
	s->ladders += job->request.alternatives > 1;
	s->restricted += job->outages != NULL;
}

enum torus_answer torus_scheduler_submit(struct torus_scheduler *s,
					 struct torus_job *job, int64_t now_us,
					 struct torus_error *why)
{
	enum torus_answer possible;
	struct torus_job_request *r;
	struct torus_placement place;

	s->lacked_memory = false;
	job->sequence = ++s->sequence;
	job->prev = job->next = job->decided = NULL;
	job->alternative = 0;
	job->tried = job->walk = 0;
	job->admitted = job->preempted = false;
	job->start_us = TORUS_NO_TIME;
	job->slot = TORUS_NO_SLOT;
	job->reservation = UINT32_MAX;
	job->reason = NULL;
	bind_asks(job, job->allowed, job->outages);
	/* On a machine of several toruses a count is the same number of nodes in each:
	 * the number that torus_state_possible() grants. */
	r = &job->request;
	if (torus_state_machine(s->state)->pods != 1) {
		for (uint32_t k = 0; k < r->alternatives; k++) {
			struct torus_ask *ask = &r->alternative[k].ask;

			if (ask->by_count && !ask->granted &&
			    torus_state_possible(s->state, ask, &place, NULL) ==
				    TORUS_FITS)
				ask->granted = place.granted;
		}
	}
	s->lacked_memory |= torus_shares_enter(&s->shares, job) != 0;
	job->charged = 0;
	torus_scheduler_classify(s, job);
	possible = scheduler_possible(s, job, why);
	if (possible != TORUS_FITS) {
		scheduler_declassify(s, job);
		job->state = TORUS_JOB_REJECTED;
		job->reason =
			possible == TORUS_NEVER ?
				"not even the empty machine has a place for it" :
				"the search for its regions, which is bounded, finds no place on the empty machine";
		return TORUS_NEVER;
	}
	torus_scheduler_enter(s, job, now_us);
	if (s->discipline->submitted)
		s->discipline->submitted(s->self, job, now_us);
	return TORUS_FITS;
}

void torus_scheduler_leave(struct torus_scheduler *s, struct torus_job *job)
{
	torus_queue_remove(s, job);
	scheduler_declassify(s, job);
	s->ladders -= job->request.alternatives > 1;
	s->restricted -= job->outages != NULL;
}

void torus_scheduler_readmit(struct torus_scheduler *s, struct torus_job *job,
			     const uint64_t *allowed,
			     const struct torus_outages *outages, int64_t now_us)
{
	s->lacked_memory = false;
	torus_queue_leave_lane(s, job);
	scheduler_declassify(s, job);
	s->restricted -= job->outages != NULL;
	bind_asks(job, allowed, outages);
	s->restricted += job->outages != NULL;
	job->tried = 0;
	torus_scheduler_classify(s, job);
	torus_queue_enter_lane(s, job);
	if (s->discipline->readmitted)
		s->discipline->readmitted(s->self, job, now_us);
}

void torus_scheduler_resume(struct torus_scheduler *s, struct torus_job *job,
			    const struct torus_promise *promise)
{
	s->lacked_memory = false;
	job->admitted = promise->admitted;
	if (promise->place && s->discipline->resumed &&
	    !s->discipline->resumed(s->self, job, promise))
		s->lacked_memory = true;
}

void torus_scheduler_remove(struct torus_scheduler *s, struct torus_job *job,
			    int64_t now_us)
{
	torus_scheduler_leave(s, job);
	job->state = TORUS_JOB_NEW;
	if (s->discipline->left)
		s->discipline->left(s->self, job, now_us);
}
