/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cycle (cycle.h) reports to its journal: its whole state at the begin, then
 * the stays of jobs in the queue and on nodes, and the nodes that no job may get.
 *
 * A replay that begins with this state must decide exactly as the cycle does. So the
 * cycle's own machine state is made anew from the text that the journal gets
 * (torus_state_renew()), and the journal gets waiting jobs and their promises
 * (saved_promises.c) as they are before the first pass.
 *
 * Cost: once per cycle O(jobs + text of the state); then O(1) per line, O(waiting) per
 * update.
 */
#include "torus/plan.h"
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "torus/placement.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/mirror/outages.h"

#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/usage.h"

void cycle_report_to(struct cycle *c, struct journal *journal)
{
	c->journal = journal;
	/* report them even if nothing has changed */
	c->out_changed = c->untracked_reported = true;
}

void cycle_report_stay(struct cycle *c, const struct mirror_entry *e,
		       enum journal_state state, int64_t now_us)
{
	struct journal_stay s = {
		.number = e->stay,
		.job = &e->job,
		.state = state,
		.submitted_us = e->submitted_us,
		.ended_us = now_us,
		.host_started = e->host_started,
		.limit = e->change,
		.limits = e->changes,
		.allowed = e->submitted_allowed,
		.outages = e->submitted_outages,
		.allowed_before = e->allowed_before,
		.allowed_changes = e->allowed_changes,
	};

	if (!c->begun || !c->journal)
		return;
	c->reported_us = now_us;
	if (e->job.state == TORUS_JOB_RUNNING)
		s.hold = torus_state_hold(c->state, e->job.slot);
	if (state == JOURNAL_WAITING && e->job.outages)
		outages_report(c, e->job.outages);
	journal_stay(c->journal, &s);
}

void cycle_report_host_start(struct cycle *c, struct mirror_entry *e,
			     bool is_new)
{
	if (!c->begun)
		return;
	e->stay = ++c->stays;
	e->submitted_us = c->now_us;
	e->host_started = true;
	if (e->job.start_us > c->now_us) { /* the clock was set back since */
		e->job.limit_us += e->job.start_us - c->now_us;
		e->job.start_us = c->now_us;
	}
	if (is_new && c->journal)
		journal_host_hold(c->journal, c->now_us,
				  torus_state_hold(c->state, e->job.slot));
	cycle_report_stay(c, e, JOURNAL_RUNNING, c->now_us);
}

void cycle_report_nodes(struct cycle *c, bool out, int64_t end_us,
			const uint64_t *nodes)
{
	if (!c->begun || !c->journal)
		return;
	c->reported_us = c->now_us;
	journal_nodes(c->journal, out, c->now_us, end_us, nodes);
}

static void watch_report_link(struct cycle *c, const struct torus_link *link,
			      uint8_t health)
{
	struct torus_link now = *link;

	now.health = health;
	journal_link(c->journal, c->now_us, &now);
}

void cycle_report_links(struct cycle *c, const struct torus_link_list *was)
{
	const struct torus_link_list *now = torus_state_links(c->state);

	if (!c->begun || !c->journal)
		return;
	c->reported_us = c->now_us;
	for (uint32_t i = 0; i < was->count; i++) {
		if (!torus_link_find(now, &was->link[i]))
			watch_report_link(c, &was->link[i], TORUS_LINK_UP);
	}
	for (uint32_t i = 0; i < now->count; i++) {
		const struct torus_link *l = &now->link[i];
		const struct torus_link *old = torus_link_find(was, l);

		if (!old || old->health != l->health)
			watch_report_link(c, l, l->health);
	}
}

void cycle_report_weights(struct cycle *c, bool asleep_only)
{
	if (!c->begun || !c->journal)
		return;
	c->reported_us = c->now_us;
	journal_weights(c->journal, c->now_us, c->weights, asleep_only);
}

void cycle_report_pass(struct cycle *c)
{
	if (c->begun && c->journal && c->reported_us != c->now_us &&
	    c->asked_us != c->now_us)
		journal_pass(c->journal, c->now_us);
}

void cycle_report_cut(struct cycle *c)
{
	const struct torus_pass_cut *cut = torus_scheduler_cut(c->scheduler);

	if (cut->cut && c->journal)
		journal_cut(c->journal, c->now_us, cut->steps);
}

/* (A job that was withdrawn at the time of its submission has no stay.) */
void cycle_report_waiting(struct cycle *c)
{
	for (struct mirror_entry *e = c->begun ? c->waiting.first : NULL; e;
	     e = e->next) {
		if (e->state == ENTRY_QUEUED && e->unreported)
			cycle_report_stay(c, e, JOURNAL_WAITING, c->now_us);
		e->unreported = false;
	}
}

int64_t cycle_report_now(const struct cycle *c)
{
	return c->now_us;
}

/* The begin */

