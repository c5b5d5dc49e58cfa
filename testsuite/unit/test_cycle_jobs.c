/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cycle of sched/torus (cycle.h) makes of what its host says of jobs:
 * who comes first, until when nodes are in use, when they are free again, what
 * may be expected, and what stays as it is when something changes.
 */
#include "live/mirror/mirror.h"
#include "live/orders.h"
#include "live/promises/promises.h"
#include "cycle_host.h"
#include "journal_rows.h"

/* What it promises job i; place NULL: nothing. */
struct asked {
	const struct torus_machine *m;
	uint32_t job;
	struct cycle_promise promise;
	struct cycle_blockers blockers;
	uint64_t nodes;
};

static bool note_promise(void *arg, const struct cycle_promise *p)
{
	struct asked *a = arg;

	if (p->name.job != a->job)
		return true;
	a->promise = *p;
	if (p->blockers)
		a->blockers = *p->blockers;
	a->nodes = 0;
	if (p->place) {
		torus_placement_paint(a->m, p->place, &a->nodes);
		assert_true(a->nodes && a->nodes == *p->nodes);
	}
	return false;
}

static struct asked ask(struct host *h, uint32_t i)
{
	struct asked a = { .m = &h->m, .job = i + 1 };

	promises_list(h->cycle, JOBS, JOBS, note_promise, &a);
	return a;
}

static int64_t promised(struct host *h, uint32_t i)
{
	return ask(h, i).promise.start_us;
}

/* The later end of two that have the same nodes counts; one that moves is
 * followed; what has passed is any moment now. */
static void the_later_end_of_shared_nodes_counts(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "easy");
	static const int64_t until[] = { 120, 150, 130 };
	const uint64_t both = 0x0f;
	struct job *j = intrude(h, 0, 0xf0, 100 * SECOND);

	(void)state;
	come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
	for (int round = 0; round < 3; round++) {
		h->now += SECOND;
		cycle_begin(h->cycle, h->now);
		note_running(h, j);
		tell_pending(h, &h->job[1]);
		for (int i = 0; i < 3; i++)
			untracked_add(h->cycle, &both,
				      FIRST + until[i] * SECOND);
		assert_int_equal(cycle_update(h->cycle), 0);
		obey(h);
		assert_true(promised(h, 1) ==
			    (round < 2 ? FIRST + 150 * SECOND : j->end_us));
		if (round == 1)
			j->end_us = FIRST + 200 * SECOND;
	}
	destroy(h);
}

/* A job that completes keeps its nodes; one of the same number that began anew
 * is another one. */
static void a_completing_job_keeps_its_nodes(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	struct job *j = come(h, 0, unit_shape("8", NULL, true), 60 * SECOND);

	(void)state;
	go_round(h);
	assert_int_equal(j->state, RUNNING);
	come(h, 1, unit_shape("1", NULL, true), 60 * SECOND);
	h->now += SECOND;
	cycle_begin(h->cycle, h->now);
	assert_true(running_completing(h->cycle, 1, j->start_us));
	tell_pending(h, &h->job[1]);
	assert_int_equal(cycle_update(h->cycle), 0);
	obey(h);
	assert_int_equal(h->job[1].state, PENDING);
	cycle_begin(h->cycle, h->now + SECOND);
	assert_true(running_unchanged(h->cycle, 1, 8, j->start_us, j->end_us));
	assert_false(running_unchanged(h->cycle, 1, 8, j->start_us + 9 * SECOND,
				       j->end_us));
	assert_false(running_completing(h->cycle, 2, j->start_us));
	destroy(h);
}

