/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler, and what is the same for most of its disciplines: the order of
 * the queue, what costs no search, ladders, nodes and times that a job may not
 * use. EASY and conservative have tests of their own. */
#include "scheduling.h"

/* Descriptors and settings */

static void each_discipline_is_found_by_its_name(void **state)
{
	const struct torus_discipline *const *d = torus_disciplines();
	uint32_t n = 0;

	(void)state;
	for (; d[n]; n++) {
		assert_non_null(d[n]->name);
		assert_non_null(d[n]->summary);
		assert_non_null(d[n]->source);
		assert_null(strchr(d[n]->summary, '\n'));
		assert_int_equal(!d[n]->create, !d[n]->destroy);
		assert_ptr_equal(torus_discipline_find(d[n]->name), d[n]);
		for (uint32_t i = 0; i < n; i++)
			assert_string_not_equal(d[i]->name, d[n]->name);
	}
	assert_true(n >= 3);
	assert_null(torus_discipline_find("esay"));
	assert_null(torus_discipline_find(""));
}

static void every_wrong_setting_is_reported(void **state)
{
	struct torus_scheduler_settings s;
	struct torus_machine m = unit_machine("flat:4", "flat");
	struct torus_state *st = torus_state_create(&m);
	struct torus_error err = { 0 };

	(void)state;
	torus_scheduler_defaults(&s);
	assert_string_equal(s.discipline->name, "easy");
	assert_int_equal(s.backfill_places, 1);
	assert_true(s.wait_limit_us == TORUS_NO_TIME);
	/* expected failures: every mistake is told */
	s.backfill_places = 0;
	s.wait_limit_us = -1;
	s.options.used = 1;
	strcpy(s.options.item[0].key, "no_such_option");
	errno = 0;
	assert_null(torus_scheduler_create(st, &s, &err));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(err.count, 3);
	s.discipline = NULL;
	assert_null(torus_scheduler_create(st, &s, NULL));
	torus_scheduler_destroy(NULL);
	torus_state_destroy(st);
	torus_machine_free(&m);
}

/* The queue */

static void fcfs_lets_no_job_overtake(void **state)
{
	struct world *w = create("flat:8", "flat", "fcfs");

	(void)state;
	submit(w, "6", 10, 0);
	submit(w, "4", 10, 0);
	submit(w, "1", 10, 0); /* would fit, but nobody overtakes */
	assert_string_equal(pass(w, 0), "0");
	assert_true(w->wake == TORUS_NO_TIME);
	submit(w, "1", 10, 5);
	assert_string_equal(pass(w, 5), "");
	assert_string_equal(end(w, 0, 10), "1 2 3");
	assert_int_equal(torus_scheduler_queue(w->scheduler)->length, 0);
	assert_int_equal(torus_state_free_nodes(w->s), 2);
	destroy(w);
}

