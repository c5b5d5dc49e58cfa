/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Available windows (torus/plan.h): the earliest start from which a region stays
 * free of running jobs and reservations for a given length; and an earlier window
 * for a reservation, whose own nodes count as free.
 *
 * A window lies in a run of the profile's spans (profile.h) that all have enough
 * nodes. The search scans the counts for a run that is long enough:
 *
 *     usable  ############      ########    enough
 *             ####____####______########
 *                 | too short | |  long enough
 *
 * It intersects the nodes of these spans from the last one backwards. If a span
 * leaves too few nodes, every later window that contains it does too.
 * Otherwise the strategy searches the nodes that are left.
 *
 * If the usable nodes alone decide whether a request fits, only the first instant
 * and the starts at which nodes become usable for the whole window need a search:
 * any other place was in the window of the span before, too. Where one search
 * fails, the next is for several starts at once. The windows that begin in spans i
 * to j all contain j and the rest of the first one, so a request that does not fit
 * in the nodes common to these spans fits in none of them:
 *
 *     starts i ..... j   |    each failure doubles the number of starts, a place
 *            |-------+---|    halves it; a single start is searched in its own
 *             |------+----|   window
 *                    |---| common
 *
 * No search is repeated: a window needs another one only if a span of it has gained
 * nodes since the stamp of the last. A job has such a stamp for all starts before
 * its own reservation; facts of other jobs with the same ask, for the same length
 * or less, are in the cache (window_cache.c), which is not used where a
 * reservation's own nodes count:
 *
 *     stamp 7, 10 min: no window before 8:00   a job of 15 minutes examines
 *     stamp 9, 12 min: no window before 7:30   starts before 7:30 for nodes
 *                                              gained since 9, before 8:00
 *                                              since 7, and later ones fully
 *
 * For an ask with outages each range of starts with the same nodes out is one
 * search. (Facts of shorter jobs hold: for a longer job more nodes are out.)
 *
 * Strategies whose memory decides (partition trees) search the state rewound to
 * the start, span by span; the profile does not join equal spans for them. The
 * effect of reservations on the trees is not simulated, so that such a window is
 * an estimate, not a promise.
 *
 * Cost: O(spans without a fact until the latest start) comparisons; for each start,
 * or group of starts, that remains O(spans in the window x words), and a search if
 * enough nodes are left, with memory also the releases. While only running jobs end,
 * O(log starts) groups remain. A limit ends a search between two windows or within
 * one; the cache gets what was found until then.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "planning/planning.h"

/* A search for a window. */
struct window_search_state {
	struct torus_plan *p;
	const struct torus_ask *ask;
	const uint64_t *allowed; /* the ask's allowed nodes, without those
				    that are out */
	int64_t from_us, latest_us, length_us;
	uint64_t want;
	const struct torus_reservation *own; /* reservation whose nodes count
						as free, or NULL */
	uint64_t since; /* at this stamp of the profile there was no window */
	struct torus_window_cache *cache; /* or NULL */
	struct torus_window_fact still;   /* the cache's fact for the current
					     start, without own nodes */

	uint32_t tries;      /* windows examined */
	uint64_t *usable;    /* nodes usable throughout a window */
	uint64_t *own_nodes; /* nodes of `own`, once `painted` */
	bool painted;
	struct torus_placement_room *room; /* of *out */
	struct torus_placement *out;
	bool asked; /* a strategy was called */
};

/* A window that begins at start_us: the spans i .. end - 1. Its search is for all
 * windows that begin in the spans i .. j. */
struct window_spot {
	uint32_t i, j, end;
	int64_t start_us;
};

/*
 * Return true if the own nodes of the reservation are usable in a span. They are
 * not in a span that begins before the reservation; and an earlier window ends
 * before the reservation does. (Nodes of an overdue job are not usable there, but
 * then not in the window's first span either.)
 */
static bool window_is_own(const struct window_search_state *w,
			  const struct torus_span *span)
{
	return w->own && span->from_us >= w->own->start_us;
}

