/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why nodes are idle at an instant (idle_cause.h; definition in idle.h). The
 * answers come from the strategies, whose state does not change by queries.
 */
#include "replay/idle_cause.h"

#include <string.h>

/* Return true if the job may start with this alternative now. */
static bool alternative_counts(const struct torus_job *job, uint32_t k,
			       int64_t now_us)
{
	return job->preempted ? k == job->alternative :
				torus_job_accepts(job, k, now_us);
}

/* Return the fewest nodes that the job would take now; UINT32_MAX: none. */
static uint32_t least_nodes(const struct torus_job *job, int64_t now_us)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		uint64_t n = torus_ask_nodes(&job->request.alternative[k].ask);

		if (alternative_counts(job, k, now_us) && n < least)
			least = (uint32_t)n;
	}
	return least;
}

static uint32_t free_nodes(const struct torus_state *state,
			   const struct torus_job *job)
{
	const uint64_t *map = torus_state_free_map(state);
	uint32_t words = torus_state_machine(state)->words, n = 0;

	if (!job->allowed)
		return torus_state_free_nodes(state);
	for (uint32_t w = 0; w < words; w++)
		n += (uint32_t)__builtin_popcountll(map[w] & job->allowed[w]);
	return n;
}

static bool fits(struct torus_state *state, const struct torus_ask *ask)
{
	struct torus_ask any = *ask;
	struct torus_placement place;

	any.any_place = true;
	return torus_state_find(state, &any, &place, NULL) == TORUS_FITS;
}

static struct torus_ask ask_of(const struct torus_job *job, uint32_t k,
			       int64_t now_us)
{
	struct torus_ask ask = job->request.alternative[k].ask;

	ask.allowed = job->allowed;
	ask.now_us = now_us;
	ask.end_us = torus_time_after(now_us, job->limit_us);
	return ask;
}

/* Return how many nodes the empty machine grants for a count; 0: none. It has all
 * nodes, whichever the job may use: the cached ask names none, since those of a job
 * that has left may be those of another by now. */
static uint32_t granted_for(struct torus_state *state,
			    struct torus_idle_answers *answers,
			    const struct torus_ask *ask)
{
	struct torus_placement place = { 0 };
	struct torus_ask all = *ask;

	all.allowed = NULL;
	all.outages = NULL;
	if (torus_ask_same(&answers->counted, &all))
		return answers->granted;
	answers->granted = torus_state_possible(state, &all, &place, NULL) ==
					   TORUS_FITS ?
				   place.granted :
				   0;
	answers->counted = all;
	return answers->granted;
}

/* Return true if enough free nodes exist for the smallest box, by count. */
static bool shape_keeps(struct torus_state *state,
			struct torus_idle_answers *answers,
			const struct torus_ask *ask, uint32_t idle)
{
	struct torus_ask any = {
		.by_count = true,
		.rotate = true,
		.count = (uint32_t)torus_ask_nodes(ask),
		.now_us = ask->now_us,
		.end_us = ask->end_us,
		.strategy = ask->strategy,
		.allowed = ask->allowed,
	};

	if (ask->by_count)
		return granted_for(state, answers, ask) > idle;
	return fits(state, &any);
}

/* Return the cause for a job with enough free nodes. */
static enum torus_idle_cause cause_of(struct torus_state *state,
				      struct torus_idle_answers *answers,
				      const struct torus_job *job,
				      uint32_t idle, int64_t now_us)
{
	enum torus_idle_cause cause = TORUS_IDLE_FRAGMENTATION;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask ask = ask_of(job, k, now_us);

		if (!alternative_counts(job, k, now_us) ||
		    torus_ask_nodes(&ask) > idle)
			continue;
		if (!(answers->plan &&
		      torus_plan_waits(answers->plan, &ask, now_us)) &&
		    fits(state, &ask))
			return TORUS_IDLE_RESERVATION;
		if (shape_keeps(state, answers, &ask, idle))
			cause = TORUS_IDLE_SHAPE;
	}
	return cause;
}

/* The same from cached `answers`, if the job asks one question about all
 * nodes. */
static enum torus_idle_cause cause_known(struct torus_state *state,
					 struct torus_idle_answers *answers,
					 const struct torus_job *job,
					 uint32_t idle, int64_t now_us)
{
	const struct torus_ask *ask = &job->request.alternative[0].ask;
	uint64_t generation = torus_state_generation(state);
	uint32_t i = 0;

	if (job->request.alternatives > 1 || job->allowed)
		return cause_of(state, answers, job, idle, now_us);
	if (answers->generation != generation)
		answers->count = 0;
	answers->generation = generation;
	while (i < answers->count && !torus_ask_same(&answers->ask[i], ask))
		i++;
	if (i < answers->count)
		return answers->cause[i];
	if (i == TORUS_IDLE_ANSWERS)
		answers->count = i = 0;
	answers->ask[i] = *ask;
	answers->cause[i] = cause_of(state, answers, job, idle, now_us);
	answers->count++;
	return answers->cause[i];
}

void torus_idle_causes(struct torus_state *state, const struct torus_job *job,
		       int64_t now_us, struct torus_idle_answers *answers,
		       uint32_t nodes[TORUS_IDLE_CAUSES])
{
	uint32_t left = torus_state_free_nodes(state), looks = 0;
	bool waits = false;

	memset(nodes, 0, TORUS_IDLE_CAUSES * sizeof(*nodes));
	for (; job && left > 0 && looks < TORUS_IDLE_JOBS;
	     job = job->next, looks++) {
		uint32_t n, idle;

		if (waits && job->nodes > left)
			continue; /* it waits, too */
		n = least_nodes(job, now_us);
		if (n == UINT32_MAX)
			continue;
		idle = n <= left ? free_nodes(state, job) : 0;
		if (n > idle) {
			waits = true;
			continue;
		}
		nodes[cause_known(state, answers, job, idle, now_us)] += n;
		left -= n;
	}
	nodes[waits || job ? TORUS_IDLE_RESERVATION : TORUS_IDLE_NO_DEMAND] +=
		left;
}
