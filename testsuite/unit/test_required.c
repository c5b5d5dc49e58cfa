/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting jobs whose place must hold certain nodes (live/mirror/required.c): which place
 * becomes theirs, and when it becomes another one; also on a machine where a
 * search takes longer than a host may hold its locks.
 */
#include "live/mirror/mirror.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "live/mirror/waiting.h"
#include "cycle_host.h"

/* Job i must have these nodes. */
static void require(struct host *h, uint32_t i, uint64_t nodes)
{
	assert_int_equal(node_sets_add(h->cycle, &nodes,
				       &h->job[i].pending.required),
			 0);
}

struct reason {
	uint32_t job;
	const char *text;
	bool asked;
};

static bool note_reason(void *arg, const struct cycle_promise *p)
{
	struct reason *r = arg;

	if (p->name.job != r->job)
		return true;
	r->asked = true;
	r->text = p->reason;
	return false;
}

static const char *reason_of(struct host *h, uint32_t i)
{
	struct reason r = { .job = i + 1 };

	promises_list(h->cycle, JOBS, JOBS, note_reason, &r);
	assert_true(r.asked);
	return r.text ? r.text : "";
}

/* The place around node 3 that is free first, in each discipline. */
static void test_first_place(void **state)
{
	static const char *const discipline[] = { "fcfs", "easy",
						  "conservative", "fpfs" };

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct host *h = create("8:M", "submesh", discipline[k]);

		intrude(h, 0, 0x0c, 20 * SECOND); /* 2 3 */
		intrude(h, 1, 0x30, 10 * SECOND); /* 4 5 */
		come(h, 2, unit_shape("2", NULL, true), 60 * SECOND);
		require(h, 2, 0x08);
		go_round(h);
		assert_int_equal(h->job[2].state, PENDING);
		h->now += 10 * SECOND;
		h->job[1].state = UNBORN;
		go_round(h);
		assert_int_equal(h->job[2].state, PENDING);
		h->now += 10 * SECOND;
		h->job[0].state = UNBORN;
		go_round(h);
		assert_int_equal(h->job[2].state, RUNNING);
		assert_true(h->job[2].nodes & 0x08);
		destroy(h);
	}
}

/* 4 and 5 are free, and would do, but the place must hold 1 as well. */
static void a_place_follows_the_required_nodes(void **state)
{
	struct host *h = create("8:M", "submesh", "easy");

	(void)state;
	intrude(h, 0, 0x01, 10 * SECOND);  /* 0 */
	intrude(h, 1, 0x04, 100 * SECOND); /* 2 */
	come(h, 2, unit_shape("2", NULL, true), 60 * SECOND);
	require(h, 2, 0x02);
	go_round(h);
	assert_int_equal(h->job[2].state, PENDING);
	h->now += SECOND;
	h->job[1].state = UNBORN; /* earlier than expected */
	go_round(h);
	assert_int_equal(h->job[2].state, RUNNING);
	assert_int_equal(h->job[2].nodes, 0x06);
	destroy(h);
}

/* The smaller alternative fits on free nodes of the larger one's place, but not
 * there around node 3. */
static void an_alternative_must_hold_the_required_nodes(void **state)
{
	struct host *h = create("8:M", "submesh", "easy");
	struct torus_job_request *r;

	(void)state;
	intrude(h, 0, 0x08, 30 * SECOND); /* 3 */
	come(h, 1, unit_shape("4", NULL, true), 60 * SECOND);
	r = &h->job[1].pending.request;
	r->alternatives = 2;
	r->alternative[1].ask = unit_shape("2", NULL, true);
	r->alternative[1].after_us = 5 * SECOND;
	require(h, 1, 0x08);
	go_round(h);
	h->now += 6 * SECOND;
	go_round(h);
	assert_int_equal(h->job[1].state, PENDING);
	h->now += 24 * SECOND;
	h->job[0].state = UNBORN;
	go_round(h);
	assert_int_equal(h->job[1].state, RUNNING);
	assert_true(h->job[1].nodes & 0x08);
	destroy(h);
}

/* An alternative that is accepted later is looked at then, though nothing
 * happens. */
