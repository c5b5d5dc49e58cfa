/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a trace's record to a job: the transforms and their order. */
#include "unit.h"

#include "replay/jobs.h"

#define S INT64_C(1000000)

static struct torus_replay_options options;
static struct torus_replay_jobs jobs;
static struct torus_error err;

static int fresh(void **state)
{
	(void)state;
	torus_replay_options_init(&options);
	torus_error_clear(&err);
	return 0;
}

static int clear(void **state)
{
	(void)state;
	torus_replay_jobs_free(&jobs);
	return 0;
}

static struct torus_trace_record record(void)
{
	return (struct torus_trace_record){
		.submit_us = 100 * S,
		.run_us = 60 * S,
		.limit_us = 90 * S,
		.deadline_us = TORUS_NO_TIME,
		.since_us = TORUS_NO_TIME,
		.left_us = TORUS_NO_TIME,
		.requested = 12,
		.used = 10,
		.id = "j",
		.line = 3,
	};
}

static struct torus_replay_job *make(const struct torus_trace_record *r)
{
	struct torus_replay_job *job = torus_replay_job_make(&jobs, &options, r,
							     &err);

	if (!job)
		fail_msg("%s", err.text);
	return job;
}

static void plain(void **state)
{
	struct torus_trace_record r = record();
	struct torus_replay_job *job = make(&r);

	(void)state;
	assert_int_equal(job->requested, 12);
	assert_int_equal(job->job.request.alternative[0].ask.count, 12);
	assert_true(job->run_us == 60 * S && job->job.limit_us == 90 * S);
	assert_true(job->job.submit_us == 100 * S);
	assert_true(job->job.deadline_us == TORUS_NO_TIME);
	assert_true(job->job.id == 1);
	assert_string_equal(job->id, "j");
	r.requested = 0;
	assert_int_equal(make(&r)->requested, 10);
	options.processors_used = true;
	r.requested = 12;
	assert_int_equal(make(&r)->requested, 10);
	r.used = 0;
	assert_int_equal(make(&r)->requested, 12);
}

