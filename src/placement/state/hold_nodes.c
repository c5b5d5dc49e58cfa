/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untracked busy nodes: scattered holds of job 0, one per torus that has some.
 * A live cluster, its replay and the wrapped plugins' view all hold them in
 * this way.
 *
 * Cost: O(words) and one commit per torus; torus_state_hold_until() O(nodes
 * log(busy nodes)), and O(words) per time.
 */
#include "torus/placement.h"
#include "placement/state/state.h"

#include <stdlib.h>

#include "torus/alloc.h"

int torus_state_hold_nodes(struct torus_state *s, const uint64_t *nodes,
			   int64_t end_us, uint32_t *slots, uint32_t *count)
{
	const struct torus_machine *m = torus_state_machine(s);

	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];
		struct torus_placement place = {
			.pod = p,
			.scattered = true,
			.nodes = nodes + pod->first_word,
		};
		uint32_t slot;

		place.granted = torus_bits_count(place.nodes, pod->words);
		if (place.granted == 0)
			continue;
		slot = torus_state_commit(s, &place, 0, NULL, 0, end_us, NULL);
		if (slot == TORUS_NO_SLOT)
			return -1;
		if (slots)
			slots[(*count)++] = slot;
	}
	return 0;
}

struct node_use {
	int64_t end_us;
	uint32_t bit;
};

static int hold_nodes_compare(const void *a, const void *b)
{
	const struct node_use *x = a, *y = b;

	if (x->end_us != y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	return x->bit < y->bit ? -1 : x->bit > y->bit;
}

/* List the busy nodes that no job holds, by end time; return how many. Nodes
 * out of service are included: they may return before they are free. */
static uint32_t hold_nodes_list(const struct torus_state *s,
				const struct torus_untracked *u,
				struct node_use *use)
{
	uint32_t bits = torus_state_machine(s)->words * 64, n = 0;

	for (uint32_t b = 0; b < bits; b++) {
		if (u->until_us[b] != TORUS_NODE_IDLE &&
		    torus_bits_test(s->present, b) &&
		    !torus_bits_test(s->busy, b))
			use[n++] = (struct node_use){ u->until_us[b], b };
	}
	qsort(use, n, sizeof(*use), hold_nodes_compare);
	return n;
}

int torus_state_hold_until(struct torus_state *s,
			   const struct torus_untracked *u)
{
	uint32_t words = torus_state_machine(s)->words, n;
	struct node_use *use = torus_alloc((size_t)words * 64, sizeof(*use));
	uint64_t *nodes = torus_alloc(words, sizeof(*nodes));
	int rc = use && nodes ? 0 : -1;

	n = rc ? 0 : hold_nodes_list(s, u, use);
	for (uint32_t i = 0; i < n && rc == 0;) {
		int64_t end_us = use[i].end_us;

		torus_bits_zero(nodes, words);
		for (; i < n && use[i].end_us == end_us; i++)
			torus_bits_set(nodes, use[i].bit);
		rc = torus_state_hold_nodes(s, nodes, end_us, u->slots,
					    u->count);
		if (rc == 0 && u->held)
			u->held(u->arg, end_us, nodes);
	}
	torus_free(use);
	torus_free(nodes);
	return rc;
}
