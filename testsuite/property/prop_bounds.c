/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches of every strategy for places that hold required nodes, against a trial of
 * every region; and that no search with a limit (live/base/lock_hold.h) takes longer than that,
 * whatever is asked for on large machines: shapes, counts, required nodes, cells
 * without a node, the choice of what to preempt. The thread's processor time
 * counts.
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "workload.h"

#include "live/cycle.h"
#include "live/orders.h"
#include "live/sharing.h"
#include "live/mirror/waiting.h"
#include "live/preemption.h"
#include "live/base/lock_hold.h"
#include "torus/discipline.h"

#define ROUNDS 20
#define ASKS 24 /* per large machine, of submesh */
#define ASKS_OTHER 6

/* A step that a limit cannot end, what comes before and after it, and the cost of other
 * processes on the same core. (bench_worst and bench_willrun hold 12 ms.) */
#define SLACK_US INT64_C(50000)

/* A search without a limit of its own: what its counted work takes. */
#define COUNTED_US INT64_C(1000000)

/* Small machines: the right answer */

struct required_case {
	const struct torus_machine *m;
	struct torus_state *s;
	struct torus_ask ask; /* without required nodes */
	uint64_t required[WORKLOAD_WORDS];
};

static bool place_holds(const struct required_case *x,
			const struct torus_placement *place)
{
	uint64_t nodes[WORKLOAD_WORDS] = { 0 };

	workload_paint(x->m, place, nodes);
	return torus_bits_subset(x->required, nodes, x->m->words);
}

/* Return true if the strategy, given these nodes alone, finds a place there that
 * holds the required ones. */
static bool fits_among(const struct required_case *x, const uint64_t *nodes)
{
	struct torus_ask ask = torus_ask_among(&x->ask, nodes);
	struct torus_placement place;

	return torus_bits_subset(x->required, nodes, x->m->words) &&
	       torus_state_find(x->s, &ask, &place, NULL) == TORUS_FITS &&
	       place_holds(x, &place);
}

/* The next base, extent and stride along d; false: they begin anew. */
static bool next_span(struct torus_region *r, const struct torus *t, uint32_t d)
{
	if (++r->base[d] < t->size[d])
		return true;
	r->base[d] = 0;
	if (++r->extent[d] <= t->size[d])
		return true;
	r->extent[d] = 1;
	if (++r->stride[d] <= t->size[d] / 2)
		return true;
	r->stride[d] = 1;
	return false;
}

/* The same for a region; false after the last one. */
static bool next_region(struct torus_region *r, const struct torus *t)
{
	uint32_t d = 0;

	while (d < t->dims && !next_span(r, t, d))
		d++;
	return d < t->dims;
}

/* Try every region of the machine; scattered nodes: the required ones and the
 * lowest others. */
static bool required_fits(const struct required_case *x)
{
	const struct torus *t = &x->m->pod[0].torus;
	uint64_t nodes[WORKLOAD_WORDS];
	struct torus_region r;

	if (x->m->pod[0].strategy[0]->scatters) {
		uint64_t want = torus_ask_nodes(&x->ask);

		torus_bits_copy(nodes, x->required, x->m->words);
		for (uint32_t bit = 0; bit < t->nodes; bit++) {
			if (torus_bits_test(torus_state_free_map(x->s), bit) &&
			    torus_bits_count(nodes, x->m->words) < want)
				torus_bits_set(nodes, bit);
		}
		return fits_among(x, nodes);
	}
	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < t->dims; d++)
		r.extent[d] = 1;
	do {
		torus_bits_zero(nodes, x->m->words);
		if (torus_region_check(&r, t, NULL))
			continue;
		torus_region_paint(&r, t, nodes);
		if (fits_among(x, nodes))
			return true;
	} while (next_region(&r, t));
	return false;
}

struct required_list {
	const struct required_case *x;
	bool any;
};

