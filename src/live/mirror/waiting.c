/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waiting jobs of a cycle: those that came, changed or left. A job that the host
 * changed is withdrawn and submitted again, with its turn: the time at which it became
 * eligible, then its number.
 *
 * A job that could not start even if all others ended, because nodes are out of
 * service or not allowed to it, is set aside when it is the head of the queue: it
 * would block the others for an unknown time. It returns when nodes go out of service
 * or come back. If an outage is the cause and the discipline does not look ahead, it
 * returns when the outage ends.
 *
 * Cost: O(queued) per update; O(log new) comparisons per new job.
 */
#include "torus/plan.h"
#include "live/base/lock_hold.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"

#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/discipline.h"

#define JOB_BITS 26 /* the low bits of a turn; the seconds are above */
#define TOO_MANY "the cluster has too few nodes for this job"
#define NOT_AROUND "no place in service holds the nodes that it requires (-w)"
#define NOT_REACHED                                                            \
	"a place around the nodes that it requires (-w) is being searched for"
/* The time from a job's latest refused place to the next attempt, if nodes have
 * become free since then; if not, the pause doubles each time. (Slurm may call
 * nodes busy for a second after a job has released them.) */
#define RETRY_US INT64_C(1000000)
#define RETRY_MOST_US INT64_C(10000000)
#define RETRY_HOPELESS_US INT64_C(60000000) /* of CYCLE_NEVER */
/* Orders of a job that the host delays without a reason are repeated with the
 * next snapshots (mostly something has just changed), at most this often; then
 * once in RETRY_US. */
#define LATERS 3
/* A snapshot takes less. A job that is eligible still later was so before the clock
 * was set back. */
#define SNAPSHOT_US INT64_C(60000000)

/* Snapshot */

static const uint64_t *allowed_by_host(const struct mirror_entry *e)
{
	if (e->pending)
		return e->pending->allowed;
	return e->required ? e->required->candidates : e->allowed;
}

bool waiting_unchanged(struct cycle *c, const struct cycle_name *name,
		       uint64_t key, const uint64_t *allowed,
		       const struct torus_outages *outages, double priority)
{
	struct mirror_entry *e = mirror_table_find(&c->waiting, name);

	if (!e || e->key != key || allowed_by_host(e) != allowed ||
	    (e->pending ? e->pending->outages : e->outages) != outages)
		return false;
	e->seen = c->number;
	if (e->pending) {
		e->pending->priority = priority;
	} else if (e->priority != priority) {
		e->priority = priority;
		c->reranked = true;
	}
	return true;
}

/* The host counts in seconds. If the job became eligible just now, or before the clock
 * was set back, the cycle's time is more exact. */
static int64_t waiting_exact(const struct cycle *c, int64_t eligible_us)
{
	return c->now_us - eligible_us < CYCLE_CLOCK_ERROR_US ? c->now_us :
								eligible_us;
}

/* Copy the host's record of a job that is not in the queue. The entry has its
 * request already. */
static void take_pending(const struct cycle *c, struct mirror_entry *e,
			 const struct cycle_pending_job *w)
{
	e->job = (struct torus_job){
		.id = w->name.job,
		.request = e->request,
		.submit_us = waiting_exact(c, w->eligible_us),
		.limit_us = w->limit_us,
		.deadline_us = w->deadline_us,
		.owner = w->owner,
		.host = e,
	};
	e->full_us = w->limit_us;
	e->least_us = w->least_us;
	e->step_us = w->step_us;
	e->shortened_us = 0;
	e->allowed = w->allowed;
	e->outages = w->outages;
	e->priority = w->priority;
	e->shares = w->shares;
	e->spreads = w->spreads;
	e->job.turn = w->eligible_us / 1000000 * (INT64_C(1) << JOB_BITS) +
		      (int64_t)(w->name.job & ((1u << JOB_BITS) - 1));
	e->delays = 0;
	e->hopeless = false;
	required_take(e, w);
}

/* Store the host's new record of a job in the mirror until the next update. The
 * update withdraws the job first. */
static int keep_pending(struct mirror_entry *e,
			const struct cycle_pending_job *job)
{
	bool unchanged = (!e->pending || e->pending->unchanged) &&
			 e->key == job->key;
	struct torus_job_request request;

	if (torus_job_request_copy(&request, &job->request))
		return -1;
	if (!e->pending)
		e->pending = torus_alloc(1, sizeof(*e->pending));
	if (!e->pending) {
		torus_free(request.alternative);
		return -1;
	}
	torus_free(e->pending->request.alternative);
	*e->pending = *job;
	e->pending->request = request;
	e->pending->unchanged = unchanged;
	return 0;
}

