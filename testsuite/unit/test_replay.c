/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event engine: what happens in which order at one instant, wake times,
 * jobs that nobody starts, and that --check finds what is wrong. Disciplines
 * of the test's own show what the engine tells them.
 */
#include "files.h"

#include "replay/engine.h"
#include "replay/replay.h"
#include "torus/discipline.h"

/* What a run left: rows as "id:start-end:outcome ", the events as letters. */
static char rows[1024], events[1024];
static struct torus_error err;
static struct torus_metrics *metrics;

static int on_row(void *arg, const struct torus_machine *m,
		  const struct torus_replay_row *row)
{
	const struct torus_account *a = &row->account;

	(void)m;
	if (a->granted)
		sprintf(rows + strlen(rows), "%s:%lld-%lld:%s ", row->id,
			(long long)(a->start_us / 1000000),
			(long long)(a->end_us / 1000000),
			torus_outcome_names[a->outcome]);
	else
		sprintf(rows + strlen(rows), "%s:%s ", row->id,
			torus_outcome_names[a->outcome]);
	errno = EIO;
	return arg ? -1 : 0;
}

static enum torus_replay_answer
replay(const char *csv, const struct torus_discipline *discipline, void *arg)
{
	struct torus_trace_options input = { 0 };
	struct torus_machine m = unit_machine("flat:4", "flat");
	struct torus_scheduler_settings settings;
	struct torus_replay_options options;
	struct torus_replay_hooks hooks = { .arg = arg, .row = on_row };
	enum torus_replay_answer answer;
	struct torus_trace *trace;

	rows[0] = events[0] = '\0';
	torus_error_clear(&err);
	torus_metrics_destroy(metrics);
	metrics = torus_metrics_create();
	trace = torus_trace_open(files_text("t.csv", csv), &input, &err);
	assert_non_null(trace);
	torus_scheduler_defaults(&settings);
	settings.discipline = discipline;
	torus_replay_options_init(&options);
	options.check = true;
	answer = torus_replay_run(trace, &m, &settings, &options, &hooks,
				  metrics, &err);
	torus_trace_close(trace);
	torus_machine_free(&m);
	return answer;
}

/* --- a discipline that writes down what it is told */

struct spy {
	struct torus_scheduler *s;
};

static void *spy_create(struct torus_scheduler *s)
{
	struct spy *spy = calloc(1, sizeof(*spy));

	spy->s = s;
	return spy;
}

static void note(const char *what, const struct torus_job *job, int64_t now)
{
	sprintf(events + strlen(events), "%s%llu@%lld ", what,
		job ? (unsigned long long)job->id : 0,
		(long long)(now / 1000000));
}

static void spy_submitted(void *self, struct torus_job *job, int64_t now)
{
	(void)self;
	note("s", job, now);
}

static void spy_left(void *self, struct torus_job *job, int64_t now)
{
	(void)self;
	note("l", job, now);
}

static void spy_ended(void *self, struct torus_job *job, int64_t now)
{
	(void)self;
	note("e", job, now);
}

static void start_all(struct spy *spy, int64_t now)
{
	struct torus_job *job, *next;

	for (job = torus_scheduler_queue(spy->s)->head; job; job = next) {
		next = job->next;
		torus_scheduler_try(spy->s, job, now);
	}
}

static int64_t spy_pass(void *self, int64_t now)
{
	note("p", NULL, now);
	start_all(self, now);
	return TORUS_NO_TIME;
}

/* Starts nothing before 20 s, and asks to be woken then. */
static int64_t sleeper_pass(void *self, int64_t now)
{
	note("p", NULL, now);
	if (now < 20000000)
		return 20000000;
	start_all(self, now);
	return TORUS_NO_TIME;
}

static int64_t lazy_pass(void *self, int64_t now)
{
	(void)self;
	(void)now;
	return TORUS_NO_TIME;
}

static int64_t impatient_pass(void *self, int64_t now)
{
	(void)self;
	return now;
}

static int64_t strict_pass(void *self, int64_t now)
{
	struct spy *spy = self;
	struct torus_job *job = torus_scheduler_queue(spy->s)->head;

	(void)now;
	while (job) {
		struct torus_job *next = job->next;

		torus_scheduler_reject(spy->s, job, "not today");
		job = next;
	}
	return TORUS_NO_TIME;
}

