/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blockers of a queued job (cycle.h): the jobs that hold nodes of a set, in
 * the order of their ends, and its nodes that are out of service. The holder of
 * each node is noted once; then a set costs O(nodes).
 *
 * Nodes that no single job of the cycle holds (shared ones, epilogs) have no
 * holder.
 */
#include "live/mirror.h"

#include <string.h>

#define NO_HOLDER UINT32_MAX

/* Set holder[bit] to the number of the node's hold in the order of ends. */
void blockers_begin(struct cycle *c)
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

static void add_holder(struct cycle *c, uint32_t k, struct cycle_blockers *b)
{
	const struct torus_hold *h =
		torus_state_hold(c->state, torus_state_by_end(c->state, k));

	if (b->holders < CYCLE_BLOCKERS)
		b->holder[b->holders] = (struct cycle_holder){ (uint32_t)h->job,
							       h->end_us };
	b->holders++;
}

void blockers_out(struct cycle *c, const uint64_t *nodes, uint32_t words,
		  struct cycle_blockers *b)
{
	uint32_t bit = torus_bits_next(nodes, words, 0);

	for (; bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1)) {
		if (!torus_bits_test(c->out, bit) ||
		    !torus_bits_test(c->present, bit))
			continue;
		if (b->outs < CYCLE_BLOCKERS)
			b->out[b->outs] = bit;
		b->outs++;
	}
}

/* Mark the holds of a set, as bits: there are no more holds than nodes. */
void blockers_find(struct cycle *c, const uint64_t *nodes, uint32_t words,
		   struct cycle_blockers *b)
{
	uint64_t *holds = torus_scratch_take(&c->scratch);
	uint32_t bit = torus_bits_next(nodes, words, 0), k;

	torus_bits_zero(holds, c->m->words);
	for (; bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1)) {
		if (c->holder[bit] != NO_HOLDER)
			torus_bits_set(holds, c->holder[bit]);
	}
	for (k = torus_bits_next(holds, c->m->words, 0); k != UINT32_MAX;
	     k = torus_bits_next(holds, c->m->words, k + 1))
		add_holder(c, k, b);
	torus_scratch_return(&c->scratch, holds);
	blockers_out(c, nodes, words, b);
}