/* First comes who was eligible first, whatever the number. */
static void who_was_eligible_first_is_first(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	static const int64_t since[] = { 30, 50, 10, 50 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		come(h, i, unit_shape("8", NULL, true), 60 * SECOND)
			->pending.eligible_us = FIRST - since[i] * SECOND;
	go_round(h);
	assert_int_equal(h->job[1].state, RUNNING);
	assert_true(ask(h, 3).promise.head);
	h->job[1].state = h->job[3].state = UNBORN;
	h->now += SECOND;
	go_round(h);
	assert_int_equal(h->job[0].state, RUNNING);
	destroy(h);
}

/* The host knows to the second when a job became eligible; if that was just
 * now, its waiting counts from now. */
static void waits_count_from_the_exact_eligible_time(void **state)
{
	static const struct {
		int64_t ago, waits; /* when is its second alternative due? */
	} table[] = {
		{ 900000, 5 * SECOND },
		{ 10 * SECOND, 0 },
		{ 3 * SECOND, 2 * SECOND },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		struct host *h = create("8x1:MM", "submesh", "fcfs");
		struct job *j;

		intrude(h, 0, 0x0f, 60 * SECOND);
		j = come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
		j->pending.eligible_us = h->now - table[i].ago;
		j->pending.request.alternatives = 2;
		j->pending.request.alternative[1].ask = unit_shape("2", NULL,
								   true);
		j->pending.request.alternative[1].after_us = 5 * SECOND;
		go_round(h);
		if (table[i].waits)
			assert_true(cycle_wake_at(h->cycle) ==
				    h->now + table[i].waits);
		else
			assert_int_equal(j->state, RUNNING);
		destroy(h);
	}
}

/* A snapshot that waited for locks has the time before them, and jobs that became
 * eligible since. Those belong to the next cycle, or their waits would begin too
 * early. After a clock was set back they would wait too long. */
static void a_job_is_not_submitted_before_it_is_eligible(void **state)
{
	static const int64_t later[] = { 1, 60 * SECOND, 61 * SECOND };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(later); i++) {
		struct host *h = create("8x1:MM", "submesh", "fcfs");
		struct job *j;

		j = come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
		j->pending.eligible_us = h->now + later[i];
		go_round(h);
		if (later[i] > 60 * SECOND) {
			assert_int_equal(j->state, RUNNING);
		} else {
			assert_int_equal(j->state, PENDING);
			assert_true(cycle_retry_at(h->cycle) ==
				    h->now + later[i]);
			h->now += later[i];
			go_round(h);
			assert_int_equal(j->state, RUNNING);
		}
		destroy(h);
	}
}

/* A head whose nodes go out of service is in nobody's way, and returns with
 * them. */
static void a_head_without_nodes_in_service_blocks_nobody(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	const uint64_t out = 0x80, none = 0;
	struct asked a;

	(void)state;
	intrude(h, 0, 0x01, 60 * SECOND);
	come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
	come(h, 2, unit_shape("2", NULL, true), 10 * SECOND);
	go_round(h);
	assert_int_equal(h->job[2].state, PENDING);
	for (int round = 0; round < 2; round++) {
		h->now += SECOND;
		cycle_begin(h->cycle, h->now);
		note_running(h, &h->job[0]);
		tell_pending(h, &h->job[1]);
		if (round == 0)
			tell_pending(h, &h->job[2]);
		else
			note_running(h, &h->job[2]);
		cycle_set_out(h->cycle, round == 0 ? &out : &none);
		assert_int_equal(cycle_update(h->cycle), 0);
		assert_true(cycle_has_news(h->cycle));
		obey(h);
		assert_int_equal(h->job[2].state, RUNNING);
		a = ask(h, 1);
		assert_int_equal(a.promise.place != NULL, round);
		assert_true(round == 1 ||
			    strstr(a.promise.reason, "in service"));
		/* node 7; then the intruder and the job beside it, the first to
		 * end first */
		assert_int_equal(a.blockers.outs, round == 0);
		assert_int_equal(a.blockers.out[0], round == 0 ? 7 : 0);
		assert_int_equal(a.blockers.holders, round == 0 ? 0 : 2);
		assert_int_equal(a.blockers.holder[0].id.job,
				 round == 0 ? 0 : 3);
		assert_int_equal(a.blockers.holder[1].id.job,
				 round == 0 ? 0 : FOREIGN);
	}
	destroy(h);
}

