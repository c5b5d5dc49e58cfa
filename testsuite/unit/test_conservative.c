/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conservative: everybody's reservation, what moves it, and when the host is
 * to wake the discipline for one. */
#include "torus/placement.h"
#include "scheduling.h"

static void no_later_job_delays_a_reservation(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");

	(void)state;
	submit(w, "6", 10, 0);
	submit(w, "6", 10, 0); /* at 10 */
	submit(w, "4", 10, 0); /* at 20 */
	submit(w, "2", 20, 0); /* beside both */
	submit(w, "2", 10, 0); /* at 20, not before the 4 */
	assert_string_equal(pass(w, 0), "0 3");
	assert_int_equal(w->job[1].start_us, 10);
	assert_int_equal(w->job[2].start_us, 20);
	assert_int_equal(w->job[4].start_us, 20);
	assert_int_equal(w->wake, 10);
	/* easy would let it in now: only the head counts there */
	submit(w, "2", 5, 1);
	assert_string_equal(pass(w, 1), "");
	assert_int_equal(w->job[5].start_us, 20);
	assert_string_equal(end(w, 0, 10), "1");
	/* a pass between two ends of one instant: 1 is overdue for it */
	assert_string_equal(end(w, 3, 20), "4");
	assert_string_equal(end(w, 1, 20), "2 5");
	destroy(w);
}

/* An early end brings everybody forward, in queue order. */
static void test_conservative_compress(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");

	(void)state;
	submit(w, "8", 100, 0);
	submit(w, "6", 10, 0); /* at 100 */
	submit(w, "6", 10, 0); /* at 110 */
	submit(w, "2", 20, 0); /* at 100 */
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->job[2].start_us, 110);
	assert_string_equal(end(w, 0, 30), "1 3");
	assert_int_equal(w->job[2].start_us, 40);
	assert_int_equal(w->wake, 40);
	/* withdrawing one as well */
	submit(w, "8", 5, 31);
	assert_string_equal(pass(w, 31), "");
	assert_int_equal(w->job[4].start_us, 50);
	torus_scheduler_remove(w->scheduler, &w->job[2], 32);
	assert_string_equal(pass(w, 32), "");
	assert_int_equal(w->job[4].start_us, 50); /* after the 2 */
	end(w, 1, 40);
	assert_string_equal(end(w, 3, 45), "4");
	destroy(w);
}

