/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that may run shorter than their limit (`least_us`, Slurm's --time-min).
 * The scheduler plans with the limit. After a pass the waiting jobs are tried in
 * queue order: find the longest limit, not below the least, with which the job can
 * start now on nodes that have no promise to others and no outage for that long. The
 * job is submitted again with this limit and only these nodes, and another pass
 * decides. If that pass does not start it, the job waits with its own limit, and is
 * not tried again before nodes become free. It may then have lost a promised start to
 * a job before it in the queue; one whose deadline is promised is not tried.
 *
 *     node 2  |            |promised|        a job of 4 to 10 minutes starts
 *     node 1  |            |#outage#|        at once with a limit of 6
 *             now        7 minutes           -> time
 *
 * In the journal such a job is withdrawn and submitted again, so that a replay
 * decides the same. Cost: O(log(times) x (nodes + a search)) for each of
 * SHORTEN_MOST jobs.
 */
#include "torus/state_find.h"
#include "live/orders.h"
#include "live/mirror/mirror.h"
#include "live/sharing.h"
#include "live/mirror/waiting.h"

#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/discipline.h"

#define SHORTEN_MOST 64 /* jobs that are tried after a pass */

struct shortening {
	struct cycle *c;
	uint64_t *usable;
	uint64_t *taken; /* by jobs that were tried before */
	int64_t *limit;  /* to be tried, ascending */
	uint32_t limits, room;
	uint32_t asked;
};

static bool is_shortened(const struct mirror_entry *e)
{
	return e->job.limit_us != e->full_us;
}

/* Return when a node is promised to another job. */
static int64_t promised_us(const struct cycle *c, const struct mirror_entry *e,
			   uint32_t bit)
{
	const struct share_promise *p = &c->share.promise[bit];

	return p->job == e->name.job ? p->second_us : p->first_us;
}

/* Set s->usable to the nodes that the job could have for limit_us from now
 * on. */
static void shorten_usable(struct shortening *s, const struct mirror_entry *e,
			   int64_t limit_us)
{
	struct cycle *c = s->c;
	uint32_t words = c->m->words, b;
	int64_t end_us = torus_time_after(c->now_us,
					  limit_us + CYCLE_CLOCK_ERROR_US);

	torus_bits_copy(s->usable, torus_state_free_map(c->state), words);
	if (e->allowed)
		torus_bits_and(s->usable, s->usable, e->allowed, words);
	torus_bits_andnot(s->usable, s->taken, words);
	if (e->outages && !torus_outages_clear(e->outages, c->now_us, end_us,
					       s->usable, words))
		torus_bits_zero(s->usable, words);
	b = torus_bits_next(s->usable, words, 0);
	for (; b != UINT32_MAX; b = torus_bits_next(s->usable, words, b + 1)) {
		if (promised_us(c, e, b) < end_us)
			torus_bits_clear(s->usable, b);
	}
}

/* Return true if there is a place for limit_us. Adds its nodes to *taken, if
 * not NULL. */
static bool shorten_fits(struct shortening *s, struct mirror_entry *e,
			 int64_t limit_us, uint64_t *taken)
{
	struct cycle *c = s->c;

	shorten_usable(s, e, limit_us);
	for (uint32_t k = 0; k < e->job.request.alternatives; k++) {
		struct torus_ask ask =
			torus_ask_among(&e->job.request.alternative[k].ask,
					s->usable);
		struct torus_placement place;

		if (!torus_job_accepts(&e->job, k, c->now_us))
			continue;
		ask.now_us = c->now_us;
		ask.end_us = torus_time_after(c->now_us, limit_us);
		if (torus_state_find(c->state, &ask, &place, NULL) != TORUS_FITS)
			continue;
		if (taken)
			torus_placement_paint(c->m, &place, taken);
		return true;
	}
	return false;
}

/* List the limit with which the job ends by by_us. */
static void shorten_note(struct shortening *s, const struct mirror_entry *e,
			 int64_t by_us)
{
	int64_t limit_us;

	if (by_us == TORUS_NO_TIME || by_us <= s->c->now_us)
		return;
	limit_us = by_us - s->c->now_us - CYCLE_CLOCK_ERROR_US;
	if (e->step_us > 0)
		limit_us -= limit_us % e->step_us;
	if (limit_us > e->least_us && limit_us < e->full_us &&
	    s->limits < s->room)
		s->limit[s->limits++] = limit_us;
}

static int compare_limits(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* List all limits that may make a difference, ascending, each once. */
static void shorten_list(struct shortening *s, const struct mirror_entry *e)
{
	uint32_t b = torus_bits_next(s->usable, s->c->m->words, 0), n = 1;

	s->limit[0] = e->least_us;
	s->limits = 1;
	for (uint32_t i = 0; e->outages && i < e->outages->count; i++)
		shorten_note(s, e, e->outages->outage[i].from_us);
	for (; b != UINT32_MAX;
	     b = torus_bits_next(s->usable, s->c->m->words, b + 1))
		shorten_note(s, e, promised_us(s->c, e, b));
	qsort(s->limit, s->limits, sizeof(*s->limit), compare_limits);
	for (uint32_t i = 1; i < s->limits; i++) {
		if (s->limit[i] != s->limit[n - 1])
			s->limit[n++] = s->limit[i];
	}
	s->limits = n;
}

/* Find the longest limit by bisection: a longer limit never has more nodes. */
static void shorten_try(struct shortening *s, struct mirror_entry *e)
{
	uint32_t low = 0, high;

	s->asked++;
	if (!shorten_fits(s, e, e->least_us, NULL))
		return;
	shorten_list(s, e);
	for (high = s->limits; high - low > 1;) {
		uint32_t mid = low + (high - low) / 2;

		if (shorten_fits(s, e, s->limit[mid], NULL))
			low = mid;
		else
			high = mid;
	}
	if (!shorten_fits(s, e, s->limit[low], s->taken) ||
	    node_sets_add(s->c, s->usable, &e->next_allowed))
		return;
	e->next_limit_us = s->limit[low];
	s->c->another_pass = true;
}

/* Try a job that the latest pass has not started. Return false if no job after
 * it may overtake it. */
static bool shorten_offer(struct shortening *s, struct mirror_entry *e)
{
	struct cycle *c = s->c;

	if (is_shortened(e)) {
		e->next_limit_us = e->full_us;
		e->next_allowed = e->allowed;
		e->shortened_us = c->now_us;
		c->another_pass = true;
	} else if (e->least_us > 0 && e->least_us < e->full_us &&
		   !e->narrowed && !e->job.admitted &&
		   c->freed_us >= e->shortened_us && s->asked < SHORTEN_MOST) {
		shorten_try(s, e);
	}
	return !sharing_is_strict(c);
}

static int shorten_open(struct shortening *s, struct cycle *c)
{
	size_t words = c->m->words;

	*s = (struct shortening){ .c = c, .room = (uint32_t)words * 128 };
	s->usable = torus_alloc(2 * words, sizeof(*s->usable));
	s->limit = torus_alloc(s->room, sizeof(*s->limit));
	if (!s->usable || !s->limit)
		return -1;
	s->taken = s->usable + words;
	return 0;
}

void shorten_orders(struct cycle *c)
{
	struct torus_job *job = torus_scheduler_queue(c->scheduler)->head;
	struct mirror_entry *e;
	struct shortening s;
	bool go_on = true;

	e = c->waiting.first;
	while (e && e->least_us == 0)
		e = e->next;
	if (!e)
		return;
	if (shorten_open(&s, c) == 0) {
		sharing_note(c);
		for (; job && go_on; job = job->next)
			go_on = shorten_offer(&s, job->host);
		for (e = c->waiting.first; e; e = e->next) {
			if (e->state == ENTRY_ASIDE &&
			    (is_shortened(e) || (go_on && e->outages)))
				go_on &= shorten_offer(&s, e);
		}
	}
	torus_free(s.usable);
	torus_free(s.limit);
}

bool shorten_settle(struct cycle *c)
{
	bool any = false;

	for (struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (e->next_limit_us == 0)
			continue;
		waiting_withdraw(c, e, ENTRY_AGAIN);
		e->job.limit_us = e->next_limit_us;
		e->job.allowed = e->next_allowed;
		e->job.outages = e->outages;
		e->next_limit_us = 0;
		any = true;
	}
	return any;
}
