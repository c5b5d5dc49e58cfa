/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine state (torus/state.h): occupancy, holds in slots, holds ordered by
 * expected end, and the strategies' instances.
 *
 * find: O(words) plus the strategy's cost. commit, release, undo: O(region)
 * plus a binary search and a move of at most `holds` entries of 16 bytes.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/state/state.h"

#include <errno.h>

#include "placement/several/several.h"
#include "placement/state/grid.h"
#include "torus/alloc.h"

#define MAPS 8

static void refresh_free(struct torus_state *s)
{
	uint32_t words = s->machine->words;

	torus_bits_copy(s->free, s->present, words);
	torus_bits_andnot(s->free, s->busy, words);
	torus_bits_andnot(s->free, s->out, words);
	s->free_nodes = torus_bits_count(s->free, words);
	s->free_from = 0;
}

uint32_t state_free_from(struct torus_state *s, const struct torus_pod *pod)
{
	uint32_t words = s->machine->words;

	while (s->free_from < words && !s->free[s->free_from])
		s->free_from++;
	return s->free_from > pod->first_word ? s->free_from - pod->first_word :
						0;
}

static int state_create_maps(struct torus_state *s)
{
	uint32_t words = s->machine->words;

	s->maps = torus_alloc((size_t)words * MAPS, sizeof(uint64_t));
	s->share = torus_alloc(s->machine->pods, sizeof(*s->share));
	s->boxes = torus_alloc(s->machine->pods, sizeof(*s->boxes));
	s->link_map = torus_alloc(s->machine->pods, sizeof(*s->link_map));
	if (!s->maps || !s->share || !s->boxes || !s->link_map)
		return -1;
	s->present = s->maps;
	s->busy = s->maps + words;
	s->out = s->maps + 2 * (size_t)words;
	s->free = s->maps + 3 * (size_t)words;
	s->usable = s->maps + 4 * (size_t)words;
	s->spread = s->maps + 5 * (size_t)words;
	s->cells = s->maps + 6 * (size_t)words;
	s->required = s->maps + 7 * (size_t)words;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];
		uint64_t *map = s->present + pod->first_word;

		if (pod->present)
			torus_bits_copy(map, pod->present, pod->words);
		else
			torus_bits_set_range(map, 0, pod->torus.nodes);
	}
	refresh_free(s);
	return 0;
}

static void *new_instance(const struct torus_pod *pod, uint32_t i)
{
	static const struct torus_options none;

	const struct torus_options *options = i == 0 ? &pod->options : &none;

	if (torus_grid_applies(pod, i))
		return pod->strategy[i]->create(&pod->grid, pod->cell_present,
						options);
	return pod->strategy[i]->create(&pod->torus, pod->present, options);
}

static int create_instances(struct torus_state *s)
{
	size_t n = (size_t)s->machine->pods * TORUS_POD_STRATEGIES;

	s->self = torus_alloc(n, sizeof(*s->self));
	s->pristine = torus_alloc(n, sizeof(*s->pristine));
	if (!s->self || !s->pristine)
		return -1;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			size_t at = p * TORUS_POD_STRATEGIES + i;

			s->self[at] = new_instance(pod, i);
			if (!s->self[at])
				return -1;
			if (pod->strategy[i]->occupancy_only)
				continue;
			s->pristine[at] = new_instance(pod, i);
			if (!s->pristine[at])
				return -1;
		}
	}
	return 0;
}

struct torus_state *torus_state_create(const struct torus_machine *m)
{
	struct torus_state *s = torus_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->machine = m;
	s->first_free = TORUS_NO_SLOT;
	s->several = state_several_create(m);
	if (!s->several || state_create_maps(s) ||
	    state_list_boxes(s, STATE_BOXES_NODES) || create_instances(s) ||
	    (m->links.count && torus_state_set_links(s, &m->links)) ||
	    (m->weights && torus_state_set_weights(s, m->weights))) {
		torus_state_destroy(s);
		return NULL;
	}
	return s;
}