static void sizes(void **state)
{
	static const struct {
		double scale;
		bool pow2;
		uint32_t n, result;
	} table[] = {
		{ 1, false, 12, 12 },
		{ 1, true, 12, 16 },
		{ 1, true, 16, 16 },
		{ 1, true, 1, 1 },
		{ 0.125, false, 12, 2 },
		{ 0.125, false, 1, 1 },
		{ 0.1, false, 30, 3 },
		{ 0.1, false, 31, 4 },
		{ 8, true, 12, 128 },
		{ 1e-9, false, 12, 1 },
		{ 1e9, false, 12, UINT32_MAX },
		{ 1e9, true, 12, UINT32_MAX },
		{ 1. / 3, false, 3, 1 },
		{ 1. / 3, false, 300000, 100000 },
		{ 1. / 49, false, 49, 1 },
		{ 1.1, false, 10, 11 },
		{ 0.07, false, 100, 7 }, /* 7.000000000000001 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		options.scale = table[i].scale;
		options.round_up_pow2 = table[i].pow2;
		assert_int_equal(torus_replay_size(&options, table[i].n),
				 table[i].result);
	}
}

static void times(void **state)
{
	struct torus_trace_record r = record();
	struct torus_replay_job *job;

	(void)state;
	make(&r); /* the first submit: 100 s */
	options.run_scale = 0.3;
	options.load_scale = 3;
	r.submit_us = 110 * S;
	r.run_us = 1;
	r.deadline_us = 200 * S;
	job = make(&r);
	assert_true(job->job.submit_us == 103333333);
	assert_true(job->run_us == 0);
	assert_true(job->job.limit_us == 27 * S);
	/* the distance from the submit stays */
	assert_true(job->job.deadline_us == 103333333 + 90 * S);
	r.run_us = 2;
	assert_true(make(&r)->run_us == 1);
	options.laxity = 0.5;
	r.run_us = 100 * S;
	job = make(&r); /* run 30 s */
	assert_true(job->job.deadline_us == 103333333 + 45 * S);
}

static void estimates(void **state)
{
	struct torus_trace_record r = record();
	struct torus_replay_job *job;

	(void)state;
	r.limit_us = 40 * S; /* below the run time */
	job = make(&r);
	assert_true(job->run_us == 60 * S && job->job.limit_us == 60 * S);
	options.overrun = TORUS_OVERRUN_KILL;
	job = make(&r);
	assert_true(job->run_us == 40 * S && job->job.limit_us == 40 * S);
	assert_non_null(job->note);
	options.overrun = TORUS_OVERRUN_EXTEND;
	job = make(&r);
	assert_true(job->run_us == 60 * S && job->job.limit_us == 40 * S);
	assert_null(job->note);
	options.overrun = TORUS_OVERRUN_KILL;
	options.estimate_run = true;
	job = make(&r);
	assert_true(job->run_us == 60 * S && job->job.limit_us == 60 * S);
	options.estimate_run = false;
	r.limit_us = -1;
	job = make(&r);
	assert_true(job->run_us == 60 * S && job->job.limit_us == 60 * S);
}

/* The nodes that it may use, and when they become others. */
static void only(void **state)
{
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_trace_record r = record();
	const struct torus_replay_job *job;
	const struct torus_replay_only *o;
	char text[] = "torus:{0-2,9},outside:{0-3} 7.5=all 9=none "
		      "10=outside:{1}";

	(void)state;
	jobs.machine = &m;
	r.submit_us = 5 * S;
	r.only = (struct torus_text){ text, strlen(text), 0 };
	job = make(&r);
	o = job->only;
	assert_ptr_equal(job->job.allowed, o->set->map);
	assert_ptr_equal(job->only_now, o);
	assert_true(o->set->map[0] == 0x207 && o->at_us == 5 * S);
	o = o->next;
	assert_null(torus_replay_only_map(o));
	assert_true(o->at_us == 7500000);
	o = o->next;
	assert_true(torus_replay_only_map(o) && o->set->map[0] == 0);
	o = o->next;
	assert_true(torus_replay_only_map(o) && o->set->map[0] == 0 && !o->next);
	assert_true(o->at_us == 10 * S);
	/* equal nodes are known by their pointer, until nobody has them */
	assert_ptr_equal(make(&r)->job.allowed, job->job.allowed);
	assert_int_equal(job->only->set->users, 2);
	r.only.length = 0;
	assert_null(make(&r)->job.allowed);
	torus_replay_jobs_free(&jobs);
	torus_machine_free(&m);
}

/* Nodes that are out or busy are no job, but have its clock. */
static void kept(void **state)
{
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_trace_record r = record();
	const struct torus_replay_job *job;
	char text[] = "torus:{1,3}";

	(void)state;
	jobs.machine = &m;
	options.load_scale = 2;
	r.kind = TORUS_TRACE_KIND_BUSY;
	r.only = (struct torus_text){ text, strlen(text), 0 };
	assert_true(make(&r)->submitted_us == 100 * S);
	r.submit_us = 110 * S;
	r.limit_us = -1;
	job = make(&r);
	assert_int_equal(job->kind, TORUS_TRACE_KIND_BUSY);
	assert_true(job->submitted_us == 105 * S && job->job.limit_us == -1);
	assert_true(job->only->set->map[0] == 0xa);
	r.kind = TORUS_TRACE_KIND_JOB;
	assert_true(make(&r)->job.id == 1);
	torus_replay_jobs_free(&jobs);
	torus_machine_free(&m);
}

/* Expected failures. */
static void refuses(void **state)
{
	struct torus_request_words words = { .geometry = "4x3" };
	struct torus_trace_record r = record();
	struct torus_request request;

	(void)state;
	options.run_scale = 1e15;
	assert_null(torus_replay_job_make(&jobs, &options, &r, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "line 3: scaled beyond"));
	torus_error_clear(&err);
	options.run_scale = 1;
	options.scale = 2;
	assert_int_equal(torus_request_parse(&request, &words, NULL), 0);
	r.shaped = true;
	r.request = &request;
	assert_null(torus_replay_job_make(&jobs, &options, &r, &err));
	assert_non_null(strstr(err.text, "a shape cannot be scaled"));
	options.scale = 1;
	assert_int_equal(make(&r)->requested, 12);
}

static void refuses_nodes(void **state)
{
	static const char *const texts[] = {
		"torus:{0-16}", "pod7:{0}",
		"{0}",          "torus:0,0+1x1",
		"none, ",       "all 9=x",
		"outsides:{1}", "torus:{0},torus:{1}",
	};
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_trace_record r = record();

	(void)state;
	jobs.machine = &m;
	for (size_t i = 0; i < UNIT_ROWS(texts); i++) {
		char text[64];

		strcpy(text, texts[i]);
		r.only = (struct torus_text){ text, strlen(text), 0 };
		torus_error_clear(&err);
		if (torus_replay_job_make(&jobs, &options, &r, &err))
			fail_msg("taken: %s", texts[i]);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "line 3: only: "));
	}
	torus_error_clear(&err);
	torus_replay_jobs_free(&jobs);
	torus_machine_free(&m);
}

/* What was given back is used again. */
static void memory(void **state)
{
	struct torus_trace_record r = record();
	struct torus_replay_job *job, *again;

	(void)state;
	job = make(&r);
	torus_replay_job_drop(&jobs, job);
	again = make(&r);
	assert_ptr_equal(job, again);
	for (int i = 0; i < 1000; i++)
		make(&r);
	assert_true(jobs.made == 1002);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(sizes),
		TEST(times),
		TEST(estimates),
		TEST(memory),
		TEST(only),
		TEST(kept),
		/* expected failures */
		TEST(refuses),
		TEST(refuses_nodes),
	};

	return UNIT_RUN(tests);
}
