/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run of a cycle (cycle.h): the host has another scheduler, and the orders
 * of a pass are not carried out. Within the pass each job has the nodes of its
 * order, so that later jobs are planned around it. After the pass the orders are
 * taken back, so that the mirror is the host's machine again:
 *
 *	snapshot -> update -> pass: orders -> told -> taken back
 *	                ^                                 |
 *	                '------ what the host did --------'
 *
 * A job that would start is reported once, and again if its nodes change. Jobs
 * that share nodes are not reported: they might have started beside others.
 */
#include "live/agent.h"
#include "live/orders.h"
#include "live/base/hash.h"
#include "live/mirror/mirror.h"
#include "live/mirror/waiting.h"

#define WOULD_REJECT UINT64_C(1)

static uint64_t dry_run_hash(const struct cycle *c, const struct cycle_order *o)
{
	uint64_t h = HASH_START;

	if (o->reject_reason)
		return WOULD_REJECT;
	hash_bytes(&h, o->nodes, c->m->words * sizeof(*o->nodes));
	return h;
}

static void dry_run_report(const struct cycle *c, uint32_t i)
{
	const struct cycle_order *o = &c->order[i];
	struct mirror_entry *e = c->ordered[i];
	uint64_t hash = dry_run_hash(c, o);

	if (e->dry_run_order == hash || e->shares || !c->begun || !c->journal)
		return;
	e->dry_run_order = hash;
	journal_would(c->journal, c->now_us, o->name.job,
		      o->reject_reason ? NULL : &o->place);
}

static void dry_run_undo(struct cycle *c, struct mirror_entry *e)
{
	if (e->job.state != TORUS_JOB_RUNNING) { /* it was rejected */
		e->state = ENTRY_ASIDE;
		e->retry_us = TORUS_NO_TIME;
		e->job.state = TORUS_JOB_NEW;
		return;
	}
	torus_scheduler_end(c->scheduler, &e->job, c->now_us);
	e->job.state = TORUS_JOB_NEW;
	waiting_enter(c, e);
}

void dry_run_take_back(struct cycle *c)
{
	for (uint32_t i = 0; i < c->orders; i++)
		dry_run_report(c, i);
	for (uint32_t i = 0; i < c->orders; i++)
		dry_run_undo(c, c->ordered[i]);
	c->orders = 0;
}
