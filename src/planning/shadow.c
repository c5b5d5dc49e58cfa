/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shadow times (torus/plan.h): the first known end after which the strategy finds a
 * place for the request, and whether a job that starts now delays it.
 *
 * Ends are skipped until enough nodes are free (for `flat` that is the answer). If
 * the occupancy alone decides, availability only grows with releases, and the other
 * distinct ends are bisected:
 *
 *     ends   |  |    |     |  |         |
 *            too few |     lo  probe?   hi
 *            nodes   first try
 *
 * Such strategies search bitmaps: `low` has the nodes after the ends up to lo, a
 * probe adds those released from there on. So do strategies whose memory only
 * chooses the place; the state is rewound to the shadow time if the place is asked
 * for. A busy list is searched on the rewound state, bisected as well. For partition
 * trees plan_rewind() goes end by end, since a release may merge pieces that fitted
 * the request.
 *
 * A job that ends by the shadow time never delays it. In bitmaps, one that ends
 * later does exactly if the request has no place without the job's nodes; the
 * bitmap and the place at the shadow time are cached for this test. No start makes
 * a shadow time earlier. Otherwise the shadow time is computed again with the job
 * committed.
 *
 * An ask with outages may fit at one time and not later. So its shadow time is its
 * earliest window (window.c), and the nodes usable throughout that window take the
 * place of the bitmap; they are computed again after an early end.
 *
 * Cost: O(running) paints and O(log ends) searches (partition trees O(ends)); none if
 * the same ask was answered on the same state. A delay takes at most one search
 * (with memory: a shadow time).
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "planning/planning.h"

/* A search for a shadow time. */
struct shadow_question {
	struct torus_plan *p;
	const struct torus_ask *ask;
	uint32_t lo; /* number of ends released in the shadow's `low` */
	bool asked;  /* a strategy was called */
};

/* Return true if bitmaps tell the ask's shadow time. If the strategy has memory, it
 * is still the state at that time that tells the place. */
static bool shadow_in_maps(const struct torus_plan *p,
			   const struct torus_ask *ask)
{
	return p->timeless || (p->maps && !ask->outages);
}

/* Usable nodes only: in service and allowed. */
static void shadow_mask(const struct shadow_question *q, uint64_t *map)
{
	struct torus_plan *p = q->p;

	torus_bits_andnot(map, torus_state_out_map(p->state), p->words);
	if (q->ask->allowed)
		torus_bits_and(map, map, q->ask->allowed, p->words);
}

static void shadow_note_place(struct torus_plan *p,
			      const struct torus_placement *place)
{
	torus_placement_copy(p->machine, &p->shadow.place, place,
			     &p->shadow.room);
}

static enum torus_answer shadow_probe_bitmap(struct shadow_question *q,
					     uint32_t k)
{
	struct torus_plan *p = q->p;
	struct torus_placement place;
	enum torus_answer answer;
	struct plan_shadow *s = &p->shadow;
	uint64_t *map = s->probe;

	torus_bits_copy(map, s->low, p->words);
	for (uint32_t i = q->lo; i < k; i++)
		torus_hold_paint(p->state,
				 torus_state_hold(p->state, p->end[i].slot),
				 map);
	shadow_mask(q, map);
	answer = plan_find_in(p, q->ask, map, &place);
	if (answer == TORUS_FITS) {
		shadow_note_place(p, &place);
		s->probe = s->map;
		s->map = map;
	} else {
		s->probe = s->low;
		s->low = map;
		q->lo = k;
	}
	return answer;
}

static enum torus_answer shadow_probe_state(struct shadow_question *q,
					    uint32_t k)
{
	struct torus_placement place;
	enum torus_answer answer;

	plan_rewind(q->p, k);
	answer = plan_find(q->p, q->ask, &place);
	if (answer == TORUS_FITS)
		shadow_note_place(q->p, &place);
	return answer;
}

/* Search the state after the first k ends. */
static enum torus_answer shadow_probe(struct shadow_question *q, uint32_t k)
{
	q->asked = true;
	return shadow_in_maps(q->p, q->ask) ? shadow_probe_bitmap(q, k) :
					      shadow_probe_state(q, k);
}

/* Return the number of ends after which enough nodes are free, at least one; it
 * never divides equal ends. UINT32_MAX: never. */