/*
 * Take over the record that keep_pending() stored, and free it. If the number of
 * alternatives is the same, the new ones are copied over the old ones: when many jobs
 * change at once, malloc then gets all memory of the records back.
 */
static void take_kept(const struct cycle *c, struct mirror_entry *e)
{
	struct torus_job_request *kept = &e->pending->request;
	struct torus_job_request former = e->request;

	if (kept->alternatives == former.alternatives) {
		e->request = torus_job_request_put(former.alternative, kept);
	} else {
		e->request = *kept;
		*kept = former;
	}
	take_pending(c, e, e->pending);
	mirror_drop_pending(e);
}

int waiting_add(struct cycle *c, const struct cycle_pending_job *job)
{
	struct mirror_entry *e = mirror_table_find(&c->waiting, &job->name);
	bool is_new = e == NULL, is_free;

	if (job->eligible_us > c->now_us &&
	    job->eligible_us - c->now_us <= SNAPSHOT_US) {
		/* later than this cycle: its wait must not begin before */
		if (job->eligible_us < c->later_us)
			c->later_us = job->eligible_us;
		return 0;
	}
	if (is_new) {
		e = torus_alloc(1, sizeof(*e));
		if (!e)
			return -1;
		e->name = job->name;
		e->host_start_us = e->host_end_us = TORUS_NODE_IDLE;
	}
	is_free = !e->required;
	if (required_prepare(e, job->required) ||
	    (is_new ? torus_job_request_copy(&e->request, &job->request) :
		      keep_pending(e, job))) {
		if (is_new) {
			mirror_entry_free(e);
		} else if (is_free) {
			torus_free(e->required);
			e->required = NULL;
		}
		return -1;
	}
	e->key = job->key;
	e->seen = c->number;
	if (is_new) {
		take_pending(c, e, job);
		mirror_table_add(&c->waiting, e);
	}
	return 0;
}

/* Update */

void waiting_withdraw(struct cycle *c, struct mirror_entry *e,
		      enum mirror_state state)
{
	if (e->state == ENTRY_QUEUED) {
		c->news = true;
		if (!e->unreported)
			cycle_report_stay(c, e, JOURNAL_WITHDRAWN, c->now_us);
		e->unreported = false;
		torus_scheduler_remove(c->scheduler, &e->job, c->now_us);
	}
	e->state = state;
}

static bool freed_since(const struct cycle *c, const struct mirror_entry *e)
{
	return c->freed_us > e->refused_us;
}

/* Return when to submit the job again although no event concerns it. */
static int64_t back_us(const struct cycle *c, const struct mirror_entry *e)
{
	if (e->narrowed)
		return e->refused_us +
		       (freed_since(c, e) ? RETRY_US : e->pause_us);
	if (e->state == ENTRY_REFUSED && e->delays > 0)
		return e->refused_us +
		       (e->hopeless ? RETRY_HOPELESS_US : RETRY_US);
	return e->state == ENTRY_ASIDE ? e->retry_us : TORUS_NO_TIME;
}

void waiting_note_retry(struct cycle *c, const struct mirror_entry *e)
{
	int64_t at_us = back_us(c, e);

	if (at_us < c->retry_us)
		c->retry_us = at_us;
}

static bool waiting_is_fresh(const struct cycle *c, const struct mirror_entry *e)
{
	return e->pending || e->state == ENTRY_NEW || e->state == ENTRY_AGAIN ||
	       (e->state == ENTRY_REFUSED && !e->narrowed &&
		e->delays < LATERS && !e->hopeless) ||
	       (e->state == ENTRY_ASIDE &&
		(c->out_changed || c->links_changed)) ||
	       back_us(c, e) <= c->now_us;
}

/* Compare by turn. */
static int by_turn(const void *a, const void *b)
{
	const struct mirror_entry *x = *(struct mirror_entry *const *)a;
	const struct mirror_entry *y = *(struct mirror_entry *const *)b;

	if (x->job.turn != y->job.turn)
		return x->job.turn < y->job.turn ? -1 : 1;
	if (x->name.copy != y->name.copy)
		return x->name.copy < y->name.copy ? -1 : 1;
	return x->name.part < y->name.part ? -1 : x->name.part > y->name.part;
}

void waiting_enter(struct cycle *c, struct mirror_entry *e)
{
	e->settled = false;
	e->why = NULL;
	e->lacks_nodes = false;
	e->retry_us = TORUS_NO_TIME;
	e->job.priority = e->priority;
	e->forecast_us = TORUS_NO_TIME;
	if (e->required && !e->required->found) {
		e->state = ENTRY_ASIDE;
		e->lacks_nodes = e->required->search_number > 0;
		e->why = e->lacks_nodes ? NOT_AROUND : NOT_REACHED;
		e->job.state = TORUS_JOB_NEW;
		return;
	}
	if (torus_scheduler_submit(c->scheduler, &e->job, c->now_us, NULL) ==
	    TORUS_FITS) {
		c->news = true;
		e->state = ENTRY_QUEUED;
	} else {
		e->state = ENTRY_ASIDE;
		e->why = e->job.request.alternative[0].ask.anywhere ?
				 TOO_MANY :
				 e->job.reason;
		e->job.state = TORUS_JOB_NEW;
	}
}