#define SPY(f)                                                                 \
	{                                                                      \
		.name = "spy", .create = spy_create, .destroy = free,          \
		.submitted = spy_submitted, .ended = spy_ended,                \
		.left = spy_left, .pass = f                                    \
	}

static const struct torus_discipline spy = SPY(spy_pass),
				     sleeper = SPY(sleeper_pass),
				     lazy = SPY(lazy_pass),
				     impatient = SPY(impatient_pass),
				     refuser = SPY(strict_pass);

/* --- tests */

/* All ends, in the order of the starts, then submits in input order, then
 * one pass. */
static void one_instant(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n"
				"0,10,1\n"  /* 1 */
				"2,8,1\n"   /* 2: ends with 1 */
				"10,5,4\n"  /* 3: needs what 1 and 2 leave */
				"10,5,1\n", /* 4 */
				&spy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(events, "s1@0 p0@0 s2@2 p0@2 "
				    "e1@10 e2@10 s3@10 s4@10 p0@10 "
				    "e3@15 p0@15 e4@20 p0@20 ");
	assert_string_equal(rows, "1:0-10:completed 2:2-10:completed "
				  "3:10-15:completed 4:15-20:completed ");
}

/* Who is withdrawn leaves after the ends and before the submits, unless it has
 * begun. Among those that come together the turn decides, whatever the lines;
 * waits may have begun before. */