void torus_state_destroy(struct torus_state *s)
{
	if (!s)
		return;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			size_t at = p * TORUS_POD_STRATEGIES + i;

			if (s->self)
				pod->strategy[i]->destroy(s->self[at]);
			if (s->pristine)
				pod->strategy[i]->destroy(s->pristine[at]);
		}
	}
	torus_free(s->self);
	torus_free(s->pristine);
	for (uint32_t p = 0; s->boxes && p < s->machine->pods; p++)
		torus_free_boxes_destroy(s->boxes[p].list);
	torus_free(s->boxes);
	for (uint32_t p = 0; s->link_map && p < s->machine->pods; p++)
		torus_link_map_destroy(s->link_map[p]);
	torus_free(s->link_map);
	torus_link_list_free(&s->links);
	state_weights_destroy(s->weights);
	for (uint32_t i = 0; i < s->slots; i++)
		torus_placement_room_free(&s->slot[i].room);
	state_several_destroy(s->several);
	torus_free(s->slot);
	torus_free(s->by_end);
	torus_free(s->nearest);
	torus_free(s->maps);
	torus_free(s->share);
	torus_free(s);
}

const struct torus_machine *torus_state_machine(const struct torus_state *s)
{
	return s->machine;
}

int torus_state_reserve(struct torus_state *s, uint32_t n)
{
	if (n <= s->room)
		return 0;
	if (TORUS_RESIZE(s->slot, n) || TORUS_RESIZE(s->by_end, n) ||
	    TORUS_RESIZE(s->nearest, n))
		return -1;
	s->room = n;
	return 0;
}

/* Holds ordered by end */

