/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes in use by nobody that a scheduler knows: scattered holds of job 0, one
 * per torus that has some of them. A live cluster, its replay and the wrapped
 * plugins' view hold them in the same way.
 *
 * Cost: O(words), and a commit per torus.
 */
#include "torus/state.h"

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
