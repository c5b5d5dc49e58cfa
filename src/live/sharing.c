/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that share nodes (cycle.h). The scheduler allocates whole nodes. For a job that may
 * share (`shares`) the cycle first asks the host whether it can start on nodes that others
 * share already. If not, it gets the scheduler's nodes alone, until another job joins it.
 * Jobs that still wait are offered the shared nodes together with idle ones. The host may
 * choose some of both (-w, memory per CPU), or other idle ones if it has refused the
 * scheduler's choice (--contiguous).
 *
 * For the scheduler a shared node is untracked (untracked.c), in use until the expected
 * end of the last of its jobs. If a job joins one that the scheduler started and ends
 * later, the nodes of both are untracked and the entry is dissolved.
 *
 * A job that joins must delay no promise: it gets no node that is promised to another job
 * before its own end. If the discipline promises nothing and no job may overtake, only the
 * head of the queue may join.
 *
 * Cost: O(promises x nodes) once per pass, if jobs share; O(nodes) per question, O(1) for
 * a job that ends after the latest promised start on any of the nodes. The search for the
 * next waiting job stops after SCAN_NODES, so that the host can yield its locks.
 */
#include "torus/state_find.h"
#include "live/promises/promises.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"
#include "live/sharing.h"
#include "live/mirror/waiting.h"

#include "torus/alloc.h"
#include "torus/discipline.h"

#define SCAN_NODES 65536

int sharing_create(struct cycle *c)
{
	size_t words = c->m->words;

	c->share.shared = torus_alloc(2 * words, sizeof(uint64_t));
	c->share.promise = torus_alloc(words * 64, sizeof(*c->share.promise));
	if (!c->share.shared || !c->share.promise)
		return -1;
	c->share.open = c->share.shared + words;
	return 0;
}

void sharing_free(struct cycle *c)
{
	torus_free(c->share.shared);
	torus_free(c->share.promise);
}

/* Snapshot */

void sharing_begin(struct cycle *c)
{
	torus_bits_zero(c->share.shared, c->m->words);
}

void sharing_use(struct cycle *c, const uint64_t *nodes)
{
	torus_bits_or(c->share.shared, nodes, c->m->words);
}

void sharing_set_hash(struct cycle *c, uint64_t hash)
{
	c->share.news |= c->share.hash != hash;
	c->share.hash = hash;
}

static void sharing_paint(const struct cycle *c, const struct mirror_entry *e,
			  uint64_t *nodes)
{
	torus_bits_zero(nodes, c->m->words);
	torus_hold_paint(c->state, torus_state_hold(c->state, e->job.slot),
			 nodes);
}

void sharing_use_entry(struct cycle *c, const struct mirror_entry *e)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);

	sharing_paint(c, e, nodes);
	sharing_use(c, nodes);
	torus_scratch_return(&c->scratch, nodes);
}

/* Return true if one of the entry's nodes is in use beyond the expected end of
 * its job. */
static bool sharing_outlived(const struct cycle *c,
			     const struct mirror_entry *e, const uint64_t *nodes)
{
	int64_t end_us = torus_state_hold(c->state, e->job.slot)->end_us;
	uint32_t words = c->m->words, b;

	if (!torus_bits_meet(nodes, c->share.shared, words))
		return false;
	b = torus_bits_next(nodes, words, 0);
	for (; b != UINT32_MAX; b = torus_bits_next(nodes, words, b + 1)) {
		if (c->until_us[b] > end_us)
			return true;
	}
	return false;
}

void sharing_update(struct cycle *c)
{
	uint64_t *nodes = torus_scratch_take(&c->scratch);
	struct mirror_entry *e, *next;
	bool any = torus_bits_next(c->share.shared, c->m->words, 0) !=
		   UINT32_MAX;

	for (e = any ? c->running.first : NULL; e; e = next) {
		next = e->next;
		if (!e->shares)
			continue;
		sharing_paint(c, e, nodes);
		if (sharing_outlived(c, e, nodes)) {
			int64_t end_us =
				torus_state_hold(c->state, e->job.slot)->end_us;

			/* end the job for the scheduler; its nodes become untracked */
			if (e->stay)
				cycle_report_stay(c, e, JOURNAL_SHARED,
						  c->now_us);
			untracked_add(c, nodes, end_us);
			sharing_use(c, nodes);
			torus_scheduler_end(c->scheduler, &e->job, c->now_us);
			c->changed = true;
			mirror_table_remove(&c->running, e);
			mirror_entry_free(e);
		}
	}
	torus_scratch_return(&c->scratch, nodes);
}

void sharing_join_entries(struct cycle *c)
{
	for (const struct mirror_entry *e = c->running.first; e; e = e->next) {
		if (e->shares)
			sharing_use_entry(c, e);
	}
}

/* Promises */

/* Return the bit of a job in share.promised. */
static uint32_t sharing_hash(uint32_t job)
{
	return job * UINT32_C(0x9e3779b9) >> 20;
}