/*
 * Return the last span of the next window from *start_us on with enough nodes in
 * every span; NULL: none. The loop moves the start without a branch, since a
 * branch on the count is unpredictable.
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

static bool window_next_spot(const struct window_search_state *w,
			     struct window_spot *at)
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

/* Continue with the windows that begin in span i or a later one. */
static bool window_go_on(const struct window_search_state *w,
			 struct window_spot *at, uint32_t i)
{
	const struct torus_profile *f = &w->p->profile;

	if (i >= f->spans)
		return false;
	at->start_us = f->span[i].from_us;
	at->end = at->end - 1 > i ? at->end - 1 : i;
	return true;
}

/* Return the first span from i on that has gained nodes since the stamp and is
 * within reach of a window. */
static uint32_t window_next_gain(const struct window_search_state *w,
				 uint32_t i, uint64_t since)
{
	const struct torus_profile *f = &w->p->profile;
	int64_t last = torus_time_after(w->latest_us, w->length_us);

	if (f->stamp <= since)
		return f->spans;
	while (i < f->spans && f->span[i].gained <= since)
		i = f->span[i].from_us < last ? i + 1 : f->spans;
	return i;
}

/* Return the first start whose window reaches time t. */
static int64_t window_reaching(const struct window_search_state *w,
			       int64_t at_us)
{
	if (at_us == TORUS_NO_TIME)
		return at_us;
	return at_us > INT64_MIN + w->length_us ? at_us - w->length_us + 1 :
						  INT64_MIN;
}

static int64_t window_begin_of(const struct torus_profile *f, uint32_t k)
{
	return k < f->spans ? f->span[k].from_us : TORUS_NO_TIME;
}

/* Return the first span after the spot that begins at until_us or later. */
static uint32_t window_span_from(const struct window_search_state *w,
				 const struct window_spot *at, int64_t until_us)
{
	if (until_us == TORUS_NO_TIME)
		return w->p->profile.spans;
	if (until_us <= at->start_us)
		return at->i + 1;
	return torus_profile_at(&w->p->profile, until_us - 1) + 1;
}

/*
 * Return true if the window has gained nodes since its last search, by the job
 * itself or by an equal one. If not, *next is the first span whose window may have
 * gained nodes. If own nodes count, only the job's own searches do.
 */
static bool window_renewed(struct window_search_state *w,
			   const struct window_spot *at, uint32_t *next)
{
	const struct torus_profile *f = &w->p->profile;
	uint32_t k = window_next_gain(w, at->i, w->since);
	int64_t until_us = window_reaching(w, window_begin_of(f, k));

	if (k < at->end && !window_is_own(w, &f->span[at->end - 1])) {
		if (at->start_us >= w->still.until_us)
			w->still = plan_recall(w->cache, w->length_us,
					       at->start_us, w->since);
		k = window_next_gain(w, k, w->still.stamp);
		until_us = window_reaching(w, window_begin_of(f, k));
		if (w->own && window_reaching(w, w->own->start_us) < until_us)
			until_us = window_reaching(w, w->own->start_us);
		if (w->still.until_us < until_us)
			until_us = w->still.until_us;
	}
	w->tries += k < at->end;
	if (k >= at->end)
		*next = window_span_from(w, at, until_us);
	return k < at->end;
}

/* Return the own nodes if they are usable in a span, or NULL. */
static const uint64_t *own_nodes(struct window_search_state *w,
				 const struct torus_span *span)
{
	if (!window_is_own(w, span))
		return NULL;
	if (!w->painted)
		plan_paint(w->p, &w->own->place, w->own_nodes);
	w->painted = true;
	return w->own_nodes;
}

/* to = to AND map, or AND (map OR also). Return the number of nodes left. */
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
 * Compute the nodes usable in the spans j .. end - 1, in w->usable. Return the span
 * from which on there are too few, or UINT32_MAX if there are enough.
 */
static uint32_t window_gather(struct window_search_state *w,
			      const struct window_spot *at)
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
	while (j-- > at->j) {
		if (window_narrow(w->usable, torus_profile_map(f, j),
				  own_nodes(w, &f->span[j]), p->words) < w->want)
			return j;
	}
	return UINT32_MAX;
}

