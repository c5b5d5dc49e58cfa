/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brute force for planning: the state, the plan and the outages of a case, and the
 * shadow time, delay and window of an ask, each by trying every instant on a copy of the
 * state.
 */
#ifndef PLAN_BRUTE_H
#define PLAN_BRUTE_H

#include "torus/state_text.h"
#include "torus/state_find.h"
#include "torus/plan.h"
#include "workload.h"

#define MOST_HOLDS 48
#define MOST_RESERVED 6
#define OUTAGES 4
#define HORIZON 200 /* no time in a case is later */

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_plan *p;
	int64_t now;
	uint32_t slot[MOST_HOLDS];
	uint32_t holds;
	uint32_t reserved[MOST_RESERVED];
	uint32_t reservations;
	struct torus_outages outages;
	struct torus_outage outage[OUTAGES];
	uint64_t outage_nodes[OUTAGES][WORKLOAD_WORDS];
	uint32_t left_out; /* a reservation that is looked away from */
	/* a question for an earlier window that had no answer */
	bool open;
	uint32_t open_for;
	struct torus_ask open_ask;
	uint64_t open_since;
	/* a question that is asked again and again, and what is known of it */
	struct torus_ask head;
	struct torus_window_cache cache;
	uint64_t jobs;
};

static int64_t clamped(int64_t end_us, int64_t now)
{
	return end_us > now ? end_us : now + 1;
}

/* Brute force */

/* Release in a copy what ends by t. */
static void let_pass(struct torus_state *s, int64_t now, int64_t t)
{
	while (torus_state_holds(s) > 0) {
		uint32_t slot = torus_state_by_end(s, 0);
		int64_t end = torus_state_hold(s, slot)->end_us;

		if (end == TORUS_NO_TIME || clamped(end, now) > t)
			return;
		torus_state_release(s, slot, NULL);
	}
}

/* *at (may be NULL): the place, without its nodes. */
static enum torus_answer brute_shadow(const struct torus_state *of,
				      const struct torus_ask *ask, int64_t now,
				      int64_t *when, struct torus_placement *at)
{
	struct torus_state *s = torus_state_twin(of);
	struct torus_placement place;
	enum torus_answer answer;

	assert_non_null(s);
	*when = now;
	for (;;) {
		uint32_t before = torus_state_holds(s);

		answer = torus_state_find(s, ask, &place, NULL);
		if (answer != TORUS_NOT_NOW || before == 0)
			break;
		*when = clamped(torus_state_hold(s, torus_state_by_end(s, 0))
					->end_us,
				now);
		let_pass(s, now, *when);
		if (torus_state_holds(s) == before)
			break;
	}
	if (answer != TORUS_FITS)
		*when = TORUS_NO_TIME;
	else if (at)
		*at = place;
	torus_state_destroy(s);
	return answer;
}

static bool brute_delays(const struct torus_state *of,
			 const struct torus_ask *head, int64_t now,
			 int64_t shadow, const struct torus_placement *place,
			 int64_t end_us)
{
	struct torus_state *s = torus_state_twin(of);
	int64_t when;

	assert_non_null(s);
	assert_true(torus_state_commit(s, place, 0, NULL, now, end_us, NULL) !=
		    TORUS_NO_SLOT);
	brute_shadow(s, head, now, &when, NULL);
	torus_state_destroy(s);
	return when > shadow;
}

/* Take from `usable` what reservations hold some time within [t, end). */
static void mask_reserved(const struct world *w, int64_t t, int64_t end,
			  uint64_t *usable)
{
	uint64_t map[WORKLOAD_WORDS];

	for (uint32_t i = 0; i < w->reservations; i++) {
		const struct torus_reservation *r =
			torus_plan_reservation(w->p, w->reserved[i]);

		if (w->reserved[i] == w->left_out || r->start_us >= end ||
		    clamped(r->end_us, r->start_us) <= t)
			continue;
		workload_paint(&w->m, &r->place, map);
		torus_bits_andnot(usable, map, w->m.words);
	}
}

/* The same of outages; false: t is too late a start. */
static bool mask_out(const struct world *w, const struct torus_ask *ask,
		     int64_t t, int64_t end, uint64_t *usable)
{
	const struct torus_outages *o = ask->outages;

	for (uint32_t i = 0; o && i < o->count; i++) {
		if (o->outage[i].from_us < end && o->outage[i].to_us > t)
			torus_bits_andnot(usable, o->outage[i].nodes,
					  w->m.words);
	}
	return !o || t <= o->last_start_us;
}

/* Does it have a window at t? Releases only add nodes to the state as the
 * window goes on, so that its first instant tells. */
static enum torus_answer window_in(const struct world *w,
				   const struct torus_state *of,
				   const struct torus_ask *ask, int64_t t,
				   int64_t length)
{
	struct torus_state *s = torus_state_twin(of);
	uint64_t usable[WORKLOAD_WORDS];
	struct torus_placement place;
	struct torus_ask among;
	enum torus_answer answer;

	assert_non_null(s);
	let_pass(s, w->now, t);
	memset(usable, 0xff, sizeof(usable));
	if (ask->allowed)
		torus_bits_copy(usable, ask->allowed, w->m.words);
	length = length > 0 ? length : 1;
	mask_reserved(w, t, torus_time_after(t, length), usable);
	if (!mask_out(w, ask, t, torus_time_after(t, length), usable))
		torus_bits_zero(usable, w->m.words);
	among = torus_ask_among(ask, usable);
	answer = torus_state_find(s, &among, &place, NULL);
	torus_state_destroy(s);
	return answer;
}

static enum torus_answer window_at(const struct world *w,
				   const struct torus_ask *ask, int64_t t,
				   int64_t length)
{
	return window_in(w, w->s, ask, t, length);
}

/* The shadow time of an ask with outages. */
static enum torus_answer brute_around(const struct world *w,
				      const struct torus_state *of,
				      const struct torus_ask *ask, int64_t *when)
{
	int64_t length = ask->end_us - ask->now_us;
	enum torus_answer answer = TORUS_NOT_NOW;

	for (*when = w->now; *when < HORIZON; ++*when) {
		answer = window_in(w, of, ask, *when, length);
		if (answer != TORUS_NOT_NOW)
			break;
	}
	if (answer != TORUS_FITS)
		*when = TORUS_NO_TIME;
	return answer;
}

static bool brute_delays_around(const struct world *w,
				const struct torus_ask *head, int64_t shadow,
				const struct torus_placement *place,
				int64_t end_us)
{
	struct torus_state *s = torus_state_twin(w->s);
	int64_t when;

	assert_non_null(s);
	assert_true(torus_state_commit(s, place, 0, NULL, w->now, end_us,
				       NULL) != TORUS_NO_SLOT);
	brute_around(w, s, head, &when);
	torus_state_destroy(s);
	return when > shadow;
}

#endif