static uint32_t shadow_enough_nodes(const struct shadow_question *q)
{
	const struct torus_plan *p = q->p;
	uint64_t want = torus_ask_nodes(q->ask);
	uint64_t have = torus_state_free_nodes(p->state);
	uint32_t k = 0;

	while (k < p->ends && (k == 0 || have < want)) {
		const struct torus_hold *h = torus_state_hold(p->state,
							      p->end[k++].slot);

		have += h->place.granted;
	}
	if (k == 0 || have < want)
		return UINT32_MAX;
	while (k < p->ends && p->end[k].end_us == p->end[k - 1].end_us)
		k++;
	return k;
}

/* Return a number of ends between lo and hi, near the middle, that does not
 * divide equal ends; hi if there is none. */
static uint32_t shadow_middle(const struct torus_plan *p, uint32_t lo,
			      uint32_t hi)
{
	uint32_t mid = lo + (hi - lo) / 2, up = mid;

	if (mid == lo)
		return hi;
	while (up < hi && p->end[up].end_us == p->end[up - 1].end_us)
		up++;
	if (up < hi)
		return up;
	while (mid > lo && p->end[mid].end_us == p->end[mid - 1].end_us)
		mid--;
	return mid > lo ? mid : hi;
}

/* Find the number of ends to wait for, *k, by trying one after the other. */
static enum torus_answer shadow_try_all(struct shadow_question *q, uint32_t *k)
{
	const struct torus_plan *p = q->p;
	enum torus_answer answer = TORUS_NOT_NOW;

	for (uint32_t i = shadow_enough_nodes(q); i <= p->ends; i++) {
		if (i < p->ends && p->end[i].end_us == p->end[i - 1].end_us)
			continue;
		*k = i;
		answer = shadow_probe(q, i);
		if (answer != TORUS_NOT_NOW ||
		    torus_search_limit_spend(q->ask->limit, p->words * 64))
			break;
	}
	return answer;
}

/* Find the number of ends to wait for, *k, by bisection. */
static enum torus_answer shadow_bisect(struct shadow_question *q, uint32_t *k)
{
	uint32_t lo = shadow_enough_nodes(q), hi = q->p->ends;
	enum torus_answer answer;
	bool fits = false; /* true: it fits after hi ends */

	if (lo == UINT32_MAX)
		return TORUS_NOT_NOW;
	*k = lo;
	answer = shadow_probe(q, lo);
	if (answer != TORUS_NOT_NOW)
		return answer;
	while (lo < hi) {
		uint32_t mid = shadow_middle(q->p, lo, hi);

		if (mid == hi && fits)
			break;
		answer = shadow_probe(q, mid);
		if (answer == TORUS_NEVER)
			return answer;
		if (answer == TORUS_FITS) {
			fits = true;
			hi = mid;
		} else {
			lo = mid;
		}
	}
	*k = hi;
	return fits ? TORUS_FITS : TORUS_NOT_NOW;
}

/* Cache the answer for the same ask. */
static void shadow_remember(const struct shadow_question *q,
			    enum torus_answer answer, int64_t now_us)
{
	struct torus_plan *p = q->p;
	struct plan_shadow *s = &p->shadow;

	s->valid = (answer == TORUS_FITS || answer == TORUS_NOT_NOW) &&
		   !q->ask->required && !torus_search_limit_cut(q->ask->limit);
	s->answer = answer;
	s->asked_us = now_us;
	s->suspect_us = now_us;
	s->generation = torus_state_generation(p->state);
	s->ask = *q->ask;
	s->ask.limit = NULL; /* valid only during the call */
	s->length_us = plan_length(q->ask);
	s->outages = q->ask->outages ? q->ask->outages->number : 0;
	if (q->ask->allowed) {
		torus_bits_copy(s->allowed, q->ask->allowed, p->words);
		s->ask.allowed = s->allowed;
	}
	if (answer == TORUS_FITS && shadow_in_maps(p, q->ask))
		s->usable = torus_bits_count(s->map, p->words);
}

/* Answer an ask that does not fit now, and fill the plan's shadow. */
static enum torus_answer shadow_look_ahead(struct shadow_question *q,
					   int64_t now_us)
{
	struct torus_plan *p = q->p;
	bool in_maps = shadow_in_maps(p, q->ask);
	enum torus_answer answer;
	uint32_t k;

	if (plan_list_ends(p, now_us))
		return TORUS_FAILED;
	if (in_maps)
		torus_bits_copy(p->shadow.low, torus_state_free_map(p->state),
				p->words);
	answer = in_maps || p->by_nodes ? shadow_bisect(q, &k) :
					  shadow_try_all(q, &k);
	if (!in_maps)
		plan_rewind(p, 0);
	if (answer == TORUS_FITS)
		p->shadow.when_us = p->end[k - 1].end_us;
	else if (!q->asked)
		answer = torus_state_possible(p->state, q->ask, NULL, NULL) ==
					 TORUS_NEVER ?
				 TORUS_NEVER :
				 TORUS_NOT_NOW;
	shadow_remember(q, answer, now_us);
	return answer;
}

