/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of a cycle (cycle.h), the orders that they make, and the host's result of
 * each order.
 */
#include "torus/state_find.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/orders.h"
#include "live/sharing.h"
#include "live/mirror/waiting.h"
#include "live/mirror/outages.h"

#include <stdio.h>

#include "torus/alloc.h"
#include "torus/discipline.h"

#define OUT_OF_SERVICE                                                         \
	"no torus has a place for it among the nodes in service that it may use"
#define NOT_SO_MANY                                                            \
	"too few usable nodes: the others are down, reserved or in another partition"
#define RESERVED "no place"

void orders_free(struct cycle *c)
{
	torus_free(c->order);
	torus_free(c->ordered);
	torus_free(c->order_maps);
}

/* Make room for n orders. -1 with ENOMEM: the orders stay valid. They point
 * into the maps, so the maps grow last. */
static int orders_make_room(struct cycle *c, uint32_t n)
{
	size_t room = torus_grown_room(c->order_room, n);

	if (n <= c->order_room)
		return 0;
	if (TORUS_RESIZE(c->order, room) || TORUS_RESIZE(c->ordered, room) ||
	    TORUS_RESIZE(c->order_maps, room * c->m->words))
		return -1;
	c->order_room = (uint32_t)room;
	return 0;
}

static void orders_fill(struct cycle *c, uint32_t i, struct torus_job *job)
{
	const struct torus_job *head = torus_scheduler_queue(c->scheduler)->head;
	struct mirror_entry *e = job->host;
	struct cycle_order *o = &c->order[i];
	uint64_t *map = c->order_maps + (size_t)i * c->m->words;

	c->ordered[i] = e;
	*o = (struct cycle_order){ .name = e->name, .key = e->key };
	torus_bits_zero(map, c->m->words);
	if (job->state == TORUS_JOB_REJECTED) {
		e->state = ENTRY_REFUSED;
		o->reject_reason = outages_say(c, e, job->deadline_us,
					       job->reason ?
						       job->reason :
						       "it was not admitted");
		return;
	}
	e->state = ENTRY_RUNNING;
	o->alternative = required_alternative(e, job->alternative);
	o->backfilled = head && head->position < job->position;
	o->limit_us = job->limit_us;
	o->place = torus_state_hold(c->state, job->slot)->place;
	torus_placement_paint(c->m, &o->place, map);
}

/* Do not carry out a start or a rejection. A start becomes an undone one a
 * microsecond later (orders_end_undone()): others may have its nodes then. */
static void orders_undo(struct cycle *c, struct mirror_entry *e)
{
	e->state = ENTRY_REFUSED;
	e->start_failed = e->job.state == TORUS_JOB_RUNNING;
	c->another_pass |= e->start_failed;
	cycle_report_stay(c, e,
			  e->start_failed ? JOURNAL_RUNNING : JOURNAL_REJECTED,
			  c->now_us);
	if (e->start_failed)
		return;
	e->job.state = TORUS_JOB_NEW;
}

bool orders_end_undone(struct cycle *c)
{
	struct mirror_entry *e = c->another_pass ? c->waiting.first : NULL;
	bool any = false;

	for (; e; e = e->next) {
		if (!e->start_failed)
			continue;
		cycle_report_stay(c, e, JOURNAL_UNDONE, c->now_us);
		torus_scheduler_end(c->scheduler, &e->job, c->now_us);
		e->job.state = TORUS_JOB_NEW;
		e->start_failed = false;
		any = true;
	}
	c->another_pass = false;
	return any;
}

/* Make orders of the jobs that a pass decided on. */
static int orders_collect(struct cycle *c, struct torus_job *decided)
{
	uint32_t n = c->orders;

	for (const struct torus_job *job = decided; job; job = job->decided)
		n++;
	if (orders_make_room(c, n)) {
		for (; decided; decided = decided->decided)
			orders_undo(c, decided->host);
		return -1;
	}
	for (; decided; decided = decided->decided)
		orders_fill(c, c->orders++, decided);
	/* the maps may have moved */
	for (uint32_t i = 0; i < n; i++) {
		struct cycle_order *o = &c->order[i];

		o->nodes = c->order_maps + (size_t)i * c->m->words;
		if (!o->reject_reason && o->place.scattered)
			o->place.nodes = o->nodes +
					 c->m->pod[o->place.pod].first_word;
	}
	return 0;
}

