/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of sacct: line by line, and Slurm's ways to write times. What real
 * output looks like is in testsuite/golden/sacct. */
#include "unit.h"

#include <time.h>

#include "trace/formats.h"
#include "trace/formats/slurm_words.h"

static const struct torus_trace_choice choice; /* as the file has it */

static struct torus_trace_record record;
static char why[TORUS_TRACE_WHY_SIZE];

static enum torus_trace_line read_rows(const char *first, const char *row)
{
	const struct torus_trace_format *f = torus_trace_format_find("sacct");
	struct torus_trace_header header = { 0 };
	void *self = f->create(&header, &choice);
	enum torus_trace_line answer;
	char line[512];

	assert_non_null(self);
	strcpy(line, first);
	why[0] = '\0';
	answer = f->line(self, line, strlen(line), &record, why);
	if (answer == TORUS_TRACE_LINE_NOTHING && row) {
		strcpy(line, row);
		answer = f->line(self, line, strlen(line), &record, why);
	}
	/* a row with free text is held until the next one, or the end */
	if (answer == TORUS_TRACE_LINE_NOTHING && !why[0] &&
	    f->end(self, why) == TORUS_TRACE_LINE_NOTHING && f->ready(self))
		answer = f->line(self, NULL, 0, &record, why);
	f->destroy(self);
	return answer;
}

