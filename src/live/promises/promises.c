/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises to the queued jobs of a cycle (cycle.h): their reservations if the
 * discipline makes any, else the shadow time of the queue's head; and the reasons
 * why they wait.
 *
 * The blockers of a job are the jobs that hold nodes of a set, in the order of their
 * ends, and its nodes that are out of service. The holder of each node is noted once;
 * then a set costs O(nodes). Nodes that no single job of the cycle holds (shared ones,
 * epilogs) have no holder.
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "live/promises/promises.h"
#include "live/base/lock_hold.h"
#include "live/mirror/mirror.h"
#include "live/orders.h"
#include "live/mirror/outages.h"
#include "live/mirror/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/alloc.h"
#include "torus/discipline.h"

#define NO_HOLDER UINT32_MAX
#define NAMING_US                                                              \
	INT64_C(20000) /* of searches for places that are not promised */

/* Names */

void promises_name_task(struct cycle *c, const struct plan_file_id *task)
{
	if (TORUS_GROW(c->task, c->task_room, c->tasks + 1) == 0)
		c->task[c->tasks++] = *task;
}

static int promises_by_job(const void *a, const void *b)
{
	const struct plan_file_id *x = a, *y = b;

	return x->job < y->job ? -1 : x->job > y->job;
}

static struct plan_file_id promises_id(const struct cycle *c, uint32_t job)
{
	const struct plan_file_id id = { .job = job }, *task = NULL;

	if (c->tasks)
		task = bsearch(&id, c->task, c->tasks, sizeof(id),
			       promises_by_job);
	return task ? *task : id;
}

/* Blockers */

/* Set holder[bit] to the number of the node's hold in the order of ends. */
static void blockers_begin(struct cycle *c)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);
	uint32_t words = c->m->words;

	memset(c->holder, 0xff, (size_t)words * 64 * sizeof(*c->holder));
	for (uint32_t k = 0; k < torus_state_holds(c->state); k++) {
		const struct torus_hold *h =
			torus_state_hold(c->state,
					 torus_state_by_end(c->state, k));
		uint32_t b;

		if (h->job == 0)
			continue;
		torus_bits_zero(nodes, words);
		torus_hold_paint(c->state, h, nodes);
		for (b = torus_bits_next(nodes, words, 0); b != UINT32_MAX;
		     b = torus_bits_next(nodes, words, b + 1))
			c->holder[b] = k;
	}
	torus_scratch_return(&c->scratch, nodes);
}

static void blockers_add_out(const struct cycle *c, const uint64_t *nodes,
			     uint32_t words, bool silent,
			     struct cycle_blockers *b)
{
	uint32_t bit = torus_bits_next(nodes, words, 0);

	for (; bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1)) {
		if (!torus_bits_test(c->out, bit) ||
		    !torus_bits_test(c->present, bit) ||
		    torus_bits_test(c->silent, bit) != silent)
			continue;
		if (b->outs < CYCLE_BLOCKERS)
			b->out[b->outs] = bit;
		b->outs++;
	}
}

static void blockers_out(const struct cycle *c, const uint64_t *nodes,
			 uint32_t words, struct cycle_blockers *b)
{
	blockers_add_out(c, nodes, words, true, b);
	b->silents = b->outs;
	blockers_add_out(c, nodes, words, false, b);
}

/* Return when a hold ends: as the host's records say, in whole seconds. */
static int64_t blockers_end(const struct cycle *c, const struct torus_hold *h)
{
	const struct cycle_name name = { .job = (uint32_t)h->job };
	const struct mirror_entry *e =
		h->job ? mirror_table_find(&c->running, &name) : NULL;

	return e && e->host_end_us != TORUS_NODE_IDLE ? e->host_end_us :
							h->end_us;
}

/* Mark the holds of a set, as bits: there are no more holds than nodes. */
static void blockers_find(struct cycle *c, const uint64_t *nodes,
			  uint32_t words, struct cycle_blockers *b)
{
	uint64_t *holds = torus_scratch_take(&c->scratch);
	uint32_t bit = torus_bits_next(nodes, words, 0), k;

	torus_bits_zero(holds, c->m->words);
	for (; bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1)) {
		if (c->holder[bit] != NO_HOLDER)
			torus_bits_set(holds, c->holder[bit]);
	}
	for (k = torus_bits_next(holds, c->m->words, 0); k != UINT32_MAX;
	     k = torus_bits_next(holds, c->m->words, k + 1)) {
		const struct torus_hold *h =
			torus_state_hold(c->state,
					 torus_state_by_end(c->state, k));

		if (b->holders < CYCLE_BLOCKERS)
			b->holder[b->holders] = (struct cycle_holder){
				promises_id(c, (uint32_t)h->job),
				blockers_end(c, h)
			};
		b->holders++;
	}
	torus_scratch_return(&c->scratch, holds);
	blockers_out(c, nodes, words, b);
}

/* Promises */