static bool sharing_note_promise(void *arg, const struct cycle_promise *p)
{
	struct cycle *c = arg;
	uint32_t words = c->m->words, b;

	if (!p->nodes || p->start_us == TORUS_NO_TIME)
		return true;
	torus_bits_set(c->share.promised, sharing_hash(p->name.job));
	b = torus_bits_next(p->nodes, words, 0);
	for (; b != UINT32_MAX; b = torus_bits_next(p->nodes, words, b + 1)) {
		struct share_promise *n = &c->share.promise[b];

		if (p->start_us < n->first_us) {
			if (n->job != p->name.job)
				n->second_us = n->first_us;
			n->first_us = p->start_us;
			n->job = p->name.job;
		} else if (n->job != p->name.job && p->start_us < n->second_us) {
			n->second_us = p->start_us;
		}
	}
	return true;
}

void sharing_note(struct cycle *c)
{
	if (c->share.noted)
		return;
	for (uint32_t b = 0; b < c->m->words * 64; b++)
		c->share.promise[b] = (struct share_promise){
			.first_us = TORUS_NO_TIME,
			.second_us = TORUS_NO_TIME,
		};
	memset(c->share.promised, 0, sizeof(c->share.promised));
	if (c->settings.discipline->foresees)
		promises_list(c, UINT32_MAX, 0, sharing_note_promise, c);
	c->share.noted = true;
}

/* Note the latest promises of the nodes that waiting jobs are offered. Nodes that
 * jobs come to share later are among them. */
static void sharing_note_latest(struct cycle *c)
{
	uint64_t *offered = torus_scratch_take(&c->scratch);
	uint32_t words = c->m->words, b;

	c->share.first_us = c->share.second_us = INT64_MIN;
	torus_bits_copy(offered, c->share.shared, words);
	torus_bits_or(offered, torus_state_free_map(c->state), words);
	b = torus_bits_next(offered, words, 0);
	for (; b != UINT32_MAX; b = torus_bits_next(offered, words, b + 1)) {
		const struct share_promise *p = &c->share.promise[b];

		if (p->first_us > c->share.first_us)
			c->share.first_us = p->first_us;
		if (p->second_us > c->share.second_us)
			c->share.second_us = p->second_us;
	}
	torus_scratch_return(&c->scratch, offered);
}

static int64_t sharing_end_us(const struct cycle *c,
			      const struct mirror_entry *e)
{
	return torus_time_after(c->share.now_us,
				e->full_us + CYCLE_CLOCK_ERROR_US);
}

/* Return true if some promised start excludes every node that a waiting job could
 * be offered. */
static bool sharing_is_hopeless(const struct cycle *c,
				const struct mirror_entry *e)
{
	bool own = torus_bits_test(c->share.promised, sharing_hash(e->name.job));

	return sharing_end_us(c, e) >
	       (own ? c->share.second_us : c->share.first_us);
}

/* Set c->share.open to the shared nodes, with the idle ones if `idle`, that are
 * promised to no other job before this job's end. Return their number. */
static uint32_t open_nodes(struct cycle *c, const struct mirror_entry *e,
			   bool idle)
{
	int64_t end_us = sharing_end_us(c, e);
	uint32_t words = c->m->words, b, n = 0;

	sharing_note(c);
	torus_bits_zero(c->share.open, words);
	if (e->shares)
		torus_bits_copy(c->share.open, c->share.shared, words);
	torus_bits_andnot(c->share.open, c->out, words);
	if (idle)
		torus_bits_or(c->share.open, torus_state_free_map(c->state),
			      words);
	b = torus_bits_next(c->share.open, words, 0);
	for (; b != UINT32_MAX;
	     b = torus_bits_next(c->share.open, words, b + 1)) {
		const struct share_promise *p = &c->share.promise[b];
		int64_t at_us = p->job == e->name.job ? p->second_us :
							p->first_us;

		/* (a job may have joined on idle nodes in this round) */
		bool taken = c->until_us[b] != TORUS_NODE_IDLE &&
			     !(e->shares && torus_bits_test(c->share.shared, b));

		if (taken || at_us < end_us)
			torus_bits_clear(c->share.open, b);
		else
			n++;
	}
	return n;
}

/* Questions to the host */

static bool sharing_ask(struct cycle *c, struct mirror_entry *e, bool idle,
			struct cycle_guest *g)
{
	uint32_t nodes = open_nodes(c, e, idle);

	*g = (struct cycle_guest){
		.name = e->name,
		.key = e->key,
		.limit_us = e->full_us,
		.nodes = c->share.open,
		.count = nodes,
		.stamp = c->share.stamp,
		.entry = e,
	};
	return nodes > 0;
}

bool sharing_order(struct cycle *c, uint32_t i, int64_t now_us,
		   struct cycle_guest *g)
{
	struct mirror_entry *e = c->ordered[i];