static void priority_sorts_the_queue(void **state)
{
	struct world *w = create("flat:4", "flat", "fcfs");
	static const double priority[] = { 0, 1, 5, 1, 5, -1 };
	static const uint64_t order[] = { 2, 4, 1, 3, 5 };
	struct torus_job *j;

	(void)state;
	w->settings.order_by_priority = true;
	configure(w);
	submit(w, "4", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	for (int i = 1; i <= 5; i++) {
		j = job(w, "4", 10);
		j->priority = priority[i];
		torus_scheduler_submit(w->scheduler, j, 1, NULL);
	}
	j = torus_scheduler_queue(w->scheduler)->head;
	for (int i = 0; i < 5; i++, j = j->next)
		assert_int_equal(j->id, order[i]);
	assert_null(j);
	destroy(w);
}

/*
 * Aida, Kasahara, Narita 1998, section 3: job 0 holds 3 of 8 nodes, the others
 * come one second apart. What starts at 10, in which order, and what then at
 * 50 when job 0 ends; "limit" is WaitLimit.
 */
static const struct {
	const char *discipline;
	int64_t limit;
	const char *at_10, *at_50;
} paper_disciplines[] = {
	/* 1: 6 nodes, 9 s; 2: 2, 7 s; 3: 4, 8 s; 4: 1, 6 s; 5: 2, 5 s */
	{ "fcfs", TORUS_NO_TIME, "", "1 2" },
	{ "fcfs", 0, "", "1 2" },
	{ "mpfs", TORUS_NO_TIME, "", "1" },
	{ "lpfs", TORUS_NO_TIME, "4 2 5", "" },
	{ "sjf", TORUS_NO_TIME, "5 4 2", "" },
	{ "lpt", TORUS_NO_TIME, "", "1" },
	{ "fpfs", TORUS_NO_TIME, "2 4 5", "" },
	{ "fpmpfs", TORUS_NO_TIME, "3 4", "2" },
	{ "fplpfs", TORUS_NO_TIME, "4 2 5", "" },
	/* 1 has waited 9 s at 10 */
	{ "fpfs", 9, "", "1 2" },
	{ "fpfs", 10, "2 4 5", "" },
	{ "fpmpfs", 9, "", "1" },
	{ "fpmpfs", 10, "3 4", "" },
	/* all have waited long enough when the next comes */
	{ "fpfs", 0, "", "1 2" },
	{ "fpmpfs", 1, "", "1 2" },
	{ "lpfs", 1, "", "1 2" },
	{ "sjf", 1, "", "1 2" },
	/* 5 comes when 1 is over the limit: 4 2 3 1, then 5 */
	{ "lpfs", 4, "4 2", "3" },
};

static void test_paper_disciplines(void **state)
{
	static const char *const nodes[] = { "3", "6", "2", "4", "1", "2" };
	static const int64_t limit[] = { 50, 9, 7, 8, 6, 5 };

	(void)state;
	for (size_t i = 0;
	     i < sizeof(paper_disciplines) / sizeof(paper_disciplines[0]); i++) {
		struct world *w = create("flat:8", "flat",
					 paper_disciplines[i].discipline);
		char got[128];

		w->settings.wait_limit_us = paper_disciplines[i].limit;
		configure(w);
		for (int j = 0; j < 6; j++) {
			submit(w, nodes[j], limit[j], j);
			if (j == 0)
				assert_string_equal(pass(w, 0), "0");
		}
		snprintf(got, sizeof(got), "%s", pass(w, 10));
		if (strcmp(got, paper_disciplines[i].at_10))
			fail_msg("%zu: %s at 10: %s", i,
				 paper_disciplines[i].discipline, got);
		snprintf(got, sizeof(got), "%s", end(w, 0, 50));
		if (strcmp(got, paper_disciplines[i].at_50))
			fail_msg("%zu: %s at 50: %s", i,
				 paper_disciplines[i].discipline, got);
		destroy(w);
	}
}

/* A job's own WaitLimit comes before the scheduler's; 0 is fcfs for it alone. */
static void a_job_has_a_wait_limit_of_its_own(void **state)
{
	static const struct {
		int64_t site, own;
		const char *at_10;
	} cases[] = {
		/* 1 needs 6 of the 5 free nodes, 2 fits; at 10, 1 has waited 9 */
		{ TORUS_NO_TIME, 9, "" },
		{ TORUS_NO_TIME, 10, "2" },
		{ TORUS_NO_TIME, -1, "2" },
		{ 0, 10, "2" },
		{ 0, -1, "" },
		{ 20, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *w = create("flat:8", "flat", "fpfs");
		struct torus_job *large;

		w->settings.wait_limit_us = cases[i].site;
		configure(w);
		submit(w, "3", 50, 0);
		assert_string_equal(pass(w, 0), "0");
		large = job(w, "6", 9);
		large->submit_us = 1;
		large->wait_limited = cases[i].own >= 0;
		large->wait_limit_us = cases[i].own;
		assert_int_equal(torus_scheduler_submit(w->scheduler, large, 1,
							NULL),
				 0);
		submit(w, "2", 7, 2);
		assert_string_equal(pass(w, 10), cases[i].at_10);
		destroy(w);
	}
}

/* Minimum laxity first: by deadline - limit; without a deadline last. */
static void least_laxity_comes_first(void **state)
{
	static const struct {
		int64_t limit, deadline;
	} jobs[] = { { 50, TORUS_NO_TIME },
		     { 10, 90 },
		     { 40, 95 },
		     { 1, 300 },
		     { 70, 95 } };
	struct world *w = create("flat:8", "flat", "mlf");

	(void)state;
	submit(w, "8", 10, 0);
	assert_string_equal(pass(w, 0), "0");
	for (int i = 0; i < 5; i++) {
		struct torus_job *j = job(w, "1", jobs[i].limit);

		j->deadline_us = jobs[i].deadline;
		j->submit_us = 1;
		assert_int_equal(torus_scheduler_submit(w->scheduler, j, 1,
							NULL),
				 0);
	}
	assert_string_equal(end(w, 0, 10), "5 3 2 4 1");
	destroy(w);
}

static void a_withdrawn_job_leaves_and_may_return(void **state)
{
	static const char *const disciplines[] = { "easy", "conservative" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct world *w = create("flat:8", "flat", disciplines[i]);

		submit(w, "6", 10, 0);
		submit(w, "8", 10, 0);
		submit(w, "2", 20, 0); /* would delay the head */
		assert_string_equal(pass(w, 0), "0");
		assert_string_equal(pass(w, 3), "");
		torus_scheduler_remove(w->scheduler, &w->job[1], 4);
		assert_int_equal(w->job[1].state, TORUS_JOB_NEW);
		assert_string_equal(pass(w, 4), "2");
		/* it may come again */
		w->job[1].submit_us = 5;
		assert_int_equal(torus_scheduler_submit(w->scheduler,
							&w->job[1], 5, NULL),
				 0);
		assert_string_equal(pass(w, 5), "");
		end(w, 0, 10);
		assert_string_equal(end(w, 2, 24), "1");
		destroy(w);
	}
}

/* What costs no search */

static uint64_t searches(const struct world *w)
{
	return torus_scheduler_stats(w->scheduler)->searches;
}

static void equal_requests_are_searched_once(void **state)
{
	struct world *w = create("4x4:MM", "submesh", "fcfs");
	uint64_t before;

	(void)state;
	submit(w, "2x1", 99, 0);
	submit(w, "2x1", 99, 0);
	submit(w, "4x4", 10, 0);
	assert_string_equal(pass(w, 0), "0 1");
	before = searches(w);
	for (int64_t t = 1; t < 9; t++) {
		submit(w, "1x1", 10, t);
		assert_string_equal(pass(w, t), "");
	}
	assert_int_equal(searches(w), before);
	/* one ended, still too few nodes by number */
	assert_string_equal(end(w, 0, 9), "");
	assert_int_equal(searches(w), before);
	destroy(w);

	/* many that ask the same: asked about once */
	w = create("4x4:MM", "submesh", "easy");
	submit(w, "1x4", 50, 0);
	torus_state_out(w->s, (uint64_t[]){ 0x1248 }); /* a diagonal */
	submit(w, "4x4", 10, 0); /* the head waits for repair */
	for (int i = 0; i < 8; i++)
		submit(w, "2x3", 10, 0);
	before = searches(w);
	pass(w, 0);
	assert_true(searches(w) < before + 8);
	destroy(w);
}

/* A ladder: 8 nodes, after 20 also 4, after 30 also 2. */
static void alternatives_are_tried_after_their_waits(void **state)
{
	static const char *const disciplines[] = { "fcfs",   "fpfs",
						   "fpmpfs", "lpt",
						   "easy",   "conservative" };

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct world *w = create("flat:8", "flat", disciplines[i]);
		struct torus_job *j = job(w, "8", 10);

		submit(w, "5", 90, 0);
		submit(w, "1", 25, 0);
		j->request.alternatives = 3;
		j->request.alternative[1].ask = unit_count(3, 'N');
		j->request.alternative[1].after_us = 20;
		j->request.alternative[2].ask = unit_count(2, 'N');
		j->request.alternative[2].after_us = 30;
		j->submit_us = 2;
		assert_string_equal(pass(w, 0), "1 2");
		assert_int_equal(torus_scheduler_submit(w->scheduler, j, 2,
							NULL),
				 0);
		assert_string_equal(pass(w, 2), "");
		assert_int_equal(w->wake, 22);
		assert_string_equal(pass(w, 22), ""); /* 2 are free */
		assert_true(w->wake <= 32);
		assert_string_equal(end(w, 2, 25), "0");
		assert_int_equal(j->alternative, 1);
		assert_true(w->wake == TORUS_NO_TIME);
		destroy(w);
	}
}

/* Expected failures */

static void impossible_jobs_are_rejected(void **state)
{
	struct world *w = create("4x4:MM", "submesh", "easy");
	struct torus_job *j = job(w, "5x1", 10);
	struct torus_error why = { 0 };

	(void)state;
	for (int i = 0; i < 2; i++) { /* known the second time */
		torus_error_clear(&why);
		assert_int_equal(torus_scheduler_submit(w->scheduler, j, 0,
							&why),
				 TORUS_NEVER);
		assert_int_equal(j->state, TORUS_JOB_REJECTED);
		assert_non_null(j->reason);
		assert_int_equal(why.count, 1);
	}
	assert_int_equal(torus_scheduler_queue(w->scheduler)->length, 0);
	/* one possible alternative is enough */
	j->request.alternatives = 2;
	j->request.alternative[1].ask = unit_shape("4x1", NULL, true);
	assert_int_equal(torus_scheduler_submit(w->scheduler, j, 0, NULL), 0);
	assert_string_equal(pass(w, 0), "0");
	assert_int_equal(j->alternative, 1);
	/* unknown or forbidden placements */
	j = job(w, "2x1", 10);
	j->request.alternative[0].ask.strategy = "flat";
	assert_int_equal(torus_scheduler_submit(w->scheduler, j, 0, &why),
			 TORUS_NEVER);
	destroy(w);
}

/* A job that is submitted again keeps its turn, if the host gives it one. */
static void a_resubmitted_job_keeps_its_turn(void **state)
{
	struct world *w = create("flat:8", "flat", "fcfs");

	(void)state;
	for (int i = 0; i < 3; i++)
		job(w, i ? "1" : "8", 10)->turn = i + 1;
	for (int i = 0; i < 3; i++)
		assert_int_equal(torus_scheduler_submit(w->scheduler,
							&w->job[i], 0, NULL),
				 0);
	assert_string_equal(pass(w, 0), "0");
	torus_scheduler_remove(w->scheduler, &w->job[1], 1);
	assert_int_equal(torus_scheduler_submit(w->scheduler, &w->job[1], 1,
						NULL),
			 0);
	assert_string_equal(end(w, 0, 10), "1 2");
	destroy(w);
}

/* Jobs that may use some of the nodes only. */
static void jobs_use_only_their_allowed_nodes(void **state)
{
	static const char *const discipline[] = { "easy", "conservative" };
	const uint64_t low = 0x0f, high = 0xf0;

	(void)state;
	for (int d = 0; d < 2; d++) {
		struct world *w = create("flat:8", "flat", discipline[d]);

		job(w, "4", 10)->allowed = &low;
		job(w, "3", 10)->allowed = &low;  /* blocked, the head */
		job(w, "4", 20)->allowed = &high; /* long, but elsewhere */
		job(w, "4", 10)->allowed = &high;
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(torus_scheduler_submit(w->scheduler,
								&w->job[i], 0,
								NULL),
					 0);
		assert_string_equal(pass(w, 0), "0 2");
		assert_true(w->job[1].start_us == 10);
		assert_string_equal(end(w, 0, 5), "1");
		assert_string_equal(end(w, 2, 6), "3");
		destroy(w);
	}
}

static const uint64_t eight = 0xff;

/* A job that must keep out of all eight nodes from 5 to 20. */
static struct torus_job *submit_kept_out(struct world *w, const char *what,
					 int64_t limit, int64_t now)
{
	static const struct torus_outage maintenance = {
		.from_us = 5,
		.to_us = 20,
		.nodes = &eight,
	};
	static const struct torus_outages outages = {
		.number = 1,
		.last_start_us = TORUS_NO_TIME,
		.count = 1,
		.outage = &maintenance,
	};
	struct torus_job *j = job(w, what, limit);

	j->outages = &outages;
	j->submit_us = now;
	assert_int_equal(torus_scheduler_submit(w->scheduler, j, now, NULL), 0);
	return j;
}

/* Who looks ahead knows when; everybody starts it then, and not before. */
static void starts_wait_for_the_end_of_an_outage(void **state)
{
	static const char *const discipline[] = { "easy", "conservative",
						  "fpfs", "dedf", "sjf" };

	(void)state;
	for (int d = 0; d < 5; d++) {
		struct world *w = create("flat:8", "flat", discipline[d]);
		struct torus_job *late = submit_kept_out(w, "8", 6, 0);

		assert_string_equal(pass(w, 0), "");
		assert_int_equal(w->wake, 20);
		if (d < 2)
			assert_int_equal(late->start_us, 20);
		assert_string_equal(pass(w, 7), "");
		assert_string_equal(pass(w, 20), "0");
		assert_string_equal(end(w, 0, 26), "");
		destroy(w);
	}
}

/* Equal requests of other lengths fit before it, and jobs that may stay run
 * through it, if they leave the head its nodes. */
static void test_outages_short(void **state)
{
	struct world *w = create("flat:8", "flat", "easy");

	(void)state;
	submit_kept_out(w, "8", 6, 0);
	submit_kept_out(w, "8", 5, 0);
	submit_kept_out(w, "8", 6, 0);
	assert_string_equal(pass(w, 0), "1");
	submit(w, "1", 30, 1);
	submit(w, "4", 15, 1);
	assert_string_equal(end(w, 1, 5), "4");
	assert_string_equal(end(w, 4, 20), "0");
	destroy(w);
}

/* Behind a head, too, what is known of a longer request does not hold for an equal one
 * that ends before the outage. */
static void a_longer_candidate_has_no_place_before_an_outage(void **state)
{
	struct world *w = create("flat:8", "flat", "easy");

	(void)state;
	hold(w, "4+4", 100);
	submit(w, "8", 10, 0); /* head: at 100 */
	submit_kept_out(w, "4", 6, 0);
	submit_kept_out(w, "4", 5, 0);
	assert_string_equal(pass(w, 0), "2");
	destroy(w);
}

/* Its reservation stays, and moves up once nothing is in its way any more. */
static void a_readmitted_reservation_moves_up(void **state)
{
	struct world *w = create("flat:8", "flat", "conservative");
	struct torus_job *j = submit_kept_out(w, "8", 6, 0);

	(void)state;
	submit(w, "4", 40, 0);
	assert_string_equal(pass(w, 0), "");
	assert_int_equal(j->start_us, 20);
	assert_int_equal(w->job[1].start_us, 26);
	torus_scheduler_readmit(w->scheduler, j, NULL, NULL, 1);
	assert_int_equal(j->start_us, 20);
	assert_string_equal(pass(w, 1), "0");
	assert_string_equal(end(w, 0, 7), "1");
	destroy(w);
}

/* Its place in the queue stays as well, with a turn or without. */
static void test_readmit_in_place(void **state)
{
	static const uint64_t high = 0xf0;

	(void)state;
	for (int turns = 0; turns < 2; turns++) {
		struct world *w = create("flat:8", "flat", "conservative");
		struct torus_job *j;

		submit(w, "8", 10, 0);
		for (int i = 1; i <= 3; i++) {
			j = job(w, "4", 10);
			j->turn = turns * i;
			assert_int_equal(torus_scheduler_submit(w->scheduler, j,
								0, NULL),
					 0);
		}
		assert_string_equal(pass(w, 0), "0");
		torus_scheduler_readmit(w->scheduler, &w->job[1], NULL, NULL, 1);
		torus_scheduler_readmit(w->scheduler, &w->job[2], &high, NULL,
					1);
		j = torus_scheduler_queue(w->scheduler)->head;
		for (uint64_t id = 1; id <= 3; id++, j = j->next)
			assert_int_equal(j->id, id);
		assert_null(j);
		assert_string_equal(end(w, 0, 5), "1 2");
		destroy(w);
	}
}

/*
 * In a long queue it leaves the lane of those that may use all nodes for that
 * of its own, where it is found from then on, and back. (Who searches in lanes
 * reserves nothing today.)
 */
static void test_readmit_lane(void **state)
{
	const uint64_t low = 0x0f, high = 0xf0;
	static const struct {
		bool from, to;     /* some nodes only */
		const char *found; /* when the four low nodes are free */
	} table[] = {
		{ false, true, "4" },
		{ true, true, "4" },
		{ true, false, "3" },
		{ false, false, "3" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		struct world *w = create("flat:8", "flat", "fpfs");

		w->settings.index_at = 1;
		configure(w);
		job(w, "4", 10)->allowed = &low;
		job(w, "4", 10)->allowed = &high;
		job(w, "4", 10)->allowed = &high; /* finds no place */
		job(w, "4", 10)->allowed = table[i].from ? &high : NULL;
		job(w, "4", 10);
		for (uint32_t k = 0; k < 5; k++)
			assert_int_equal(torus_scheduler_submit(w->scheduler,
								&w->job[k], 0,
								NULL),
					 0);
		assert_string_equal(pass(w, 0), "0 1");
		torus_scheduler_readmit(w->scheduler, &w->job[3],
					table[i].to ? &high : NULL, NULL, 1);
		assert_string_equal(end(w, 0, 5), table[i].found);
		destroy(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_discipline_is_found_by_its_name),
		cmocka_unit_test(every_wrong_setting_is_reported),
		cmocka_unit_test(fcfs_lets_no_job_overtake),
		cmocka_unit_test(priority_sorts_the_queue),
		cmocka_unit_test(test_paper_disciplines),
		cmocka_unit_test(a_job_has_a_wait_limit_of_its_own),
		cmocka_unit_test(least_laxity_comes_first),
		cmocka_unit_test(a_withdrawn_job_leaves_and_may_return),
		cmocka_unit_test(equal_requests_are_searched_once),
		cmocka_unit_test(alternatives_are_tried_after_their_waits),
		cmocka_unit_test(impossible_jobs_are_rejected),
		cmocka_unit_test(a_resubmitted_job_keeps_its_turn),
		cmocka_unit_test(jobs_use_only_their_allowed_nodes),
		cmocka_unit_test(starts_wait_for_the_end_of_an_outage),
		cmocka_unit_test(test_outages_short),
		cmocka_unit_test(
			a_longer_candidate_has_no_place_before_an_outage),
		cmocka_unit_test(a_readmitted_reservation_moves_up),
		cmocka_unit_test(test_readmit_in_place),
		cmocka_unit_test(test_readmit_lane),
	};

	return UNIT_RUN(tests);
}