static bool note_listed(void *arg, const struct torus_placement *place)
{
	struct required_list *l = arg;

	assert_true(place_holds(l->x, place));
	l->any = true;
	return true;
}

/* A list of places has those that hold the required nodes, and no others. */
static void check_list(const struct required_case *x,
		       const struct torus_ask *ask, bool fits)
{
	struct required_list l = { .x = x };

	if (torus_state_find_all(x->s, ask, note_listed, &l) == 0)
		assert_int_equal(l.any, fits);
}

static void check_required(struct random *r, const struct torus_machine *m,
			   struct torus_state *s)
{
	struct required_case x = { .m = m, .s = s, .ask = workload_ask(r, m) };
	uint32_t n = 1 + random_below(r, 3);
	struct torus_placement place;
	struct torus_ask ask = x.ask;
	uint64_t nodes[WORKLOAD_WORDS] = { 0 };
	bool fits;

	while (n-- > 0)
		torus_bits_set(x.required,
			       random_below(r, m->pod[0].torus.nodes));
	ask.required = x.required;
	fits = torus_state_find(s, &ask, &place, NULL) == TORUS_FITS;
	check_list(&x, &ask, fits);
	if (!fits) {
		assert_false(required_fits(&x));
		return;
	}
	assert_true(place_holds(&x, &place));
	workload_paint(m, &place, nodes);
	assert_true(torus_bits_subset(nodes, torus_state_free_map(s), m->words));
}

/* Some jobs, so that strategies have something to remember. */
static void place_some(struct random *r, const struct torus_machine *m,
		       struct torus_state *s)
{
	for (uint32_t jobs = random_below(r, 4); jobs > 0; jobs--) {
		struct torus_ask ask = workload_ask(r, m);
		struct torus_placement place;

		if (torus_state_find(s, &ask, &place, NULL) == TORUS_FITS)
			torus_state_commit(s, &place, jobs, NULL, 0, 1 + jobs,
					   NULL);
	}
}