/* The next pass considers nobody: it was not there for any pass, and in no journal. */
static void a_job_that_no_pass_has_seen_leaves_nothing(void **state)
{
	struct world *w = create("4x2", "submesh", "conservative");

	(void)state;
	submit(w, "4x2", 100, 0);
	submit(w, "2x2", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	submit(w, "2x1", 10, 1);
	torus_scheduler_remove(w->scheduler, &w->job[2], 1);
	assert_string_equal(pass(w, 1), "");
	assert_int_equal(torus_scheduler_cut(w->scheduler)->steps, 0);
	/* with a reservation it does */
	submit(w, "2x1", 10, 2);
	assert_string_equal(pass(w, 2), "");
	torus_scheduler_remove(w->scheduler, &w->job[3], 3);
	assert_string_equal(pass(w, 3), "");
	assert_int_equal(torus_scheduler_cut(w->scheduler)->steps, 1);
	assert_string_equal(end(w, 0, 100), "1");
	destroy(w);
}

/* What moved up leaves a gap that the next pass fills; and a start that is
 * one instant away is no reason not to be woken. */
static void test_conservative_wake(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");

	(void)state;
	submit(w, "4", 100, 0);
	submit(w, "4", 50, 0);
	submit(w, "8", 1, 0);  /* at 100 */
	submit(w, "4", 50, 0); /* at 50 */
	assert_string_equal(pass(w, 0), "0 1");
	assert_int_equal(w->job[2].start_us, 100);
	assert_int_equal(w->job[3].start_us, 50);
	assert_int_equal(w->wake, 50);
	assert_string_equal(end(w, 1, 40), "3"); /* until 90 */
	assert_int_equal(w->job[2].start_us, 100);
	assert_int_equal(w->wake, 100);
	assert_string_equal(end(w, 0, 80), "");
	assert_int_equal(w->job[2].start_us, 90);
	pass(w, 89);
	assert_int_equal(w->wake, 90);
	/* an overdue job is waited for, not woken for */
	pass(w, 95);
	assert_true(w->wake == TORUS_NO_TIME);
	assert_int_equal(w->job[2].start_us, 96);
	assert_string_equal(end(w, 3, 97), "2");
	destroy(w);
}

/* Nor for those planned one instant behind the other after it. */
static void test_conservative_overdue(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");

	(void)state;
	submit(w, "8", 10, 0);
	submit(w, "8", 0, 0);
	submit(w, "8", 0, 0);
	submit(w, "8", 5, 0);
	submit(w, "8", 5, 0);
	assert_string_equal(pass(w, 0), "0");
	assert_string_equal(pass(w, 11), "");
	assert_int_equal(w->job[1].start_us, 12);
	assert_int_equal(w->job[2].start_us, 13);
	assert_int_equal(w->job[3].start_us, 14);
	assert_int_equal(w->wake, 19);
	assert_string_equal(end(w, 0, 30), "1");
	assert_string_equal(end(w, 1, 30), "2");
	assert_string_equal(end(w, 2, 30), "3");
	destroy(w);
}

/* The first job's search is not ended. */
static bool over(void *arg, uint32_t budgets)
{
	const bool *is_over = arg;

	return *is_over && budgets == 1;
}

/* A pass that is to end looks at one job; the next ones go on behind it, the
 * turn counts, what was promised is kept, and what is due starts. */
static void test_conservative_cut(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");
	bool is_over = true;
	const struct torus_pass_limit limit = { .over = over, .arg = &is_over };

	(void)state;
	submit(w, "6", 10, 0);
	submit(w, "8", 10, 0);
	submit(w, "2", 10, 0);
	torus_scheduler_pass_limit(w->scheduler, &limit);
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->wake, TORUS_GO_ON_US);
	assert_true(torus_scheduler_cut(w->scheduler)->cut);
	assert_int_equal(torus_scheduler_cut(w->scheduler)->steps, 1);
	assert_int_equal(torus_scheduler_cut(w->scheduler)->left, 2);
	assert_int_equal(w->job[1].reservation, UINT32_MAX);
	assert_string_equal(pass(w, 1), "");
	assert_int_equal(w->job[1].start_us, 10);
	assert_int_equal(torus_scheduler_cut(w->scheduler)->left, 1);
	assert_string_equal(pass(w, 2), "");
	assert_int_equal(w->job[2].start_us, 20);
	assert_false(torus_scheduler_cut(w->scheduler)->cut);
	/* both promises hold though a further job has come */
	submit(w, "1", 10, 3);
	submit(w, "1", 10, 3);
	assert_string_equal(end(w, 0, 10), "1");
	is_over = false;
	assert_string_equal(end(w, 1, 20), "2 3 4");
	destroy(w);
}

/* Every second node of 64 is free 10 s after the start, or little later, the
 * others only after 1000 s. For jobs of 2 to 5 nodes that are short, so that no two
 * windows have a span in common, there is a window per end to look at. */
static struct world *create_combed(int64_t limit)
{
	struct world *w = create("64:M", "submesh", "conservative");

	for (uint32_t i = 0; i < 64; i++)
		submit(w, "1", (i % 2 ? 1000 : 10) + i, 0);
	pass(w, 0);
	for (uint32_t n = 2; n < 6; n++)
		submit(w, (char[]){ (char)('0' + n), '\0' }, limit, 1);
	return w;
}

/* The time of a test: searches since `began`; a budget is so many of them. */
struct search_clock {
	const struct world *w;
	uint64_t began, budget;
};

static uint64_t searches(const struct world *w)
{
	return torus_plan_searches(torus_scheduler_plan(w->scheduler), NULL);
}

static bool searches_over(void *arg, uint32_t budgets)
{
	const struct search_clock *c = arg;

	return (searches(c->w) - c->began) / budgets >= c->budget;
}

static void assert_same_reservations(const struct world *a,
				     const struct world *b)
{
	for (uint32_t i = 64; i < a->jobs; i++)
		assert_int_equal(a->job[i].start_us, b->job[i].start_us);
}

/*
 * The search for a job is cut as well, and the job left to the next pass as if
 * it had not been looked at: a pass that is told to look at as many jobs goes
 * the same way. What was found out is not searched again.
 */