/*
 * Return true if a job that suits the empty machine could start now, were no
 * job running. If outages forbid it, a discipline that looks ahead knows when
 * they end; for any other the job is tried again at that time, since the end of
 * an outage is no event.
 */
static bool possible_now(struct cycle *c, struct mirror_entry *e)
{
	const struct torus_outages *o = e->job.outages;
	int64_t limit_us = e->job.limit_us > 0 ? e->job.limit_us : 1;
	int64_t step;

	if (!o || c->settings.discipline->foresees)
		return true;
	if (!outages_forbid(c, &e->job)) {
		step = torus_outages_step(o, c->now_us, limit_us);
		if (step < c->wake_us) /* an outage may forbid it then */
			c->wake_us = step;
		return true;
	}
	e->retry_us = torus_outages_next(o, c->now_us);
	return false;
}

/* Say why no state of the jobs has a place: the links alone, or nodes. */
static void orders_say_impossible(struct cycle *c, struct mirror_entry *e,
				  const uint64_t *usable)
{
	const struct torus_ask *ask = &e->job.request.alternative[0].ask;
	const uint64_t *allowed = e->job.allowed;
	struct torus_ask among = torus_ask_among(ask, allowed);
	struct torus_error why = { 0 };
	char links[112];

	e->why = ask->anywhere ? NOT_SO_MANY : OUT_OF_SERVICE;
	e->lacks_nodes = true;
	if (allowed &&
	    torus_bits_count(allowed, c->m->words) < torus_ask_nodes(ask) &&
	    outages_sentence(e)) {
		torus_state_explain(c->state, &among, &why);
		snprintf(e->outage_text, ENTRY_SENTENCE, "%.*s",
			 ENTRY_SENTENCE - 1, why.text);
		e->why = e->outage_text;
		return;
	}
	if (!torus_links_name(c->empty, ask, links, sizeof(links)) ||
	    !outages_leave_place(c, &e->job, usable, true) ||
	    !outages_sentence(e))
		return;
	snprintf(e->outage_text, ENTRY_SENTENCE,
		 "no torus has a place for it that avoids the %s", links);
	e->why = e->outage_text;
	e->lacks_nodes = false;
}

/* Set the head of the queue aside if it would block the others for ever. */
static bool set_aside_head(struct cycle *c, int64_t now_us)
{
	struct torus_job *head = torus_scheduler_queue(c->scheduler)->head;
	struct mirror_entry *e = head ? head->host : NULL;
	bool possible, now;
	uint64_t *usable;

	if (!e || (e->settled && !head->outages))
		return false;
	e->settled = true;
	usable = torus_scratch_take(&c->scratch);
	outages_usable(c, head, usable);
	possible = outages_leave_place(c, head, usable, false);
	if (!possible)
		orders_say_impossible(c, e, usable);
	torus_scratch_return(&c->scratch, usable);
	now = possible && possible_now(c, e);
	if (possible) {
		e->why = NULL;
		e->lacks_nodes = false;
		if (now)
			return false;
		e->why = outages_say(c, e,
				     torus_time_after(c->now_us, head->limit_us),
				     RESERVED);
	}
	if (!e->unreported)
		cycle_report_stay(c, e, JOURNAL_WITHDRAWN, now_us);
	e->unreported = false;
	torus_scheduler_remove(c->scheduler, head, now_us);
	e->state = ENTRY_ASIDE;
	if (e->narrowed) { /* until the next attempt offers places */
		e->state = ENTRY_REFUSED;
		e->why = UNFIT;
		e->lacks_nodes = false;
		e->refusals = 0;
		e->refused_us = now_us;
	}
	waiting_note_retry(c, e);
	return true;
}

/*
 * Set aside all such jobs at the head. There may be thousands of them, too many
 * for a pass each. The latest pass has seen them, and a replay has one pass per
 * time, so it is a microsecond later.
 */
static bool set_aside(struct cycle *c)
{
	int64_t now_us = c->now_us + 1;

	while (set_aside_head(c, now_us))
		c->now_us = now_us;
	return c->now_us == now_us;
}