/* Priorities that change nobody's place leave the queue alone; others make it
 * anew. */
static void only_priorities_that_change_an_order_sort_the_queue(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");
	struct journal_rows rows;

	(void)state;
	cycle_destroy(h->cycle);
	h->settings.order_by_priority = true;
	h->cycle = cycle_create(&h->m, &h->settings, 4, NULL);
	journal_rows_open(&rows, h->cycle, &h->m);
	intrude(h, 0, 0xff, 60 * SECOND);
	come(h, 1, unit_shape("8", NULL, true), 60 * SECOND)->pending.priority =
		9;
	come(h, 2, unit_shape("8", NULL, true), 60 * SECOND)->pending.priority =
		5;
	go_round(h);
	assert_true(promised(h, 2) == FIRST + 120 * SECOND);
	h->now += SECOND;
	h->job[2].pending.priority = 8;
	go_round(h);
	assert_int_equal(journal_rows_count(&rows, "withdrawn"), 0);
	h->now += SECOND;
	h->job[2].pending.priority = 10;
	go_round(h);
	assert_int_equal(journal_rows_count(&rows, "withdrawn"), 2);
	assert_true(promised(h, 2) == FIRST + 60 * SECOND);
	h->now += SECOND;
	h->job[1].pending.priority = 10; /* and it came first */
	go_round(h);
	assert_true(promised(h, 1) == FIRST + 60 * SECOND);
	destroy(h);
	journal_rows_close(&rows);
}

/* Other nodes for a job, among which those are that were reserved: there it
 * stays, though it would be given others now. */
static void a_reservation_stays_on_nodes_that_remain_allowed(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");

	(void)state;
	intrude(h, 0, 0xff, 60 * SECOND);
	come(h, 1, unit_shape("2", NULL, true), 60 * SECOND);
	confine(h, 1, 0x0c);
	go_round(h);
	assert_true(ask(h, 1).nodes == 0x0c);
	h->now += SECOND;
	h->job[1].pending.allowed = NULL;
	go_round(h);
	assert_true(ask(h, 1).nodes == 0x0c);
	destroy(h);
}

/* The head of a queue without reservations may expect the earliest of its
 * alternatives, of those that it accepts by now. */
static void a_head_expects_its_earliest_accepted_alternative(void **state)
{
	static const struct {
		int64_t after_us, start_us;
		uint32_t alternative;
	} table[] = {
		{ 0, FIRST + 30 * SECOND, 1 },
		{ 3600 * SECOND, FIRST + 60 * SECOND, 0 },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		struct host *h = create("8x1:MM", "submesh", "easy");
		struct job *j;

		intrude(h, 0, 0x0f, 60 * SECOND);
		intrude(h, 1, 0xf0, 30 * SECOND);
		j = come(h, 2, unit_shape("8", NULL, true), 60 * SECOND);
		j->pending.request.alternatives = 3;
		for (uint32_t k = 1; k < 3; k++) {
			j->pending.request.alternative[k].ask =
				unit_shape(k == 1 ? "4" : "6", NULL, true);
			j->pending.request.alternative[k].after_us =
				table[i].after_us;
		}
		go_round(h);
		assert_true(promised(h, 2) == table[i].start_us);
		assert_int_equal(ask(h, 2).promise.alternative,
				 table[i].alternative);
		destroy(h);
	}
}

/* A promised place stays what it is while further alternatives and the reason are
 * searched: a range of nodes, several regions. */
