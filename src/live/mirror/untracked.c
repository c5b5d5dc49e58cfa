/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untracked nodes: in use, but not held by a job of the mirror (shared nodes,
 * epilogs, boots). Those that become free at the same time form one hold of
 * scattered nodes per torus. The holds are made anew only if a time or a node
 * changed.
 *
 * Cost: O(nodes); after a change O(different times x words) more.
 */
#include "torus/placement.h"
#include "live/mirror/mirror.h"
#include "live/mirror/cycle_report.h"

#include <string.h>

/* How long a node that does not answer is awaited. The head of the queue waits for busy
 * nodes, and no other job may delay it. (Slurm notices a missed ping only after
 * MessageTimeout, and repeats it after a third of SlurmdTimeout: to wait longer is of no
 * use.) */
#define AWAIT_US INT64_C(5000000)

void untracked_paint_held(const struct cycle *c, uint64_t *held)
{
	torus_bits_zero(held, c->m->words);
	for (const struct mirror_entry *e = c->running.first; e; e = e->next)
		torus_hold_paint(c->state,
				 torus_state_hold(c->state, e->job.slot), held);
}

/* Remove the nodes of entries from until_us[]. Return true if until_us[] has
 * changed since the holds were made. */
static bool untracked_compare(struct cycle *c, const uint64_t *held)
{
	uint32_t bits = c->m->words * 64;
	bool changed = false;

	for (uint32_t b = 0; b < bits; b++) {
		if (c->until_us[b] != TORUS_NODE_IDLE &&
		    torus_bits_test(held, b))
			c->until_us[b] = TORUS_NODE_IDLE;
		/* (all times that have passed count as equal) */
		if (c->until_us[b] != TORUS_NODE_IDLE &&
		    c->until_us[b] < c->now_us)
			c->until_us[b] = 0;
		changed |= c->until_us[b] != c->untracked_until_us[b];
	}
	return changed;
}

static void untracked_report(void *arg, int64_t end_us, const uint64_t *nodes)
{
	cycle_report_nodes(arg, false, end_us, nodes);
}

void untracked_drop(struct cycle *c)
{
	while (c->untracked_slots > 0)
		torus_state_release(c->state,
				    c->untracked[--c->untracked_slots], NULL);
	for (uint32_t b = 0; b < c->m->words * 64; b++)
		c->untracked_until_us[b] = TORUS_NODE_IDLE;
	c->changed = true;
}

int untracked_update(struct cycle *c)
{
	uint64_t *held = torus_scratch_take(&c->scratch);
	bool changed;
	int rc = 0;

	untracked_paint_held(c, held);
	changed = untracked_compare(c, held);
	torus_scratch_return(&c->scratch, held);
	if (changed) {
		struct torus_untracked u;

		untracked_drop(c);
		u = (struct torus_untracked){ .until_us = c->until_us,
					      .slots = c->untracked,
					      .count = &c->untracked_slots,
					      .held = untracked_report,
					      .arg = c };
		rc = torus_state_hold_until(c->state, &u);
	}
	if (c->untracked_slots == 0 && (changed || c->untracked_reported)) {
		uint64_t *none = torus_scratch_take(&c->scratch);

		/* the journal: no node is untracked any more */
		torus_bits_zero(none, c->m->words);
		cycle_report_nodes(c, false, 0, none);
		torus_scratch_return(&c->scratch, none);
	}
	c->untracked_reported = c->untracked_slots > 0;
	if (rc)
		untracked_drop(c); /* the next update tries again */
	else if (changed)
		memcpy(c->untracked_until_us, c->until_us,
		       c->m->words * 64 * sizeof(*c->until_us));
	return rc;
}

void untracked_add_node(struct cycle *c, uint32_t bit, int64_t end_us)
{
	if (c->until_us[bit] < end_us)
		c->until_us[bit] = end_us;
}

void untracked_add(struct cycle *c, const uint64_t *nodes, int64_t end_us)
{
	uint32_t words = c->m->words;
	uint32_t b = torus_bits_next(nodes, words, 0);

	for (; b != UINT32_MAX; b = torus_bits_next(nodes, words, b + 1))
		untracked_add_node(c, b, end_us);
}

int64_t untracked_await(struct cycle *c, uint32_t bit, int64_t since_us)
{
	int64_t until_us = since_us + AWAIT_US;

	if (until_us <= c->now_us)
		return 0;
	untracked_add_node(c, bit, 0);
	return until_us;
}