	c->share.now_us = now_us;
	if (!e->shares || e->spreads || c->order[i].reject_reason ||
	    !sharing_ask(c, e, false, g))
		return false;
	/* no heavier node than the scheduler's choice */
	torus_state_keep_lighter(c->state, c->order[i].nodes, c->share.open);
	g->count = torus_bits_count(c->share.open, c->m->words);
	return g->count > 0;
}

bool sharing_is_strict(const struct cycle *c)
{
	const struct torus_discipline *d = c->settings.discipline;
	const struct torus_job *head = torus_scheduler_queue(c->scheduler)->head;

	if (d->foresees)
		return false;
	return d->searches == TORUS_SEARCHES_NOT ||
	       (d->limits_waiting && head && head->due_us <= c->now_us);
}

/* Return true if the host has refused the scheduler's nodes and may choose
 * others: not if they have to be a region. */
static bool sharing_refused(const struct mirror_entry *e)
{
	return e->job.request.alternative[0].ask.anywhere &&
	       (e->narrowed || e->state == ENTRY_REFUSED);
}

/* Return true if the host may be asked to start the job on shared nodes. */
static bool may_join(const struct mirror_entry *e)
{
	return e && (e->shares || sharing_refused(e)) && !e->joined &&
	       !e->start_failed &&
	       (e->state == ENTRY_QUEUED || e->state == ENTRY_ASIDE ||
		e->state == ENTRY_REFUSED);
}

void sharing_start(struct cycle *c, int64_t now_us)
{
	c->share.now_us = now_us;
	sharing_note(c);
	sharing_note_latest(c);
	c->share.news = false;
	c->share.job = torus_scheduler_queue(c->scheduler)->head;
	c->share.next = sharing_is_strict(c) ? NULL : c->waiting.first;
}

/* Return the next waiting job: the queue in its order, then jobs outside of
 * it. */
static struct mirror_entry *sharing_next_entry(struct cycle *c)
{
	struct mirror_entry *e = NULL;

	if (c->share.job) {
		e = c->share.job->host;
		c->share.job = c->share.job->next;
	} else if (c->share.next) {
		e = c->share.next;
		c->share.next = e->next;
		if (e->state == ENTRY_QUEUED) /* asked as part of the queue */
			e = NULL;
	}
	return e;
}

bool sharing_next(struct cycle *c, struct cycle_guest *g)
{
	uint64_t scanned = 0;
	bool any = torus_bits_next(c->share.shared, c->m->words, 0) !=
		   UINT32_MAX;

	while (c->share.job || c->share.next) {
		struct mirror_entry *e = sharing_next_entry(c);
		bool may = may_join(e) && (any || sharing_refused(e)) &&
			   !sharing_is_hopeless(c, e);

		if (may && sharing_ask(c, e, true, g))
			return true;
		if (e && sharing_is_strict(c))
			return false;
		scanned += may ? c->m->words * 64 : 64;
		if (scanned >= SCAN_NODES) {
			*g = (struct cycle_guest){ .entry = NULL };
			return true;
		}
	}
	return false;
}

bool sharing_renew(struct cycle *c, int64_t now_us, struct cycle_guest *g)
{
	c->share.now_us = now_us;
	return sharing_ask(c, g->entry, true, g);
}

void sharing_done(struct cycle *c, const struct cycle_guest *g, bool joined)
{
	struct mirror_entry *e = g->entry;

	if (!joined) {
		if (sharing_is_strict(c))
			c->share.job = NULL;
		return;
	}
	e->joined = true;
	c->share.joined = c->another_pass = true;
	untracked_add(c, g->got, g->end_us);
	if (e->shares)
		sharing_use(c, g->got);
}

void sharing_forget(struct cycle *c)
{
	struct mirror_entry *e = c->share.joined ? c->waiting.first : NULL;

	for (; e; e = e->next)
		e->joined = false;
	c->share.joined = false;
}

/* Remove the jobs that joined from the queue; their nodes are in use. Return
 * true if the scheduler must decide anew: not if only jobs that were set aside
 * joined, on nodes that were in use anyway. Without memory nothing is decided, and
 * share.joined stays: the nodes would count as free. */
bool sharing_settle(struct cycle *c)
{
	struct mirror_entry *e, *next;
	bool changed;

	if (!c->share.joined)
		return true;
	if (untracked_update(c))
		return false;
	c->share.joined = false;
	changed = c->changed;
	if (c->changed)
		torus_scheduler_change(c->scheduler, c->now_us);
	c->changed = false;
	for (e = c->waiting.first; e; e = next) {
		next = e->next;
		if (!e->joined)
			continue;
		changed |= e->state == ENTRY_QUEUED;
		waiting_withdraw(c, e, ENTRY_NEW);
		mirror_table_remove(&c->waiting, e);
		mirror_entry_free(e);
	}
	return changed;
}