static void waiting_submit_one(struct cycle *c, struct mirror_entry *e)
{
	e->submitted_us = c->now_us;
	e->stay = ++c->stays;
	e->unreported = true;
	e->submitted_allowed = e->job.allowed;
	e->submitted_outages = e->job.outages ? e->job.outages->number : 0;
	e->allowed_changes = 0;
	waiting_enter(c, e);
}

/*
 * Submit the n entries of c->fresh in the order of their turns. Whether the machine
 * could ever hold them is searched for here. Unless `all`, those that are not reached
 * within c->submit_us come in the next update (the journal has them then); a pass for
 * the other jobs comes before.
 */
static void submit_fresh(struct cycle *c, uint32_t n, bool all)
{
	int64_t until_us = lock_hold_cpu_us() + c->submit_us;

	if (n > 1)
		qsort(c->fresh, n, sizeof(*c->fresh), by_turn);
	for (uint32_t i = 0; i < n; i++) {
		struct mirror_entry *e = c->fresh[i];

		if (i > 0 && !all && !e->narrowed &&
		    lock_hold_cpu_us() >= until_us)
			c->retry_us = c->now_us;
		else
			waiting_submit_one(c, e);
	}
}

void waiting_submit_missed(struct cycle *c, struct mirror_entry *e)
{
	bool is_searched = !e->required || e->required->search_number > 0;

	if (e->state != ENTRY_NEW && (e->state != ENTRY_ASIDE || is_searched))
		return;
	if (!is_searched) {
		required_begin(c); /* allows one search */
		required_renew_place(c, e);
		required_settle(e);
	}
	/* (an update without memory has not prepared it) */
	e->job.allowed = e->allowed;
	e->job.outages = e->outages;
	waiting_submit_one(c, e);
}

/* Return true if the queue is in the order of the current priorities and, among equal
 * ones, of the turns, unless the discipline ranks those. */
static bool waiting_is_ordered(const struct cycle *c)
{
	const struct torus_job *job = torus_scheduler_queue(c->scheduler)->head;
	bool ranks = torus_discipline_sorts(&c->settings);

	for (; job && job->next; job = job->next) {
		const struct mirror_entry *e = job->host,
					  *next = job->next->host;

		if (e->priority < next->priority ||
		    (e->priority == next->priority && !ranks &&
		     job->turn > job->next->turn))
			return false;
	}
	return true;
}

/*
 * Priorities have changed. If no job changes its place in the queue, leave the
 * queue as it is, so that reservations stay. (The scheduler then has the former
 * priorities, and a new job may get a wrong place: the next update sees that.)
 * Otherwise submit all queued jobs again.
 */
static void waiting_reorder(struct cycle *c)
{
	bool waits = c->settings.discipline->limits_waiting &&
		     c->settings.wait_limit_us != TORUS_NO_TIME;
	uint32_t n = 0;

	if (!c->reranked || !c->settings.order_by_priority ||
	    (!waits && waiting_is_ordered(c)))
		return;
	for (struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (e->state != ENTRY_QUEUED)
			continue;
		waiting_withdraw(c, e, ENTRY_NEW);
		c->fresh[n++] = e;
	}
	submit_fresh(c, n, true);
	c->reranked = false;
}

/* Return true if the job may use the reservation's nodes at its time. */
static bool waiting_reservation_suits(struct cycle *c,
				      const struct torus_reservation *r,
				      const uint64_t *allowed,
				      const struct torus_outages *outages)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);
	bool suits;

	torus_bits_zero(nodes, c->m->words);
	torus_placement_paint(c->m, &r->place, nodes);
	suits = (!allowed || torus_bits_subset(nodes, allowed, c->m->words)) &&
		(!outages || torus_outages_allow(outages, r->start_us,
						 r->end_us, nodes, c->m->words));
	torus_scratch_return(&c->scratch, nodes);
	return suits;
}

/* Note for the journal that the allowed nodes or the outages of the job change
 * now. */