static void kept_places(void **state)
{
	static const char *const strategies[] = { "flat", "submesh" };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(strategies); i++) {
		struct host *h = create("4x4:TT", strategies[i], "easy");
		struct job *j;

		intrude(h, 0, 0x03ff, 60 * SECOND);
		intrude(h, 1, 0xfc00, 90 * SECOND);
		j = come(h, 2, unit_count(12, 'N'), 60 * SECOND);
		change(j, 3, unit_count(11, 'N'));
		j->alternative[2].ask = unit_count(10, 'N');
		go_round(h);
		assert_true(i > 0 || ask(h, 2).nodes == 0x03ff);
		j->alternative[2].ask = unit_count(12, 'N');
		change(j, 3, unit_count(11, 'N'));
		go_round(h);
		assert_int_equal(ask(h, 2).promise.alternative, 0);
		assert_true(ask(h, 2).nodes);
		j->state = UNBORN;
		j = come(h, 3, unit_shape("2x2", NULL, true), 60 * SECOND);
		j->alternative[0].ask.regions = i == 1 ? 3 : 0;
		change(j, 2, unit_shape("2x2", NULL, true));
		j->alternative[1].ask.regions = i == 1 ? 2 : 0;
		go_round(h);
		assert_true(ask(h, 3).nodes);
		destroy(h);
	}
}

/* The host gives a waiting job more alternatives, then fewer, then a second change
 * before the cycle has seen the first. */
static void other_alternatives(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	struct job *j;

	(void)state;
	intrude(h, 0, 0x0f, 60 * SECOND);
	j = come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
	go_round(h);
	change(j, 3, unit_shape("6", NULL, true));
	go_round(h);
	change(j, 1, unit_shape("6", NULL, true));
	go_round(h);
	assert_int_equal(j->state, PENDING);
	change(j, 2, unit_shape("6", NULL, true));
	cycle_begin(h->cycle, h->now);
	note_running(h, &h->job[0]);
	assert_int_equal(tell_pending(h, j), 0);
	change(j, 3, unit_shape("4", NULL, true));
	go_round(h);
	assert_int_equal(j->state, RUNNING);
	assert_true(j->nodes == 0xf0);
	destroy(h);
	assert_int_equal(blocks, 0);
}

/* A job with a reservation gets another alternative, and before the cycle has seen that,
 * other allowed nodes, too: neither change is lost. */
static void changed_twice(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "conservative");
	struct job *j;

	(void)state;
	intrude(h, 0, 0x0f, 60 * SECOND);
	j = come(h, 1, unit_shape("6", NULL, true), 60 * SECOND);
	go_round(h);
	assert_int_equal(j->state, PENDING);
	change(j, 2, unit_shape("2", NULL, true));
	cycle_begin(h->cycle, h->now);
	note_running(h, &h->job[0]);
	assert_int_equal(tell_pending(h, j), 0);
	confine(h, 1, 0x7f);
	go_round(h);
	assert_int_equal(j->state, RUNNING);
	destroy(h);
}

/* Queues are long, and nearly all jobs have one alternative. */
static void little_memory(void **state)
{
	(void)state;
	assert_true(sizeof(struct mirror_entry) +
			    sizeof(struct torus_alternative) <=
		    1152);
}

static bool count_promise(void *arg, const struct cycle_promise *p)
{
	uint32_t *count = arg;

	count[0] += p->start_us != TORUS_NO_TIME;
	count[1] += p->reason != NULL;
	return true;
}

/* So many of the queued jobs are told of, so many of these with what blocks
 * them; one that has been set aside comes on top, with a reason. */
static void so_many(void **state)
{
	static const struct {
		uint32_t most, explained, count, reasons;
	} table[] = {
		{ 0, 0, 0, 1 }, { 1, 9, 1, 2 }, { 2, 1, 2, 2 },
		{ 3, 0, 3, 1 }, { 9, 9, 3, 4 },
	};
	struct host *h = create("8x1:MM", "submesh", "conservative");

	(void)state;
	intrude(h, 0, 0xff, 60 * SECOND);
	for (uint32_t i = 1; i <= 3; i++)
		come(h, i, unit_shape("8", NULL, true), 60 * SECOND);
	come(h, 4, unit_shape("9", NULL, true), 60 * SECOND);
	go_round(h);
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		uint32_t count[2] = { 0 };

		promises_list(h->cycle, table[i].most, table[i].explained,
			      count_promise, count);
		assert_int_equal(count[0], table[i].count);
		assert_int_equal(count[1], table[i].reasons);
	}
	destroy(h);
}

