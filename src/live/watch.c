/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cycle (cycle.h) reports to its journal: the stays of jobs in the queue and
 * on nodes, and the nodes that no job may get.
 *
 * Cost: O(1) per line, O(waiting) per update.
 */
#include "live/mirror.h"

void cycle_journal(struct cycle *c, struct journal *journal)
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

int64_t cycle_now(const struct cycle *c)
{
	return c->now_us;
}
