/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Self check of a machine state (torus_state_check()): holds, maps and the
 * strategies' internal states agree. O(holds x words).
 */
#include "placement/state/grid.h"
#include "placement/state/state.h"

static bool check_hold(const struct torus_state *s, uint32_t k, uint64_t *seen,
		       struct torus_error *err)
{
	const struct by_end *b = &s->by_end[k];
	const struct slot *slot = &s->slot[b->slot];
	const struct torus_hold *h = &slot->hold;
	const struct torus_strategy *strategy = state_strategy(s, &h->place);
	uint32_t before = torus_bits_count(seen, s->machine->words);
	struct torus_placement room;

	if (slot->use != SLOT_LIVE || h->end_us != b->end_us) {
		torus_error_add(err, "state: slot %u is listed but not live",
				b->slot);
		return false;
	}
	if (k > 0 && (b[-1].end_us > b->end_us ||
		      (b[-1].end_us == b->end_us &&
		       s->slot[b[-1].slot].sequence >= slot->sequence))) {
		torus_error_add(err, "state: slot %u is out of order", b->slot);
		return false;
	}
	torus_hold_paint(s, h, seen);
	if (torus_bits_count(seen, s->machine->words) !=
	    before + h->place.granted) {
		torus_error_add(err,
				"state: job %llu shares nodes with another or holds another number than %u",
				(unsigned long long)h->job, h->place.granted);
		return false;
	}
	if (!strategy->knows ||
	    strategy->knows(state_instance(s, h->place.pod, h->place.strategy),
			    state_seen_place(s, &h->place, &room)))
		return true;
	torus_error_add(err, "state: %s does not know the place of job %llu",
			strategy->name, (unsigned long long)h->job);
	return false;
}

bool torus_state_check(const struct torus_state *s, struct torus_error *err)
{
	uint32_t words = s->machine->words;
	uint64_t *seen = s->usable; /* scratch between calls of find */

	torus_bits_zero(seen, words);
	for (uint32_t k = 0; k < s->holds; k++) {
		if (!check_hold(s, k, seen, err))
			return false;
	}
	if (!torus_bits_equal(seen, s->busy, words)) {
		torus_error_add(err, "state: busy nodes differ from the holds'");
		return false;
	}
	for (uint32_t i = 0; i < words; i++) {
		if (s->free[i] == (s->present[i] & ~s->busy[i] & ~s->out[i]))
			continue;
		torus_error_add(err,
				"state: free nodes are not those present, idle and in service");
		return false;
	}
	if (torus_bits_next(s->free, words, 0) / 64 < s->free_from) {
		torus_error_add(err, "state: a free node before word %u",
				s->free_from);
		return false;
	}
	if (s->free_nodes != torus_bits_count(s->free, words)) {
		torus_error_add(err, "state: %u nodes counted free, %u are",
				s->free_nodes, torus_bits_count(s->free, words));
		return false;
	}
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			const uint64_t *busy = s->busy + pod->first_word;

			if (torus_grid_applies(pod, i)) {
				torus_grid_fold_any(pod, busy, s->cells);
				busy = s->cells;
			}
			if (pod->strategy[i]->check &&
			    !pod->strategy[i]->check(state_instance(s, p, i),
						     busy, err))
				return false;
		}
	}
	return true;
}
