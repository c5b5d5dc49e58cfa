/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans: create, counted searches, the list of known ends, and the rewind of a
 * state with memory to one of them. Shadow times are in shadow.c, reservations
 * in reserve.c, windows in window.c.
 *
 * Cost: listing the ends is O(running); a rewind is O(regions released or
 * restored). Memory: ten machine bitmaps and 40 bytes per running job.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "planning/planning.h"
#include "torus/alloc.h"

#define SCRATCH 4 /* bitmaps of functions that call each other */
#define MAPS (SCRATCH + 6)

/* Return true if the usable nodes alone decide whether a request fits. */
static bool by_nodes(const struct torus_machine *m)
{
	for (uint32_t k = 0; k < m->pods; k++) {
		const struct torus_pod *pod = &m->pod[k];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			if (!pod->strategy[i]->occupancy_only &&
			    !pod->strategy[i]->by_nodes)
				return false;
		}
	}
	return true;
}

/* Return true if the strategies tell for every set of usable nodes whether a request
 * fits. */
static bool plan_answers_for_any(const struct torus_machine *m)
{
	static const struct torus_options none;

	for (uint32_t k = 0; k < m->pods; k++) {
		const struct torus_pod *pod = &m->pod[k];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			const struct torus_strategy *s = pod->strategy[i];

			if (!s->occupancy_only &&
			    !(s->tells_for_any &&
			      s->tells_for_any(i ? &none : &pod->options)))
				return false;
		}
	}
	return true;
}

struct torus_plan *torus_plan_create(struct torus_state *s)
{
	struct torus_plan *p = torus_alloc(1, sizeof(*p));
	size_t words;

	if (!p)
		return NULL;
	p->state = s;
	p->machine = torus_state_machine(s);
	p->timeless = torus_state_timeless(s);
	p->words = p->machine->words;
	p->by_nodes = by_nodes(p->machine);
	p->maps = plan_answers_for_any(p->machine);
	p->profile.apart = !p->by_nodes; /* each end may merge pieces */
	p->first_unused = UINT32_MAX;
	words = p->words;
	p->memory = torus_alloc(words * MAPS, sizeof(*p->memory));
	if (!p->memory) {
		torus_plan_destroy(p);
		return NULL;
	}
	p->answer.nodes = p->memory;
	p->answer.regions = &p->regions[0];
	p->shadow.allowed = p->memory + words;
	p->shadow.room.nodes = p->memory + 2 * words;
	p->shadow.room.regions = &p->regions[1];
	p->shadow.map = p->memory + 3 * words;
	p->shadow.low = p->memory + 4 * words;
	p->shadow.probe = p->memory + 5 * words;
	p->scratch = (struct torus_scratch){ .memory = p->memory + 6 * words,
					     .words = p->words,
					     .room = SCRATCH };
	return p;
}

void torus_plan_destroy(struct torus_plan *p)
{
	if (!p)
		return;
	plan_reservations_free(p);
	torus_profile_free(&p->profile);
	torus_free(p->end);
	torus_free(p->undo);
	torus_free(p->memory);
	torus_free(p);
}

uint64_t torus_plan_searches(const struct torus_plan *p, uint64_t *windows)
{
	if (windows)
		*windows = p->windows;
	return p->searches;
}

enum torus_answer plan_find(struct torus_plan *p, const struct torus_ask *ask,
			    struct torus_placement *out)
{
	p->searches++;
	return torus_state_find(p->state, ask, out, NULL);
}

enum torus_answer plan_find_in(struct torus_plan *p, const struct torus_ask *ask,
			       const uint64_t *usable,
			       struct torus_placement *out)
{
	p->searches++;
	return torus_state_find_in(p->state, ask, usable, out);
}

/* Find a place for an ask with outages. */
static enum torus_answer find_between_outages(struct torus_plan *p,
					      const struct torus_ask *ask,
					      struct torus_placement *out)
{
	uint64_t *nodes = torus_scratch_take(&p->scratch);
	enum torus_answer answer = TORUS_NOT_NOW;

	if (plan_open(p, ask, ask->now_us, plan_length(ask), nodes)) {
		struct torus_ask open = torus_ask_among(ask, nodes);

		answer = plan_find(p, &open, out);
	}
	torus_scratch_return(&p->scratch, nodes);
	return answer;
}

enum torus_answer torus_plan_find(struct torus_plan *p,
				  const struct torus_ask *ask,
				  struct torus_placement *out)
{
	struct torus_placement place;
	enum torus_answer answer;

	if (torus_ask_nodes(ask) > torus_state_free_nodes(p->state))
		return TORUS_NOT_NOW;
	answer = ask->outages ? find_between_outages(p, ask, &place) :
				plan_find(p, ask, &place);
	if (answer == TORUS_FITS)
		torus_placement_copy(p->machine, out, &place, &p->answer);
	return answer;
}

bool plan_open(const struct torus_plan *p, const struct torus_ask *ask,
	       int64_t start_us, int64_t length_us, uint64_t *open)
{
	if (ask->allowed)
		torus_bits_copy(open, ask->allowed, p->words);
	else
		memset(open, 0xff, p->words * sizeof(*open));
	return torus_outages_clear(ask->outages, start_us,
				   torus_time_after(start_us, length_us), open,
				   p->words);
}