/* Return true if the cached shadow time answers this ask now. Not if it has
 * passed: the end that it waits for is overdue. */
static bool shadow_answers(const struct shadow_question *q, int64_t now_us)
{
	const struct torus_plan *p = q->p;
	const struct plan_shadow *s = &p->shadow;

	return s->valid && s->generation == torus_state_generation(p->state) &&
	       s->when_us > now_us &&
	       torus_ask_same_nodes(&s->ask, q->ask, p->words) &&
	       (!s->outages || (s->outages == q->ask->outages->number &&
				s->length_us == plan_length(q->ask)));
}

/* Return true if the shadow time's place is still usable in map. */
static bool shadow_place_left(const struct torus_plan *p, const uint64_t *map)
{
	const struct torus_placement *place = &p->shadow.place;
	const struct torus_pod *pod = &p->machine->pod[place->pod];

	map += pod->first_word;
	return place->scattered ?
		       torus_bits_subset(place->nodes + place->from_word,
					 map + place->from_word,
					 torus_placement_span(p->machine,
							      place)) :
		       torus_region_inside(&place->region, &pod->torus, map);
}

/* Return the number of ends before the suspect time. */
static uint32_t shadow_ends_before(const struct torus_plan *p, int64_t at_us)
{
	uint32_t k = 0;

	while (k < p->ends && p->end[k].end_us < at_us)
		k++;
	return k;
}

/*
 * Check a cached shadow time after nodes became free earlier than expected. If
 * the ask does not fit at the latest instant at which these nodes were in use
 * before, it does not fit earlier either, and the shadow time stands.
 */
static bool shadow_stands(struct shadow_question *q, int64_t now_us)
{
	struct torus_plan *p = q->p;
	uint64_t have = torus_state_free_nodes(p->state);
	uint32_t k;

	if (p->shadow.suspect_us <= now_us || p->shadow.outages)
		return true;
	if (plan_list_ends(p, now_us))
		return false;
	k = shadow_ends_before(p, p->shadow.suspect_us);
	for (uint32_t i = 0; i < k; i++)
		have += torus_state_hold(p->state, p->end[i].slot)->place.granted;
	torus_bits_copy(p->shadow.low, torus_state_free_map(p->state), p->words);
	if (have >= torus_ask_nodes(q->ask) &&
	    shadow_probe(q, k) != TORUS_NOT_NOW)
		return false;
	p->shadow.asked_us = now_us; /* overdue ends count from now */
	p->shadow.suspect_us = now_us;
	return true;
}

/* Answer an ask with outages, and fill the plan's shadow. An earlier place stays
 * valid: the caller may ask about it. */
static enum torus_answer shadow_with_outages(struct shadow_question *q,
					     int64_t now_us)
{
	struct torus_plan *p = q->p;
	uint64_t *usable = torus_scratch_take(&p->scratch);
	struct plan_window found = { .room = &p->shadow.room, .usable = usable };
	enum torus_answer answer;
	struct torus_window_bounds bounds = {
		.now_us = now_us,
		.from_us = now_us,
		.latest_us = TORUS_NO_TIME,
		.length_us = plan_length(q->ask),
	};

	answer = plan_window(p, q->ask, &bounds, &found);
	p->shadow.when_us = found.when_us;
	if (answer == TORUS_FITS) {
		shadow_note_place(p, &found.place);
		if (p->timeless)
			torus_bits_copy(p->shadow.map, usable, p->words);
	}
	torus_scratch_return(&p->scratch, usable);
	shadow_remember(q, answer, now_us);
	return answer;
}

bool torus_plan_waits(struct torus_plan *p, const struct torus_ask *ask,
		      int64_t now_us)
{
	const struct shadow_question q = { .p = p, .ask = ask };

	return shadow_answers(&q, now_us) && !p->shadow.outages &&
	       p->shadow.suspect_us <= now_us;
}

/* Find the shadow time, and fill the plan's shadow. */
static enum torus_answer shadow_answer(struct shadow_question *q, int64_t now_us)
{
	struct torus_plan *p = q->p;
	enum torus_answer answer = TORUS_NOT_NOW;
	struct torus_placement place;

