/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Available windows (torus/plan.h): the earliest start from which a region
 * stays free of running jobs and reservations for a given length; and the
 * same for a reservation that is to come earlier, whose own nodes count as
 * free.
 *
 * A window lies in a run of the profile's spans (profile.h) that have enough
 * nodes each. So the counts are passed over until such a run is long enough:
 *
 *     usable  ############      ########    enough
 *             ####____####______########
 *                 | too short | |  long enough
 *
 * The nodes usable throughout the window are intersected from its end
 * backwards: when from some span on there are too few, so there are in every
 * later window that reaches back to it. The strategy is asked about what is
 * left.
 *
 * Where it depends on the usable nodes alone whether a strategy finds a place,
 * starts worth a question are the first instant and those at which nodes become
 * usable and stay so throughout the window: a place without any of them was
 * one for the window of the span before, too.
 *
 * And nothing is looked for twice. When it is known that nothing was found at
 * a stamp of the profile, a window without a span that has gained nodes since
 * is as hopeless as it was. A job knows that of all starts before its own
 * reservation; others that ask the same tell it how far they looked in vain
 * for no longer a time (window_cache.c):
 *
 *     stamp 7, 10 min: nothing before 8:00     a job of 15 minutes need look
 *     stamp 9, 12 min: nothing before 7:30     until 7:30 at what has been
 *                                              given since 9, until 8:00 since
 *                                              7, and from then on at all
 *
 * So of a queue of jobs that ask the same, each looks at little more than the
 * windows about its own start. Where the own nodes of a reservation count,
 * what others know says nothing.
 *
 * For an ask with outages, what is allowed depends on the start. Between two
 * starts at which that changes, it is one search for a window like any other.
 * (What is known of shorter jobs holds then, too: for longer ones more is out.)
 *
 * Strategies whose answer depends on what they remember (partition trees) are
 * asked on the state rewound to the start (known ends released), at each span
 * in turn: equal neighbours are kept apart for that. What their trees will look
 * like once the reservations have come and gone is not foreseen, so that such a
 * window is a good guess, not a promise.
 *
 * Cost: O(spans from where nothing is known until the latest start)
 * comparisons; per start that is left O(spans in the window x words), and a
 * search for those with enough nodes, with memory the releases too.
 */
#include "planning/planning.h"

/* A question for a window. */
struct window_search_state {
	struct torus_plan *p;
	const struct torus_ask *ask;
	const uint64_t *allowed; /* the ask's, less those that are out */
	int64_t from_us, latest_us, length_us;
	uint64_t want;
	const struct torus_reservation *own; /* its nodes are usable; or NULL */
	uint64_t since; /* nothing was found at this stamp of the profile */
	struct torus_window_cache *cache; /* or NULL */
	struct torus_window_fact still; /* of it, what holds for the starts under
				      way, own nodes aside */

	uint32_t tries;      /* at windows that held something new */
	uint64_t *usable;    /* nodes usable throughout a window */
	uint64_t *own_nodes; /* own's, once `painted` */
	bool painted;
	const struct torus_placement_room *room; /* of *out */
	struct torus_placement *out;
	struct torus_error *why;
	bool asked; /* a strategy was, at all */
};

/* A window that begins at `start`: the spans i .. end - 1. */
struct spot {
	uint32_t i, end;
	int64_t start_us;
};

/*
 * Are the nodes of the reservation that is to come earlier usable in a span?
 * In one that began before it there is a time at which they are not; and an
 * earlier window ends before it does. (Those that an overdue job holds still
 * are not, but then they are not in the window's first span either.)
 */
static bool is_own(const struct window_search_state *w,
		   const struct torus_span *span)
{
	return w->own && span->from_us >= w->own->start_us;
}

/*
 * The last span of the next window that starts at *start or later and has
 * enough nodes in every span; NULL: none. Which span has too few is hard to
 * foresee, so the loop carries the start along without branching on that.
 */
static const struct torus_span *
window_pass_over(const struct window_search_state *w,
		 const struct torus_span *span, int64_t *start_us)
{
	const struct torus_profile *f = &w->p->profile;
	const struct torus_span *last = f->span + f->spans - 1;
	uint64_t own = w->own ? w->own->place.granted : 0;
	int64_t own_from = w->own ? w->own->start_us : TORUS_NO_TIME;
	int64_t latest_us = w->latest_us, s = *start_us;
	uint64_t want = w->want, length = (uint64_t)w->length_us, usable;

	for (; span < last; span++) {
		usable = span->usable + (span->from_us >= own_from ? own : 0);
		s = usable < want ? span[1].from_us : s;
		if (s > latest_us)
			return NULL;
		if ((uint64_t)span[1].from_us - (uint64_t)s >= length)
			break;
	}
	*start_us = s;
	usable = span->usable + (span->from_us >= own_from ? own : 0);
	return s > latest_us || usable < want ? NULL : span;
}