static void a_withdrawn_job_leaves_between_ends_and_submits(void **state)
{
	(void)state;
	assert_int_equal(replay("id,submit,run,nodes,left,turn,eligible\n"
				"c,9,5,4,,3,1\n"  /* 3 */
				"a,0,9,4,8,1,\n"  /* 1: began */
				"d,9,5,4,12,4,\n" /* 4 */
				"b,0,9,4,9,2,\n", /* 2 */
				&spy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(events, "s1@0 s2@0 p0@0 e1@9 l2@9 s3@9 s4@9 p0@9 "
				    "l4@12 p0@12 e3@14 p0@14 ");
	assert_string_equal(rows, "a:0-9:completed b:unfinished d:unfinished "
				  "c:9-14:completed ");
	assert_true(metrics->last_end_us == 14000000);
	/* one job may leave and come again */
	assert_int_equal(replay("id,submit,run,nodes,left\n"
				"a,0,9,4,\nb,1,5,4,2\nb,3,5,4,\n",
				&spy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(rows, "b:unfinished a:0-9:completed "
				  "b:9-14:completed ");
}

/* A run of nothing occupies its nodes within the instant. */
static void no_time(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,0,4\n0,0,4\n0,1,4\n", &spy,
				NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(events, "s1@0 s2@0 s3@0 p0@0 e1@0 p0@0 e2@0 p0@0 "
				    "e3@1 p0@1 ");
}

static void a_discipline_is_woken_when_it_asked(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,5,1\n7,5,4\n", &sleeper,
				NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(events, "s1@0 p0@0 s2@7 p0@7 p0@20 e1@25 p0@25 "
				    "e2@30 p0@30 ");
}

static void nobody_starts(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,5,1\n7,5,5\n9,1,1\n",
				&lazy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(rows, "2:rejected 1:unfinished 3:unfinished ");
	assert_int_equal(metrics->jobs, 3);
	assert_int_equal(metrics->outcome[TORUS_OUTCOME_UNFINISHED], 2);
}

static void rejects_later(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,5,1\n0,5,1\n", &refuser,
				NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(rows, "1:rejected 2:rejected ");
}

static void missed_deadlines_are_counted(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes,deadline\n"
				"0,5,4,5\n0,5,4,9.999999\n0,5,4,\n",
				&spy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(rows, "1:0-5:completed 2:5-10:missed "
				  "3:10-15:completed ");
}

static void an_empty_trace_is_replayed(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n", &spy, NULL),
			 TORUS_REPLAY_DONE);
	assert_string_equal(events, "");
	assert_int_equal(metrics->jobs, 0);
}

/* Expected failures. */
static void row_fails(void **state)
{
	int any;

	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,5,1\n", &spy, &any),
			 TORUS_REPLAY_FAILED);
	assert_int_equal(errno, EIO);
}

static void woken_in_the_past(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,nodes\n0,5,1\n", &impatient, NULL),
			 TORUS_REPLAY_VIOLATION);
	assert_non_null(strstr(err.text, "in the past"));
}

static void too_far(void **state)
{
	static const char head[] = "submit,run,nodes\n";
	char text[512];

	(void)state;
	strcpy(text, head);
	for (int i = 0; i < 5; i++)
		strcat(text, "1000000000000,1000000000000,4\n");
	assert_int_equal(replay(text, &spy, NULL), TORUS_REPLAY_REFUSED);
	assert_non_null(strstr(err.text, "the schedule goes beyond"));
}

static void bad_input(void **state)
{
	(void)state;
	assert_int_equal(replay("submit,run,node\n", &spy, NULL),
			 TORUS_REPLAY_REFUSED);
	assert_int_equal(err.count, 1);
}

/* Sound first, then wrong in one way at a time. */
static void checks_find(void **state)
{
	struct torus_machine m = unit_machine("flat:4", "flat");
	struct torus_state *s = torus_state_create(&m);
	struct torus_scheduler_settings settings;
	struct torus_replay_job job = { .requested = 2 }, good;
	struct torus_alternative alternative;
	struct torus_scheduler *scheduler;
	int64_t wake;

	(void)state;
	torus_error_clear(&err);
	torus_scheduler_defaults(&settings);
	settings.discipline = &spy;
	scheduler = torus_scheduler_create(s, &settings, &err);
	job.job.request = torus_job_request_count(&alternative, 2);
	job.job.id = 7;
	job.job.submit_us = 5;
	job.job.deadline_us = TORUS_NO_TIME;
	assert_int_equal(torus_scheduler_submit(scheduler, &job.job, 5, &err),
			 0);
	assert_true(torus_check_instant(scheduler, 5, 0, 1, 0, &err));
	assert_false(torus_check_instant(scheduler, 4, 0, 1, 0, &err));
	assert_false(torus_check_instant(scheduler, 5, 0, 0, 0, &err));
	assert_ptr_equal(torus_scheduler_pass(scheduler, 5, &wake), &job.job);
	good = job;
	torus_error_clear(&err);
	assert_true(torus_check_start(scheduler, &job, 5, &err));
	assert_true(torus_check_instant(scheduler, 5, 1, 0, 2, &err));
	assert_string_equal(err.text, "");
	assert_false(torus_check_start(scheduler, &job, 6, &err));
	job.job.submit_us = 6;
	assert_false(torus_check_start(scheduler, &job, 5, &err));
	job = good;
	job.granted = 2;
	assert_false(torus_check_start(scheduler, &job, 5, &err));
	job = good;
	job.requested = 3;
	assert_false(torus_check_start(scheduler, &job, 5, &err));
	job = good;
	job.job.id = 8;
	assert_false(torus_check_start(scheduler, &job, 5, &err));
	job = good;
	assert_false(torus_check_instant(scheduler, 5, 0, 0, 2, &err));
	assert_false(torus_check_instant(scheduler, 5, 1, 1, 2, &err));
	assert_false(torus_check_instant(scheduler, 5, 1, 0, 3, &err));
	torus_scheduler_end(scheduler, &job.job, 6);
	torus_scheduler_destroy(scheduler);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static int end(void **state)
{
	torus_metrics_destroy(metrics);
	return files_end(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_instant),
		cmocka_unit_test(a_withdrawn_job_leaves_between_ends_and_submits),
		cmocka_unit_test(no_time),
		cmocka_unit_test(a_discipline_is_woken_when_it_asked),
		cmocka_unit_test(nobody_starts),
		cmocka_unit_test(rejects_later),
		cmocka_unit_test(missed_deadlines_are_counted),
		cmocka_unit_test(an_empty_trace_is_replayed),
		/* expected failures */
		cmocka_unit_test(row_fails),
		cmocka_unit_test(woken_in_the_past),
		cmocka_unit_test(too_far),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(checks_find),
	};

	return cmocka_run_group_tests(tests, files_begin, end) ? EXIT_FAILURE :
								 EXIT_SUCCESS;
}