static int64_t forecast(struct host *h, uint32_t i)
{
	return ask(h, i).promise.forecast_us;
}

/* The plan played forward: every job runs as long as it may. */
static void forecasts_run_every_job_to_its_limit(void **state)
{
	static const char *const disciplines[] = { "easy", "fcfs", "fpfs" };

	(void)state;
	for (size_t d = 0; d < UNIT_ROWS(disciplines); d++) {
		struct host *h = create("8x1:MM", "submesh", disciplines[d]);

		intrude(h, 0, 0xff, 100 * SECOND);
		come(h, 1, unit_shape("8", NULL, true), 60 * SECOND);
		come(h, 2, unit_shape("4", NULL, true), 90 * SECOND);
		come(h, 3, unit_shape("8", NULL, true), 60 * SECOND);
		go_round(h);
		assert_true(forecast(h, 2) == TORUS_NO_TIME);
		forecast_run(h->cycle, 2, SECOND);
		assert_true(forecast(h, 1) == FIRST + 100 * SECOND);
		assert_true(forecast(h, 2) == FIRST + 160 * SECOND);
		assert_true(forecast(h, 3) == TORUS_NO_TIME);
		forecast_run(h->cycle, JOBS, SECOND);
		assert_true(forecast(h, 3) == FIRST + 250 * SECOND);
		forecast_run(h->cycle, JOBS, 0); /* a pass: nobody starts */
		assert_true(forecast(h, 1) == TORUS_NO_TIME);
		check(h);
		destroy(h);
	}
}

/* The plan file has a job of two partitions once; the listing has both entries, in the order
 * of the queue: each may preempt others. */
static void listed_once(struct host *h, uint32_t entries)
{
	char **none[1] = { NULL };
	const struct torus_config config = { .machine = h->m, .names = none };
	const struct plan_file about = { .discipline = "easy" };
	const struct agent_counts counts = { .at_us = FIRST };
	struct plan_listing listing = { 0 };
	struct plan_file_read read = { 0 };
	struct torus_error err = { 0 };
	char path[] = "test_cycle_jobs.XXXXXX";
	int fd = mkstemp(path);
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	plan_listing_collect(&listing, &config, 0, h->cycle);
	assert_int_equal(listing.count, entries);
	for (uint32_t i = 0; i < entries; i++)
		assert_int_equal(listing.job[i].promise.name.part, i == 1);
	assert_int_equal(plan_listing_write(&listing, &about, &counts, path,
					    false),
			 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(plan_file_read(&read, f, path, &err), 0);
	fclose(f);
	unlink(path);
	assert_int_equal(read.plan.jobs, entries - 1);
	for (uint32_t i = 0; i < read.plan.jobs; i++)
		assert_int_equal(read.job[i].id.job, i ? 3 + i : 2);
	plan_file_free(&read);
	plan_listing_free(&listing);
}

/* Job 2 waits in two partitions, where it would start together or one after the other. */
static void a_job_of_two_partitions_starts_once_in_a_forecast(void **state)
{
	static const char *const shapes[] = { "4", "8" };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(shapes); i++) {
		struct host *h = create("8x1:MM", "submesh", "easy");

		intrude(h, 0, 0xff, 100 * SECOND);
		for (uint32_t part = 0; part < 2; part++) {
			come(h, 1 + part, unit_shape(shapes[i], NULL, true),
			     60 * SECOND)
				->pending.name =
				(struct cycle_name){ .job = 2, .part = part };
		}
		come(h, 3, unit_shape("4", NULL, true), 50 * SECOND);
		come(h, 4, unit_shape("8", NULL, true), 60 * SECOND);
		go_round(h);
		forecast_run(h->cycle, JOBS, SECOND);
		assert_true(forecast(h, 3) == FIRST + (i ? 160 : 100) * SECOND);
		assert_true(forecast(h, 4) == FIRST + (i ? 210 : 160) * SECOND);
		listed_once(h, 4);
		check(h);
		destroy(h);
	}
}