	if (shadow_answers(q, now_us) && shadow_stands(q, now_us))
		return p->shadow.answer;
	q->lo = 0;
	p->shadow.valid = false;
	p->shadow.when_us = TORUS_NO_TIME;
	if (q->ask->outages)
		return shadow_with_outages(q, now_us);
	if (torus_ask_nodes(q->ask) <= torus_state_free_nodes(p->state)) {
		q->asked = true;
		answer = plan_find(p, q->ask, &place);
	}
	if (answer == TORUS_NOT_NOW)
		return shadow_look_ahead(q, now_us);
	if (answer == TORUS_FITS) {
		shadow_note_place(p, &place);
		p->shadow.when_us =
			now_us; /* not cached: the job is about to start */
	}
	return answer;
}

/* With memory: find the place at a shadow time that bitmaps told. */
static enum torus_answer shadow_find_place(struct shadow_question *q,
					   int64_t now_us)
{
	struct torus_plan *p = q->p;
	enum torus_answer answer;
	uint32_t k = 0;

	if (plan_list_ends(p, now_us))
		return TORUS_FAILED;
	while (k < p->ends && p->end[k].end_us <= p->shadow.when_us)
		k++;
	answer = shadow_probe_state(q, k);
	plan_rewind(p, 0);
	return answer;
}

enum torus_answer torus_plan_shadow_time(struct torus_plan *p,
					 const struct torus_ask *ask,
					 int64_t now_us, int64_t *when_us,
					 struct torus_placement *now)
{
	struct shadow_question q = { .p = p, .ask = ask };
	enum torus_answer answer = shadow_answer(&q, now_us);

	*when_us = p->shadow.when_us;
	if (now && answer == TORUS_FITS && *when_us == now_us)
		*now = p->shadow.place;
	return answer;
}

enum torus_answer torus_plan_shadow(struct torus_plan *p,
				    const struct torus_ask *ask, int64_t now_us,
				    int64_t *when_us,
				    struct torus_placement *out)
{
	struct shadow_question q = { .p = p, .ask = ask };
	enum torus_answer answer = torus_plan_shadow_time(p, ask, now_us,
							  when_us, out);

	if (!out || answer != TORUS_FITS || *when_us == now_us)
		return answer;
	if (!p->timeless && shadow_in_maps(p, ask))
		answer = shadow_find_place(&q, now_us);
	*out = p->shadow.place;
	return answer;
}

uint32_t torus_plan_spare(const struct torus_plan *p)
{
	const struct plan_shadow *s = &p->shadow;

	if (!s->valid || s->ask.allowed || s->outages ||
	    s->answer != TORUS_FITS || !shadow_in_maps(p, &s->ask))
		return UINT32_MAX;
	return s->usable - (uint32_t)torus_ask_nodes(&s->ask);
}

/* Return true if the ask fits on these nodes. */
static bool shadow_fits_in(struct torus_plan *p, const struct torus_ask *ask,
			   const uint64_t *usable)
{
	struct torus_ask any = *ask;
	struct torus_placement place;

	any.any_place = true;
	return plan_find_in(p, &any, usable, &place) == TORUS_FITS;
}

/* Compute the nodes usable at the shadow time. -1 with ENOMEM. */
static int shadow_usable(const struct shadow_question *q, int64_t now_us,
			 int64_t shadow_us, uint64_t *usable)
{
	struct torus_plan *p = q->p;

	if (plan_list_ends(p, now_us))
		return -1;
	torus_bits_copy(usable, torus_state_free_map(p->state), p->words);
	for (uint32_t k = 0; k < p->ends && p->end[k].end_us <= shadow_us; k++)
		torus_hold_paint(p->state,
				 torus_state_hold(p->state, p->end[k].slot),
				 usable);
	shadow_mask(q, usable);
	if (q->ask->outages)
		torus_outages_clear(q->ask->outages, shadow_us,
				    torus_time_after(shadow_us,
						     plan_length(q->ask)),
				    usable, p->words);
	return 0;
}

/* In bitmaps: return true if the head has a place at its shadow time without
 * the nodes of `place`. */