/* The promise to the head: the earliest of its acceptable alternatives. The place is
 * copied: the searches for other alternatives and for the reason overwrite the
 * plan's. */
static void promises_shadow(struct cycle *c, struct torus_plan *plan,
			    struct torus_job *job, struct cycle_promise *p,
			    struct torus_placement *place, uint64_t *nodes)
{
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask *ask = &job->request.alternative[k].ask;
		struct torus_placement candidate;
		int64_t when_us;

		if (!torus_job_accepts(job, k, c->now_us))
			continue;
		ask->now_us = c->now_us;
		ask->end_us = torus_time_after(c->now_us, job->limit_us);
		if (torus_plan_shadow(plan, ask, c->now_us, &when_us,
				      &candidate) != TORUS_FITS ||
		    when_us >= p->start_us ||
		    torus_placement_keep(c->m, place, &candidate,
					 &c->promise_room))
			continue;
		p->place = place;
		p->start_us = when_us;
		p->alternative = k;
		torus_bits_zero(nodes, c->m->words);
		torus_placement_paint(c->m, place, nodes);
		p->nodes = nodes;
	}
	p->end_us = torus_time_after(p->start_us, job->limit_us);
}

/* Return true if only Slurm reservations block the job; the reason names
 * them, also if running jobs block it as well but it must wait for an outage. */
static bool is_reserved(struct cycle *c, struct torus_ask *ask)
{
	const struct torus_outages *o = ask->outages;
	struct torus_placement place;
	bool fits;

	ask->outages = NULL;
	fits = torus_plan_find(torus_scheduler_plan(c->scheduler), ask,
			       &place) == TORUS_FITS;
	ask->outages = o;
	return fits;
}

/* A deadline discipline answers jobs in batches: the reason is the time of the
 * next answers. */
static bool explain_answer(struct torus_job *job, struct cycle_promise *p)
{
	bool own = !job->admitted && job->deadline_us != TORUS_NO_TIME;
	time_t at = (time_t)(job->answer_us / 1000000);
	char *text = outages_sentence(job->host);
	char when[32];
	struct tm tm;

	if (!text || (!own && job->deadline_us != TORUS_NO_TIME) ||
	    job->answer_us <= 0 || job->answer_us == TORUS_NO_TIME ||
	    !localtime_r(&at, &tm) ||
	    !strftime(when, sizeof(when), "%FT%T", &tm))
		return false;
	snprintf(text, ENTRY_SENTENCE,
		 own ? "its deadline is accepted or refused by %s" :
		       "its nodes are kept for deadline jobs, which are accepted or refused by %s",
		 when);
	p->reason = text;
	return true;
}

/* Return the words of a machine bitmap that matter to a job: only jobs without
 * a shape may use nodes outside of all toruses. */
static uint32_t words_of(const struct cycle *c,
			 const struct torus_job_request *r)
{
	const struct torus_pod *last = &c->m->pod[c->m->pods - 1];

	return last->outside && !r->alternative[0].ask.anywhere ?
		       last->first_word :
		       c->m->words;
}

/* Return the nodes that the host allows the job. */
static const uint64_t *promises_nodes_of(const struct cycle *c,
					 const struct mirror_entry *e)
{
	return e->allowed ? e->allowed : c->present;
}

/* A reason and the blockers. */
struct reason {
	struct torus_error why;
	struct cycle_blockers blockers;
	uint64_t *nodes;  /* scratch: those of the place */
	int64_t until_us; /* of lock_hold_clock_us(): no search begins later */
};

/* (Not with the scheduler's plan: it keeps the shadow time of the head.)
 * Name the jobs and nodes that block the promised place; without a promise, the place of
 * the forecast; without one, or if no job holds it, the place whose last holder ends
 * first, or, without one, all nodes that the host allows. */
static void name_blockers(struct cycle *c, struct torus_job *job,
			  struct cycle_promise *p, struct reason *r)
{
	struct cycle_promise first = *p;
	struct torus_placement place;

	r->blockers = (struct cycle_blockers){ 0 };
	p->blockers = &r->blockers;
	if (!p->place && p->forecast_nodes) {
		blockers_find(c, p->forecast_nodes, words_of(c, &job->request),
			      &r->blockers);
		r->blockers.place = true;
		if (r->blockers.holders)
			return;
		r->blockers = (struct cycle_blockers){ 0 };
	}
	if (!p->place && lock_hold_clock_us() < r->until_us)
		promises_shadow(c, c->search.plan, job, &first, &place,
				r->nodes);
	blockers_find(c,
		      first.place ? first.nodes :
				    promises_nodes_of(c, job->host),
		      words_of(c, &job->request), &r->blockers);
	r->blockers.place = first.place != NULL;
}

/*
 * Explain why the promised alternative cannot start now. Refused places do not
 * count as blocked, so the question is about all nodes that the host allows.
 */