static void check_machine(struct random *r, const char *machine,
			  const struct torus_strategy *strategy)
{
	uint64_t out[WORKLOAD_WORDS];
	struct torus_machine m;
	struct torus_state *s;

	if (!workload_machine(&m, machine, strategy))
		return;
	s = torus_state_create(&m);
	assert_non_null(s);
	place_some(r, &m, s);
	workload_nodes(r, &m, random_below(r, 40), out);
	torus_bits_and(out, out, torus_state_free_map(s), m.words);
	torus_state_out(s, out);
	for (int i = 0; i < 5; i++)
		check_required(r, &m, s);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void searches_around_required_nodes_end_in_time(void **state)
{
	static const char *const machine[] = { "5x3x2",  "4x4:MM", "2x2x2x2",
					       "4x3:TM", "8",      "7:M",
					       "4x2x4",  "flat:9" };
	struct random r = { random_seed("required") };
	const struct torus_strategy *const *s;

	(void)state;
	for (uint32_t n = random_effort(ROUNDS, 50) * 8; n-- > 0;) {
		for (s = torus_strategies(); *s; s++)
			check_machine(&r, machine[n % 8], *s);
	}
}

/* Large machines: the time */

struct large {
	struct random r;
	struct torus_machine m;
	struct torus_state *state, *empty;
	struct torus_plan *plan;
	uint64_t *required;
	int64_t longest_us;
};

/* The sanitizers' checks slow down what lies between two looks at the clock. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define TIME_FACTOR 20
#else
#define TIME_FACTOR 1
#endif

static int64_t processor_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void note_time(struct large *l, const char *what,
		      const struct torus_ask *ask, int64_t began)
{
	int64_t us = processor_us() - began;
	int64_t most_us = !ask || ask->limit ? SEARCH_US + SLACK_US : COUNTED_US;
	char text[TORUS_GEOMETRY_SIZE] = "";

	if (us > l->longest_us)
		l->longest_us = us;
	if (us <= TIME_FACTOR * most_us)
		return;
	if (ask && ask->by_count)
		snprintf(text, sizeof(text), "%u", ask->count);
	else if (ask)
		torus_shape_format(&ask->shape, text, sizeof(text));
	fail_msg("%s of %s*%u on %s: %lld us of processor time", what, text,
		 ask ? ask->regions : 0, l->m.pod[0].torus.name, (long long)us);
}

/* Numbers with many divisors, small ones, and any. */
static uint32_t some_count(struct large *l)
{
	static const uint32_t many[] = { 5040,  2520, 1680, 720,
					 10080, 4096, 7560, 15120 };
	uint32_t nodes = l->m.pod[0].torus.nodes, n;

	if (random_percent(&l->r, 60))
		n = many[random_below(&l->r, 8)];
	else
		n = 1 + random_below(&l->r, nodes / 2);
	return n <= nodes ? n : nodes / 2;
}

static struct torus_ask some_ask(struct large *l)
{
	const struct torus *t = &l->m.pod[0].torus;
	struct torus_ask ask = { .rotate = random_percent(&l->r, 90),
				 .end_us = 1 + random_below(&l->r, 1000000) };

	if (random_percent(&l->r, 40)) {
		ask.by_count = true;
		ask.count = some_count(l);
		return ask;
	}
	ask.shape.axes = 1 + random_below(&l->r, t->dims);
	for (uint32_t a = 0; a < ask.shape.axes; a++)
		ask.shape.extent[a] = 1 + random_below(&l->r, t->size[a]);
	if (random_percent(&l->r, 40)) { /* several regions */
		ask.regions = 2 + random_below(&l->r, TORUS_MAX_REGIONS - 1);
		for (uint32_t a = 0; a < ask.shape.axes; a++)
			ask.shape.extent[a] = 1 + ask.shape.extent[a] / 4;
	}
	return ask;
}

/* Near to each other, so that a box may hold them; or anywhere. */
static void some_required(struct large *l, const struct torus_ask *ask)
{
	const struct torus *t = &l->m.pod[0].torus;
	uint32_t n = 1 + random_below(&l->r, 6), first, at[TORUS_MAX_DIMS];
	bool near = random_percent(&l->r, 80);

	(void)ask;
	torus_bits_zero(l->required, l->m.words);
	first = random_below(&l->r, t->nodes);
	for (; n > 0; n--) {
		torus_coord(t, near ? first : random_below(&l->r, t->nodes), at);
		for (uint32_t d = 0; d < t->dims; d++)
			at[d] = (at[d] + random_below(&l->r, 2)) % t->size[d];
		torus_bits_set(l->required, torus_index(t, at));
	}
}

/* Jobs of some nodes each, nearly everywhere. */
static void fill(struct large *l)
{
	const struct torus *t = &l->m.pod[0].torus;
	uint64_t *nodes = calloc(l->m.words, sizeof(*nodes));
	uint32_t busy = random_below(&l->r, 100), each = t->nodes / 800 + 1;

	assert_non_null(nodes);
	for (uint32_t first = 0; first + each <= t->nodes; first += each) {
		if (!random_percent(&l->r, busy))
			continue;
		torus_bits_zero(nodes, l->m.words);
		torus_bits_set_range(nodes, first, each);
		torus_bits_and(nodes, nodes, torus_state_free_map(l->state),
			       l->m.words);
		assert_int_equal(torus_state_hold_nodes(l->state, nodes,
							1 + random_below(&l->r,
									 100000),
							NULL, NULL),
				 0);
	}
	free(nodes);
}

/* Jobs that the strategy placed itself: what it remembers of them takes time. */
static void fill_placed(struct large *l, uint32_t jobs)
{
	for (; jobs > 0; jobs--) {
		struct torus_ask ask = some_ask(l);
		struct torus_placement place;
		struct lock_hold_limit limit;

		ask.regions = 0;
		for (uint32_t a = 0; a < ask.shape.axes; a++)
			ask.shape.extent[a] = 1 + ask.shape.extent[a] / 4;
		ask.count = 1 + ask.count / 64;
		lock_hold_limit_begin(&limit, SEARCH_US);
		ask.limit = &limit.limit;
		if (torus_state_find(l->state, &ask, &place, NULL) == TORUS_FITS)
			assert_int_not_equal(torus_state_commit(l->state, &place,
								jobs, NULL, 0,
								1 + ask.end_us,
								NULL),
					     TORUS_NO_SLOT);
	}
}

static bool count_place(void *arg, const struct torus_placement *place)
{
	uint64_t *places = arg;

	(void)place;
	++*places;
	return true;
}

/* Each question that slurmctld asks under its locks. */
static void check_find(struct large *l, struct torus_ask *ask)
{
	struct torus_placement place;
	struct lock_hold_limit limit;
	int64_t began, when;
	struct torus_error why;
	uint64_t places = 0;

	ask->limit = &limit.limit;
	torus_error_clear(&why);
	began = processor_us();
	lock_hold_limit_begin(&limit, SEARCH_US);
	torus_state_possible(l->state, ask, &place, &why);
	note_time(l, "whether it is possible", ask, began);

	began = processor_us();
	lock_hold_limit_begin(&limit, SEARCH_US);
	torus_state_find(l->state, ask, &place, NULL);
	note_time(l, "a place now", ask, began);

	began = processor_us();
	lock_hold_limit_begin(&limit, SEARCH_US);
	torus_plan_shadow(l->plan, ask, 0, &when, &place);
	note_time(l, "a start time", ask, began);

	began = processor_us();
	lock_hold_limit_begin(&limit, SEARCH_US);
	torus_state_find_all(l->empty, ask, count_place, &places);
	note_time(l, "the list of places", ask, began);
}

/* What the scheduler and the questions ask without a limit: if the machine could
 * ever hold it, and, in a pass, a place for several regions. */
static void check_counted(struct large *l, struct torus_ask *ask)
{
	const struct torus_strategy *own = l->m.pod[0].strategy[0];
	struct torus_placement place;
	int64_t began, when;

	if (!own->find_all || own->lists_only)
		return;
	ask->limit = NULL;
	torus_state_pass(l->state, true);
	began = processor_us();
	torus_state_possible(l->state, ask, &place, NULL);
	note_time(l, "whether it is ever possible", ask, began);
	began = processor_us();
	torus_state_find(l->state, ask, &place, NULL);
	note_time(l, "a place at once", ask, began);
	began = processor_us();
	if (torus_ask_several(ask))
		torus_plan_shadow(l->plan, ask, 0, &when, &place);
	note_time(l, "a shadow time", ask, began);
	torus_state_pass(l->state, false);
}

static void check_victims(struct large *l, struct torus_ask *ask)
{
	const struct torus *t = &l->m.pod[0].torus;
	struct lock_hold_limit limit;
	struct preemption v;
	int64_t began;

	assert_int_equal(preemption_open(&v, l->m.words, t->nodes), 0);
	torus_bits_copy(v.usable, torus_state_free_map(l->empty), l->m.words);
	for (uint32_t bit = 0; bit < t->nodes; bit++) {
		preemption_add_job(&v, 1 + random_below(&l->r, 86400));
		if (torus_bits_test(v.usable, bit) && random_percent(&l->r, 95))
			preemption_add_node(&v, bit);
	}
	began = processor_us();
	lock_hold_limit_begin(&limit, SEARCH_US);
	ask->limit = &limit.limit;
	preemption_choose_place(&v, l->empty, ask);
	note_time(l, "what to preempt", ask, began);
	preemption_close(&v);
}

static uint64_t *some_present(struct large *l, const struct torus *t)
{
	uint64_t *present = calloc(torus_bits_words(t->nodes), sizeof(*present));

	assert_non_null(present);
	for (uint32_t bit = 0; bit < t->nodes; bit++) {
		if (!random_percent(&l->r, 2))
			torus_bits_set(present, bit);
	}
	return present;
}

/* Every hundredth link of the machine is down. */
static void break_links(struct large *l)
{
	const struct torus *t = &l->m.pod[0].torus;
	struct torus_link_list list = { 0 };

	for (uint32_t n = 0; n < t->nodes / 100; n++) {
		struct torus_link link = {
			.vertex = random_below(&l->r, t->nodes),
			.dim = (uint8_t)random_below(&l->r, t->dims),
			.health = TORUS_LINK_DOWN,
		};
		uint32_t coord[TORUS_MAX_DIMS];

		torus_vertex_coord(t, link.vertex, coord);
		if (torus_link_exists(t, coord, link.dim))
			assert_int_equal(torus_link_list_set(&list, &link), 0);
	}
	assert_int_equal(torus_state_set_links(l->state, &list), 0);
	torus_link_list_free(&list);
}

static void ask_large(struct large *l, uint32_t asks)
{
	for (uint32_t n = asks; n > 0; n--) {
		struct torus_ask ask = some_ask(l);

		if (n % 4 == 0)
			check_victims(l, &ask);
		if (n % 2) {
			some_required(l, &ask);
			ask.required = l->required;
		}
		check_find(l, &ask);
		check_counted(l, &ask);
	}
}

static void check_large(struct large *l, const char *string,
			const struct torus_strategy *strategy, bool partial)
{
	bool own = strcmp(strategy->name, "submesh") == 0;
	const struct torus_options none = { 0 };
	uint64_t *present = NULL;
	struct torus t;

	assert_int_equal(torus_parse(&t, string, NULL), 0);
	if (torus_strategy_supports(strategy, &t, &none, NULL))
		return;
	snprintf(t.name, sizeof(t.name), "%s%s.%s", string,
		 partial ? ".partial" : "", strategy->name);
	if (partial)
		present = some_present(l, &t);
	l->m = (struct torus_machine){ 0 };
	assert_int_equal(torus_machine_add(&l->m, &t, present, strategy, NULL,
					   NULL),
			 0);
	if (own)
		assert_int_equal(torus_machine_links(&l->m, 0, NULL), 0);
	l->state = torus_state_create(&l->m);
	l->empty = torus_state_create(&l->m);
	l->plan = torus_plan_create(l->state);
	l->required = calloc(l->m.words, sizeof(*l->required));
	assert_true(l->state && l->empty && l->plan && l->required);
	l->longest_us = 0;
	if (!own)
		fill_placed(l, random_below(&l->r, 100));
	fill(l);
	if (own && !partial)
		break_links(l);
	ask_large(l, random_effort(own ? ASKS : ASKS_OTHER, 20));
	print_message("# %s: at most %.1f ms\n", t.name,
		      (double)l->longest_us * 1e-3);
	torus_plan_destroy(l->plan);
	torus_state_destroy(l->state);
	torus_state_destroy(l->empty);
	torus_machine_free(&l->m);
	free(l->required);
	free(present);
}

static void searches_on_large_machines_end_in_time(void **state)
{
	static const char *const machine[] = {
		"4x4x4x4x4x4x4x4", "64x64x16",        "32x32x32",
		"2x2x2x3x3x3x4x4", "24x23x24x2x2x2",  "64x64x16:TMM",
		"64x32x32",        "2x2x2x2x2x2x2x2", "16x16x16x16x2",
		"24x16x24x2x3x2",  "65536",           "128x512"
	};
	struct large l = { .r = { random_seed("time of searches") } };
	const struct torus_strategy *const *s;

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		for (s = torus_strategies(); *s; s++) {
			check_large(&l, machine[i], *s, false);
			check_large(&l, machine[i], *s, true);
		}
	}
}