static void note_allowed(struct cycle *c, struct mirror_entry *e)
{
	uint64_t outages = e->outages ? e->outages->number : 0;

	if (!c->journal || (e->allowed == e->submitted_allowed &&
			    outages == e->submitted_outages))
		return;
	if (e->allowed_changes < ENTRY_ALLOWED_CHANGES &&
	    TORUS_GROW(e->allowed_before, e->allowed_room,
		       e->allowed_changes + 1) == 0)
		e->allowed_before[e->allowed_changes++] =
			(struct journal_allowed){ c->now_us,
						  e->submitted_allowed,
						  e->submitted_outages };
	e->submitted_allowed = e->allowed;
	e->submitted_outages = outages;
	cycle_report_stay(c, e, JOURNAL_WAITING, c->now_us);
}

/*
 * Leave a job in the queue if only its allowed nodes or outages have changed
 * and its reservation satisfies the new ones. Return true then.
 */
static bool waiting_can_stay(struct cycle *c, struct mirror_entry *e)
{
	const struct torus_reservation *r;

	if (e->state != ENTRY_QUEUED || !e->pending->unchanged || e->narrowed ||
	    e->job.limit_us != e->full_us || e->job.reservation == UINT32_MAX)
		return false;
	r = torus_plan_reservation(torus_scheduler_plan(c->scheduler),
				   e->job.reservation);
	if (!waiting_reservation_suits(c, r, e->pending->allowed,
				       e->pending->outages))
		return false;
	if (e->required)
		e->required->candidates = e->pending->allowed;
	else
		e->allowed = e->pending->allowed;
	e->outages = e->pending->outages;
	c->reranked |= e->priority != e->pending->priority;
	e->priority = e->pending->priority;
	mirror_drop_pending(e);
	torus_scheduler_readmit(c->scheduler, &e->job, e->allowed, e->outages,
				c->now_us);
	note_allowed(c, e);
	c->news = true;
	return true;
}

/* Return the pause before the attempt after the next one. */
static int64_t next_pause(const struct cycle *c, const struct mirror_entry *e)
{
	if (!e->narrowed || freed_since(c, e))
		return RETRY_US;
	return e->pause_us < RETRY_MOST_US / 2 ? 2 * e->pause_us : RETRY_MOST_US;
}

/*
 * Prepare the job to be submitted again. It avoids the places that were
 * refused, in this attempt and the following ones, until none is left.
 */
static void waiting_renew(struct cycle *c, struct mirror_entry *e)
{
	bool before = !e->pending && e->narrowed &&
		      e->job.limit_us == e->full_us;
	bool same = before && e->state == ENTRY_AGAIN;
	bool next = before && e->state == ENTRY_REFUSED &&
		    e->refusals >= c->tries;

	waiting_withdraw(c, e, ENTRY_NEW);
	if (e->pending) {
		take_kept(c, e);
		e->narrowed = false;
	}
	e->job.outages = e->outages;
	e->job.limit_us = e->full_us;
	if (!same) {
		e->refusals = 0;
		e->pause_us = next_pause(c, e);
	}
	if (same || next)
		return;
	e->narrowed = false;
	if (e->required) {
		required_renew_place(c, e);
		required_settle(e);
	}
	e->job.allowed = e->allowed;
}

/* Return true if the place around the required nodes (-w) has changed. */
static bool waiting_moves(struct cycle *c, struct mirror_entry *e)
{
	return e->required && !e->pending && !e->narrowed &&
	       (e->state == ENTRY_QUEUED || e->state == ENTRY_ASIDE) &&
	       required_renew_place(c, e);
}

int waiting_submit(struct cycle *c)
{
	uint32_t n = 0;

	c->retry_us = c->later_us;
	for (struct mirror_entry *e = c->waiting.first, *next; e; e = next) {
		next = e->next;
		if (e->seen == c->number)
			continue;
		waiting_withdraw(c, e, ENTRY_NEW);
		mirror_table_remove(&c->waiting, e);
		mirror_entry_free(e);
	}
	if (TORUS_GROW(c->fresh, c->fresh_room, c->waiting.entries))
		return -1;
	required_begin(c);
	for (struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (c->out_changed || c->links_changed)
			e->settled = false;
		e->next_limit_us = 0;
		if (!(waiting_moves(c, e) || waiting_is_fresh(c, e)) ||
		    (e->pending && waiting_can_stay(c, e))) {
			waiting_note_retry(c, e);
			continue;
		}
		waiting_renew(c, e);
		c->fresh[n++] = e;
	}
	required_end(c);
	submit_fresh(c, n, false);
	waiting_reorder(c);
	outages_sweep(c);
	node_sets_sweep(c);
	return 0;
}

bool waiting_resubmit(struct cycle *c)
{
	uint32_t n = 0;

	for (struct mirror_entry *e = c->waiting.first; e; e = e->next) {
		if (e->state == ENTRY_AGAIN)
			c->fresh[n++] = e;
	}
	submit_fresh(c, n, true);
	return n > 0;
}
