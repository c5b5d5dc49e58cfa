/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Planning against brute force, on random states of small machines that
 * change under the plan: jobs start and end through it or behind its back,
 * expected ends move, nodes go out of service, time passes.
 *
 * - the shadow time is the first of all distinct expected ends after which a
 *   copy of the state has a place;
 * - a start delays it exactly if the shadow time of a copy with the job
 *   committed is later;
 * - a window begins at the first of all instants (times are small whole
 *   numbers) at which it fits; so does an earlier one for a reservation, as if
 *   that were not there, also if all that is looked at is what was given since
 *   there was none, or what is known of the question from other times at which
 *   it was asked, for jobs of other lengths, is made use of;
 * - all of that for asks with outages, too: their shadow time is the first of
 *   all instants with a window;
 * - no question changes the state.
 */
#include "torus/plan.h"
#include "torus/state_find.h"
#include "plan_brute.h"

static char context[128]; /* the case under way, shown if it fails */

/* Steps: the world changes */

static int64_t some_end(struct world *w)
{
	if (random_percent(&w->r, 8))
		return TORUS_NO_TIME;
	return w->now + random_below(&w->r, 12) -
	       (random_percent(&w->r, 10) ? 3 : 0);
}

/* Start something, through the plan or behind its back. */
static void step_start(struct world *w)
{
	struct torus_ask ask = workload_ask(&w->r, &w->m);
	struct torus_placement place;
	int64_t end = some_end(w);
	uint32_t slot;

	if (w->holds == MOST_HOLDS ||
	    torus_state_find(w->s, &ask, &place, NULL) != TORUS_FITS)
		return;
	if (random_percent(&w->r, 70))
		slot = torus_plan_commit(w->p, &place, ++w->jobs, NULL, w->now,
					 end);
	else
		slot = torus_state_commit(w->s, &place, ++w->jobs, NULL, w->now,
					  end, NULL);
	assert_true(slot != TORUS_NO_SLOT);
	w->slot[w->holds++] = slot;
}

static void step_end(struct world *w)
{
	uint32_t i;

	if (w->holds == 0)
		return;
	i = random_below(&w->r, w->holds);
	if (random_percent(&w->r, 80))
		torus_plan_release(w->p, w->slot[i], w->now);
	else
		torus_state_release(w->s, w->slot[i], NULL);
	w->slot[i] = w->slot[--w->holds];
}

static void step_reserve(struct world *w)
{
	struct torus_window_bounds bounds = { .now_us = w->now,
					      .from_us = w->now,
					      .latest_us = TORUS_NO_TIME };
	struct torus_ask ask = workload_ask(&w->r, &w->m);
	struct torus_placement place;
	int64_t when, length = random_below(&w->r, 10);
	uint32_t i;

	if (w->reservations == MOST_RESERVED || random_percent(&w->r, 30)) {
		if (w->reservations == 0)
			return;
		i = random_below(&w->r, w->reservations);
		if (w->reserved[i] == w->open_for)
			w->open = false;
		torus_plan_cancel(w->p, w->reserved[i]);
		w->reserved[i] = w->reserved[--w->reservations];
		return;
	}
	bounds.length_us = length;
	if (torus_plan_window(w->p, &ask, &bounds, NULL, &when, &place) !=
	    TORUS_FITS)
		return;
	i = torus_plan_reserve(w->p, &place, ++w->jobs, NULL, when,
			       when + length);
	assert_true(i != UINT32_MAX);
	w->reserved[w->reservations++] = i;
}

static void step(struct world *w)
{
	uint64_t out[WORKLOAD_WORDS];

	switch (random_below(&w->r, 10)) {
	case 0:
	case 1:
	case 2:
	case 3:
		step_start(w);
		break;
	case 4:
	case 5:
		step_end(w);
		break;
	case 6:
		step_reserve(w);
		break;
	case 7:
		w->now += random_below(&w->r, 3);
		break;
	case 8:
		if (w->holds)
			torus_state_set_end(w->s,
					    w->slot[random_below(&w->r, w->holds)],
					    some_end(w));
		break;
	default:
		workload_nodes(&w->r, &w->m, random_percent(&w->r, 60) ? 0 : 10,
			       out);
		torus_state_out(w->s, out);
	}
}

/* Questions */

/*
 * Something to ask for. Where strategies remember, only what the empty
 * machine has: a partition tree may hold in pieces what it cannot cut from
 * the whole (a closed ring), and then says NEVER or FITS as it stands; such
 * requests are rejected before anything is planned for them.
 */
static struct torus_ask question(struct world *w)
{
	struct torus_ask ask;