/* Set the entries' slots again after the state was made anew. */
static void begin_rebind(struct cycle *c)
{
	c->untracked_slots = 0;
	for (uint32_t k = 0; k < torus_state_holds(c->state); k++) {
		uint32_t slot = torus_state_by_end(c->state, k);
		const struct cycle_name name = {
			.job = (uint32_t)torus_state_hold(c->state, slot)->job,
		};
		struct mirror_entry *e =
			name.job ? mirror_table_find(&c->running, &name) : NULL;

		if (e)
			e->job.slot = slot;
		else
			c->untracked[c->untracked_slots++] = slot;
	}
}

void cycle_report_settle_state(struct cycle *c)
{
	if (!c->journal)
		return;
	if (torus_state_renew(c->state, &c->begun_with))
		torus_text_free(&c->begun_with); /* no replay can begin here */
	else
		begin_rebind(c);
	c->changed = true;
}

/* Compare promises by the order in which their reservations were made. */
static int begin_compare(const void *a, const void *b)
{
	const struct torus_job *x = *(const struct torus_job *const *)a;
	const struct torus_job *y = *(const struct torus_job *const *)b;

	if (x->reservation != y->reservation)
		return x->reservation < y->reservation ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void begin_report_promise(struct cycle *c, const struct torus_job *job)
{
	const struct mirror_entry *e = job->host;
	struct torus_promise p = { .admitted = job->admitted };

	if (job->reservation != UINT32_MAX) {
		const struct torus_reservation *r =
			torus_plan_reservation(torus_scheduler_plan(c->scheduler),
					       job->reservation);

		p.place = &r->place;
		p.alternative = job->alternative;
		p.start_us = r->start_us;
		p.end_us = r->end_us;
	}
	if (p.admitted || p.place)
		journal_promise(c->journal, c->now_us, e->stay, job->id, &p);
}

/*
 * Report the promises to waiting jobs. Their order matters: under the real-time
 * disciplines each reservation splits sub-cubes in turn (discipline/cubes.c). In a
 * new plan the numbers of reservations ascend. Without memory for the sort the
 * order is the queue's.
 */
static void begin_report_promises(struct cycle *c)
{
	const struct torus_queue *queue = torus_scheduler_queue(c->scheduler);
	const struct torus_job *job = queue->head, **list;
	uint32_t n = 0;

	list = torus_alloc(queue->length, sizeof(*list));
	for (; job; job = job->next) {
		if (list)
			list[n++] = job;
		else
			begin_report_promise(c, job);
	}
	if (list)
		qsort(list, n, sizeof(*list), begin_compare);
	for (uint32_t i = 0; i < n; i++)
		begin_report_promise(c, list[i]);
	torus_free(list);
}

/* Report what users have used. Live and in a replay it goes on from the same number. */
static void begin_report_usage(struct cycle *c)
{
	struct torus_usage usage;

	for (uint32_t i = 0; torus_scheduler_usage(c->scheduler, i, &usage);
	     i++) {
		torus_scheduler_take_usage(c->scheduler, &usage, c->now_us);
		torus_scheduler_usage(c->scheduler, i, &usage);
		journal_usage(c->journal, c->now_us, &usage);
	}
}

/* Report nodes that are out or in use. The state has them too; these lines are
 * for readers that take a journal as a trace, without the state. */
static void begin_report_nodes(struct cycle *c)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);

	cycle_report_nodes(c, true, 0, torus_state_out_map(c->state));
	for (uint32_t i = 0; i < c->untracked_slots; i++) {
		const struct torus_hold *h = torus_state_hold(c->state,
							      c->untracked[i]);

		torus_bits_zero(nodes, c->m->words);
		torus_hold_paint(c->state, h, nodes);
		cycle_report_nodes(c, false, h->end_us, nodes);
	}
	torus_scratch_return(&c->scratch, nodes);
}

/* Report the links: all are up except those that follow. */
static void begin_report_links(struct cycle *c)
{
	const struct torus_link_list *links = torus_state_links(c->state);
	bool fail = false;

	for (uint32_t p = 0; p < c->m->pods; p++)
		fail |= c->m->pod[p].links;
	if (!fail)
		return;
	journal_link(c->journal, c->now_us, NULL);
	for (uint32_t i = 0; i < links->count; i++)
		journal_link(c->journal, c->now_us, &links->link[i]);
}

void cycle_report_begin(struct cycle *c)
{
	if (c->begun || c->number == 0)
		return;
	c->begun = true;
	if (c->journal) {
		journal_begin(c->journal, c->now_us, &c->settings,
			      c->begun_with.data);
		begin_report_usage(c);
		begin_report_links(c);
		if (torus_state_weights(c->state))
			journal_weights(c->journal, c->now_us,
					torus_state_weights(c->state), false);
		begin_report_nodes(c);
	}
	torus_text_free(&c->begun_with);
	for (struct mirror_entry *e = c->running.first; e; e = e->next) {
		e->changes = 0;
		cycle_report_host_start(c, e, false);
	}
	cycle_report_waiting(c);
	if (c->journal)
		begin_report_promises(c);
}
