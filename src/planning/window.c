/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Available windows (torus/plan.h): the earliest start from which a region
 * stays free of running jobs and reservations for a given length.
 *
 * Strategies that go by the occupancy alone are asked about the nodes that
 * the profile (profile.h) shows usable throughout the window. Starts worth a
 * look are the first instant and those spans where nodes become usable: at
 * any other the window of the span before was at least as good.
 *
 *     usable  ####______####      a window that reaches into a time with too
 *             ####__########      few usable nodes is of no use, nor is any
 *     from    |   |     |         that begins before that time is over
 *
 * With strategies that remember, the state is rewound to each instant (known
 * ends released), and the reservations that overlap the window in time are
 * not allowed. What their trees will look like once those have come and gone
 * is not foreseen, so that such a window is a good guess, not a promise.
 *
 * Cost: per start that is looked at O(spans in the window x words) and a
 * search; with memory O(reservations) paints, the releases and a search.
 */
#include "planning/planning.h"

struct window {
	struct torus_plan *p;
	const struct torus_ask *ask;
	const char *strategy;
	const uint64_t *allowed;
	int64_t from, latest, length;
	uint64_t want;
	struct torus_placement *out;
	struct torus_error *why;
	bool asked;
};

/*
 * The nodes usable from `start`, in span i, to the window's end, in p->probe.
 * They are gathered from its end backwards: when from span j on there are too
 * few, so there are in every later window that reaches back to j. Returns that
 * j, or UINT32_MAX if there are enough.
 */
static uint32_t gather(const struct window *w, uint32_t i, int64_t start)
{
	struct torus_plan *p = w->p;
	const struct torus_profile *f = &p->profile;
	int64_t end = torus_time_after(start, w->length);
	uint32_t j = torus_profile_at(f, end - 1);

	if (f->span[j].usable < w->want)
		return j;
	torus_bits_copy(p->probe, torus_profile_map(f, j), p->words);
	if (w->allowed)
		torus_bits_and(p->probe, p->probe, w->allowed, p->words);
	while (j > i) {
		j--;
		if (f->span[j].usable < w->want)
			return j;
		torus_bits_and(p->probe, p->probe, torus_profile_map(f, j),
			       p->words);
		if (torus_bits_count(p->probe, p->words) < w->want)
			return j;
	}
	return UINT32_MAX;
}

/* Without memory. */
static enum torus_answer by_profile(struct window *w, int64_t now,
				    int64_t *when)
{
	struct torus_plan *p = w->p;
	const struct torus_profile *f = &p->profile;
	enum torus_answer answer = TORUS_NOT_NOW;
	uint32_t first, blocked;

	if (plan_profile_ready(p, now))
		return TORUS_NOT_NOW;
	first = torus_profile_at(f, w->from);
	for (uint32_t i = first; i < f->spans; i++) {
		int64_t start = i > first ? f->span[i].from : w->from;

		if (start > w->latest)
			break;
		if (i > first &&
		    torus_bits_subset(torus_profile_map(f, i),
				      torus_profile_map(f, i - 1), p->words))
			continue;
		blocked = gather(w, i, start);
		if (blocked != UINT32_MAX) {
			i = blocked;
			continue;
		}
		w->asked = true;
		answer = plan_find_in(p, w->ask, w->strategy, p->probe, w->out,
				      w->why);
		if (answer == TORUS_NOT_NOW)
			continue;
		*when = start;
		return answer;
	}
	return TORUS_NOT_NOW;
}

/* Allowed nodes that no reservation takes during the window at `start`. */
static void mask_reservations(const struct window *w, int64_t start)
{
	struct torus_plan *p = w->p;
	int64_t end = torus_time_after(start, w->length);

	if (w->allowed)
		torus_bits_copy(p->probe, w->allowed, p->words);
	else
		memset(p->probe, 0xff, p->words * sizeof(*p->probe));
	for (uint32_t i = 0; i < p->reservations; i++) {
		const struct torus_reservation *r = &p->reservation[i].r;

		if (p->reservation[i].used && r->start_us < end &&
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

static enum torus_answer by_rewinding(struct window *w, int64_t now,
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

enum torus_answer torus_plan_window(struct torus_plan *p,
				    const struct torus_ask *ask,
				    const char *strategy,
				    const uint64_t *allowed, int64_t now,
				    int64_t from, int64_t latest,
				    int64_t length_us, int64_t *when,
				    struct torus_placement *out,
				    struct torus_error *why)
{
	struct torus_placement place = { 0 };
	struct window w = {
		.p = p,
		.ask = ask,
		.strategy = strategy,
		.allowed = allowed,
		.from = from > now ? from : now,
		.latest = latest,
		.length = length_us > 0 ? length_us : 1,
		.want = torus_ask_nodes(ask),
		.out = &place,
		.why = why,
	};
	enum torus_answer answer;

	answer = p->timeless ? by_profile(&w, now, when) :
			       by_rewinding(&w, now, when);
	if (answer == TORUS_FITS) {
		plan_keep(p, out, &place, p->found);
		return answer;
	}
	*when = TORUS_NO_TIME;
	if (!w.asked && torus_state_possible(p->state, ask, strategy, NULL,
					     why) == TORUS_NEVER)
		return TORUS_NEVER;
	return answer;
}
