/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes in use that no job of the mirror holds: jobs that share nodes,
 * epilogs, boots. Those that become free at the same time form one hold of
 * scattered nodes per torus. Holds are made anew only if a time or a node has
 * changed.
 *
 * Cost: O(nodes); with a change O(different times x words) more.
 */
#include "live/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

void paint_held(struct cycle *c)
{
	torus_bits_zero(c->held, c->m->words);
	for (const struct entry *e = c->running.first; e; e = e->next)
		torus_hold_paint(c->state,
				 torus_state_hold(c->state, e->job.slot),
				 c->held);
}

/* What no entry holds; has it changed? */
static bool compare(struct cycle *c)
{
	uint32_t bits = c->m->words * 64;
	bool changed = false;

	for (uint32_t b = 0; b < bits; b++) {
		if (c->until[b] != CYCLE_IDLE && torus_bits_test(c->held, b))
			c->until[b] = CYCLE_IDLE;
		/* (times that have passed are all the same) */
		if (c->until[b] != CYCLE_IDLE && c->until[b] < c->now)
			c->until[b] = 0;
		changed |= c->until[b] != c->held_until[b];
	}
	return changed;
}

struct use {
	int64_t end_us;
	uint32_t bit;
};

static int by_end(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->end_us != y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	return x->bit < y->bit ? -1 : x->bit > y->bit;
}

static int hold_all(struct cycle *c, struct use *use)
{
	uint32_t bits = c->m->words * 64, n = 0;

	for (uint32_t b = 0; b < bits; b++) {
		if (c->until[b] != CYCLE_IDLE)
			use[n++] = (struct use){ c->until[b], b };
	}
	qsort(use, n, sizeof(*use), by_end);
	for (uint32_t i = 0; i < n;) {
		int64_t end_us = use[i].end_us;

		torus_bits_zero(c->paint, c->m->words);
		for (; i < n && use[i].end_us == end_us; i++)
			torus_bits_set(c->paint, use[i].bit);
		if (torus_state_hold_nodes(c->state, c->paint, end_us, c->rest,
					   &c->rests))
			return -1;
		tell_nodes(c, false, end_us, c->paint);
	}
	return 0;
}

/* Nobody else has nodes any more. */
static void tell_none(struct cycle *c)
{
	torus_bits_zero(c->paint, c->m->words);
	tell_nodes(c, false, 0, c->paint);
}

void rest_drop(struct cycle *c)
{
	while (c->rests > 0)
		torus_state_release(c->state, c->rest[--c->rests], NULL);
	for (uint32_t b = 0; b < c->m->words * 64; b++)
		c->held_until[b] = CYCLE_IDLE;
	c->changed = true;
}

int rest_update(struct cycle *c)
{
	uint32_t bits = c->m->words * 64;
	struct use *use;
	int rc;

	paint_held(c);
	if (!compare(c)) {
		if (c->rest_told && c->rests == 0) /* dropped */
			tell_none(c);
		c->rest_told = c->rests > 0;
		return 0;
	}
	use = torus_alloc(bits, sizeof(*use));
	if (!use)
		return -1;
	rest_drop(c);
	rc = hold_all(c, use);
	torus_free(use);
	if (c->rests == 0)
		tell_none(c);
	c->rest_told = c->rests > 0;
	if (rc)
		rest_drop(c); /* and once more next time */
	else
		memcpy(c->held_until, c->until, bits * sizeof(*c->until));
	return rc;
}