void orders_set_aside(struct cycle *c)
{
	while (set_aside_head(c, c->now_us))
		continue;
	cycle_report_waiting(c);
}

/* Return true if the host could be asked to let a job share nodes. */
static bool share_any(const struct cycle *c)
{
	bool any = torus_bits_next(c->share.shared, c->m->words, 0) !=
		   UINT32_MAX;

	for (uint32_t i = 0; i < c->orders && !any; i++)
		any = c->ordered[i]->shares;
	return any;
}

uint32_t orders_plan(struct cycle *c, int64_t now_us)
{
	bool changed;

	cycle_report_begin(c);
	if (now_us > c->now_us || c->now_us - now_us > CYCLE_CLOCK_ERROR_US)
		c->now_us = now_us;
	else if (c->another_pass)
		c->now_us++;
	if (c->share.joined)
		sharing_update(c); /* (jobs that joined in the former pass) */
	changed = orders_end_undone(c);
	c->orders = 0;
	changed |= sharing_settle(c);
	if (c->share.joined) { /* without memory: the next pass tries again */
		c->another_pass = true;
		return 0;
	}
	changed |= shorten_settle(c);
	c->share.noted = false;
	if (!changed && c->wake_us > c->now_us)
		return 0; /* a replay has no pass now */
	if (waiting_resubmit(c))
		orders_set_aside(c);
	cycle_report_pass(c);
	do {
		struct torus_job *decided = torus_scheduler_pass(c->scheduler,
								 c->now_us,
								 &c->asked_us);

		c->wake_us = c->asked_us;
		cycle_report_cut(c);
		if (orders_collect(c, decided))
			break;
	} while (set_aside(c));
	if (share_any(c))
		sharing_note(c);
	return c->orders;
}

const struct cycle_order *orders_get(const struct cycle *c, uint32_t i)
{
	return &c->order[i];
}

bool orders_need_pass(const struct cycle *c)
{
	return c->another_pass;
}

static void orders_started(struct cycle *c, struct mirror_entry *e, uint32_t job)
{
	mirror_table_remove(&c->waiting, e);
	if (e->job.state != TORUS_JOB_RUNNING) {
		cycle_report_stay(c, e, JOURNAL_REJECTED, c->now_us);
		mirror_entry_free(e); /* the order was a rejection */
		return;
	}
	e->name = (struct cycle_name){ .job = job };
	e->job.id = job;
	torus_state_renumber(c->state, e->job.slot, job);
	e->seen = c->number;
	e->started_by_pass = true;
	mirror_table_add(&c->running, e);
	cycle_report_stay(c, e, JOURNAL_RUNNING, c->now_us);
	if (e->shares) {
		sharing_use_entry(c, e);
		c->share.stamp++;
	}
}

/* The job gets another place: in the next pass if it may have one more
 * attempt. */
static void offer_other(struct cycle *c, struct mirror_entry *e,
			const uint64_t *unfit)
{
	uint64_t *others = torus_scratch_take(&c->scratch);
	const uint64_t *left;
	int rc;

	e->refused_us = c->now_us;
	e->narrowed = true;
	e->why = UNFIT;
	e->refusals++;
	torus_bits_copy(others, e->job.allowed ? e->job.allowed : c->present,
			c->m->words);
	torus_bits_andnot(others, unfit, c->m->words);
	rc = node_sets_add(c, others, &left);
	torus_scratch_return(&c->scratch, others);
	if (rc)
		return;
	e->job.allowed = left;
	if (e->refusals < c->tries)
		e->state = ENTRY_AGAIN;
}

void orders_done(struct cycle *c, uint32_t i, enum cycle_result result,
		 uint32_t job, const uint64_t *unfit)
{
	struct mirror_entry *e = c->ordered[i];

	if (result == CYCLE_STARTED) {
		orders_started(c, e, job);
		return;
	}
	orders_undo(c, e);
	if (result == CYCLE_JOINED)
		return;
	if (result == CYCLE_UNFIT) {
		offer_other(c, e, unfit ? unfit : c->order[i].nodes);
	} else {
		e->delays++;
		e->refused_us = c->now_us;
		e->hopeless = result == CYCLE_NEVER;
		if (e->hopeless)
			e->why = HOPELESS;
	}
	waiting_note_retry(c, e);
}