	do {
		ask = workload_ask(&w->r, &w->m);
	} while (!torus_state_timeless(w->s) &&
		 torus_state_possible(w->s, &ask, NULL, NULL) != TORUS_FITS);
	if (!ask.by_count && torus_state_timeless(w->s) &&
	    random_percent(&w->r, 25))
		ask.regions = 2 + random_below(&w->r, 3);
	return ask;
}

/* Now and then with the outages. */
static void begin_ask(struct world *w, struct torus_ask *ask,
		      const uint64_t *allowed)
{
	ask->allowed = allowed;
	ask->outages = random_percent(&w->r, 40) ? &w->outages : NULL;
	ask->now_us = w->now;
	ask->end_us = w->now + random_below(&w->r, 12);
}

/* An ask with outages, once and again; then beside a job that starts. */
static void ask_around(struct world *w, const struct torus_ask *ask)
{
	struct torus_ask other = workload_ask(&w->r, &w->m);
	struct torus_placement place;
	int64_t when, expected, end = some_end(w);
	enum torus_answer answer = brute_around(w, w->s, ask, &expected);

	for (int i = 0; i < 2; i++) {
		assert_int_equal(torus_plan_shadow(w->p, ask, w->now, &when,
						   NULL),
				 answer);
		assert_int_equal(when, expected);
	}
	begin_ask(w, &other, NULL);
	other.outages = &w->outages;
	if (torus_plan_find(w->p, &other, &place) != TORUS_FITS) {
		assert_true(window_at(w, &other, w->now,
				      other.end_us - w->now) != TORUS_FITS);
		return;
	}
	if (answer == TORUS_NEVER || w->reservations > 0)
		return;
	assert_int_equal(torus_plan_delays(w->p, ask, w->now, expected, &place,
					   end),
			 brute_delays_around(w, ask, expected, &place, end));
}

/* With memory, the place is the one that the state at the shadow time tells. (Without,
 * the score may see the holds that are there now.) */
static void expect_place(const struct world *w,
			 const struct torus_placement *place,
			 const struct torus_placement *expected)
{
	const struct torus *t = &w->m.pod[place->pod].torus;

	if (torus_state_timeless(w->s))
		return;
	assert_int_equal(place->pod, expected->pod);
	assert_int_equal(place->scattered, expected->scattered);
	if (!place->scattered)
		assert_true(torus_region_equal(&place->region,
					       &expected->region, t));
}

static void ask_shadow(struct world *w, const uint64_t *allowed)
{
	struct torus_ask ask = question(w);
	struct torus_ask other = workload_ask(&w->r, &w->m);
	struct torus_placement place, kept, at;
	uint64_t nodes[WORKLOAD_WORDS];
	int64_t when, expected, end = some_end(w);
	enum torus_answer answer;

	begin_ask(w, &ask, allowed);
	if (ask.outages) {
		ask_around(w, &ask);
		return;
	}
	answer = brute_shadow(w->s, &ask, w->now, &expected, &at);
	for (int i = 0; i < 2; i++) { /* the second time it is known */
		assert_int_equal(torus_plan_shadow(w->p, &ask, w->now, &when,
						   &place),
				 answer);
		assert_int_equal(when, expected);
		if (answer == TORUS_FITS)
			expect_place(w, &place, &at);
	}
	if (answer == TORUS_NEVER ||
	    torus_state_find(w->s, &other, &place, NULL) != TORUS_FITS)
		return;
	workload_keep(&w->m, &kept, &place, nodes);
	assert_int_equal(torus_plan_delays(w->p, &ask, w->now, expected, &kept,
					   end),
			 brute_delays(w->s, &ask, w->now, expected, &kept, end));
}

/* The same head again and again while the world changes, as EASY asks. */
static void ask_head(struct world *w, const struct torus_ask *head)
{
	struct torus_ask other = workload_ask(&w->r, &w->m);
	struct torus_placement place;
	int64_t when, expected, end = some_end(w);
	enum torus_answer answer = brute_shadow(w->s, head, w->now, &expected,
						NULL);

	/* after any changes since the last time */
	if (torus_plan_waits(w->p, head, w->now))
		assert_int_not_equal(torus_state_find(w->s, head, &place, NULL),
				     TORUS_FITS);
	if (head->outages) {
		struct torus_ask now = *head;

		now.now_us = w->now;
		now.end_us = w->now + head->end_us - head->now_us;
		ask_around(w, &now);
		return;
	}
	assert_int_equal(torus_plan_shadow(w->p, head, w->now, &when, NULL),
			 answer);
	assert_int_equal(when, expected);
	assert_int_equal(torus_plan_waits(w->p, head, w->now),
			 answer != TORUS_NEVER && when > w->now);
	if (answer == TORUS_NEVER ||
	    torus_plan_find(w->p, &other, &place) != TORUS_FITS)
		return;
	assert_int_equal(torus_plan_delays(w->p, head, w->now, when, &place,
					   end),
			 brute_delays(w->s, head, w->now, when, &place, end));
	if (torus_plan_spare(w->p) < place.granted && when != TORUS_NO_TIME &&
	    when > w->now && clamped(end, w->now) > when)
		assert_true(brute_delays(w->s, head, w->now, when, &place, end));
}

