/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cheapest set of jobs to end (freeing.h). */
#include "torus/state_find.h"
#include "questions/freeing.h"
#include "questions/freeing_search.h"
#include "questions/packing.h"
#include "torus/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t freeing_cost_sum(const struct freeing_search *s, uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (s->latest)
		return a > b ? a : b;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Fill the jobs that hold each node: a counting sort of (node, job). */
static int freeing_holders(struct freeing_search *s)
{
	const struct snapshot *snap = s->q->s;
	uint32_t bits = s->m->words * 64, total = 0;

	for (uint32_t j = 0; j < snap->jobs; j++)
		total += snap->job[j].nodes;
	s->first = torus_alloc((size_t)bits + 2, sizeof(*s->first));
	s->holder = torus_alloc(total, sizeof(*s->holder));
	if (!s->first || !s->holder)
		return -1;
	for (uint32_t j = 0; j < snap->jobs; j++) {
		for (uint32_t i = 0; i < snap->job[j].nodes; i++)
			s->first[snap->job[j].node[i] + 2]++;
	}
	for (uint32_t b = 0; b < bits; b++)
		s->first[b + 2] += s->first[b + 1];
	for (uint32_t j = 0; j < snap->jobs; j++) {
		for (uint32_t i = 0; i < snap->job[j].nodes; i++)
			s->holder[s->first[snap->job[j].node[i] + 1]++] = j;
	}
	return 0;
}

static int freeing_by_index(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void freeing_own(struct freeing_search *s, struct torus_placement *place)
{
	place->nodes = NULL;
	if (!place->regions)
		return;
	torus_regions_copy(s->regions, place->regions);
	place->regions = s->regions;
}

/* The place of the answer, with regions of its own. */
static void freeing_set_place(struct freeing *f,
			      const struct torus_placement *place)
{
	f->place = *place;
	if (!place->regions)
		return;
	torus_regions_copy(f->regions, place->regions);
	f->place.regions = f->regions;
}

int freeing_keep(struct freeing_search *s, uint32_t count, uint64_t cost,
		 const struct torus_placement *place)
{
	struct freeing *f = s->f;

	if (TORUS_RESIZE(f->job, count))
		return -1;
	memcpy(f->job, s->set, count * sizeof(*f->job));
	if (count > 1)
		qsort(f->job, count, sizeof(*f->job), freeing_by_index);
	f->jobs = count;
	f->cost = f->at_least = cost;
	freeing_set_place(f, place);
	f->answer = TORUS_FITS;
	return 0;
}

/* Tie-breaks: fewer nodes held, then fewer jobs, then the first. */
static uint32_t freeing_held(const struct freeing_search *s,
			     const uint32_t *job, uint32_t count)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < count; i++)
		nodes += s->q->s->job[job[i]].nodes;
	return nodes;
}

/* The same for the nodes of a region. */
static bool freeing_set_region(struct freeing_search *s, uint32_t p,
			       const struct torus_region *region,
			       uint32_t *count, uint64_t *cost)
{
	const struct torus_pod *pod = &s->m->pod[p];
	uint32_t from = pod->first_word * 64;
	uint32_t to;
	uint32_t words, b;

	torus_bits_zero(s->nodes + pod->first_word, pod->words);
	torus_region_paint(region, &pod->torus, s->nodes + pod->first_word);
	/* Collect the jobs that hold the nodes in s->nodes from bit `from` to `to`; false if
	 * they cost more than the best so far. */
	to = from + pod->torus.nodes;
	words = (to + 63) / 64;
	b = torus_bits_next(s->nodes, words, from);
	*count = 0;
	*cost = 0;
	s->stamp++;
	for (; b < to; b = torus_bits_next(s->nodes, words, b + 1)) {
		for (uint32_t i = s->first[b]; i < s->first[b + 1]; i++) {
			uint32_t j = s->holder[i];

			if (s->seen[j] == s->stamp)
				continue;
			s->seen[j] = s->stamp;
			s->set[(*count)++] = j;
			*cost = freeing_cost_sum(s, *cost, s->q->cost[j]);
		}
		if (s->f->answer == TORUS_FITS && *cost > s->f->cost)
			return false;
	}
	return true;
}

uint32_t freeing_box_jobs(struct freeing_search *s,
			  const struct freeing_box *box)
{
	uint32_t count;
	uint64_t cost;

	freeing_set_region(s, box->pod, &box->region, &count, &cost);
	return count;
}

void freeing_price(struct freeing_search *s, struct freeing_box *box)
{
	uint32_t count;

	freeing_set_region(s, box->pod, &box->region, &count, &box->cost);
	box->held = freeing_held(s, s->set, count);
}

static int freeing_examine(struct freeing_search *s,
			   const struct torus_placement *place)
{
	uint32_t count, nodes, best;
	uint64_t cost;

	if (!freeing_set_region(s, place->pod, &place->region, &count, &cost))
		return 0;
	if (s->f->answer == TORUS_FITS && cost == s->f->cost) {
		nodes = freeing_held(s, s->set, count);
		best = freeing_held(s, s->f->job, s->f->jobs);
		if (nodes > best || (nodes == best && count >= s->f->jobs))
			return 0;
	}
	return freeing_keep(s, count, cost, place);
}

/* Search the places of the machine without its jobs, or as its strategy
 * requires. */