static bool next_spot(const struct window_search_state *w, struct spot *at)
{
	const struct torus_span *span = w->p->profile.span;
	const struct torus_span *end = window_pass_over(w, span + at->end,
							&at->start_us);

	if (!end)
		return false;
	at->end = (uint32_t)(end - span) + 1;
	while (end->from_us > at->start_us)
		end--;
	at->i = (uint32_t)(end - span);
	return true;
}

/* Go on with the windows that begin with span i or a later one. */
static bool go_on(const struct window_search_state *w, struct spot *at,
		  uint32_t i)
{
	const struct torus_profile *f = &w->p->profile;

	if (i >= f->spans)
		return false;
	at->start_us = f->span[i].from_us;
	at->end = at->end - 1 > i ? at->end - 1 : i;
	return true;
}

/* The first span from i on that has gained nodes since, of those that any
 * window reaches. */
static uint32_t next_gain(const struct window_search_state *w, uint32_t i,
			  uint64_t since)
{
	const struct torus_profile *f = &w->p->profile;
	int64_t last = torus_time_after(w->latest_us, w->length_us);

	if (f->stamp <= since)
		return f->spans;
	while (i < f->spans && f->span[i].gained <= since)
		i = f->span[i].from_us < last ? i + 1 : f->spans;
	return i;
}

/* The first start whose window reaches time t. */
static int64_t window_reaching(const struct window_search_state *w,
			       int64_t at_us)
{
	if (at_us == TORUS_NO_TIME)
		return at_us;
	return at_us > INT64_MIN + w->length_us ? at_us - w->length_us + 1 :
						  INT64_MIN;
}

static int64_t begin_of(const struct torus_profile *f, uint32_t k)
{
	return k < f->spans ? f->span[k].from_us : TORUS_NO_TIME;
}

/* The first span that begins at `until` or later, and after the spot. */
static uint32_t span_from(const struct window_search_state *w,
			  const struct spot *at, int64_t until_us)
{
	if (until_us == TORUS_NO_TIME)
		return w->p->profile.spans;
	if (until_us <= at->start_us)
		return at->i + 1;
	return torus_profile_at(&w->p->profile, until_us - 1) + 1;
}

/*
 * Is there anything new in the window, to the job itself and to all that ask
 * the same? If not, *next is the span with which the next one begins that may
 * have something. Where the reservation's own nodes count, only the job itself
 * has looked.
 */
static bool window_renewed(struct window_search_state *w, const struct spot *at,
			   uint32_t *next)
{
	const struct torus_profile *f = &w->p->profile;
	uint32_t k = next_gain(w, at->i, w->since);
	int64_t until_us = window_reaching(w, begin_of(f, k));

	if (k < at->end && !is_own(w, &f->span[at->end - 1])) {
		if (at->start_us >= w->still.until_us)
			w->still = plan_recall(w->cache, w->length_us,
					       at->start_us, w->since);
		k = next_gain(w, k, w->still.stamp);
		until_us = window_reaching(w, begin_of(f, k));
		if (w->own && window_reaching(w, w->own->start_us) < until_us)
			until_us = window_reaching(w, w->own->start_us);
		if (w->still.until_us < until_us)
			until_us = w->still.until_us;
	}
	w->tries += k < at->end;
	if (k >= at->end)
		*next = span_from(w, at, until_us);
	return k < at->end;
}

/* The own nodes, where they are usable in a span; or NULL. */
static const uint64_t *own_nodes(struct window_search_state *w,
				 const struct torus_span *span)
{
	if (!is_own(w, span))
		return NULL;
	if (!w->painted)
		plan_paint(w->p, &w->own->place, w->own_nodes);
	w->painted = true;
	return w->own_nodes;
}

/* to = to AND map, or AND (map OR also). Returns how many are left. */
static uint32_t window_narrow(uint64_t *to, const uint64_t *map,
			      const uint64_t *also, uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < words; i++) {
		to[i] &= also ? map[i] | also[i] : map[i];
		n += torus_bits_ones(to[i]);
	}
	return n;
}

/*
 * The nodes usable throughout the window, in w->usable. Returns the span from
 * which on there are too few, or UINT32_MAX if there are enough.
 */