/* Two snapshots at one time of the clock: the second comes later. */
static void never_twice(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "fcfs");
	struct journal_rows rows;

	(void)state;
	journal_rows_open(&rows, h->cycle, &h->m);
	come(h, 0, unit_shape("8", NULL, true), 60 * SECOND);
	go_round(h);
	h->job[0].state = UNBORN;
	go_round(h);
	journal_rows_begin(&rows);
	assert_true(journal_rows_next(&rows, "completed"));
	assert_true(journal_rows_us(&rows, ROW_END) == FIRST + 1);
	assert_false(journal_rows_next(&rows, "completed"));
	destroy(h);
	journal_rows_close(&rows);
}

/* Tasks of an array have numbers of their own once they have started: reasons name
 * those. */
static void reasons_name_started_tasks_by_their_own_numbers(void **state)
{
	struct host *h = create("8:M", "submesh", "easy");
	struct asked a;
	uint32_t orders;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		come(h, i, unit_shape("4", NULL, true), 60 * SECOND);
		h->job[i].pending.name = (struct cycle_name){ .job = 1,
							      .copy = i };
	}
	come(h, 2, unit_shape("8", NULL, true), 60 * SECOND);
	assert_int_equal(snapshot(h), 0);
	orders = orders_plan(h->cycle, h->now);
	assert_int_equal(orders, 2);
	for (uint32_t i = 0; i < orders; i++)
		orders_done(h->cycle, i, CYCLE_STARTED, FOREIGN + i, NULL);
	a = ask(h, 2);
	assert_int_equal(a.blockers.holders, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(a.blockers.holder[i].id.job >= FOREIGN);
	assert_int_not_equal(a.blockers.holder[0].id.job,
			     a.blockers.holder[1].id.job);
	destroy(h);
}

/* A floating reservation begins so long after now at any time: jobs that last longer
 * never start, the others do, and the reason names no time. */