static int freeing_by_ending(struct freeing_search *s)
{
	struct torus_state *empty = torus_state_create(s->m);
	uint64_t *available = torus_alloc(s->m->words, sizeof(*available));
	struct places list = { 0 };
	uint32_t pod;
	int rc = empty && available ? 0 : -1;

	if (rc == 0) {
		struct torus_ask ask;
		const struct snapshot *snap = s->q->s;
		uint32_t words = s->m->words;

		/* Set the nodes that are free or become free if jobs end. */
		memset(available, 0xff, words * sizeof(*available));
		if (s->q->allowed)
			torus_bits_copy(available, s->q->allowed, words);
		torus_bits_andnot(available, snap->out, words);
		torus_bits_andnot(available, snap->hidden, words);
		for (uint32_t j = 0; j < snap->jobs; j++) {
			if (!s->q->keep || !s->q->keep[j])
				continue;
			for (uint32_t i = 0; i < snap->job[j].nodes; i++)
				torus_bits_clear(available,
						 snap->job[j].node[i]);
		}
		ask = torus_ask_among(s->q->ask, available);
		rc = places_find(empty, &ask, &list, &pod);
		if (rc == 0 && places_depend(s->m, &ask)) {
			rc = -1;
			errno = ENOSYS; /* as if none could be listed */
		}
	}
	if (rc == 0 && list.scattered)
		rc = freeing_nodes(s, available);
	else if (rc == 0) {
		s->f->answer = TORUS_NOT_NOW; /* no place is the best one yet */
		for (uint32_t i = 0; rc == 0 && i < list.count; i++)
			rc = freeing_examine(s, &list.place[i]);
	} else if (available && errno == ENOSYS)
		rc = s->f->answer == TORUS_FITS ? 0 : freeing_try(s, available);
	places_free(&list);
	torus_state_destroy(empty);
	torus_free(available);
	return rc;
}

static int freeing_run(const struct freeing_question *q, struct freeing *f,
		       bool latest)
{
	const struct torus_machine *m = &q->s->config->machine;
	struct freeing_search s = {
		.q = q,
		.f = f,
		.m = m,
		.latest = latest,
		.seen = torus_alloc(q->s->jobs, sizeof(*s.seen)),
		.set = torus_alloc(q->s->jobs, sizeof(*s.set)),
		.nodes = torus_alloc(m->words, sizeof(*s.nodes)),
	};
	int rc = s.seen && s.set && s.nodes ? freeing_holders(&s) : -1;

	memset(f, 0, sizeof(*f));
	if (rc == 0 && torus_ask_several(q->ask)) {
		s.regions = torus_alloc(1, sizeof(*s.regions));
		f->regions = torus_alloc(1, sizeof(*f->regions));
		rc = s.regions && f->regions ? 0 : -1;
	}
	if (rc == 0) {
		/* Ask for the machine with its current jobs: is there a place already, or
		 * never? */
		struct torus_ask ask = torus_ask_among(s.q->ask, s.q->allowed);
		struct torus_state *state = occupancy_state(s.q->s);
		struct torus_placement place = { 0 };
		enum torus_answer answer = TORUS_FAILED;

		if (state)
			answer = torus_state_possible(state, &ask, NULL,
						      &s.f->why);
		if (answer == TORUS_FITS)
			answer = torus_state_find(state, &ask, &place,
						  &s.f->why);
		if (answer == TORUS_FITS) {
			freeing_own(&s, &place);
			freeing_set_place(s.f, &place);
		}
		torus_state_destroy(state);
		f->answer = answer;
	}
	if (f->answer == TORUS_FAILED)
		rc = -1;
	if (rc == 0 &&
	    (s.f->answer == TORUS_NOT_NOW ||
	     (s.f->answer == TORUS_FITS && s.q->every && !s.f->place.scattered)))
		rc = freeing_by_ending(&s);
	torus_free(s.first);
	torus_free(s.holder);
	torus_free(s.seen);
	torus_free(s.set);
	torus_free(s.nodes);
	torus_free(s.regions);
	return rc;
}

int freeing_find(const struct freeing_question *q, struct freeing *f)
{
	return freeing_run(q, f, false);
}

int freeing_earliest(const struct freeing_question *q, struct freeing *f)
{
	return freeing_run(q, f, true);
}

void freeing_free(struct freeing *f)
{
	torus_free(f->job);
	torus_free(f->regions);
	f->job = NULL;
	f->regions = NULL;
}

/* Cost of ending a running job, in millionths of a node second. */

uint64_t costs_of(const struct snapshot *s, const struct snapshot_job *job,
		  enum costs_kind kind)
{
	int64_t us = 1000000;
	uint64_t cost;

	if (kind == COSTS_ELAPSED)
		us = job->start_us == SNAPSHOT_NO_TIME ||
				     s->time_us == SNAPSHOT_NO_TIME ?
			     0 :
			     s->time_us - job->start_us;
	else if (kind == COSTS_REMAINING && job->end_us == SNAPSHOT_NO_TIME)
		return UINT64_MAX;
	else if (kind == COSTS_REMAINING)
		us = job->end_us - s->time_us;
	if (us < 0)
		us = 0;
	return __builtin_mul_overflow((uint64_t)us, (uint64_t)job->nodes,
				      &cost) ?
		       UINT64_MAX :
		       cost;
}