/*
 * Return true if a node of w->usable becomes usable where the window begins. A
 * place without such a node was in the window before as well.
 */
static bool window_gained(const struct window_search_state *w,
			  const struct window_spot *at)
{
	const struct torus_plan *p = w->p;
	const struct torus_profile *f = &p->profile;

	return f->span[at->i].from_us <= w->from_us ||
	       !torus_bits_subset(w->usable, torus_profile_map(f, at->i - 1),
				  p->words);
}

/* Search w->usable; with memory, the state rewound to the start, of a group to its
 * last one: the common nodes are all free then. */
static enum torus_answer window_find(struct window_search_state *w,
				     const struct window_spot *at)
{
	struct torus_plan *p = w->p;
	struct torus_ask among;
	int64_t at_us = at->j > at->i ? p->profile.span[at->j].from_us :
					at->start_us;
	uint32_t k = p->released;

	w->asked = true;
	if (p->timeless)
		return plan_find_in(p, w->ask, w->usable, w->out);
	while (k > 0 && p->end[k - 1].end_us > at_us)
		k--;
	while (k < p->ends && p->end[k].end_us <= at_us)
		k++;
	plan_rewind(p, k);
	among = torus_ask_among(w->ask, w->usable);
	return plan_find(p, &among, w->out);
}

/*
 * Bound the latest start by the last window with a span that has gained nodes
 * since the job's stamp. Most jobs of a pass have the same stamps, so that the
 * answer is cached. (A joined span may have a later stamp than its parts; that
 * costs needless searches.)
 */
static void window_bound_latest(struct window_search_state *w)
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
			.until_us = k ? window_begin_of(f, k) : INT64_MIN,
		};
	}
	if (g->until_us <= w->latest_us)
		w->latest_us = g->until_us > INT64_MIN ? g->until_us - 1 :
							 INT64_MIN;
}

/* Count the work of a window. Return true if the limit ends the search. */
static bool window_ends(const struct window_search_state *w,
			const struct window_spot *at)
{
	uint32_t spans = at->end - at->j;

	return torus_search_limit_spend(w->ask->limit,
					TORUS_SEARCH_LIMIT_STEP +
						spans * w->p->words);
}

/* Set at->j for a group of so many starts. */
static void window_group(const struct window_search_state *w,
			 struct window_spot *at, uint32_t starts)
{
	const struct torus_profile *f = &w->p->profile;

	at->j = at->end - at->i < starts ? at->end - 1 : at->i + starts - 1;
	while (at->j > at->i && f->span[at->j].from_us > w->latest_us)
		at->j--;
}

/* Search for the group of windows. NOT_NOW: none of them has a place, nor one that
 * begins before span *next. */
static enum torus_answer window_search_group(struct window_search_state *w,
					     const struct window_spot *at,
					     uint32_t *next)
{
	struct torus_plan *p = w->p;
	uint32_t blocked;

	*next = *next > at->j ? *next : at->j + 1;
	p->windows++;
	if (window_ends(w, at))
		return TORUS_NOT_NOW;
	blocked = window_gather(w, at);
	if (blocked != UINT32_MAX) {
		*next = blocked + 1;
		return TORUS_NOT_NOW;
	}
	if (p->by_nodes && at->j == at->i && !window_gained(w, at))
		return TORUS_NOT_NOW;
	return window_find(w, at);
}

/* The same; a group that has a place is made smaller until it is one window. The
 * next group has twice as many starts as the one without a place. */
static enum torus_answer window_descend(struct window_search_state *w,
					struct window_spot *at,
					uint32_t *starts, uint32_t *next)
{
	enum torus_answer answer;

	window_group(w, at, *starts);
	answer = window_search_group(w, at, next);
	while (answer == TORUS_FITS && at->j > at->i) {
		*starts = (at->j - at->i + 1) / 2;
		*next = at->i + 1;
		window_group(w, at, *starts);
		answer = window_search_group(w, at, next);
	}
	if (w->p->by_nodes && *starts < w->p->profile.spans)
		*starts *= 2;
	return answer;
}

/* Search a profile that is up to date. FITS: *when_us and *w->out. If the limit
 * ends the search, no window begins before *when_us. */