static void longer_jobs_never_start_under_a_floating_reservation(void **state)
{
	static const uint64_t all = 0xff;
	static const struct {
		int64_t longest_us, limit_us;
		const char *why;
	} cases[] = {
		{ 720 * SECOND, 721 * SECOND, "12 minutes" },
		{ 60 * SECOND, 86400 * SECOND, "1 minute" },
		{ 90 * SECOND, 86400 * SECOND, "90 seconds" },
		{ 7200 * SECOND, 86400 * SECOND, "2 hours" },
		{ 0, SECOND, "0 seconds" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
		struct host *h = create("8x1:MM", "submesh", "easy");
		char want[200];
		struct asked a;

		h->outage = (struct torus_outage){
			.from_us = INT64_MIN,
			.to_us = TORUS_NO_TIME,
			.nodes = &all,
			.name = "float",
			.longest_us = cases[i].longest_us,
		};
		h->outages = (struct torus_outages){ .count = 1,
						     .outage = &h->outage,
						     .last_start_us =
							     TORUS_NO_TIME };
		come(h, 0, unit_shape("8", NULL, true), cases[i].limit_us);
		snprintf(want, sizeof(want),
			 "no place outside the nodes that are reserved: float (floating: it keeps its nodes free of jobs longer than %s)",
			 cases[i].why);
		for (int round = 0; round < 3; round++) {
			go_round(h);
			a = ask(h, 0);
			assert_string_equal(a.promise.reason, want);
			assert_true(a.promise.start_us == TORUS_NO_TIME);
			assert_true(a.promise.forecast_us == TORUS_NO_TIME);
			h->now += 3600 * SECOND;
		}
		destroy(h);
	}
}

/* Complete words as long as they fit, of one long word its begin. */
static void long_text_is_cut_between_words(void **state)
{
	char text[600], word[600];

	(void)state;
	strcpy(text, "short");
	reason_bound(text);
	assert_string_equal(text, "short");
	for (size_t n = REASON_MOST - 4; n < sizeof(text); n++) {
		memset(word, 'x', n);
		word[n] = '\0';
		strcpy(text, word);
		reason_bound(text);
		assert_int_equal(strlen(text),
				 n <= REASON_MOST ? n : REASON_MOST);
		assert_int_equal(strcmp(text, word) == 0, n <= REASON_MOST);
		word[REASON_MOST / 2] = ' '; /* a word that does not fit */
		strcpy(text, word);
		reason_bound(text);
		assert_int_equal(strlen(text),
				 n <= REASON_MOST ? n : REASON_MOST / 2 + 4);
	}
	assert_string_equal(text + REASON_MOST / 2 - 1, "x ...");
}

/* Behind the head of the queue, too: of all jobs on the machine those that hold the
 * place that is free first. */
static void a_reason_names_the_holders_of_the_first_place(void **state)
{
	static const char *const disciplines[] = { "easy", "fcfs", "fpfs" };

	(void)state;
	for (size_t d = 0; d < UNIT_ROWS(disciplines); d++) {
		struct host *h = create("8x1:MM", "submesh", disciplines[d]);
		static const int64_t ends[] = { 90, 80, 30, 40, 70, 60, 100, 50 };
		struct asked a;

		for (uint32_t i = 0; i < 8; i++)
			intrude(h, i, UINT64_C(1) << i, ends[i] * SECOND);
		come(h, 8, unit_shape("8", NULL, true), 60 * SECOND);
		come(h, 9, unit_shape("2", NULL, true), 60 * SECOND);
		come(h, 10, unit_shape("9", NULL, true), 60 * SECOND);
		change(&h->job[10], 2, unit_shape("3", NULL, true));
		go_round(h);
		assert_int_equal(ask(h, 8).blockers.holders, 8);
		a = ask(h, 9);
		assert_null(a.promise.place);
		assert_true(a.blockers.place);
		assert_int_equal(a.blockers.holders, 2);
		assert_int_equal(a.blockers.holder[0].id.job, FOREIGN + 2);
		assert_int_equal(a.blockers.holder[1].id.job, FOREIGN + 3);
		a = ask(h, 10);
		assert_int_equal(a.blockers.holders, 3);
		assert_int_equal(a.blockers.holder[2].id.job, FOREIGN + 4);
		destroy(h);
	}
}

/* The expected start and the holders are of one place: the one that is free first goes to
 * the job before it. */
static void a_reason_names_the_holders_of_the_expected_place(void **state)
{
	struct host *h = create("8x1:MM", "submesh", "easy");
	static const int64_t ends[] = { 10, 10, 10, 10, 50, 50, 50, 50 };
	struct asked a;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		intrude(h, i, UINT64_C(1) << i, ends[i] * SECOND);
	come(h, 8, unit_shape("4", NULL, true), 300 * SECOND);
	come(h, 9, unit_shape("4", NULL, true), 300 * SECOND);
	go_round(h);
	forecast_run(h->cycle, JOBS, SECOND);
	go_round(h);
	forecast_run(h->cycle, JOBS, SECOND);
	a = ask(h, 9);
	assert_null(a.promise.place);
	assert_true(a.promise.forecast_us == FIRST + 50 * SECOND);
	assert_true(a.blockers.place);
	assert_int_equal(a.blockers.holders, 4);
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(a.blockers.holder[k].id.job, FOREIGN + 4 + k);
	destroy(h);
}

/* Of the jobs that hold its place up to three are named, in 100 characters. */
static void a_reason_names_jobs_in_100_characters(void **state)
{
	static const char *const words[] = {
		"4x2 needs 8 nodes, 4 are free (12 held by jobs, 0 out of service)",
		"fragmentation: 160 nodes are free, but no place for 4x4 among them",
		"8x8x8 needs 512 nodes, 9 are free (503 held by jobs, 0 out of service)",
	};
	static const struct torus_placement place = { .granted = 8 };
	static const struct torus_config config = { 0 };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(words); i++) {
		for (uint32_t holders = 1; holders < 6; holders++) {
			struct cycle_blockers b = { .holders = holders };
			struct cycle_promise p = { .start_us = 60 * SECOND,
						   .place = &place,
						   .reason = words[i],
						   .blockers = &b };
			struct torus_text text = { 0 };

			for (uint32_t k = 0; k < holders; k++)
				b.holder[k].id.job = 101 + k;
			assert_int_equal(reason_format(&config, &p, 0, 0, &text),
					 0);
			assert_true(text.length <= REASON_NAMED_MOST);
			assert_non_null(strstr(text.data, " free; job"));
			assert_non_null(strstr(text.data, " 101"));
			assert_null(strstr(text.data, "104"));
			assert_non_null(
				strstr(text.data, "its place; expected"));
			torus_text_free(&text);
		}
	}
}