/* Return the first position whose entry is not before the slot's hold. */
static uint32_t state_position(const struct torus_state *s, uint32_t slot)
{
	int64_t end_us = s->slot[slot].hold.end_us;
	uint64_t sequence = s->slot[slot].sequence;
	uint32_t low = 0, high = s->holds;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct by_end *b = &s->by_end[middle];

		if (b->end_us < end_us || (b->end_us == end_us &&
					   s->slot[b->slot].sequence < sequence))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void list_hold(struct torus_state *s, uint32_t slot)
{
	uint32_t at = state_position(s, slot);

	memmove(s->by_end + at + 1, s->by_end + at,
		(s->holds - at) * sizeof(*s->by_end));
	s->by_end[at] = (struct by_end){ .end_us = s->slot[slot].hold.end_us,
					 .slot = slot };
	s->holds++;
}

static void unlist_hold(struct torus_state *s, uint32_t slot)
{
	uint32_t at = state_position(s, slot);

	s->holds--;
	memmove(s->by_end + at, s->by_end + at + 1,
		(s->holds - at) * sizeof(*s->by_end));
}

/* Occupancy */

/* Move scattered nodes from one bitmap of the pod to the other. */
static void state_move_nodes(const struct torus_state *s,
			     const struct torus_placement *place,
			     uint64_t *restrict from, uint64_t *restrict to)
{
	uint32_t at = place->from_word;
	uint32_t words = torus_placement_span(s->machine, place);

	torus_bits_andnot(from + at, place->nodes + at, words);
	torus_bits_or(to + at, place->nodes + at, words);
}

static void state_occupy(struct torus_state *s,
			 const struct torus_placement *place)
{
	const struct torus_pod *pod = &s->machine->pod[place->pod];
	uint64_t *busy = s->busy + pod->first_word;
	uint64_t *free = s->free + pod->first_word;

	if (place->scattered) {
		state_move_nodes(s, place, free, busy);
		s->scattered++;
	} else {
		const struct state_boxes *b = &s->boxes[place->pod];

		torus_region_paint(&place->region, &pod->torus, busy);
		torus_region_erase(&place->region, &pod->torus, free);
		if (b->list && b->releases <= STATE_RELEASES)
			torus_free_boxes_cut(b->list, &place->region);
	}
	if (s->any_out)
		refresh_free(s);
	else
		s->free_nodes -= place->granted;
	s->generation = ++s->last_generation;
}

static void state_vacate(struct torus_state *s,
			 const struct torus_placement *place)
{
	const struct torus_pod *pod = &s->machine->pod[place->pod];
	uint64_t *busy = s->busy + pod->first_word;
	uint64_t *free = s->free + pod->first_word;
	uint32_t first = pod->first_word;

	if (place->scattered) {
		first += place->from_word;
		state_move_nodes(s, place, busy, free);
		s->scattered--;
	} else {
		torus_region_erase(&place->region, &pod->torus, busy);
		torus_region_paint(&place->region, &pod->torus, free);
		state_boxes_released(s, place->pod, &place->region);
	}
	if (first < s->free_from)
		s->free_from = first;
	if (s->any_out)
		refresh_free(s);
	else
		s->free_nodes += place->granted;
	s->generation = ++s->last_generation;
}

/* Return true if the nodes are present and free. */
static bool state_vacant(const struct torus_state *s,
			 const struct torus_placement *place)
{
	const struct torus_pod *pod = &s->machine->pod[place->pod];
	const uint64_t *busy = s->busy + pod->first_word;
	const uint64_t *present = s->present + pod->first_word;
	const uint64_t *free = s->free + pod->first_word;
	uint32_t words = torus_placement_span(s->machine, place);
	uint32_t at = place->from_word;

	if (place->scattered && !s->any_out)
		return torus_bits_subset(place->nodes + at, free + at, words);
	if (place->scattered)
		return !torus_bits_meet(place->nodes + at, busy + at, words) &&
		       torus_bits_subset(place->nodes + at, present + at, words);
	return !torus_region_touches(&place->region, &pod->torus, busy) &&
	       (!pod->present ||
		torus_region_inside(&place->region, &pod->torus, present));
}

/* Grids */

const struct torus_placement *
state_seen_place(const struct torus_state *s,
		 const struct torus_placement *place,
		 struct torus_placement *room)
{
	const struct torus_pod *pod = &s->machine->pod[place->pod];

	if (place->scattered || !torus_grid_applies(pod, place->strategy))
		return place;
	*room = *place;
	room->granted /= pod->cell_nodes;
	return torus_grid_from_nodes(pod, &room->region) ? room : NULL;
}

void state_place_finish(const struct torus_pod *pod, uint32_t i,
			struct torus_placement *place)
{
	if (place->scattered || !torus_grid_applies(pod, i))
		return;
	torus_grid_to_nodes(pod, &place->region);
	place->granted *= pod->cell_nodes;
}

/* Slots */

static uint32_t take_slot(struct torus_state *s)
{
	uint32_t slot = s->first_free;

	if (slot != TORUS_NO_SLOT) {
		s->first_free = s->slot[slot].next_free;
		return slot;
	}
	if (s->slots == s->room &&
	    torus_state_reserve(s, s->room ? s->room * 2 : 64))
		return TORUS_NO_SLOT;
	s->slot[s->slots] = (struct slot){ .use = SLOT_FREE };
	return s->slots++;
}

static void give_slot(struct torus_state *s, uint32_t slot)
{
	s->slot[slot].use = SLOT_FREE;
	s->slot[slot].next_free = s->first_free;
	s->first_free = slot;
}

/* Take a slot and the nodes for a job; `place` is the caller's copy.
 * with_strategy: call the strategy's commit(), too. */
static uint32_t state_hold_place(struct torus_state *s,
				 const struct torus_placement *place,
				 bool with_strategy,
				 const struct torus_hold *job,
				 struct torus_memo *memo)
{
	const struct torus_strategy *strategy = state_strategy(s, place);
	const struct torus_placement *seen;
	struct torus_placement room;
	struct torus_hold *hold;
	uint32_t slot;

	seen = state_seen_place(s, place, &room);
	if (!state_vacant(s, place) || (strategy->commit && !seen)) {
		errno = EBUSY;
		return TORUS_NO_SLOT;
	}
	slot = take_slot(s);
	if (slot == TORUS_NO_SLOT)
		return slot;
	hold = &s->slot[slot].hold;
	if (torus_placement_keep(s->machine, &hold->place, place,
				 &s->slot[slot].room) ||
	    (with_strategy && strategy->commit &&
	     strategy->commit(state_instance(s, place->pod, place->strategy),
			      seen, memo))) {
		give_slot(s, slot);
		return TORUS_NO_SLOT;
	}
	hold->job = job->job;
	hold->owner = job->owner;
	hold->start_us = job->start_us;
	hold->end_us = job->end_us;
	s->slot[slot].use = SLOT_LIVE;
	s->slot[slot].sequence = ++s->last_sequence;
	state_occupy(s, &hold->place);
	list_hold(s, slot);
	return slot;
}

uint32_t torus_state_commit(struct torus_state *s,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us,
			    struct torus_undo *u)
{
	/* copied: it may belong to an old hold in the slots, which may grow or
	 * change */
	struct torus_placement wanted = *place;
	const struct torus_hold hold = { .job = job,
					 .owner = owner,
					 .start_us = start_us,
					 .end_us = end_us };
	struct torus_memo memo = { 0 };
	uint64_t generation = s->generation;
	uint32_t slot;

	wanted.end_us = end_us;
	slot = state_hold_place(s, &wanted, true, &hold, &memo);
	if (slot != TORUS_NO_SLOT && u)
		*u = (struct torus_undo){ .slot = slot,
					  .generation = generation,
					  .memo = memo };
	return slot;
}

uint32_t torus_state_adopt(struct torus_state *s, const struct torus_hold *hold)
{
	struct torus_memo memo = { 0 };

	return state_hold_place(s, &hold->place, false, hold, &memo);
}

void torus_state_release(struct torus_state *s, uint32_t slot,
			 struct torus_undo *u)
{
	const struct torus_placement *place = &s->slot[slot].hold.place;
	const struct torus_strategy *strategy = state_strategy(s, place);
	struct torus_memo memo = { 0 };
	uint64_t generation = s->generation;
	struct torus_placement room;

	unlist_hold(s, slot);
	if (strategy->release)
		strategy->release(state_instance(s, place->pod, place->strategy),
				  state_seen_place(s, place, &room), &memo);
	state_vacate(s, place);
	if (u) {
		*u = (struct torus_undo){ .slot = slot,
					  .generation = generation,
					  .memo = memo };
		s->slot[slot].use = SLOT_RELEASED;
	} else {
		give_slot(s, slot);
	}
}

void torus_state_undo(struct torus_state *s, const struct torus_undo *u)
{
	struct slot *slot = &s->slot[u->slot];
	const struct torus_placement *place = &slot->hold.place;
	const struct torus_strategy *strategy = state_strategy(s, place);
	void *self = state_instance(s, place->pod, place->strategy);
	struct torus_placement room;

	if (slot->use == SLOT_LIVE) {
		unlist_hold(s, u->slot);
		if (strategy->undo_commit)
			strategy->undo_commit(self,
					      state_seen_place(s, place, &room),
					      &u->memo);
		state_vacate(s, place);
		give_slot(s, u->slot);
	} else {
		if (strategy->undo_release)
			strategy->undo_release(self,
					       state_seen_place(s, place, &room),
					       &u->memo);
		slot->use = SLOT_LIVE;
		state_occupy(s, place);
		list_hold(s, u->slot);
	}
	s->generation = u->generation;
}

void torus_state_renumber(struct torus_state *s, uint32_t slot, uint64_t job)
{
	s->slot[slot].hold.job = job;
}

void torus_state_set_end(struct torus_state *s, uint32_t slot, int64_t end_us)
{
	struct torus_hold *h = &s->slot[slot].hold;
	const struct torus_strategy *strategy = state_strategy(s, &h->place);
	struct torus_placement room;

	unlist_hold(s, slot);
	h->end_us = h->place.end_us = end_us;
	list_hold(s, slot);
	if (strategy->set_end)
		strategy->set_end(state_instance(s, h->place.pod,
						 h->place.strategy),
				  state_seen_place(s, &h->place, &room));
	s->generation = ++s->last_generation;
}

void torus_state_out(struct torus_state *s, const uint64_t *out)
{
	uint32_t words = s->machine->words;

	if (out)
		torus_bits_copy(s->out, out, words);
	else
		torus_bits_zero(s->out, words);
	s->any_out = torus_bits_next(s->out, words, 0) != UINT32_MAX;
	refresh_free(s);
	s->generation = ++s->last_generation;
}

/* Queries */

const uint64_t *torus_state_free_map(const struct torus_state *s)
{
	return s->free;
}

uint32_t torus_state_free_nodes(const struct torus_state *s)
{
	return s->free_nodes;
}

const uint64_t *torus_state_present_map(const struct torus_state *s)
{
	return s->present;
}

const uint64_t *torus_state_out_map(const struct torus_state *s)
{
	return s->out;
}

uint64_t torus_state_generation(const struct torus_state *s)
{
	return s->generation;
}

const struct torus_hold *torus_state_hold(const struct torus_state *s,
					  uint32_t slot)
{
	return &s->slot[slot].hold;
}

uint32_t torus_state_holds(const struct torus_state *s)
{
	return s->holds;
}

uint32_t torus_state_by_end(const struct torus_state *s, uint32_t k)
{
	return s->by_end[k].slot;
}

void torus_placement_paint(const struct torus_machine *m,
			   const struct torus_placement *place, uint64_t *map)
{
	const struct torus_pod *pod = &m->pod[place->pod];

	if (place->scattered)
		torus_bits_or(map + pod->first_word + place->from_word,
			      place->nodes + place->from_word,
			      torus_placement_span(m, place));
	else
		torus_region_paint(&place->region, &pod->torus,
				   map + pod->first_word);
}

void torus_hold_paint(const struct torus_state *s, const struct torus_hold *h,
		      uint64_t *map)
{
	torus_placement_paint(s->machine, &h->place, map);
}