static bool shadow_fits_without(const struct shadow_question *q, int64_t now_us,
				int64_t shadow_us,
				const struct torus_placement *place)
{
	struct torus_plan *p = q->p;
	bool kept = shadow_answers(q, now_us) && p->shadow.when_us == shadow_us;
	uint64_t *usable;
	bool fits = true;

	if (kept && plan_apart(p, place, &p->shadow.place))
		return true;
	usable = torus_scratch_take(&p->scratch);
	if (kept)
		torus_bits_copy(usable, p->shadow.map, p->words);
	else
		fits = shadow_usable(q, now_us, shadow_us, usable) == 0;
	if (fits) {
		plan_erase(p, place, usable);
		fits = (kept && shadow_place_left(p, usable)) ||
		       (torus_bits_count(usable, p->words) >=
				torus_ask_nodes(q->ask) &&
			shadow_fits_in(p, q->ask, usable));
	}
	torus_scratch_return(&p->scratch, usable);
	return fits;
}

/* Otherwise: compute the shadow time again with the job committed. The cached
 * one is invalid from then on. */
static int64_t shadow_beside(const struct shadow_question *q, int64_t now_us,
			     const struct torus_placement *place, int64_t end_us)
{
	struct torus_plan *p = q->p;
	struct torus_undo undo;
	int64_t when_us;

	if (torus_state_commit(p->state, place, 0, NULL, now_us, end_us,
			       &undo) == TORUS_NO_SLOT)
		return TORUS_NO_TIME;
	torus_plan_shadow(p, q->ask, now_us, &when_us, NULL);
	torus_state_undo(p->state, &undo);
	return when_us;
}

bool torus_plan_delays(struct torus_plan *p, const struct torus_ask *head,
		       int64_t now_us, int64_t shadow_us,
		       const struct torus_placement *place, int64_t end_us)
{
	struct shadow_question q = { .p = p, .ask = head };

	if (shadow_us == TORUS_NO_TIME)
		return false;
	if (!shadow_in_maps(p, head))
		return shadow_beside(&q, now_us, place, end_us) > shadow_us;
	if (torus_end_after(end_us, now_us) <= shadow_us)
		return false;
	return !shadow_fits_without(&q, now_us, shadow_us, place);
}

/* Take a placement's nodes from those usable at the shadow time. */
static void shadow_take(struct torus_plan *p,
			const struct torus_placement *place)
{
	struct plan_shadow *s = &p->shadow;
	uint32_t at = p->machine->pod[place->pod].first_word + place->from_word;

	if (place->scattered)
		s->usable -=
			torus_bits_count_both(s->map + at,
					      place->nodes + place->from_word,
					      torus_placement_span(p->machine,
								   place));
	plan_erase(p, place, s->map);
	if (!place->scattered)
		s->usable = torus_bits_count(s->map, p->words);
}

void plan_shadow_committed(struct torus_plan *p, const struct plan_change *c,
			   const struct torus_placement *committed)
{
	struct plan_shadow *s = &p->shadow;
	struct torus_placement place;

	if (!s->valid || s->generation != c->before ||
	    !shadow_in_maps(p, &s->ask) || s->when_us <= c->now_us)
		return;
	s->generation = torus_state_generation(p->state);
	if (s->answer != TORUS_FITS || c->end_us <= s->when_us)
		return;
	shadow_take(p, committed);
	if (plan_apart(p, committed, &s->place) || shadow_place_left(p, s->map))
		return;
	s->valid = plan_find_in(p, &s->ask, s->map, &place) == TORUS_FITS;
	if (s->valid)
		shadow_note_place(p, &place);
}

/*
 * Note an early release. From the expected end on nothing changes. Before it more
 * nodes are usable than planned, so the ask may fit earlier than `when_us`; it
 * still fits at `when_us`.
 */
void plan_shadow_released(struct torus_plan *p, const struct plan_change *c)
{
	struct plan_shadow *s = &p->shadow;
	int64_t end_us = c->end_us;

	if (!s->valid || s->generation != c->before ||
	    !shadow_in_maps(p, &s->ask) || s->when_us <= c->now_us ||
	    end_us == TORUS_NO_TIME || s->outages)
		return;
	s->generation = torus_state_generation(p->state);
	end_us = torus_end_after(end_us, s->asked_us);
	if (end_us > s->when_us) {
		for (uint32_t i = 0; i < p->words; i++)
			s->map[i] |= s->ask.allowed ?
					     c->nodes[i] & s->allowed[i] :
					     c->nodes[i];
		s->usable = torus_bits_count(s->map, p->words);
		end_us = s->when_us;
	}
	if (end_us > s->suspect_us)
		s->suspect_us = end_us;
}
