/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle node time (idle.h). Spells are buffered until a job ends, because time
 * after the last end does not count. Slices double their width when the time
 * exceeds them, so memory is fixed. The causes come from the strategies, whose
 * state does not change by queries.
 */
#include "torus/plan.h"
#include "torus/state_find.h"
#include "replay/idle.h"

#include <string.h>

#include "torus/alloc.h"

#define FIRST_SLICE_US 1000000

const char *const torus_idle_names[TORUS_IDLE_CAUSES] = {
	"fragmentation", "shape", "reservation", "out_of_service", "no_demand",
};

void torus_idle_free(struct torus_idle *idle)
{
	torus_free(idle->spell);
}

static bool idle_continues(const struct torus_idle_spell *last,
			   const struct torus_idle_spell *spell)
{
	return last->until_us == spell->from_us &&
	       !memcmp(last->nodes, spell->nodes, sizeof(last->nodes));
}

int torus_idle_add(struct torus_idle *idle, const struct torus_idle_spell *spell)
{
	if (!idle->measured) {
		idle->measured = true;
		idle->from_us = idle->until_us = spell->from_us;
		idle->slice_us = FIRST_SLICE_US;
	}
	if (idle->spells &&
	    idle_continues(&idle->spell[idle->spells - 1], spell)) {
		idle->spell[idle->spells - 1].until_us = spell->until_us;
		return 0;
	}
	if (TORUS_GROW(idle->spell, idle->room, idle->spells + 1))
		return -1;
	idle->spell[idle->spells++] = *spell;
	return 0;
}

static void slices_add(struct torus_idle *idle, const struct torus_idle_spell *s)
{
	int64_t at = s->from_us;

	while (s->until_us - idle->from_us > TORUS_IDLE_SLICES * idle->slice_us) {
		for (uint32_t i = 0; i < TORUS_IDLE_SLICES; i++)
			for (int c = 0; c < TORUS_IDLE_CAUSES; c++) {
				torus_node_us sum =
					2 * i < TORUS_IDLE_SLICES ?
						idle->slice[2 * i][c] +
							idle->slice[2 * i + 1][c] :
						0;

				idle->slice[i][c] = sum;
			}
		idle->slice_us *= 2;
	}
	while (at < s->until_us) {
		int64_t i = (at - idle->from_us) / idle->slice_us;
		int64_t end = idle->from_us + (i + 1) * idle->slice_us;

		end = end < s->until_us ? end : s->until_us;
		for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
			if (s->nodes[c])
				idle->slice[i][c] += (torus_node_us)s->nodes[c] *
						     (uint64_t)(end - at);
		at = end;
	}
}

void torus_idle_commit(struct torus_idle *idle)
{
	for (uint32_t i = 0; i < idle->spells; i++) {
		const struct torus_idle_spell *s = &idle->spell[i];

		for (int c = 0; c < TORUS_IDLE_CAUSES; c++)
			if (s->nodes[c])
				idle->node_us[c] += (torus_node_us)s->nodes[c] *
						    (uint64_t)(s->until_us -
							       s->from_us);
		slices_add(idle, s);
		idle->until_us = s->until_us;
	}
	idle->spells = 0;
}

void torus_idle_begin(struct torus_idle *idle, int64_t first_submit_us,
		      uint32_t nodes)
{
	torus_node_us before;

	if (!idle->measured || first_submit_us >= idle->from_us)
		return;
	before = (torus_node_us)nodes *
		 (uint64_t)(idle->from_us - first_submit_us);
	idle->node_us[TORUS_IDLE_NO_DEMAND] += before;
	idle->slice[0][TORUS_IDLE_NO_DEMAND] += before;
}

uint64_t torus_idle_seconds(const torus_node_us node_us[TORUS_IDLE_CAUSES],
			    uint64_t node_s[TORUS_IDLE_CAUSES])
{
	torus_node_us sum = 0;
	uint64_t total = 0;

	for (int c = 0; c < TORUS_IDLE_CAUSES; c++) {
		uint64_t up_to;

		sum += node_us[c];
		up_to = (uint64_t)(sum / 1000000);
		node_s[c] = up_to - total;
		total = up_to;
	}
	return total;
}

