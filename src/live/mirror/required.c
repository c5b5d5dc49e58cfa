/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting jobs whose place must contain certain nodes (-w). The place that becomes free
 * first is the only one that such a job may use. The search runs without the host's locks,
 * and again whenever the machine state has changed. Only the alternative with the earliest
 * place is submitted: a smaller one could lie inside that place without those nodes.
 *
 * An update runs at least one search, and more within REQUIRED_BUDGET_US of processor
 * time; the next update is then due at once. A job that was searched for goes behind the
 * others, so that N updates serve N jobs.
 *
 * Cost: a shadow time (torus/plan.h) per job and alternative. Memory: a plan.
 */
#include "torus/plan.h"
#include "live/base/lock_hold.h"
#include "live/mirror/mirror.h"
#include "live/mirror/waiting.h"

#include "torus/alloc.h"
#include "torus/state_find.h"

int required_prepare(struct mirror_entry *e, const uint64_t *nodes)
{
	if (!nodes || e->required)
		return 0;
	e->required = torus_alloc(1, sizeof(*e->required));
	return e->required ? 0 : -1;
}

void required_take(struct mirror_entry *e, const struct cycle_pending_job *w)
{
	if (w->required) {
		*e->required = (struct mirror_required){
			.nodes = w->required,
			.candidates = w->allowed,
		};
	} else {
		torus_free(e->required);
		e->required = NULL;
	}
}

/* Return the alternatives that the job accepts now, a bit each. Lowers *next_us
 * to the time of its next alternative. */
static uint32_t required_accepted(const struct cycle *c,
				  const struct mirror_entry *e, int64_t *next_us)
{
	const struct torus_job_request *request = &e->request;
	uint32_t accepted = 0;

	for (uint32_t k = 0; k < request->alternatives; k++) {
		int64_t from_us =
			torus_time_after(e->job.submit_us,
					 request->alternative[k].after_us);

		if (from_us <= c->now_us)
			accepted |= 1u << k;
		else if (from_us < *next_us)
			*next_us = from_us;
	}
	return accepted;
}

/* Paint the earliest place of alternative k and return its time; TORUS_NO_TIME:
 * none. */
static int64_t required_place(struct cycle *c, const struct mirror_entry *e,
			      uint32_t k, uint64_t *nodes)
{
	struct torus_ask ask = e->request.alternative[k].ask;
	struct torus_placement place;
	int64_t when_us;

	ask.now_us = c->now_us;
	ask.end_us = torus_time_after(c->now_us, e->full_us);
	ask.outages = e->outages;
	/* as many nodes as in any torus (torus_scheduler_submit()) */
	if (ask.by_count && !ask.granted && c->m->pods > 1 &&
	    torus_state_possible(c->empty, &ask, &place, NULL) == TORUS_FITS)
		ask.granted = place.granted;
	ask.allowed = e->required->candidates;
	ask.required = e->required->nodes;
	if (torus_plan_shadow(c->search.plan, &ask, c->now_us, &when_us,
			      &place) != TORUS_FITS)
		return TORUS_NO_TIME;
	torus_bits_zero(nodes, c->m->words);
	torus_placement_paint(c->m, &place, nodes);
	return when_us;
}

/* Search the earliest place of the accepted alternatives. -1 with ENOMEM: the
 * job keeps its place. */
static int required_search(struct cycle *c, struct mirror_entry *e,
			   uint32_t accepted)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);
	struct mirror_required *r = e->required, next = *r;
	int64_t best_us = TORUS_NO_TIME;
	int rc = 0;

	for (uint32_t k = 0; k < e->request.alternatives; k++) {
		int64_t when_us = TORUS_NO_TIME;

		if (accepted >> k & 1)
			when_us = required_place(c, e, k, nodes);
		if (when_us >= best_us)
			continue;
		best_us = when_us;
		next.alternative = k;
		rc |= node_sets_add(c, nodes, &next.place);
	}
	torus_scratch_return(&c->scratch, nodes);
	next.found = best_us != TORUS_NO_TIME;
	if (rc == 0)
		*r = next;
	return rc;
}

/* Return true if the latest search is out of date. */
static bool required_is_old(const struct cycle *c, const struct mirror_entry *e,
			    uint32_t accepted)
{
	const struct mirror_required *r = e->required;

	return r->search_number == 0 || r->accepted != accepted ||
	       r->generation != torus_state_generation(c->state);
}

/* Return true if there may be a search for it in this update. */
static bool required_reached(struct cycle *c, const struct mirror_entry *e)
{
	struct required_searches *s = &c->search;

	if (e->required->search_number > s->turn)
		s->postponed = true;
	else if (s->searches > s->began && lock_hold_limit_passed(&s->limit))
		s->missed = true;
	else
		return true;
	return false;
}

bool required_renew_place(struct cycle *c, struct mirror_entry *e)
{
	struct mirror_required *r = e->required, was = *r;
	uint32_t accepted = required_accepted(c, e, &c->retry_us);

	if (!required_is_old(c, e, accepted) || !required_reached(c, e))
		return false;
	if (required_search(c, e, accepted)) {
		c->search.missed = true;
		return false;
	}
	r->search_number = ++c->search.searches;
	r->accepted = accepted;
	r->generation = torus_state_generation(c->state);
	return was.search_number == 0 || was.found != r->found ||
	       was.place != r->place || was.alternative != r->alternative;
}

void required_settle(struct mirror_entry *e)
{
	struct mirror_required *r = e->required;

	e->allowed = r->found ? r->place : r->candidates;
	e->job.request = e->request;
	if (!r->found)
		return;
	/* a copy: what the scheduler writes into it is not for other searches */
	r->submitted = e->request.alternative[r->alternative];
	e->job.request.alternative = &r->submitted;
	e->job.request.alternatives = 1;
}

uint32_t required_alternative(const struct mirror_entry *e, uint32_t k)
{
	return e->required && e->required->found ? e->required->alternative : k;
}

void required_begin(struct cycle *c)
{
	c->search.began = c->search.searches;
	c->search.missed = c->search.postponed = false;
	lock_hold_limit_begin(&c->search.limit, c->search.budget_us);
}

void required_end(struct cycle *c)
{
	struct required_searches *s = &c->search;

	if (!s->missed)
		s->turn = s->searches;
	if (s->missed || s->postponed)
		c->retry_us = c->now_us;
}