static void test_later_alternative(void **state)
{
	struct host *h = create("8:M", "submesh", "easy");
	struct torus_job_request *r;

	(void)state;
	intrude(h, 0, 0x01, 30 * SECOND);
	intrude(h, 1, 0x20, 30 * SECOND);
	come(h, 2, unit_shape("8", NULL, true), 60 * SECOND);
	r = &h->job[2].pending.request;
	r->alternatives = 2;
	r->alternative[1].ask = unit_shape("2", NULL, true);
	r->alternative[1].after_us = 5 * SECOND;
	require(h, 2, 0x40);
	go_round(h);
	assert_int_equal(h->job[2].state, PENDING);
	assert_true(cycle_retry_at(h->cycle) == FIRST + 5 * SECOND);
	h->now = cycle_retry_at(h->cycle);
	go_round(h);
	assert_int_equal(h->job[2].state, RUNNING);
	assert_int_equal(h->job[2].nodes, 0xc0);
	destroy(h);
}

/* No place in service: it waits aside, says so, and comes back. */
static void test_out_of_service(void **state)
{
	struct host *h = create("8:M", "submesh", "fcfs");
	const uint64_t out = 0x08, none = 0;

	(void)state;
	come(h, 0, unit_shape("2", NULL, true), 60 * SECOND);
	require(h, 0, 0x08);
	come(h, 1, unit_shape("2", NULL, true), 60 * SECOND);
	cycle_begin(h->cycle, h->now);
	tell_pending(h, &h->job[0]);
	tell_pending(h, &h->job[1]);
	cycle_set_out(h->cycle, &out);
	assert_int_equal(cycle_update(h->cycle), 0);
	obey(h);
	assert_int_equal(h->job[0].state, PENDING);
	assert_int_equal(h->job[1].state, RUNNING); /* it blocks nobody */
	assert_non_null(strstr(reason_of(h, 0), "(-w)"));
	h->now += SECOND;
	cycle_begin(h->cycle, h->now);
	tell_pending(h, &h->job[0]);
	note_running(h, &h->job[1]);
	cycle_set_out(h->cycle, &none);
	assert_int_equal(cycle_update(h->cycle), 0);
	obey(h);
	assert_int_equal(h->job[0].state, RUNNING);
	destroy(h);
}

/* Memory that fails at any call changes nothing but the time. */
static void failed_allocations_change_nothing_but_time(void **state)
{
	(void)state;
	for (long n = 0; n < 40; n++) {
		struct host *h = create("8:M", "submesh", "easy");

		come(h, 0, unit_shape("2", NULL, true), 60 * SECOND);
		require(h, 0, 0x08);
		fail_at = n;
		snapshot(h);
		fail_at = -1;
		obey(h);
		for (int i = 0; i < 2 && h->job[0].state != RUNNING; i++) {
			h->now += SECOND;
			go_round(h);
		}
		assert_int_equal(h->job[0].state, RUNNING);
		assert_true(h->job[0].nodes & 0x08);
		destroy(h);
	}
}

#define LARGE_JOBS 6

/* A large machine: its host names the same jobs in every snapshot. */
struct large {
	struct torus_machine m;
	struct cycle *cycle;
	struct cycle_pending_job wish[LARGE_JOBS];
	struct torus_alternative alternative[LARGE_JOBS];
	uint32_t jobs;
	uint64_t *nodes;
};

static void large_create(struct large *l, uint32_t jobs)
{
	struct torus_scheduler_settings settings;

	*l = (struct large){ .m = unit_machine("4x4x4x4x4x4x4x4", "submesh"),
			     .jobs = jobs };
	torus_scheduler_defaults(&settings);
	settings.discipline = torus_discipline_find("easy");
	l->cycle = cycle_create(&l->m, &settings, 4, NULL);
	l->nodes = calloc(l->m.words, sizeof(*l->nodes));
	assert_true(l->cycle && l->nodes);
	for (uint32_t i = 0; i < jobs; i++) {
		struct cycle_pending_job *w = &l->wish[i];

		*w = (struct cycle_pending_job){
			.name = { .job = i + 1 },
			.key = i + 1,
			.eligible_us = FIRST,
			.limit_us = 60 * SECOND,
			.deadline_us = TORUS_NO_TIME,
			.request = { .alternative = &l->alternative[i],
				     .alternatives = 1,
				     .rotate = true },
		};
		l->alternative[i].ask = unit_count(5040, 'N');
	}
}

