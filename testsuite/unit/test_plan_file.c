/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan file, written from a listing and read (format/plan_file.h). */
#include "files.h"

#include <errno.h>

#include "format/plan_file.h"
#include "live/promises/promises.h"

#define SECOND INT64_C(1000000)
#define DAY (1700000000 * SECOND)

/* Microseconds become seconds, none of them before its time. */
static void microseconds_round_up_to_seconds(void **state)
{
	static const struct {
		int64_t start_us, end_us;
		const char *line;
	} table[] = {
		{ DAY, DAY + 60 * SECOND,
		  "\"start\": 1700000000, \"end\": 1700000060" },
		{ DAY + 1, DAY + 60 * SECOND + 1,
		  "\"start\": 1700000001, \"end\": 1700000061" },
		{ DAY - 1, DAY + 60 * SECOND - 1,
		  "\"start\": 1700000000, \"end\": 1700000060" },
	};
	const char *path = files_path("plan");

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		char region[] = "torus:0,0+2x1", expected[128], *text;
		struct plan_listing_job job = {
			.promise = { .id = { .job = 7 },
				     .start_us = table[i].start_us,
				     .end_us = table[i].end_us },
			.region.data = region,
			.placed = true,
		};
		const struct plan_listing list = { .job = &job,
						   .count = 1,
						   .written = 1 };
		const struct agent_counts counts = { .at_us = table[i].start_us };
		const struct plan_file about = {
			.discipline = "easy",
			.queued = 1,
		};

		assert_int_equal(plan_listing_write(&list, &about, &counts,
						    path, false),
				 0);
		text = files_read(path, NULL);
		snprintf(expected, sizeof(expected),
			 "{\"job\": 7, %s, \"region\": \"%s\", \"alternative\": 0}\n",
			 table[i].line, region);
		assert_non_null(strstr(text, expected));
		snprintf(expected, sizeof(expected),
			 "{\n \"format\": \"torus-plan\",\n \"schema\": 2,\n \"time\": %.10s,\n",
			 table[i].line + 9);
		assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
		free(text);
	}
	assert_int_equal(files_count(), 1);
}

/* Of a job who is in its way; of a torus.yaml that is not used what is wrong. */
static void holders_and_mistakes_are_named(void **state)
{
	static const char *const expected[] = {
		"\"config\": \"/etc/torus.yaml\",\n \"config_since\": 1700000000,\n",
		" \"config_refused\": 1700000060,\n",
		" \"config_errors\": [\n  \"line 1\",\n  \"line 2\"\n ]",
		"{\"job\": 7, \"alternative\": 1, \"reason\": \"it waits\", \"ask\": \"4x4,2x2@1h\", ",
		"\"holders\": 20, \"held_by\": [{\"job\": 1, \"end\": 1700000000}, {\"job\": 2}, ",
		"{\"job\": 16, \"end\": 1700000000}], \"out\": 2, \"out_nodes\": \"n1 n2\"}"
	};
	const struct agent_counts counts = { 0 };
	const char *path = files_path("names");
	char reason[] = "it waits", ask[] = "4x4,2x2@1h", out[] = "n1 n2";
	struct plan_listing_job job = {
		.promise = { .id = { .job = 7 },
			     .alternative = 1,
			     .forecast_us = TORUS_NO_TIME },
		.reason.data = reason,
		.ask = ask,
		.out = out,
		.blockers = { .holders = 20, .outs = 2 },
	};
	const struct plan_listing list = { .job = &job,
					   .count = 1,
					   .written = 1 };
	const struct plan_file about = {
		.discipline = "easy",
		.config = "/etc/torus.yaml",
		.config_s = DAY / SECOND,
		.refused_s = DAY / SECOND + 60,
		.config_errors = "line 1\nline 2",
	};
	char *text;

	(void)state;
	for (uint32_t i = 0; i < CYCLE_BLOCKERS; i++)
		job.blockers.holder[i] = (struct cycle_holder){
			{ .job = i + 1 }, i == 1 ? INT64_MAX : DAY
		};
	assert_int_equal(plan_listing_write(&list, &about, &counts, path, false),
			 0);
	text = files_read(path, NULL);
	for (size_t i = 0; i < UNIT_ROWS(expected); i++)
		assert_non_null(strstr(text, expected[i]));
	free(text);
}

/* Read `text`, which is to be freed with the plan. */
static struct plan_file_read plan_of(const char *path, struct torus_error *err,
				     int *rc)
{
	struct plan_file_read read;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	torus_error_clear(err);
	errno = 0;
	*rc = plan_file_read(&read, f, "plan", err);
	fclose(f);
	return read;
}

