/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs to end for a strategy with internal state (freeing.h): the machine is
 * rebuilt without some jobs and the strategy queried. With up to TRY_ALL jobs
 * every set is tried, which is exact. With more, the jobs of the cheapest boxes
 * that a partition tree could give are tried; the first that suffice are the
 * answer, which is exact if they belong to the cheapest box. Otherwise all jobs
 * end and are put back one by one, if that is cheaper; the cheapest box is the
 * bound.
 */
#include <stdlib.h>
#include <string.h>

#include "torus/state_find.h"
#include "questions/freeing_search.h"
#include "torus/alloc.h"

#define TRY_ALL 10
#define TRY_BOXES 256

struct freeing_trial {
	struct freeing_search *s;
	struct snapshot without; /* the snapshot; its jobs are copies */
	uint32_t *order; /* jobs that may end, the most expensive first */
	uint32_t count;
};

/* Return 1 if it fits without the jobs that do not run in t->without; -1
 * without memory. */
static int freeing_fits(struct freeing_trial *t, struct torus_placement *place)
{
	const struct freeing_question *q = t->s->q;
	struct torus_ask ask = torus_ask_among(q->ask, q->allowed);
	struct torus_state *state = occupancy_state(&t->without);
	enum torus_answer answer;

	if (!state)
		return -1;
	answer = torus_state_find(state, &ask, place, NULL);
	if (answer == TORUS_FITS)
		freeing_own(t->s, place);
	torus_state_destroy(state);
	return answer == TORUS_FITS;
}

/* Fill the set with the ended jobs, and its cost; return their number. */
static uint32_t freeing_ended(struct freeing_trial *t, uint64_t *cost)
{
	uint32_t n = 0;

	*cost = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t j = t->order[i];

		if (t->without.job[j].running)
			continue;
		t->s->set[n++] = j;
		*cost = freeing_cost_sum(t->s, *cost, t->s->q->cost[j]);
	}
	return n;
}

static int freeing_try_set(struct freeing_trial *t)
{
	struct torus_placement place;
	uint64_t cost;
	uint32_t n = freeing_ended(t, &cost);
	int fits;

	if (t->s->f->answer == TORUS_FITS &&
	    (cost > t->s->f->cost ||
	     (cost == t->s->f->cost && n >= t->s->f->jobs)))
		return 0;
	fits = freeing_fits(t, &place);
	if (fits <= 0)
		return fits;
	return freeing_keep(t->s, n, cost, &place);
}

static int freeing_try_all(struct freeing_trial *t)
{
	int rc = 0;

	for (uint32_t set = 1; rc == 0 && set < 1u << t->count; set++) {
		for (uint32_t i = 0; i < t->count; i++)
			t->without.job[t->order[i]].running = !(set >> i & 1);
		rc = freeing_try_set(t);
	}
	return rc;
}

static int freeing_put_back(struct freeing_trial *t)
{
	struct torus_placement place;
	uint64_t cost;
	uint32_t n;
	int fits;

	for (uint32_t i = 0; i < t->count; i++)
		t->without.job[t->order[i]].running = false;
	fits = freeing_fits(t, &place);
	if (fits <= 0)
		return fits;
	for (uint32_t i = 0; fits >= 0 && i < t->count; i++) {
		t->without.job[t->order[i]].running = true;
		fits = freeing_fits(t, &place);
		if (fits == 0)
			t->without.job[t->order[i]].running = false;
	}
	n = freeing_ended(t, &cost);
	if (fits < 0 || freeing_fits(t, &place) < 0)
		return -1;
	if (t->s->f->answer == TORUS_FITS && cost >= t->s->f->cost)
		return 0;
	return freeing_keep(t->s, n, cost, &place);
}

/* Try the cheapest boxes, until the jobs of one suffice. Without any box there
 * is no place. */
static int freeing_try_boxes(struct freeing_trial *t,
			     const struct freeing_boxes *list)
{
	struct torus_placement place;
	int fits = 0;

	for (uint32_t i = 0; i < list->count && i < TRY_BOXES && !fits; i++) {
		uint64_t cost;
		uint32_t n;
		uint32_t count;

		/* end the jobs of a box, and no others */
		for (uint32_t j = 0; j < t->count; j++)
			t->without.job[t->order[j]].running = true;
		count = freeing_box_jobs(t->s, &list->box[i]);
		for (uint32_t j = 0; j < count; j++)
			t->without.job[t->s->set[j]].running = false;
		fits = freeing_fits(t, &place);
		if (fits <= 0)
			continue;
		n = freeing_ended(t, &cost);
		if (freeing_keep(t->s, n, cost, &place))
			return -1;
	}
	return fits < 0 ? -1 : 0;
}

/* Search with more jobs than the number for which all sets can be tried. */
static int freeing_try_many(struct freeing_trial *t, const uint64_t *available)
{
	struct freeing *f = t->s->f;
	struct freeing_boxes list;
	/* it does not fit now, so at least the cheapest job must end */
	uint64_t least = t->s->q->cost[t->order[t->count - 1]];
	int rc = freeing_list_boxes(t->s, available, &list);

	if (rc == 0)
		rc = freeing_try_boxes(t, &list);
	if (rc == 0 && list.complete && list.count && list.box[0].cost > least)
		least = list.box[0].cost;
	if (rc == 0 && !(f->answer == TORUS_FITS && f->cost == least))
		rc = freeing_put_back(t);
	if (f->answer == TORUS_FITS)
		f->at_least = least < f->cost ? least : f->cost;
	torus_free(list.box);
	return rc;
}

int freeing_try(struct freeing_search *s, const uint64_t *available)
{
	const struct snapshot *snap = s->q->s;
	struct freeing_trial t = {
		.s = s,
		.without = *snap,
		.order = torus_alloc(snap->jobs, sizeof(*t.order)),
	};
	int rc = -1;

	t.without.job = torus_alloc(snap->jobs, sizeof(*t.without.job));
	if (t.order && t.without.job) {
		const struct freeing_question *q;

		if (snap->jobs)
			memcpy(t.without.job, snap->job,
			       snap->jobs * sizeof(*snap->job));
		q = t.s->q;
		for (uint32_t j = 0; j < q->s->jobs; j++) {
			uint32_t i = t.count;

			if (!q->s->job[j].running || (q->keep && q->keep[j]))
				continue;
			for (; i > 0 && q->cost[t.order[i - 1]] < q->cost[j];
			     i--)
				t.order[i] = t.order[i - 1];
			t.order[i] = j;
			t.count++;
		}
		rc = t.count <= TRY_ALL ? freeing_try_all(&t) :
					  freeing_try_many(&t, available);
	}
	torus_free(t.order);
	torus_free(t.without.job);
	return rc;
}