void plan_erase(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *map)
{
	const struct torus_pod *pod = &p->machine->pod[place->pod];

	map += pod->first_word;
	if (place->scattered)
		torus_bits_andnot(map + place->from_word,
				  place->nodes + place->from_word,
				  torus_placement_span(p->machine, place));
	else
		torus_region_erase(&place->region, &pod->torus, map);
}

/* Return true if two boxes without strides have no node in common. */
static bool plan_regions_apart(const struct torus *t,
			       const struct torus_region *a,
			       const struct torus_region *b)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if (a->stride[d] > 1 || b->stride[d] > 1)
			return false;
	}
	return !torus_region_overlaps(a, b, t);
}

bool plan_apart(const struct torus_plan *p, const struct torus_placement *a,
		const struct torus_placement *b)
{
	uint32_t from = a->from_word, to = a->to_word;

	if (a->spread || b->spread || a->scattered != b->scattered)
		return false;
	if (a->pod != b->pod)
		return true;
	if (!a->scattered)
		return plan_regions_apart(&p->machine->pod[a->pod].torus,
					  &a->region, &b->region);
	if (b->from_word > from)
		from = b->from_word;
	if (b->to_word < to)
		to = b->to_word;
	if (!to)
		to = torus_placement_words(p->machine, a);
	return from >= to ||
	       !torus_bits_meet(a->nodes + from, b->nodes + from, to - from);
}

bool torus_plan_check(const struct torus_plan *p)
{
	return torus_scratch_check(&p->scratch);
}

void plan_paint(const struct torus_plan *p, const struct torus_placement *place,
		uint64_t *nodes)
{
	torus_bits_zero(nodes, p->words);
	torus_placement_paint(p->machine, place, nodes);
	torus_bits_andnot(nodes, torus_state_out_map(p->state), p->words);
}

int plan_list_ends(struct torus_plan *p, int64_t now_us)
{
	uint32_t holds = torus_state_holds(p->state);

	if (TORUS_GROW_PAIR(p->end, p->undo, p->end_room, holds))
		return -1;
	p->ends = 0;
	for (uint32_t k = 0; k < holds; k++) {
		uint32_t slot = torus_state_by_end(p->state, k);
		int64_t end_us = torus_state_hold(p->state, slot)->end_us;

		if (end_us == TORUS_NO_TIME)
			break; /* the ends from here on are unknown */
		p->end[p->ends++] = (struct plan_end){
			.end_us = torus_end_after(end_us, now_us),
			.slot = slot,
		};
	}
	return 0;
}

void plan_rewind(struct torus_plan *p, uint32_t k)
{
	for (; p->released < k; p->released++)
		torus_state_release(p->state, p->end[p->released].slot,
				    &p->undo[p->released]);
	for (; p->released > k; p->released--)
		torus_state_undo(p->state, &p->undo[p->released - 1]);
}

/* Return true if a change of nodes until end_us affects the cached shadow
 * time. */
static bool plan_shadow_concerned(const struct torus_plan *p, int64_t end_us)
{
	return p->shadow.valid &&
	       p->shadow.generation == torus_state_generation(p->state) &&
	       end_us > p->shadow.when_us;
}

uint32_t torus_plan_commit(struct torus_plan *p,
			   const struct torus_placement *place, uint64_t job,
			   void *owner, int64_t now_us, int64_t end_us)
{
	uint64_t *nodes = torus_scratch_take(&p->scratch);
	const struct plan_change change = {
		.now_us = now_us,
		.end_us = torus_end_after(end_us, now_us),
		.before = torus_state_generation(p->state),
		.nodes = nodes,
	};
	uint32_t slot;

	if (plan_profile_current(p))
		plan_paint(p, place, nodes);
	slot = torus_state_commit(p->state, place, job, owner, now_us, end_us,
				  NULL);
	if (slot != TORUS_NO_SLOT) {
		plan_profile_moved(p, &change, true);
		plan_shadow_committed(p, &change,
				      &torus_state_hold(p->state, slot)->place);
	}
	torus_scratch_return(&p->scratch, nodes);
	return slot;
}

void torus_plan_release(struct torus_plan *p, uint32_t slot, int64_t now_us)
{
	const struct torus_hold *h = torus_state_hold(p->state, slot);
	uint64_t *nodes = torus_scratch_take(&p->scratch);
	int64_t end_us = h->end_us, seen = p->profile_now_us;
	struct plan_change change = {
		.now_us = now_us,
		.before = torus_state_generation(p->state),
		.nodes = nodes,
	};

	if (plan_profile_current(p) || plan_shadow_concerned(p, end_us))
		plan_paint(p, &h->place, nodes);
	if (h->start_us > seen)
		seen = h->start_us; /* from then on the profile lacks the
				       nodes of the hold */
	torus_state_release(p->state, slot, NULL);
	change.end_us = torus_end_after(end_us, seen);
	plan_profile_moved(p, &change, false);
	change.end_us = end_us;
	plan_shadow_released(p, &change);
	torus_scratch_return(&p->scratch, nodes);
}