static void promises_explain(struct cycle *c, struct torus_job *job,
			     struct cycle_promise *p, struct reason *r)
{
	struct mirror_entry *e = job->host;
	struct torus_ask ask =
		torus_ask_among(&job->request.alternative[p->alternative].ask,
				e->allowed);
	struct torus_placement place;

	if (explain_answer(job, p))
		return;
	torus_error_clear(&r->why);
	ask.now_us = c->now_us;
	ask.end_us = torus_time_after(c->now_us, job->limit_us);
	if (torus_plan_find(torus_scheduler_plan(c->scheduler), &ask, &place) ==
	    TORUS_FITS) {
		p->reason = e->narrowed ? UNFIT : NULL;
		return; /* only the jobs before it in the queue block it */
	}
	if (ask.outages && (is_reserved(c, &ask) || outages_forbid(c, job))) {
		p->reason = outages_say(c, e, ask.end_us, "no place");
		return;
	}
	p->for_shape = torus_state_explain(c->state, &ask, &r->why);
	if (r->why.count)
		p->reason = r->why.text;
	name_blockers(c, job, p, r);
}

/* Name the nodes out of service, for a job that was set aside. */
static void explain_aside(struct cycle *c, const struct mirror_entry *e,
			  struct cycle_promise *p, struct reason *r)
{
	if (!e->lacks_nodes)
		return;
	r->blockers = (struct cycle_blockers){ 0 };
	blockers_out(c, promises_nodes_of(c, e), words_of(c, &e->job.request),
		     &r->blockers);
	p->blockers = &r->blockers;
}

static struct cycle_promise promise_of(const struct cycle *c,
				       const struct mirror_entry *e)
{
	return (struct cycle_promise){
		.name = e->name,
		.id = promises_id(c, e->name.job),
		.start_us = TORUS_NO_TIME,
		.end_us = TORUS_NO_TIME,
		.forecast_us = e->state == ENTRY_QUEUED ? e->forecast_us :
							  TORUS_NO_TIME,
		.forecast_nodes = e->state == ENTRY_QUEUED ? e->forecast_nodes :
							     NULL,
		.reason = e->why,
		.request = &e->request,
	};
}

/* Who receives the promises, and how many of them have a reason. */
struct promise_listener {
	uint32_t most, explained;
	bool (*each)(void *arg, const struct cycle_promise *p);
	void *arg;
};

/* Pass on the promises of queued jobs; `nodes` is scratch. Return their number,
 * or UINT32_MAX if the listener wants no more. (One that has joined others in the last
 * round of a cycle runs, and leaves the queue with the next pass.) */
static uint32_t promises_queued(struct cycle *c,
				const struct promise_listener *l,
				uint64_t *nodes)
{
	struct torus_job *head = torus_scheduler_queue(c->scheduler)->head, *job;
	struct reason reason = {
		.nodes = nodes,
		.until_us = lock_hold_clock_us() + NAMING_US,
	};
	uint32_t n = 0;

	for (job = head; job && n < l->most; job = job->next) {
		const struct mirror_entry *e = job->host;
		struct cycle_promise p = promise_of(c, e);
		struct torus_placement place;

		if (e->joined)
			continue;
		p.head = job == head;
		if (job->reservation != UINT32_MAX) {
			const struct torus_reservation *r =
				torus_plan_reservation(torus_scheduler_plan(
							       c->scheduler),
						       job->reservation);

			p.start_us = r->start_us;
			p.end_us = r->end_us;
			p.place = &r->place;
			p.alternative = job->alternative;
			torus_bits_zero(nodes, c->m->words);
			torus_placement_paint(c->m, p.place, nodes);
			p.nodes = nodes;
		} else if (p.head)
			promises_shadow(c, torus_scheduler_plan(c->scheduler),
					job, &p, &place, nodes);
		if (n++ < l->explained)
			promises_explain(c, job, &p, &reason);
		p.alternative = required_alternative(e, p.alternative);
		if (!l->each(l->arg, &p))
			return UINT32_MAX;
	}
	return n;
}

void promises_list(struct cycle *c, uint32_t most, uint32_t explained,
		   bool (*each)(void *arg, const struct cycle_promise *p),
		   void *arg)
{
	const struct promise_listener l = { most, explained, each, arg };
	uint64_t *nodes;
	uint32_t n;

	if (c->tasks)
		qsort(c->task, c->tasks, sizeof(*c->task), promises_by_job);
	if (explained)
		blockers_begin(c);
	nodes = torus_scratch_take(&c->scratch);
	n = promises_queued(c, &l, nodes);
	torus_scratch_return(&c->scratch, nodes);
	if (n != UINT32_MAX) {
		struct reason reason;

		for (const struct mirror_entry *e = c->waiting.first; e;
		     e = e->next) {
			struct cycle_promise p = promise_of(c, e);

			if (!p.reason || e->state == ENTRY_QUEUED || e->joined)
				continue;
			if (n++ < l.explained)
				explain_aside(c, e, &p, &reason);
			if (!l.each(l.arg, &p))
				return;
		}
	}
}
