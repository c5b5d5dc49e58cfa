/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Available windows (torus/plan.h): the earliest start from which a region
 * stays free of running jobs and reservations for a given length; and the
 * same for a reservation that is to come earlier, whose own nodes count as
 * free.
 *
 * Strategies that go by the occupancy alone are asked about what the profile
 * shows (window_profile.c). With strategies that remember, the state is
 * rewound to each instant (known ends released), and the reservations that
 * overlap the window in time are not allowed. What their trees will look like
 * once those have come and gone is not foreseen, so that such a window is a
 * good guess, not a promise.
 *
 * Cost with memory: per start that is looked at O(reservations) paints, the
 * releases and a search.
 */
#include "planning/planning.h"

/* Allowed nodes that no reservation takes during the window at `start`. */
static void mask_reservations(const struct plan_window *w, int64_t start)
{
	struct torus_plan *p = w->p;
	int64_t end = torus_time_after(start, w->length);

	if (w->allowed)
		torus_bits_copy(p->probe, w->allowed, p->words);
	else
		memset(p->probe, 0xff, p->words * sizeof(*p->probe));
	for (uint32_t i = 0; i < p->reservations; i++) {
		const struct torus_reservation *r = &p->reservation[i].r;

		if (p->reservation[i].used && r != w->own &&
		    r->start_us < end &&
		    plan_end_after(r->end_us, r->start_us) > start)
			plan_erase(p, &r->place, p->probe);
	}
}

/* The next instant after t at which nodes become free, k ends being over by
 * t. TORUS_NO_TIME: none. */
static int64_t next_instant(const struct torus_plan *p, uint32_t k, int64_t t)
{
	int64_t next = k < p->ends ? p->end[k].end_us : TORUS_NO_TIME;

	for (uint32_t i = 0; i < p->reservations; i++) {
		const struct torus_reservation *r = &p->reservation[i].r;
		int64_t end = plan_end_after(r->end_us, r->start_us);

		if (p->reservation[i].used && end > t && end < next)
			next = end;
	}
	return next;
}

static enum torus_answer by_rewinding(struct plan_window *w, int64_t now,
				      int64_t *when)
{
	struct torus_plan *p = w->p;
	enum torus_answer answer = TORUS_NOT_NOW;
	int64_t t = w->from;
	uint32_t k = 0;

	if (plan_list_ends(p, now))
		return TORUS_NOT_NOW;
	while (answer == TORUS_NOT_NOW && t <= w->latest &&
	       t != TORUS_NO_TIME) {
		while (k < p->ends && p->end[k].end_us <= t)
			k++;
		plan_rewind(p, k);
		mask_reservations(w, t);
		w->asked = true;
		answer = plan_find(p, w->ask, w->strategy, p->probe, w->out,
				   w->why);
		*when = t;
		t = next_instant(p, k, t);
	}
	plan_rewind(p, 0);
	return answer;
}

/* The nodes of *out are the plan's own. */
static enum torus_answer search(struct plan_window *w, int64_t now,
				int64_t *when, struct torus_placement *out)
{
	struct torus_plan *p = w->p;
	enum torus_answer answer;

	w->want = torus_ask_nodes(w->ask);
	w->out = out;
	if (p->timeless)
		answer = plan_profile_ready(p, now) ?
				 TORUS_NOT_NOW :
				 plan_window_in_profile(w, when);
	else
		answer = by_rewinding(w, now, when);
	if (answer == TORUS_FITS)
		plan_keep(p, out, out, p->found);
	else
		*when = TORUS_NO_TIME;
	return answer;
}

enum torus_answer torus_plan_window(struct torus_plan *p,
				    const struct torus_ask *ask,
				    const char *strategy,
				    const uint64_t *allowed, int64_t now,
				    int64_t from, int64_t latest,
				    int64_t length_us, int64_t *when,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct plan_window w = {
		.p = p,
		.ask = ask,
		.strategy = strategy,
		.allowed = allowed,
		.from = from > now ? from : now,
		.latest = latest,
		.length = length_us > 0 ? length_us : 1,
		.why = why,
	};
	enum torus_answer answer = search(&w, now, when, out);

	if (answer == TORUS_NOT_NOW && !w.asked &&
	    torus_state_possible(p->state, ask, strategy, NULL, why) ==
		    TORUS_NEVER)
		return TORUS_NEVER;
	return answer;
}

bool torus_plan_earlier(struct torus_plan *p, uint32_t reservation,
			const struct torus_ask *ask, const char *strategy,
			const uint64_t *allowed, int64_t now, int64_t latest,
			uint64_t since, int64_t *when,
			struct torus_placement *out)
{
	const struct torus_reservation *r = &p->reservation[reservation].r;
	struct plan_window w = {
		.p = p,
		.ask = ask,
		.strategy = strategy,
		.allowed = allowed,
		.from = now,
		.latest = latest < r->start_us ? latest : r->start_us - 1,
		.length = plan_reserved_until(r) - r->start_us,
		.own = r,
		.since = since,
	};

	return search(&w, now, when, out) == TORUS_FITS;
}