static void test_conservative_cut_search(void **state)
{
	struct world *w = create_combed(1), *same = create_combed(1),
		     *uncut = create_combed(1);
	uint64_t began = searches(w), most = searches(uncut);
	struct search_clock c = { w, began, 40 };

	(void)state;
	assert_string_equal(pass(uncut, 1), "");
	most = searches(uncut) - most;
	assert_true(most > 100);

	torus_scheduler_pass_limit(w->scheduler,
				   &(struct torus_pass_limit){
					   .over = searches_over, .arg = &c });
	assert_string_equal(pass(w, 1), "");
	assert_true(searches(w) - began < c.budget + 10);
	assert_true(torus_scheduler_cut(w->scheduler)->cut);
	assert_int_equal(torus_scheduler_cut(w->scheduler)->steps, 1);
	assert_int_equal(torus_scheduler_cut(w->scheduler)->left, 3);
	assert_int_not_equal(w->job[64].reservation, UINT32_MAX);
	assert_int_equal(w->job[65].reservation, UINT32_MAX);

	torus_scheduler_pass_limit(same->scheduler,
				   &(struct torus_pass_limit){ .limited = true,
							       .steps = 1 });
	assert_string_equal(pass(same, 1), "");
	assert_same_reservations(w, same);

	c.budget = UINT64_MAX;
	torus_scheduler_pass_limit(same->scheduler,
				   &(struct torus_pass_limit){ 0 });
	assert_string_equal(pass(w, 2), "");
	assert_string_equal(pass(same, 2), "");
	assert_false(torus_scheduler_cut(w->scheduler)->cut);
	assert_same_reservations(w, same);
	assert_same_reservations(w, uncut);
	assert_true(searches(w) - began <= most + 1);
	destroy(w);
	destroy(same);
	destroy(uncut);
}

/*
 * The search for the first job of a pass ends after twice the budget. Passes go on
 * with it where the one before ended, and all come to the windows of one pass
 * without a budget, with hardly more searches.
 */
static void test_conservative_cut_first(void **state)
{
	struct world *w = create_combed(1), *uncut = create_combed(1);
	uint64_t most = searches(uncut), all = searches(w);
	struct search_clock c = { w, 0, 5 };
	uint32_t passes = 0, none = 0;

	(void)state;
	assert_string_equal(pass(uncut, 1), "");
	most = searches(uncut) - most;
	torus_scheduler_pass_limit(w->scheduler,
				   &(struct torus_pass_limit){
					   .over = searches_over, .arg = &c });
	do {
		c.began = searches(w);
		assert_string_equal(pass(w, 1), "");
		assert_true(searches(w) - c.began <= 2 * c.budget + 9);
		none += torus_scheduler_cut(w->scheduler)->steps == 0;
		assert_true(++passes < 100);
	} while (torus_scheduler_cut(w->scheduler)->cut);
	assert_true(none > 4);
	assert_same_reservations(w, uncut);
	assert_true(searches(w) - all <= most + passes);
	destroy(w);
	destroy(uncut);
}

/* Long windows have spans in common, and are ruled out many at a time. */
static void test_conservative_groups(void **state)
{
	struct world *w = create_combed(2000);
	uint64_t began = searches(w);

	(void)state;
	assert_string_equal(pass(w, 1), "");
	for (uint32_t i = 64; i < w->jobs; i++)
		assert_true(w->job[i].start_us >= 1001);
	assert_true(searches(w) - began <= 4 * 16);
	destroy(w);
}

/* Partition trees: planned on the tree as it will be. */
static void test_conservative_memory(void **state)
{
	struct world *w = create("4x4:MM", "semitorus-nep", "conservative");

	(void)state;
	submit(w, "8", 10, 0);
	submit(w, "16", 10, 0); /* at 10 */
	submit(w, "8", 11, 0);  /* at 20 */
	submit(w, "8", 10, 0);  /* now */
	assert_string_equal(pass(w, 0), "0 3");
	assert_int_equal(w->job[1].start_us, 10);
	assert_int_equal(w->job[2].start_us, 20);
	end(w, 0, 10);
	assert_string_equal(end(w, 3, 10), "1");
	assert_string_equal(end(w, 1, 15), "2");
	destroy(w);
}