/* The cached answers to a question, or NULL. */
static struct torus_window_cache *cached(struct world *w,
					 const struct torus_ask *ask)
{
	return torus_ask_same(ask, &w->head) ? &w->cache : NULL;
}

static void ask_window(struct world *w, const uint64_t *allowed)
{
	struct torus_ask ask = allowed ? question(w) : w->head;
	struct torus_window_bounds bounds;
	struct torus_placement place;
	int64_t when,
		from = w->now +
		       (random_percent(&w->r, 30) ? random_below(&w->r, 4) : 0);
	int64_t length = random_below(&w->r, 12);
	int64_t latest = random_percent(&w->r, 70) ?
				 TORUS_NO_TIME :
				 from + random_below(&w->r, 10);
	int64_t last = latest < HORIZON ? latest : HORIZON;
	enum torus_answer answer;

	begin_ask(w, &ask, allowed);
	bounds = (struct torus_window_bounds){ .now_us = w->now,
					       .from_us = from,
					       .latest_us = latest,
					       .length_us = length };
	answer = torus_plan_window(w->p, &ask, &bounds, cached(w, &ask), &when,
				   &place);
	for (int64_t t = from; t <= last; t++) {
		enum torus_answer here = window_at(w, &ask, t, length);

		if (here == TORUS_NOT_NOW)
			continue;
		assert_int_equal(answer, here);
		if (here == TORUS_FITS)
			assert_int_equal(when, t);
		return;
	}
	assert_int_equal(answer, TORUS_NOT_NOW);
	assert_true(when == TORUS_NO_TIME);
}

/* Is there, from now on, an earlier start for the reservation? */
static bool brute_earlier(struct world *w, uint32_t reservation,
			  const struct torus_ask *ask, int64_t latest,
			  int64_t *when)
{
	const struct torus_reservation *r = torus_plan_reservation(w->p,
								   reservation);
	bool found = false;

	w->left_out = reservation;
	for (*when = w->now; *when < r->start_us && *when <= latest; ++*when) {
		found = window_at(w, ask, *when, r->end_us - r->start_us) ==
			TORUS_FITS;
		if (found)
			break;
	}
	w->left_out = UINT32_MAX;
	return found;
}

/* Now and then for the question that had no answer the last time. */
static void ask_earlier(struct world *w, const uint64_t *allowed)
{
	struct torus_ask ask = random_percent(&w->r, 50) ? question(w) : w->head;
	struct torus_window_bounds bounds;
	struct torus_placement place;
	int64_t latest, when, expected;
	uint64_t since = 0;
	uint32_t r;
	bool answer;

	if (w->reservations == 0)
		return;
	begin_ask(w, &ask, allowed);
	r = w->reserved[random_below(&w->r, w->reservations)];
	latest = random_percent(&w->r, 70) ? TORUS_NO_TIME :
					     w->now + random_below(&w->r, 10);
	if (w->open && random_percent(&w->r, 80)) {
		ask = w->open_ask;
		r = w->open_for;
		since = w->open_since;
		allowed = NULL;
		latest = TORUS_NO_TIME;
	}
	answer = brute_earlier(w, r, &ask, latest, &expected);
	bounds = (struct torus_window_bounds){ .now_us = w->now,
					       .latest_us = latest,
					       .since = since };
	assert_int_equal(torus_plan_earlier(w->p, r, &ask, &bounds,
					    cached(w, &ask), &when,
					    &place) == TORUS_FITS,
			 answer);
	assert_int_equal(when, answer ? expected : TORUS_NO_TIME);
	w->open = !answer && !allowed && latest == TORUS_NO_TIME;
	w->open_for = r;
	w->open_ask = ask;
	w->open_since = torus_plan_gain_stamp(w->p);
}

/* What can be seen of a state: holds, free nodes, and the places that the
 * strategies would give, which shows what they remember. */
struct view {
	uint32_t holds;
	struct torus_hold hold[MOST_HOLDS];
	uint64_t free[WORKLOAD_WORDS];
	uint64_t place[WORKLOAD_MOST_NODES][WORKLOAD_WORDS];
};