/* Return true if the job may start with this alternative now. */
static bool cause_counts(const struct torus_job *job, uint32_t k, int64_t now_us)
{
	return job->preempted ? k == job->alternative :
				torus_job_accepts(job, k, now_us);
}

/* Return the fewest nodes that the job would take now; UINT32_MAX: none. */
static uint32_t cause_least_nodes(const struct torus_job *job, int64_t now_us)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		uint64_t n = torus_ask_nodes(&job->request.alternative[k].ask);

		if (cause_counts(job, k, now_us) && n < least)
			least = (uint32_t)n;
	}
	return least;
}

static uint32_t cause_free_nodes(const struct torus_state *state,
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

static bool cause_fits(struct torus_state *state, const struct torus_ask *ask)
{
	struct torus_ask any = *ask;
	struct torus_placement place;

	any.any_place = true;
	return torus_state_find(state, &any, &place, NULL) == TORUS_FITS;
}

static struct torus_ask cause_ask(const struct torus_job *job, uint32_t k,
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
static uint32_t cause_granted(struct torus_state *state,
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
static bool cause_shape_keeps(struct torus_state *state,
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
		return cause_granted(state, answers, ask) > idle;
	return cause_fits(state, &any);
}

/* Return the cause for a job with enough free nodes. */
static enum torus_idle_cause cause_of(struct torus_state *state,
				      struct torus_idle_answers *answers,
				      const struct torus_job *job,
				      uint32_t idle, int64_t now_us)
{
	enum torus_idle_cause cause = TORUS_IDLE_FRAGMENTATION;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask ask = cause_ask(job, k, now_us);

		if (!cause_counts(job, k, now_us) ||
		    torus_ask_nodes(&ask) > idle)
			continue;
		if (!(answers->plan &&
		      torus_plan_waits(answers->plan, &ask, now_us)) &&
		    cause_fits(state, &ask))
			return TORUS_IDLE_RESERVATION;
		if (cause_shape_keeps(state, answers, &ask, idle))
			cause = TORUS_IDLE_SHAPE;
	}
	return cause;
}

/* The same from cached `answers`, if the job asks one question about all
 * nodes. */
static enum torus_idle_cause
cause_of_answers(struct torus_state *state, struct torus_idle_answers *answers,
		 const struct torus_job *job, uint32_t idle, int64_t now_us)
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

/* Return true if a job has a place whenever enough nodes are free: one that waits,
 * then, waits for a reservation. */
static bool causes_by_number(const struct torus_machine *m)
{
	return m->pods == 1 && m->pod[0].torus.flat;
}

void torus_idle_causes(struct torus_state *state, const struct torus_job *job,
		       int64_t now_us, struct torus_idle_answers *answers,
		       uint32_t nodes[TORUS_IDLE_CAUSES])
{
	bool by_number = causes_by_number(torus_state_machine(state));
	uint32_t left = torus_state_free_nodes(state), looks = 0;
	bool waits = false;

	memset(nodes, 0, TORUS_IDLE_CAUSES * sizeof(*nodes));
	for (; job && left > 0 && looks < TORUS_IDLE_JOBS;
	     job = job->next, looks++) {
		uint32_t n, idle;

		if (waits && job->nodes > left)
			continue; /* it waits, too */
		n = cause_least_nodes(job, now_us);
		if (n == UINT32_MAX)
			continue;
		idle = n <= left ? cause_free_nodes(state, job) : 0;
		if (n > idle) {
			waits = true;
			if (by_number)
				break; /* later jobs change nothing */
			continue;
		}
		nodes[cause_of_answers(state, answers, job, idle, now_us)] += n;
		left -= n;
	}
	nodes[waits || job ? TORUS_IDLE_RESERVATION : TORUS_IDLE_NO_DEMAND] +=
		left;
}