/* When there are too few nodes, the strategy is not asked. */
static void test_conservative_counts(void **state)
{
	struct world *w = create("4x4:MM", "semitorus-nep", "conservative");

	(void)state;
	submit(w, "8", 10, 0);
	submit(w, "16", 10, 0); /* at 10 */
	submit(w, "16", 10, 0); /* at 20 */
	submit(w, "16", 10, 0); /* at 30 */
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->job[3].start_us, 30);
	assert_int_equal(torus_scheduler_stats(w->scheduler)->searches, 4);
	destroy(w);
}

static void test_conservative_service(void **state)
{
	struct world *w = create("flat:4", "flat", "conservative");
	uint64_t out = 0x8;

	(void)state;
	submit(w, "2", 10, 0);
	submit(w, "4", 10, 0);
	submit(w, "2", 30, 0);
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->job[2].start_us, 20);
	torus_state_out(w->s, &out); /* noticed without being told */
	assert_string_equal(pass(w, 1), "");
	assert_true(w->job[1].start_us == TORUS_NO_TIME);
	assert_int_equal(w->job[2].start_us, 10);
	torus_state_out(w->s, NULL);
	torus_scheduler_change(w->scheduler, 2);
	assert_string_equal(pass(w, 2), "");
	assert_int_equal(w->job[1].start_us, 10);
	assert_int_equal(w->job[2].start_us, 20);
	destroy(w);
}

/*
 * A textbook's conservative backfilling by numbers of nodes, on a grid of instants:
 * reservations in the order of arrival; after an early end each queued job, in that order or in
 * that of the starts, gets its earliest start.
 */
#define GRID 6000
#define GRID_NODES 16

struct textbook {
	int free[GRID];
	int nodes[SCHEDULING_JOBS], limit[SCHEDULING_JOBS], run[SCHEDULING_JOBS];
	int start[SCHEDULING_JOBS];
	bool ended[SCHEDULING_JOBS];
};

static void textbook_give(struct textbook *b, int from, int to, int nodes)
{
	for (int t = from; t < to; t++)
		b->free[t] += nodes;
}

static void textbook_reserve(struct textbook *b, int k, int now)
{
	int held = 0;

	for (b->start[k] = now; held < b->limit[k]; held++)
		if (b->free[b->start[k] + held] < b->nodes[k]) {
			b->start[k] += held + 1;
			held = -1;
		}
	textbook_give(b, b->start[k], b->start[k] + b->limit[k], -b->nodes[k]);
}

/* Move the queued jobs earlier. */
static void textbook_compress(struct textbook *b, int jobs, int now,
			      bool by_start)
{
	int before[SCHEDULING_JOBS], last = -1, at = now;

	memcpy(before, b->start, sizeof(before));
	for (int n = 0; n < jobs; n++) {
		int next = by_start ? -1 : n;

		for (int k = 0; k < jobs && by_start; k++)
			if ((before[k] > at || (before[k] == at && k > last)) &&
			    (next < 0 || before[k] < before[next]))
				next = k;
		if (next < 0)
			continue;
		at = before[next];
		last = next;
		if (at <= now)
			continue;
		textbook_give(b, b->start[next],
			      b->start[next] + b->limit[next], b->nodes[next]);
		textbook_reserve(b, next, now);
	}
}