/* squeue has whole seconds, rounded up: a reason has no earlier minute. */
static void a_reason_has_the_minute_that_squeue_has(void **state)
{
	static const int64_t start_us[] = { 120 * SECOND - 1, 120 * SECOND };
	static const struct torus_placement place = { .granted = 8 };
	static const struct torus_config config = { 0 };
	struct torus_text text[2] = { 0 };

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(start_us); i++) {
		struct cycle_blockers b = { .holders = 1 };
		struct cycle_promise p = { .start_us = start_us[i],
					   .place = &place,
					   .reason = "4x2 needs 8 nodes",
					   .blockers = &b };

		assert_int_equal(reason_format(&config, &p, 0, 0, &text[i]), 0);
		assert_non_null(strstr(text[i].data, "; expected"));
	}
	assert_string_equal(text[0].data, text[1].data);
	torus_text_free(&text[0]);
	torus_text_free(&text[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_name_started_tasks_by_their_own_numbers),
		cmocka_unit_test(a_reason_names_jobs_in_100_characters),
		cmocka_unit_test(a_reason_has_the_minute_that_squeue_has),
		cmocka_unit_test(a_reason_names_the_holders_of_the_first_place),
		cmocka_unit_test(
			a_reason_names_the_holders_of_the_expected_place),
		cmocka_unit_test(the_later_end_of_shared_nodes_counts),
		cmocka_unit_test(a_completing_job_keeps_its_nodes),
		cmocka_unit_test(who_was_eligible_first_is_first),
		cmocka_unit_test(waits_count_from_the_exact_eligible_time),
		cmocka_unit_test(a_job_is_not_submitted_before_it_is_eligible),
		cmocka_unit_test(a_head_without_nodes_in_service_blocks_nobody),
		cmocka_unit_test(
			only_priorities_that_change_an_order_sort_the_queue),
		cmocka_unit_test(
			a_reservation_stays_on_nodes_that_remain_allowed),
		cmocka_unit_test(
			a_head_expects_its_earliest_accepted_alternative),
		cmocka_unit_test(kept_places),
		cmocka_unit_test(so_many),
		cmocka_unit_test(never_twice),
		cmocka_unit_test(forecasts_run_every_job_to_its_limit),
		cmocka_unit_test(
			a_job_of_two_partitions_starts_once_in_a_forecast),
		cmocka_unit_test(other_alternatives),
		cmocka_unit_test(changed_twice),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(
			longer_jobs_never_start_under_a_floating_reservation),
		cmocka_unit_test(long_text_is_cut_between_words),
	};

	return UNIT_RUN(tests);
}