static uint32_t window_gather(struct window_search_state *w,
			      const struct spot *at)
{
	struct torus_plan *p = w->p;
	const struct torus_profile *f = &p->profile;
	const uint64_t *own;
	uint32_t j = at->end - 1;

	torus_bits_copy(w->usable, torus_profile_map(f, j), p->words);
	own = own_nodes(w, &f->span[j]);
	if (own)
		torus_bits_or(w->usable, own, p->words);
	if (w->allowed)
		torus_bits_and(w->usable, w->usable, w->allowed, p->words);
	while (j-- > at->i) {
		if (window_narrow(w->usable, torus_profile_map(f, j),
				  own_nodes(w, &f->span[j]), p->words) < w->want)
			return j;
	}
	return UINT32_MAX;
}

/*
 * Are there nodes in w->usable that come to be usable where the window begins?
 * A place without any was one for the window before as well.
 */
static bool window_gained(const struct window_search_state *w,
			  const struct spot *at)
{
	const struct torus_plan *p = w->p;
	const struct torus_profile *f = &p->profile;

	return f->span[at->i].from_us <= w->from_us ||
	       !torus_bits_subset(w->usable, torus_profile_map(f, at->i - 1),
				  p->words);
}

/* Ask about w->usable; with memory, the state as it will be at the start. */
static enum torus_answer window_find(struct window_search_state *w,
				     const struct spot *at)
{
	struct torus_plan *p = w->p;
	struct torus_ask among;
	uint32_t k = p->released;

	w->asked = true;
	if (p->timeless)
		return plan_find_in(p, w->ask, w->usable, w->out, w->why);
	while (k < p->ends && p->end[k].end_us <= at->start_us)
		k++;
	plan_rewind(p, k);
	among = torus_ask_among(w->ask, w->usable);
	return plan_find(p, &among, w->out, w->why);
}

/*
 * No later than the last window with a span that has gained nodes since the
 * job looked in vain. Most jobs of a pass ask for the same stamps, so that the
 * answer is remembered. (Spans that are joined may seem to have gained later
 * than they did; that costs looks in vain.)
 */
static void bound_latest(struct window_search_state *w)
{
	struct plan_gain *g = &w->p->gain;
	const struct torus_profile *f = &w->p->profile;
	uint32_t k = f->spans;

	if (g->since != w->since || g->stamp != f->stamp) {
		while (k > 0 && f->span[k - 1].gained <= w->since)
			k--;
		*g = (struct plan_gain){
			.since = w->since,
			.stamp = f->stamp,
			.until_us = k ? begin_of(f, k) : INT64_MIN,
		};
	}
	if (g->until_us <= w->latest_us)
		w->latest_us = g->until_us > INT64_MIN ? g->until_us - 1 :
							 INT64_MIN;
}

/* In a profile that is ready. *when and *w->out with FITS. */
static enum torus_answer window_search(struct window_search_state *w,
				       int64_t *when_us)
{
	struct torus_plan *p = w->p;
	struct spot at = { .end = torus_profile_at(&p->profile, w->from_us),
			   .start_us = w->from_us };
	enum torus_answer answer;
	uint32_t blocked, next;

	w->still.until_us = INT64_MIN;
	do {
		if (!next_spot(w, &at))
			break;
		next = at.i + 1;
		if (p->by_nodes && !window_renewed(w, &at, &next))
			continue;
		blocked = window_gather(w, &at);
		if (blocked != UINT32_MAX) {
			next = blocked + 1;
			continue;
		}
		if (p->by_nodes && !window_gained(w, &at))
			continue;
		answer = window_find(w, &at);
		*when_us = at.start_us;
		if (answer != TORUS_NOT_NOW)
			return answer;
	} while (go_on(w, &at, next));
	return TORUS_NOT_NOW;
}

/* The same where nodes are out at times: one search for each stretch of starts
 * for which the same are. */
static enum torus_answer search_around(struct window_search_state *w,
				       int64_t *when_us)
{
	const struct torus_outages *o = w->ask->outages;
	int64_t latest_us = w->latest_us, start_us = w->from_us, next;
	int64_t from_us = w->from_us, wanted = w->latest_us;
	enum torus_answer got = TORUS_NOT_NOW;
	uint64_t *open = torus_scratch_take(&w->p->scratch);

	if (latest_us > o->last_start_us)
		latest_us = o->last_start_us;
	w->allowed = open;
	for (; start_us <= latest_us && got == TORUS_NOT_NOW; start_us = next) {
		next = torus_outages_step(o, start_us, w->length_us);
		w->from_us = start_us;
		w->latest_us = next <= latest_us ? next - 1 : latest_us;
		plan_open(w->p, w->ask, start_us, w->length_us, open);
		got = window_search(w, when_us);
		if (next == TORUS_NO_TIME)
			break;
	}
	w->from_us = from_us;
	w->latest_us = wanted;
	torus_scratch_return(&w->p->scratch, open);
	return got;
}