static void textbook_round(uint32_t seed, bool by_start)
{
	struct world *w = create("flat:16", "flat", "conservative");
	static struct textbook b;
	int jobs = 0, over = 0;

	w->settings.reserve_nodes = false;
	assert_int_equal(torus_options_set(&w->settings.options, "compression",
					   by_start ? "start" : "arrival"),
			 0);
	configure(w);
	for (int t = 0; t < GRID; t++)
		b.free[t] = GRID_NODES;
	memset(b.ended, 0, sizeof(b.ended));
	srand(seed);
	for (int now = 0; over < SCHEDULING_JOBS; now++) {
		bool event = false, early = false;

		for (int k = 0; k < jobs; k++) {
			if (b.ended[k] || b.start[k] + b.run[k] != now)
				continue;
			early |= b.run[k] < b.limit[k];
			textbook_give(&b, now, b.start[k] + b.limit[k],
				      b.nodes[k]);
			torus_scheduler_end(w->scheduler, &w->job[k], now);
			b.ended[k] = event = true;
			over++;
		}
		for (int k = 0; k < jobs; k++)
			event |= b.start[k] == now;
		if (early)
			textbook_compress(&b, jobs, now, by_start);
		while (jobs < SCHEDULING_JOBS && rand() % 12 == 0) {
			char nodes[8];

			b.nodes[jobs] = 1 + rand() % GRID_NODES;
			b.limit[jobs] = 1 + rand() % 60;
			b.run[jobs] = 1 + rand() % b.limit[jobs];
			snprintf(nodes, sizeof(nodes), "%d", b.nodes[jobs]);
			submit(w, nodes, b.limit[jobs], now);
			textbook_reserve(&b, jobs++, now);
			event = true;
		}
		if (!event)
			continue;
		pass(w, now);
		for (int k = 0; k < jobs; k++) {
			if (b.ended[k])
				continue;
			assert_int_equal(w->job[k].start_us, b.start[k]);
			assert_int_equal(w->job[k].state,
					 b.start[k] <= now ? TORUS_JOB_RUNNING :
							     TORUS_JOB_QUEUED);
		}
	}
	destroy(w);
}

static void counts_are_reserved_as_in_the_textbook(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++)
		textbook_round(seed, seed % 2 == 0);
}

/* A job that is confined to some nodes: nodes are reserved from then on. */
static void a_confined_job_has_nodes_reserved(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");
	const uint64_t allowed[1] = { 0xf };
	struct torus_job *confined;

	(void)state;
	w->settings.reserve_nodes = false;
	configure(w);
	submit(w, "6", 10, 0);
	submit(w, "4", 10, 0); /* at 10 */
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(w->job[1].reservation, UINT32_MAX);
	confined = job(w, "4", 10);
	confined->allowed = allowed;
	assert_int_equal(torus_scheduler_submit(w->scheduler, confined, 1, NULL),
			 0);
	assert_string_equal(pass(w, 1), "");
	assert_int_not_equal(w->job[1].reservation, UINT32_MAX);
	assert_int_not_equal(confined->reservation, UINT32_MAX);
	destroy(w);
}

/* The ring that was reserved is an open line since, on the same nodes. */
static void a_reserved_ring_whose_link_fails_begins_behind_it(void **state)
{
	struct world *w = create("4x1", "submesh", "conservative");
	struct torus_link link = { .vertex = 1, .health = TORUS_LINK_DOWN };
	const struct torus_link_list list = { &link, 1, 0 };
	const struct torus_hold *h;

	(void)state;
	assert_int_equal(torus_machine_links(&w->m, 0, NULL), 0);
	submit(w, "4x1", 10, 0);
	submit(w, "4x1", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(torus_state_set_links(w->s, &list), 0);
	torus_scheduler_change(w->scheduler, 5);
	assert_string_equal(pass(w, 5), "");
	assert_int_equal(w->job[1].start_us, 10);
	assert_string_equal(end(w, 0, 10), "1");
	h = torus_state_hold(w->s, w->job[1].slot);
	assert_int_equal(h->place.region.base[0], 2);
	assert_int_equal(h->place.ring & 1, 0);
	/* of its first reservation nothing is left */
	submit(w, "4x1", 10, 15);
	assert_string_equal(end(w, 1, 15), "2");
	destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_later_job_delays_a_reservation),
		cmocka_unit_test(test_conservative_compress),
		cmocka_unit_test(a_job_that_no_pass_has_seen_leaves_nothing),
		cmocka_unit_test(test_conservative_wake),
		cmocka_unit_test(test_conservative_overdue),
		cmocka_unit_test(test_conservative_cut),
		cmocka_unit_test(test_conservative_cut_search),
		cmocka_unit_test(test_conservative_cut_first),
		cmocka_unit_test(test_conservative_groups),
		cmocka_unit_test(test_conservative_memory),
		cmocka_unit_test(test_conservative_counts),
		cmocka_unit_test(test_conservative_service),
		cmocka_unit_test(counts_are_reserved_as_in_the_textbook),
		cmocka_unit_test(a_confined_job_has_nodes_reserved),
		cmocka_unit_test(
			a_reserved_ring_whose_link_fails_begins_behind_it),
	};

	return UNIT_RUN(tests);
}