static void large_destroy(struct large *l)
{
	cycle_destroy(l->cycle);
	torus_machine_free(&l->m);
	free(l->nodes);
}

/* Nodes here and there are in use, so that most places are not free; `moved`
 * changes which. */
static void large_round(struct large *l, int64_t now_us, uint32_t moved)
{
	uint32_t orders;

	cycle_begin(l->cycle, now_us);
	memset(l->nodes, 0, l->m.words * sizeof(*l->nodes));
	for (uint32_t i = 0; i < 65536; i += 97)
		torus_bits_set(l->nodes, (i * 31 + moved) % 65536);
	untracked_add(l->cycle, l->nodes, FIRST + 100 * SECOND);
	for (uint32_t i = 0; i < l->jobs; i++) {
		struct cycle_pending_job *w = &l->wish[i];

		memset(l->nodes, 0, l->m.words * sizeof(*l->nodes));
		torus_bits_set(l->nodes, 12345 * (i + 1) % 65536);
		assert_int_equal(node_sets_add(l->cycle, l->nodes, &w->required),
				 0);
		if (!waiting_unchanged(l->cycle, &w->name, w->key, NULL, NULL,
				       0))
			assert_int_equal(waiting_add(l->cycle, w), 0);
	}
	assert_int_equal(cycle_update(l->cycle), 0);
	orders = orders_plan(l->cycle, now_us);
	assert_int_equal(orders, 0);
}

static bool count_places(void *arg, const struct cycle_promise *p)
{
	uint32_t *places = arg;

	*places += p->start_us != TORUS_NO_TIME;
	return true;
}

/* A search that a limit under locks would cut each time finds its place. */
static void a_hard_search_continues_over_cycles(void **state)
{
	struct large l;
	uint32_t places = 0;

	(void)state;
	large_create(&l, 4);
	for (int round = 0; round < 6; round++)
		large_round(&l, FIRST + round * SECOND, 0);
	forecast_run(l.cycle, 10, 60 * SECOND);
	promises_list(l.cycle, 10, 10, count_places, &places);
	assert_int_equal(cycle_queued(l.cycle), 4); /* nobody is set aside */
	assert_true(places >= 1);
	large_destroy(&l);
}

/* Jobs for which a place was looked for in the latest LARGE_JOBS searches. */
static uint32_t large_looked(const struct large *l)
{
	uint64_t before = l->cycle->search.searches - LARGE_JOBS;
	uint32_t looked = 0;

	for (uint32_t i = 0; i < l->jobs; i++) {
		const struct mirror_entry *e =
			mirror_table_find(&l->cycle->waiting, &l->wish[i].name);

		looked += e && e->required->search_number > before;
	}
	return looked;
}

/* One change of the machine, and one update, which has the time for one search. */
static uint64_t large_search(struct large *l, uint32_t round)
{
	int64_t now_us = FIRST + round * SECOND;
	uint64_t before = l->cycle->search.searches;

	large_round(l, now_us, round);
	assert_true(cycle_retry_at(l->cycle) == now_us); /* for the others */
	return l->cycle->search.searches - before;
}

/*
 * The machine changes from update to update, so that all that is known of each
 * job's place is out of date; and there is time for one search each. Who was not
 * reached comes first in the next update, so each job has its turn after as many
 * updates as there are jobs, and then again.
 */
static void stale_places_are_searched_in_turn(void **state)
{
	struct large l;

	(void)state;
	large_create(&l, LARGE_JOBS);
	l.cycle->search.budget_us = 0;
	for (uint32_t turn = 1; turn <= 3; turn++) {
		for (uint32_t i = 0; i < LARGE_JOBS; i++)
			assert_int_equal(large_search(&l, turn * LARGE_JOBS + i),
					 1);
		assert_int_equal(large_looked(&l), LARGE_JOBS);
	}
	large_destroy(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_place),
		cmocka_unit_test(a_place_follows_the_required_nodes),
		cmocka_unit_test(an_alternative_must_hold_the_required_nodes),
		cmocka_unit_test(test_later_alternative),
		cmocka_unit_test(test_out_of_service),
		cmocka_unit_test(failed_allocations_change_nothing_but_time),
		cmocka_unit_test(a_hard_search_continues_over_cycles),
		cmocka_unit_test(stale_places_are_searched_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