/* A machine with missing cells, on which it takes long to find out which volume a
 * count comes to. */
static void hard_machine(struct torus_machine *m)
{
	struct large l = { .r = { 1 } };
	uint64_t *present;
	struct torus t;

	assert_int_equal(torus_parse(&t, "64x64x64", NULL), 0);
	present = some_present(&l, &t);
	assert_int_equal(torus_machine_add(m, &t, present,
					   torus_strategy_find("submesh"), NULL,
					   NULL),
			 0);
	free(present);
}

static const struct torus_ask hard_ask = {
	.by_count = true, .rotate = true, .count = 700, .end_us = INT64_MAX
};

/* Searches with a limit get there one after the other. */
static void test_goes_on(void **state)
{
	struct torus_ask ask = hard_ask;
	struct torus_machine m = { 0 };
	struct torus_placement place;
	struct lock_hold_limit limit;
	enum torus_answer answer;
	struct torus_state *s;
	uint32_t cuts = 0;

	(void)state;
	hard_machine(&m);
	s = torus_state_create(&m);
	assert_non_null(s);
	do {
		lock_hold_limit_begin(&limit, SEARCH_US);
		ask.limit = &limit.limit;
		answer = torus_state_find(s, &ask, &place, NULL);
	} while (limit.limit.cut && answer != TORUS_FITS && ++cuts < 1000);
	assert_false(limit.limit.cut);
	torus_state_destroy(s);
	s = torus_state_create(&m);
	assert_non_null(s);
	ask.limit = NULL;
	assert_int_equal(answer, torus_state_find(s, &ask, &place, NULL));
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* As slurmctld does where it refuses place after place, or tests a job in one
 * partition after the other: all searches together have the time of one. */
static void searches_together_have_the_time_of_one(void **state)
{
	struct torus_ask ask = hard_ask;
	struct large l = { .r = { 2 } };
	struct torus_placement place;
	struct lock_hold_limit limit;
	int64_t spent_us = 0, began;
	uint64_t *allowed;
	struct torus t;

	(void)state;
	assert_int_equal(torus_parse(&t, "4x4x4x4x4x4x4x4", NULL), 0);
	assert_int_equal(torus_machine_add(&l.m, &t, NULL,
					   torus_strategy_find("submesh"), NULL,
					   NULL),
			 0);
	ask.count = 5040;
	l.state = torus_state_create(&l.m);
	allowed = calloc(l.m.words, sizeof(*allowed));
	assert_true(l.state && allowed);
	torus_bits_copy(allowed, torus_state_free_map(l.state), l.m.words);
	ask.allowed = allowed;
	ask.limit = &limit.limit;
	began = processor_us();
	for (int search = 0; search < 1000; search++) {
		torus_bits_clear(allowed, random_below(&l.r, l.m.nodes));
		lock_hold_limit_begin_of(&limit, &spent_us);
		torus_state_find(l.state, &ask, &place, NULL);
		lock_hold_limit_end_of(&limit, &spent_us);
	}
	note_time(&l, "1,000 searches for places", NULL, began);
	assert_true(limit.limit.cut);
	assert_true(spent_us >= SEARCH_US);
	torus_state_destroy(l.state);
	torus_machine_free(&l.m);
	free(allowed);
}

/* A machine of few nodes in many cells: each count is answered in time. */
static void counts_on_sparse_machines_end_in_time(void **state)
{
	struct torus_ask ask = { .by_count = true,
				 .rotate = true,
				 .end_us = INT64_MAX };
	struct large l = { 0 };
	uint64_t *present;
	struct torus t;

	(void)state;
	assert_int_equal(torus_parse(&t, "64x64x64", NULL), 0);
	present = calloc(torus_bits_words(t.nodes), sizeof(*present));
	assert_non_null(present);
	torus_bits_set_range(present, 0, 8);
	torus_bits_set_range(present, 50000, 8);
	assert_int_equal(torus_machine_add(&l.m, &t, present,
					   torus_strategy_find("submesh"), NULL,
					   NULL),
			 0);
	l.state = torus_state_create(&l.m);
	assert_non_null(l.state);
	for (ask.count = 1; ask.count <= 20; ask.count++) {
		enum torus_answer answer;
		struct torus_placement place;
		struct lock_hold_limit limit;
		int64_t began;

		lock_hold_limit_begin(&limit, SEARCH_US);
		ask.limit = &limit.limit;
		began = processor_us();
		answer = torus_state_possible(l.state, &ask, &place, NULL);
		note_time(&l, "whether a count is possible", &ask, began);
		assert_int_equal(answer,
				 ask.count <= 8 ? TORUS_FITS : TORUS_NEVER);
	}
	torus_state_destroy(l.state);
	torus_machine_free(&l.m);
	free(present);
}

/*
 * 10,000 jobs that share nodes, each of which would delay the first of the queue on
 * every node: which of them may join is asked with the host's locks. Return the
 * processor time of all; no single call takes a lock hold.
 */
#define SHARING 10000

static void updates_with_shared_nodes_end_in_time(void **state)
{
	struct torus_scheduler_settings settings;
	const int64_t second = 1000000, now_us = 1700000000 * second;
	struct torus_alternative count = { .ask = { .by_count = true,
						    .anywhere = true } };
	struct cycle_running_job running = { .job = SHARING + 2,
					     .start_us = now_us,
					     .end_us = now_us + 60 * second,
					     .shares = true };
	struct torus_machine m = { 0 };
	int64_t began, longest_us = 0, all_us = 0;
	struct cycle_guest g;
	uint32_t offers = 0;
	struct cycle *c;
	struct torus_error err;
	uint64_t *nodes;
	bool more = true;
	struct torus t;

	(void)state;
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("easy");
	assert_int_equal(torus_parse(&t, "flat:32768", NULL), 0);
	assert_int_equal(torus_machine_add(&m, &t, NULL,
					   torus_strategy_find("flat"), NULL,
					   NULL),
			 0);
	nodes = calloc(m.words, sizeof(*nodes));
	torus_error_clear(&err);
	c = cycle_create(&m, &settings, 1, &err);
	assert_true(nodes && c);
	torus_bits_set_range(nodes, 0, t.nodes);
	running.nodes = nodes;
	cycle_begin(c, now_us);
	assert_int_equal(running_add(c, &running), 0);
	for (uint32_t n = 1; n <= SHARING; n++) {
		count.ask.count = n == 1 ? t.nodes : 1;
		assert_int_equal(waiting_add(c,
					     &(struct cycle_pending_job){
						     .name = { .job = n },
						     .key = n,
						     .eligible_us = now_us,
						     .limit_us = 3600 * second,
						     .deadline_us = TORUS_NO_TIME,
						     .request = { .alternative =
									  &count,
								  .alternatives =
									  1 },
						     .shares = n > 1 }),
				 0);
	}
	sharing_set_hash(c, 1);
	assert_int_equal(cycle_update(c), 0);
	assert_int_equal(orders_plan(c, now_us), 0);
	sharing_start(c, now_us);
	while (more) {
		began = processor_us();
		more = sharing_next(c, &g);
		began = processor_us() - began;
		longest_us = began > longest_us ? began : longest_us;
		all_us += began;
		offers += more && g.entry;
	}
	print_message("# %u jobs that share %u nodes: %.1f ms, at most %.1f ms at once\n",
		      SHARING, t.nodes, (double)all_us * 1e-3,
		      (double)longest_us * 1e-3);
	assert_int_equal(offers, 0);
	assert_true(longest_us < TIME_FACTOR * 10000);
	assert_true(all_us < TIME_FACTOR * 50000);
	cycle_destroy(c);
	torus_machine_free(&m);
	free(nodes);
}

/*
 * One user's jobs, each with eight sets of regions, all different: an update and a pass
 * take no longer than their budgets and one job.
 */
#define LADDERS 150
#define CYCLE_US INT64_C(500000) /* of an update, of a pass */

static bool update_pass_over(void *arg, uint32_t budgets)
{
	return (processor_us() - *(int64_t *)arg) / budgets >= CYCLE_US;
}

static void update_add(struct large *l, struct cycle *c, uint32_t n,
		       int64_t now_us)
{
	struct torus_alternative alternative[TORUS_MAX_ALTERNATIVES] = { 0 };
	struct cycle_pending_job job = {
		.name = { .job = n },
		.key = n,
		.eligible_us = now_us,
		.limit_us = INT64_C(3600000000),
		.deadline_us = TORUS_NO_TIME,
		.request = { .alternative = alternative, .alternatives = 1 },
	};

	if (waiting_unchanged(c, &job.name, n, NULL, NULL, 0))
		return;
	alternative[0].ask = (struct torus_ask){
		.rotate = true, .shape = { .axes = 1, .extent = { 1 } }
	};
	if (n <= LADDERS)
		job.request.alternatives = TORUS_MAX_ALTERNATIVES;
	for (uint32_t k = 0; k < job.request.alternatives && n <= LADDERS;) {
		alternative[k].ask = some_ask(l);
		k += torus_ask_several(&alternative[k].ask);
	}
	assert_int_equal(waiting_add(c, &job), 0);
}

static void an_update_of_many_jobs_ends_in_time(void **state)
{
	struct large l = { .r = { random_seed("updates") } };
	struct torus_scheduler_settings settings;
	int64_t now_us = INT64_C(1700000000000000), began, most[2] = { 0 };
	const struct torus_pass_limit limit = { .over = update_pass_over,
						.arg = &began };
	uint32_t cycles = 0;
	struct torus_error err;
	struct cycle *c;
	struct torus t;

	(void)state;
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("easy");
	assert_int_equal(torus_parse(&t, "16x16x16x16x2", NULL), 0);
	assert_int_equal(torus_machine_add(&l.m, &t, NULL,
					   torus_strategy_find("submesh"), NULL,
					   NULL),
			 0);
	torus_error_clear(&err);
	c = cycle_create(&l.m, &settings, 1, &err);
	assert_non_null(c);
	cycle_limit(c, &limit);
	for (; cycles < 5; cycles++) {
		uint32_t orders;

		now_us += 1000000;
		cycle_begin(c, now_us);
		for (uint32_t n = 1; n <= LADDERS + cycles; n++)
			update_add(&l, c, n, now_us);
		began = processor_us();
		assert_int_equal(cycle_update(c), 0);
		began = processor_us() - began;
		most[0] = began > most[0] ? began : most[0];
		began = processor_us();
		orders = orders_plan(c, now_us);
		for (uint32_t i = 0; i < orders; i++)
			orders_done(c, i, CYCLE_LATER, 0, NULL);
		began = processor_us() - began;
		most[1] = began > most[1] ? began : most[1];
	}
	print_message("# %u jobs of 8 sets of regions: %u cycles, at most %.1f ms an update, %.1f ms a pass\n",
		      LADDERS, cycles, (double)most[0] * 1e-3,
		      (double)most[1] * 1e-3);
	assert_true(most[0] < TIME_FACTOR * 3 * CYCLE_US);
	assert_true(most[1] < TIME_FACTOR * 3 * CYCLE_US);
	cycle_destroy(c);
	torus_machine_free(&l.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches_around_required_nodes_end_in_time),
		cmocka_unit_test(searches_on_large_machines_end_in_time),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(searches_together_have_the_time_of_one),
		cmocka_unit_test(counts_on_sparse_machines_end_in_time),
		cmocka_unit_test(updates_with_shared_nodes_end_in_time),
		cmocka_unit_test(an_update_of_many_jobs_ends_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