static enum torus_answer window_search(struct window_search_state *w,
				       int64_t *when_us)
{
	struct torus_plan *p = w->p;
	struct window_spot at = { .end = torus_profile_at(&p->profile,
							  w->from_us),
				  .start_us = w->from_us };
	enum torus_answer answer;
	uint32_t starts = 1, next;

	w->still.until_us = INT64_MIN;
	do {
		if (!window_next_spot(w, &at))
			break;
		next = at.i + 1;
		if (p->by_nodes && !window_renewed(w, &at, &next))
			continue;
		*when_us = at.start_us;
		answer = window_descend(w, &at, &starts, &next);
		if (torus_search_limit_cut(w->ask->limit))
			return TORUS_NOT_NOW;
		if (answer != TORUS_NOT_NOW)
			return answer;
	} while (window_go_on(w, &at, next));
	return TORUS_NOT_NOW;
}

/* Search with outages: one search for each range of starts for which the same
 * nodes are out. */
static enum torus_answer window_search_around(struct window_search_state *w,
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
		if (next == TORUS_NO_TIME ||
		    torus_search_limit_cut(w->ask->limit))
			break;
	}
	w->from_us = from_us;
	w->latest_us = wanted;
	torus_scratch_return(&w->p->scratch, open);
	return got;
}

/* Cache the fact that no window begins before until_us, if the search was ended
 * or cost more than the cache does. */
static void window_note(struct window_search_state *w, int64_t now_us,
			int64_t until_us)
{
	struct torus_window_fact fact = {
		.length_us = w->length_us,
		.until_us = until_us,
		.stamp = w->p->profile.stamp,
	};

	if (w->cache && w->from_us == now_us && until_us > now_us &&
	    (torus_search_limit_cut(w->ask->limit) ||
	     w->tries > w->cache->facts) &&
	    plan_profile_current(w->p))
		plan_learn(w->cache, &fact);
}

/* Answer with w->usable and w->room as memory. */
static enum torus_answer window_answer(struct window_search_state *w,
				       int64_t now_us, int64_t *when_us,
				       struct torus_placement *out)
{
	struct torus_plan *p = w->p;
	enum torus_answer got = TORUS_FAILED;
	int64_t latest_us = w->latest_us;
	bool cut;

	w->want = torus_ask_nodes(w->ask);
	w->out = out;
	w->own_nodes = torus_scratch_take(&p->scratch);
	if (plan_profile_ready(p, now_us) == 0 &&
	    (p->timeless || plan_list_ends(p, now_us) == 0)) {
		if (p->by_nodes && w->since)
			window_bound_latest(w);
		got = w->ask->outages ? window_search_around(w, when_us) :
					window_search(w, when_us);
		w->latest_us = latest_us;
	}
	plan_rewind(p, 0);
	cut = torus_search_limit_cut(w->ask->limit);
	if (got == TORUS_FITS || got == TORUS_NOT_NOW)
		window_note(w, now_us,
			    got == TORUS_FITS || cut ? *when_us : w->latest_us);
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
	    !torus_search_limit_cut(w->ask->limit) &&
	    torus_state_possible(w->p->state, w->ask, NULL, NULL) == TORUS_NEVER)
		return TORUS_NEVER;
	return got;
}

enum torus_answer torus_plan_window(struct torus_plan *p,
				    const struct torus_ask *ask,
				    const struct torus_window_bounds *bounds,
				    struct torus_window_cache *cache,
				    int64_t *when_us,
				    struct torus_placement *out)
{
	struct window_search_state w = {
		.p = p,
		.ask = ask,
		.cache = cache,
		.usable = torus_scratch_take(&p->scratch),
		.room = &p->answer,
	};
	enum torus_answer got = window_wanted(&w, bounds, when_us, out);

	torus_scratch_return(&p->scratch, w.usable);
	return got;
}

enum torus_answer plan_window(struct torus_plan *p, const struct torus_ask *ask,
			      const struct torus_window_bounds *bounds,
			      struct plan_window *found)
{
	struct window_search_state w = {
		.p = p,
		.ask = ask,
		.usable = found->usable,
		.room = found->room,
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