/* What becomes of lines. */
static void each_kind_of_line_is_taken_or_skipped(void **state)
{
	static const char first[] = "JobID|State|Submit|Start|End|NNodes";
	static const struct {
		const char *row;
		enum torus_trace_line answer;
	} table[] = {
		{ "1|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1|CANCELLED by 1000|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1|REQUEUED|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1|NODE_FAIL|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1_7|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1+1|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_JOB },
		{ "1.batch|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_STEP },
		{ "1_7.extern|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_STEP },
		{ "1+1.0|COMPLETED|10|12|15|4", TORUS_TRACE_LINE_STEP },
		{ "1|PENDING|10|Unknown|Unknown|4",
		  TORUS_TRACE_LINE_UNFINISHED },
		{ "1_[1-9]|PENDING|10|Unknown|Unknown|4",
		  TORUS_TRACE_LINE_UNFINISHED },
		{ "1|RUNNING|10|12|Unknown|4", TORUS_TRACE_LINE_UNFINISHED },
		{ "1|SUSPENDED|10|12|15|4", TORUS_TRACE_LINE_UNFINISHED },
		{ "1|COMPLETED|10|12|Unknown|4", TORUS_TRACE_LINE_UNFINISHED },
		{ "1|RESIZING|10|12|15|4", TORUS_TRACE_LINE_PARTIAL },
		{ "1|CANCELLED by 0|10|None|15|4", TORUS_TRACE_LINE_NO_RUN },
		{ "1|CANCELLED by 0|10|Unknown|15|4", TORUS_TRACE_LINE_NO_RUN },
		{ "1|FAILED|10|12|12|4", TORUS_TRACE_LINE_NO_RUN },
		{ "1|FAILED|10|12|11|4", TORUS_TRACE_LINE_NO_RUN },
		{ "1|FAILED|10|12|15|0", TORUS_TRACE_LINE_NO_PROCESSORS },
		{ "1|FAILED|10|12|15|", TORUS_TRACE_LINE_NO_PROCESSORS },
		{ "|FAILED|10|12|15|4", TORUS_TRACE_LINE_BAD },
		{ "1|FAILED|10|12|15|-4", TORUS_TRACE_LINE_BAD },
		{ "1|FAILED|10|12|15|4|", TORUS_TRACE_LINE_BAD },
		{ "1|FAILED|10|12|15", TORUS_TRACE_LINE_BAD },
		{ "1|FAILED|-10|12|15|4", TORUS_TRACE_LINE_BAD },
		{ "1|FAILED|Unknown|12|15|4", TORUS_TRACE_LINE_BAD },
		{ "JobID|Submit|Elapsed|ReqNodes", TORUS_TRACE_LINE_NOTHING },
		{ "JobID|Submit|Elapsed", TORUS_TRACE_LINE_REFUSED },
		{ "", TORUS_TRACE_LINE_NOTHING },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (read_rows(first, table[i].row) != table[i].answer)
			fail_msg("%s: %s", table[i].row, why);
	assert_int_equal(read_rows(first, table[5].row), TORUS_TRACE_LINE_JOB);
	assert_true(record.component);
	assert_int_equal(read_rows(first, table[4].row), TORUS_TRACE_LINE_JOB);
	assert_false(record.component);
	assert_string_equal(record.id, "1_7");
	assert_true(record.submit_us == 10000000 && record.run_us == 3000000);
	assert_true(record.limit_us == -1);
	assert_int_equal(read_rows(first, "1|COMPLETED|20|12|15|4"),
			 TORUS_TRACE_LINE_JOB);
	assert_true(record.submit_us == 12000000);
}

static int64_t run_of(const char *first, const char *row)
{
	if (read_rows(first, row) != TORUS_TRACE_LINE_JOB)
		fail_msg("%s: %s", row, why);
	return record.run_us;
}

/* Which of several columns counts. */
static void the_better_of_several_columns_counts(void **state)
{
	(void)state;
	assert_true(run_of("JobID|Submit|Start|End|Elapsed|NNodes",
			   "1|1|2|9|00:05|4") == 5000000);
	assert_true(run_of("JobID|Submit|Start|End|Elapsed|ElapsedRaw|NNodes",
			   "1|1|2|9|00:05|3|4") == 3000000);
	run_of("JobIDRaw|Submit|Elapsed|ReqNodes|AllocNodes|User|Priority",
	       "9|1|01:00:00|1|6|ann|77.5");
	assert_int_equal(record.requested, 6);
	assert_int_equal(record.used, 6);
	assert_string_equal(record.user, "ann");
	assert_true(record.priority == 77.5);
	run_of("jobid,submit,elapsed,reqnodes,allocnodes", "9,1,1-00:00:00,2,0");
	assert_int_equal(record.requested, 2);
	run_of("JobID|Submit|Elapsed|NNodes", "9|1|00:01|1.50K");
	assert_int_equal(record.requested, 1536);
	run_of("JobID|Submit|Elapsed|NNodes|TimelimitRaw|Timelimit",
	       "9|1|00:01|1|90|00:00:01");
	assert_true(record.limit_us == INT64_C(5400000000));
	run_of("JobID|Submit|Elapsed|NNodes|TimelimitRaw|Timelimit",
	       "9|1|00:01|1|Partition_Limit|UNLIMITED");
	assert_true(record.limit_us == -1);
	run_of("JobID|Submit|Elapsed|NNodes|User",
	       "9|1|00:01|1|"
	       "a-name-that-is-longer-than-thirty-one-letters");
	assert_string_equal(record.user, "a-name-that-is-longer-than-thir");
}

static enum torus_trace_line read_on(void *self, const char *row)
{
	char line[512];

	strcpy(line, row);
	return torus_trace_format_find("sacct")->line(self, line, strlen(line),
						      &record, why);
}

/* Resized jobs: the parts before a row, and what the row then says. */
static const struct {
	const char *before[3], *row;
	int64_t submit, start, run;
} resized[] = {
	/* 22.05: the whole run is in the last record */
	{ { "1|RESIZING|10|12|15|4" }, "1|COMPLETED|15|12|20|2", 10, 12, 8 },
	/* 24.11: it begins at the resize */
	{ { "1|RESIZING|10|12|15|4" }, "1|COMPLETED|15|15|20|2", 10, 12, 8 },
	{ { "1|RESIZING|10|12|15|4", "1|RESIZING|15|15|17|3" },
	  "1|COMPLETED|17|17|20|2",
	  10,
	  12,
	  8 },
	{ { "1|RESIZING|10|12|15|4", "1|RESIZING|15|12|17|3" },
	  "1|COMPLETED|17|12|20|2",
	  10,
	  12,
	  8 },
	/* others between them, steps too */
	{ { "1|RESIZING|10|12|15|4", "2|RESIZING|11|12|15|4",
	    "1.batch|RESIZING|15|15|17|3" },
	  "1|COMPLETED|15|15|20|2",
	  10,
	  12,
	  8 },
	/* ended at once; resized at once */
	{ { "1|RESIZING|10|12|15|4" }, "1|CANCELLED|15|15|15|2", 10, 12, 3 },
	{ { "1|RESIZING|10|12|12|4" }, "1|COMPLETED|12|12|15|2", 10, 12, 3 },
	/* another job, an earlier one of that number, no part */
	{ { "1|RESIZING|10|12|15|4" }, "11|COMPLETED|15|15|20|2", 15, 15, 5 },
	{ { "1|RESIZING|10|12|15|4" }, "1|COMPLETED|16|17|20|2", 16, 17, 3 },
	{ { "1|REQUEUED|10|12|15|4" }, "1|COMPLETED|15|15|20|2", 15, 15, 5 },
	{ { "1|RESIZING|10|None|15|4" }, "1|COMPLETED|15|15|20|2", 15, 15, 5 },
	/* it counts once */
	{ { "1|RESIZING|10|12|15|4", "1|REQUEUED|15|15|15|2" },
	  "1|COMPLETED|15|15|20|2",
	  15,
	  15,
	  5 },
};

static void parts_of_a_resized_job_are_joined(void **state)
{
	static const char first[] = "JobID|State|Submit|Start|End|NNodes";
	const struct torus_trace_format *f = torus_trace_format_find("sacct");
	struct torus_trace_header header = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(resized) / sizeof(*resized); i++) {
		void *self = f->create(&header, &choice);

		read_on(self, first);
		for (size_t k = 0; k < 3 && resized[i].before[k]; k++)
			read_on(self, resized[i].before[k]);
		if (read_on(self, resized[i].row) != TORUS_TRACE_LINE_JOB ||
		    record.submit_us != resized[i].submit * 1000000 ||
		    record.start_us != resized[i].start * 1000000 ||
		    record.run_us != resized[i].run * 1000000)
			fail_msg("row %zu: %s", i, resized[i].row);
		f->destroy(self);
	}
}

/* More open parts than are kept: the oldest are forgotten. */
static void many_parts(void **state)
{
	const struct torus_trace_format *f = torus_trace_format_find("sacct");
	struct torus_trace_header header = { 0 };
	void *self = f->create(&header, &choice);
	char row[64];

	(void)state;
	read_on(self, "JobID|State|Submit|Start|End|NNodes");
	for (int i = 0; i < 300; i++) {
		snprintf(row, sizeof(row), "%d|RESIZING|10|12|15|4", i);
		assert_int_equal(read_on(self, row), TORUS_TRACE_LINE_PARTIAL);
	}
	for (int i = 0; i < 300; i++) {
		snprintf(row, sizeof(row), "%d|COMPLETED|15|15|20|4", i);
		assert_int_equal(read_on(self, row), TORUS_TRACE_LINE_JOB);
		assert_true(record.run_us == (i < 44 ? 5000000 : 8000000));
	}
	f->destroy(self);
}

/* Our words in AdminComment. */
static void shapes_come_from_admin_comment(void **state)
{
	static const char first[] = "JobID|Submit|Elapsed|NNodes|AdminComment";
	const struct torus_ask *ask;

	(void)state;
	run_of(first, "1|1|00:01|16|torus:ask=4x2x2;conn-type=TMM;no-rotate;"
		      "placement=submesh-tbl torus:place=p:0,0,0+4x2x2");
	ask = &record.request->alternative[0].ask;
	assert_true(record.shaped && !ask->rotate);
	assert_int_equal(record.requested, 16);
	assert_int_equal(ask->connection[0], TORUS_CONN_TORUS);
	assert_int_equal(ask->connection[1], TORUS_CONN_MESH);
	assert_null(record.request->alternative[0].ask.strategy);
	/* among what others wrote; a ladder */
	run_of(first, "1|1|00:01|4|held by ann torus:ask=4x4,4@2h and more");
	assert_int_equal(record.request->alternatives, 2);
	assert_int_equal(record.requested, 16);
	/* a count: more may have been granted */
	run_of(first, "1|1|00:01|8|torus:ask=7;conn-type=torus");
	assert_int_equal(record.requested, 7);
	/* the place alone */
	run_of(first, "1|1|00:01|8|torus:place=p:1,0+4x2/2x1;orientation=0,1");
	assert_true(record.shaped);
	assert_int_equal(record.request->alternative[0].ask.shape.axes, 2);
	/* no shape of ours */
	run_of(first, "1|1|00:01|3|torus:place=p:{0-3,7}");
	assert_false(record.shaped);
	assert_int_equal(record.requested, 3);
	run_of(first, "1|1|00:01|3|xtorus:ask=4x4");
	assert_false(record.shaped);
	run_of(first, "1|1|00:01|3|");
	assert_false(record.shaped);
	assert_int_equal(read_rows(first, "1|1|00:01|3|torus:ask="),
			 TORUS_TRACE_LINE_BAD);
	assert_int_equal(read_rows(first, "1|1|00:01|3|torus:ask=3y3"),
			 TORUS_TRACE_LINE_BAD);
	assert_non_null(strstr(why, "AdminComment: --geometry"));
	free(record.request);
	record.request = NULL;
}

/* Dates against the C library's, every 100,003 s for 400 years. */
static void dates_agree_with_the_c_library(void **state)
{
	static const char *const wrong[] = {
		"2024-13-01T00:00:00",
		"2024-00-01T00:00:00",
		"2024-02-30T00:00:00",
		"2023-02-29T00:00:00",
		"2100-02-29T00:00:00",
		"2024-04-31T00:00:00",
		"2024-01-01T24:00:00",
		"2024-01-01T00:60:00",
		"2024-01-01  00:00:00",
		"2024-01-01T00:00:00+",
		"2024-01-01T00:00:00+1",
		"2024-01-01T00:00:00+2500",
		"2024-01-01T00:00:00.",
		"2024-01-01T00:00:00ZZ",
		"2024-01-01T00:00",
		"2024-01-01",
		"1969-12-31T23:59:59",
		"Unknown",
		"x",
		"-1",
		"1.2.3",
		".5",
	};
	static const char *const same[] = {
		"2024-03-01T10:00:00",       "2024-03-01 10:00:00",
		"2024-03-01T10:00:00Z",      "2024-03-01T12:00:00+0200",
		"2024-03-01T12:00:00+02:00", "2024-03-01T05:00:00 -05",
		"2024-03-01T10:00:00.0",     "1709287200.0",
	};
	static const char *const brief[] = { "2024-03-01", "2024-03-01T00:00",
					     "2024-03-01 00:00",
					     "2024-02-29T23:00-01:00",
					     "2024-03-01T00:00:00" };
	int64_t us;

	(void)state;
	for (time_t t = 0; t < 12622780800; t += 100003) {
		char text[32];
		struct tm tm;

		gmtime_r(&t, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		assert_true(torus_slurm_date(text, &us));
		assert_true(us == (int64_t)t * 1000000);
	}
	assert_true(torus_slurm_date("1795274086", &us) &&
		    us == INT64_C(1795274086000000));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (torus_slurm_date(wrong[i], &us))
			fail_msg("taken: %s", wrong[i]);
	for (size_t i = 0; i < sizeof(brief) / sizeof(*brief); i++)
		if (!torus_slurm_day(brief[i], &us) ||
		    us != INT64_C(1709251200000000))
			fail_msg("%s: got %lld", brief[i], (long long)us);
	assert_false(torus_slurm_day("2024-03", &us) ||
		     torus_slurm_day("2024-03-01T", &us) ||
		     torus_slurm_day("2024-03-01T10", &us) ||
		     torus_slurm_day("2024-02-30", &us));
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!torus_slurm_day(same[i], &us) ||
		    !torus_slurm_date(same[i], &us) ||
		    us != INT64_C(1709287200000000))
			fail_msg("%s: got %lld", same[i], (long long)us);
}

static void spans_are_read_as_slurm_writes_them(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} table[] = {
		{ "00:00", 0 },
		{ "01:02", 62 },
		{ "1:02:03", 3723 },
		{ "00:00:00.250", 0.25 },
		{ "365-00:00:00", 365 * 86400.0 },
		{ "2-03:04:05", 183845 },
		{ "10000000-00:00:00", 864e9 },
	};
	static const char *const wrong[] = { "",
					     "5",
					     "1-2",
					     "1-2:3",
					     "1:2:3:4",
					     "-1:00",
					     "1:-2",
					     "a:b",
					     "1:2x",
					     "UNLIMITED",
					     "1.5:00",
					     "1-",
					     "999999999:00:00" };
	int64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(torus_slurm_span(table[i].text, &us));
		assert_true(us == (int64_t)(table[i].seconds * 1e6));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (torus_slurm_span(wrong[i], &us))
			fail_msg("taken: %s", wrong[i]);
}

static void sacct_is_recognized_by_its_columns(void **state)
{
	const struct torus_trace_format *f = torus_trace_format_find("sacct");

	(void)state;
	assert_true(f->recognizes("JobID|Submit|Start\n"));
	assert_true(f->recognizes("State|Submit|JobIDRaw|"));
	assert_false(f->recognizes("JobID\nSubmit|"));
	assert_false(f->recognizes("id,submit,run,nodes\n"));
	assert_false(f->recognizes("; JobID Submit\n"));
	assert_false(f->recognizes(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_line_is_taken_or_skipped),
		cmocka_unit_test(the_better_of_several_columns_counts),
		cmocka_unit_test(parts_of_a_resized_job_are_joined),
		cmocka_unit_test(many_parts),
		cmocka_unit_test(shapes_come_from_admin_comment),
		cmocka_unit_test(dates_agree_with_the_c_library),
		cmocka_unit_test(spans_are_read_as_slurm_writes_them),
		cmocka_unit_test(sacct_is_recognized_by_its_columns),
	};

	return UNIT_RUN(tests);
}