/* Names and messages may be anybody's text: no terminal and no line of another sees it. */
static void foreign_text_is_plain(void **state)
{
	const struct agent_counts counts = { 0 };
	const char *path = files_path("hostile");
	char reason[] = "beside\n{\"job\": 9} ", ask[] = "4x4\rout \"1\" n",
	     out[] = "n1\nn2";
	struct plan_listing_job job = {
		.promise = { .id = { .job = 7 }, .forecast_us = TORUS_NO_TIME },
		.reason.data = reason,
		.ask = ask,
		.out = out,
		.blockers = { .outs = 2 },
	};
	struct torus_usage usage = { .user = "a\nda\"",
				     .used = 7200500000,
				     .at_us = 1764000000250000,
				     .nodes = 4 };
	const struct plan_listing list = { .job = &job,
					   .count = 1,
					   .written = 1,
					   .usage = &usage,
					   .usages = 1 };
	const struct plan_file about = {
		.discipline = "easy",
		.journal_error = "no\njob 10 1 2 x 0 ",
		.policy_error = "it\ncrashed",
		.config = "/etc/\ntorus.yaml",
		.ignored = "GANG\tis\x7fignored",
	};
	struct plan_file_read read;
	struct torus_error err;
	int rc;

	(void)state;
	assert_int_equal(plan_listing_write(&list, &about, &counts, path, false),
			 0);
	read = plan_of(path, &err, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(read.plan.jobs, 1);
	assert_string_equal(read.plan.journal_error, "no?job 10 1 2 x 0 ");
	assert_string_equal(read.plan.policy_error, "it?crashed");
	assert_string_equal(read.plan.config, "/etc/?torus.yaml");
	assert_string_equal(read.plan.ignored, "GANG?is?ignored");
	assert_int_equal(read.plan.usages, 1);
	assert_string_equal(read.plan.usage->user, "a?da\"");
	assert_true(read.plan.usage->used == usage.used);
	assert_int_equal(read.plan.usage->at_us, usage.at_us);
	assert_int_equal(read.plan.usage->nodes, 4);
	assert_string_equal(read.job->reason, "beside?{\"job\": 9} ");
	assert_string_equal(read.job->ask, "4x4?out \"1\" n");
	assert_string_equal(read.job->out, "n1?n2");
	plan_file_free(&read);
}

/* What is written reads back, and is written again to the letter. */

static const struct plan_file_job written[] = {
	{ .id = { .job = 7 },
	  .start_s = 1700000000,
	  .end_s = 1700000060,
	  .region = "torus:0,0+2x1",
	  .alternative = 1,
	  .reason = "4x4 needs 16 nodes; job 3 holds its place",
	  .ask = "4x4,2x2@1h",
	  .holders = 20,
	  .named = 2,
	  .holder = { { { .job = 3 }, 1700000060 },
		      { { 12, 5, 0 }, PLAN_FILE_NO_TIME } },
	  .outs = 3,
	  .out = "n1 n2 n3" },
	{ .id = { .job = 8 }, .start_s = 1700000099, .end_s = PLAN_FILE_NO_TIME },
	{ .id = { .job = 9 },
	  .start_s = PLAN_FILE_NO_TIME,
	  .end_s = PLAN_FILE_NO_TIME },
};

static void give_job(void *arg, uint32_t i, struct plan_file_job *job)
{
	*job = ((const struct plan_file_job *)arg)[i];
}

static char *write_plan(const struct plan_file *plan,
			const struct plan_file_job *job, const char *path)
{
	const struct plan_file_source jobs = { give_job,
					       (void *)(uintptr_t)job };

	assert_int_equal(plan_file_write(plan, &jobs, path, false), 0);
	return files_read(path, NULL);
}

static void test_round_trip(void **state)
{
	static const struct plan_file_count count[] = {
		{ .name = "cycles", .value = 12 },
		{ .name = "lock_hold_max_step", .text = "looking at jobs" },
	};
	const struct plan_file plan = {
		.time_s = 1700000000,
		.discipline = "conservative",
		.queued = 5,
		.count = count,
		.counts = 2,
		.journal_error = "j.csv: No space left on device",
		.config = "/etc/slurm/torus.yaml",
		.config_s = 1690000000,
		.refused_s = 1690000001,
		.config_errors = "line 1: a\nline 2: b",
		.ignored = "GANG is ignored",
		.jobs = UNIT_ROWS(written),
	};
	const char *path = files_path("round");
	char *first = write_plan(&plan, written, path), *second;
	struct torus_error err;
	int rc;
	struct plan_file_read read = plan_of(path, &err, &rc);

	(void)state;
	assert_int_equal(rc, 0);
	assert_string_equal(read.plan.discipline, plan.discipline);
	assert_int_equal(read.plan.jobs, plan.jobs);
	assert_int_equal(read.job[0].holder[1].end_s, PLAN_FILE_NO_TIME);
	assert_null(read.job[1].region);
	assert_int_equal(plan_file_count(&read.plan, "cycles")->value, 12);
	assert_null(plan_file_count(&read.plan, "orders"));
	second = write_plan(&read.plan, read.job, path);
	assert_string_equal(first, second);
	free(first);
	free(second);
	plan_file_free(&read);
}

/* Who may read it, whatever the umask; a link in its way is not followed. */
static void a_plan_is_private_and_follows_no_link(void **state)
{
	static const struct plan_file plan = { .discipline = "easy" };
	static const struct plan_file_source none = { give_job, NULL };
	mode_t mask = umask(077);
	char path[256], fresh[256];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s", files_path("mode"));
	snprintf(fresh, sizeof(fresh), "%s", files_path("mode.new"));
	for (int i = 0; i < 2; i++) {
		files_text("target", "mine");
		assert_int_equal(symlink(files_path("target"), fresh), 0);
		unlink(path);
		assert_int_equal(symlink(files_path("target"), path), 0);
		assert_int_equal(plan_file_write(&plan, &none, path, i == 1), 0);
		assert_int_equal(lstat(path, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 0777, i == 1 ? 0600 : 0644);
		assert_int_equal(lstat(fresh, &st), -1);
		assert_int_equal(lstat(files_path("target"), &st), 0);
		assert_int_equal(st.st_size, 4);
	}
	umask(mask);
}

/* A file of a former version: its counts have their present names. */
static void test_former_names(void **state)
{
	const char *path = files_path("former");
	struct plan_file_read read;
	struct torus_error err;
	int rc;

	(void)state;
	files_text("former",
		   "torus-plan 1\nlong_stretches 3\nstretch_max_step looking at jobs\n");
	read = plan_of(path, &err, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(plan_file_count(&read.plan, "long_lock_holds")->value,
			 3);
	assert_string_equal(plan_file_count(&read.plan, "lock_hold_max_step")
				    ->text,
			    "looking at jobs");
	assert_null(plan_file_count(&read.plan, "long_stretches"));
	plan_file_free(&read);
}

/* The line that is no plan's is named. */
static void a_damaged_line_is_named(void **state)
{
	static const struct {
		const char *text;
		uint32_t line; /* 0: it is none the worse */
	} table[] = {
		{ "", 1 },
		{ "{}", 1 },
		{ "{\"format\": \"torus-plan\",\n\"schema\": 3}", 2 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2}", 0 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"time\": \"x\"}",
		  2 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"queued\": -1}",
		  2 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"counts\": {\"a\": []}}",
		  2 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"news\": {},\n\"jobs\": [{}]}",
		  3 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"jobs\": [{\"job\": 1.5}]}",
		  2 },
		{ "{\"format\": \"torus-plan\", \"schema\": 2,\n\"jobs\": [{\"job\": 1,\n"
		  "\"held_by\": [{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}]}",
		  3 },
		{ "torus-plan 2\n", 1 },
		{ "torus-plan 1\n", 0 },
		{ "torus-plan 1\ncycles\n", 2 },
		{ "torus-plan 1\ntime x\n", 2 },
		{ "torus-plan 1\nqueued -1\n", 2 },
		{ "torus-plan 1\ntime 1\njob 7 - - - 0 \n", 0 },
		{ "torus-plan 1\ntime 1\njob 7 - - - \n", 3 },
		{ "torus-plan 1\njob 7 - - - 0 \nholders 1 2\n", 3 },
		{ "torus-plan 1\njob 7 - - - 0 \nout 1\n", 3 },
		{ "torus-plan 1\njob 7 - - - 0 \nnews 1\n", 0 },
		{ "torus-plan 1\njob 7 - - - 0 \nholders 17"
		  " 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 -"
		  " 1 - 1 -\n",
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		char expected[32];
		struct torus_error err;
		int rc;
		struct plan_file_read read;

		files_text("damaged", table[i].text);
		read = plan_of(files_path("damaged"), &err, &rc);
		assert_int_equal(rc, table[i].line ? -1 : 0);
		if (table[i].line) {
			snprintf(expected, sizeof(expected),
				 "plan:%u:", table[i].line);
			assert_int_equal(errno, EINVAL);
			assert_int_equal(strncmp(err.text, expected,
						 strlen(expected)),
					 0);
		}
		plan_file_free(&read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(microseconds_round_up_to_seconds),
		cmocka_unit_test(holders_and_mistakes_are_named),
		cmocka_unit_test(foreign_text_is_plain),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(a_plan_is_private_and_follows_no_link),
		cmocka_unit_test(test_former_names),
		cmocka_unit_test(a_damaged_line_is_named),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