static void look_at(const struct world *w, struct view *v)
{
	struct torus_placement place;

	memset(v, 0, sizeof(*v));
	v->holds = torus_state_holds(w->s);
	for (uint32_t k = 0; k < v->holds; k++)
		v->hold[k] = *torus_state_hold(w->s,
					       torus_state_by_end(w->s, k));
	torus_bits_copy(v->free, torus_state_free_map(w->s), w->m.words);
	for (uint32_t n = 1; n <= w->m.nodes; n++) {
		struct torus_ask ask = { .by_count = true,
					 .rotate = true,
					 .count = n };

		if (torus_state_find(w->s, &ask, &place, NULL) == TORUS_FITS)
			workload_paint(&w->m, &place, v->place[n - 1]);
	}
}

static void ask_all(struct world *w)
{
	static struct view before, after;
	uint64_t generation = torus_state_generation(w->s);
	uint64_t map[WORKLOAD_WORDS], *allowed = NULL;
	struct torus_error err = { 0 };

	if (random_percent(&w->r, 25)) {
		workload_nodes(&w->r, &w->m, 85, map);
		allowed = map;
	}
	look_at(w, &before);
	if (random_percent(&w->r, 60))
		ask_head(w, &w->head);
	else if (random_percent(&w->r, 40))
		ask_shadow(w, allowed);
	else if (random_percent(&w->r, 50))
		ask_earlier(w, allowed);
	else
		ask_window(w, allowed);
	look_at(w, &after);
	assert_memory_equal(&before, &after, sizeof(after));
	assert_int_equal(torus_state_generation(w->s), generation);
	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
}

static void draw_outages(struct world *w)
{
	static uint64_t number;

	w->outages = (struct torus_outages){
		.number = ++number,
		.count = random_below(&w->r, OUTAGES + 1),
		.last_start_us = random_percent(&w->r, 85) ?
					 TORUS_NO_TIME :
					 random_below(&w->r, 20),
		.outage = w->outage,
	};
	for (uint32_t i = 0; i < OUTAGES; i++) {
		struct torus_outage *o = &w->outage[i];

		o->from_us = random_percent(&w->r, 10) ?
				     INT64_MIN :
				     random_below(&w->r, 30) - INT64_C(4);
		o->to_us = random_below(&w->r, 12) + 1;
		if (o->from_us > 0)
			o->to_us += o->from_us;
		if (random_percent(&w->r, 5))
			o->to_us = TORUS_NO_TIME;
		o->nodes = w->outage_nodes[i];
		workload_nodes(&w->r, &w->m,
			       random_percent(&w->r, 30) ? 100 : 40,
			       w->outage_nodes[i]);
	}
}

/* Limit the contention in half of the cases of a strategy that knows such a limit. */
static void limit_contention(struct world *w)
{
	static const struct torus_options disjoint = {
		1, { { "link_disjoint", "true" } }
	};
	bool limit = random_percent(&w->r, 50);

	for (uint32_t p = 0; p < w->m.pods; p++) {
		const struct torus_pod *pod = &w->m.pod[p];

		if (limit &&
		    torus_strategy_supports(pod->strategy[0], &pod->torus,
					    &disjoint, NULL) == 0)
			w->m.pod[p].options = disjoint;
	}
}

static void run_case(const char *machine, const struct torus_strategy *strategy,
		     uint64_t seed)
{
	struct world w = { .r = { seed }, .left_out = UINT32_MAX };

	if (!workload_machine(&w.m, machine, strategy))
		return;
	snprintf(context, sizeof(context), "%s %s seed %llu", machine,
		 strategy->name, (unsigned long long)seed);
	limit_contention(&w);
	w.s = torus_state_create(&w.m);
	w.p = torus_plan_create(w.s);
	assert_non_null(w.s);
	assert_non_null(w.p);
	draw_outages(&w);
	w.head = question(&w);
	if (random_percent(&w.r, 40)) {
		begin_ask(&w, &w.head, NULL);
		w.head.outages = &w.outages;
	}
	for (int i = 0; i < 40; i++) {
		step(&w);
		ask_all(&w);
	}
	torus_plan_destroy(w.p);
	torus_state_destroy(w.s);
	torus_machine_free(&w.m);
}

static void plans_agree_with_brute_force(void **state)
{
	(void)state;
	workload_each(random_seed("prop_plan"), random_effort(20, 150),
		      run_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_agree_with_brute_force),
	};

	return workload_end(cmocka_run_group_tests(tests, NULL, NULL), context);
}