/* Nothing begins before `until`. Worth keeping if it took longer to find out
 * than it takes to keep. */
static void window_note(struct window_search_state *w, int64_t now_us,
			int64_t until_us)
{
	struct torus_window_fact fact = {
		.length_us = w->length_us,
		.until_us = until_us,
		.stamp = w->p->profile.stamp,
	};

	if (w->cache && w->from_us == now_us && until_us > now_us &&
	    w->tries > w->cache->facts && plan_profile_current(w->p))
		plan_learn(w->cache, &fact);
}

/* With w->usable and w->room. */
static enum torus_answer window_answer(struct window_search_state *w,
				       int64_t now_us, int64_t *when_us,
				       struct torus_placement *out)
{
	struct torus_plan *p = w->p;
	enum torus_answer got = TORUS_FAILED;
	int64_t latest_us = w->latest_us;

	w->want = torus_ask_nodes(w->ask);
	w->out = out;
	w->own_nodes = torus_scratch_take(&p->scratch);
	if (plan_profile_ready(p, now_us) == 0 &&
	    (p->timeless || plan_list_ends(p, now_us) == 0)) {
		if (p->by_nodes && w->since)
			bound_latest(w);
		got = w->ask->outages ? search_around(w, when_us) :
					window_search(w, when_us);
		w->latest_us = latest_us;
	}
	plan_rewind(p, 0);
	if (got == TORUS_FITS || got == TORUS_NOT_NOW)
		window_note(w, now_us,
			    got == TORUS_FITS ? *when_us : w->latest_us);
	if (got == TORUS_FITS)
		torus_placement_copy(p->machine, out, out, w->room);
	else
		*when_us = TORUS_NO_TIME;
	torus_scratch_return(&p->scratch, w->own_nodes);
	return got;
}

static enum torus_answer window_wanted(struct window_search_state *w,
				       const struct torus_window_bounds *bounds,
				       int64_t *when_us,
				       struct torus_placement *out)
{
	enum torus_answer got;

	w->allowed = w->ask->allowed;
	w->from_us = bounds->from_us > bounds->now_us ? bounds->from_us :
							bounds->now_us;
	w->latest_us = bounds->latest_us;
	w->length_us = bounds->length_us > 0 ? bounds->length_us : 1;
	w->since = bounds->since;
	got = window_answer(w, bounds->now_us, when_us, out);
	if (got == TORUS_NOT_NOW && !w->asked &&
	    torus_state_possible(w->p->state, w->ask, NULL, w->why) ==
		    TORUS_NEVER)
		return TORUS_NEVER;
	return got;
}

enum torus_answer
torus_plan_window(struct torus_plan *p, const struct torus_ask *ask,
		  const struct torus_window_bounds *bounds,
		  struct torus_window_cache *cache, int64_t *when_us,
		  struct torus_placement *out, struct torus_error *why)
{
	struct window_search_state w = {
		.p = p,
		.ask = ask,
		.cache = cache,
		.usable = torus_scratch_take(&p->scratch),
		.room = &p->answer,
		.why = why,
	};
	enum torus_answer got = window_wanted(&w, bounds, when_us, out);

	torus_scratch_return(&p->scratch, w.usable);
	return got;
}

enum torus_answer plan_window(struct torus_plan *p, const struct torus_ask *ask,
			      const struct torus_window_bounds *bounds,
			      struct plan_window *found, struct torus_error *why)
{
	struct window_search_state w = {
		.p = p,
		.ask = ask,
		.usable = found->usable,
		.room = found->room,
		.why = why,
	};

	return window_wanted(&w, bounds, &found->when_us, &found->place);
}

enum torus_answer torus_plan_earlier(struct torus_plan *p, uint32_t reservation,
				     const struct torus_ask *ask,
				     const struct torus_window_bounds *bounds,
				     struct torus_window_cache *cache,
				     int64_t *when_us,
				     struct torus_placement *out)
{
	const struct torus_reservation *r = &p->reservation[reservation].r;
	struct window_search_state w = {
		.p = p,
		.ask = ask,
		.allowed = ask->allowed,
		.cache = cache,
		.from_us = bounds->now_us,
		.latest_us = bounds->latest_us < r->start_us ?
				     bounds->latest_us :
				     r->start_us - 1,
		.length_us = plan_reserved_until(r) - r->start_us,
		.own = r,
		.since = bounds->since,
		.usable = torus_scratch_take(&p->scratch),
		.room = &p->answer,
	};
	enum torus_answer got = window_answer(&w, bounds->now_us, when_us, out);

	torus_scratch_return(&p->scratch, w.usable);
	return got;
}
