/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the Standard Workload Format. */
#include "unit.h"

#include "trace/formats.h"

static const struct torus_trace_choice choice; /* as the file has it */

static struct torus_trace_header header = { 0 };
static struct torus_trace_record record;
static char why[TORUS_TRACE_WHY_SIZE];

static enum torus_trace_line read_line(const char *text, size_t length)
{
	const struct torus_trace_format *swf = torus_trace_format_find("swf");
	char line[512];
	void *self = swf->create(&header, &choice);
	enum torus_trace_line answer;

	assert_non_null(self);
	memcpy(line, text, length + 1);
	why[0] = '\0';
	answer = swf->line(self, line, length, &record, why);
	swf->destroy(self);
	return answer;
}

static enum torus_trace_line read_text(const char *text)
{
	return read_line(text, strlen(text));
}

/* 18 fields of which five matter. */
static enum torus_trace_line read_job(const char *submit, const char *run,
				      const char *used, const char *requested,
				      const char *limit)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "  42 %s 0 %s %s 12.5 -1 %s %s -1 1 3 4 -1 5 -1 -1 -1", submit,
		 run, used, requested, limit);
	return read_text(text);
}

static void jobs_are_read_by_their_fields(void **state)
{
	static const struct {
		const char *submit, *run, *used, *requested, *limit;
		enum torus_trace_line answer;
		int64_t submit_us, run_us, limit_us;
		uint32_t used_n, requested_n;
	} table[] = {
		{ "0", "100", "8", "16", "200", TORUS_TRACE_LINE_JOB, 0,
		  100000000, 200000000, 8, 16 },
		{ "1.5", "0.000001", "-1", "16", "-1", TORUS_TRACE_LINE_JOB,
		  1500000, 1, -1, 0, 16 },
		{ "7", "3.9999999", "1", "0", "0", TORUS_TRACE_LINE_JOB,
		  7000000, 4000000, -1, 1, 0 },
		{ "7", "1", "16777216", "-1", "1", TORUS_TRACE_LINE_JOB,
		  7000000, 1000000, 1000000, 16777216, 0 },
		{ "7", "0", "1", "1", "1", TORUS_TRACE_LINE_NO_RUN, 7000000, 0,
		  1000000, 1, 1 },
		{ "7", "-1", "-1", "-1", "-1", TORUS_TRACE_LINE_NO_RUN, 7000000,
		  -1000000, -1, 0, 0 },
		{ "7", "5", "-1", "0", "-1", TORUS_TRACE_LINE_NO_PROCESSORS,
		  7000000, 5000000, -1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(read_job(table[i].submit, table[i].run,
					  table[i].used, table[i].requested,
					  table[i].limit),
				 table[i].answer);
		assert_true(record.submit_us == table[i].submit_us);
		assert_true(record.run_us == table[i].run_us);
		assert_true(record.limit_us == table[i].limit_us);
		assert_int_equal(record.used, table[i].used_n);
		assert_int_equal(record.requested, table[i].requested_n);
		assert_true(record.deadline_us == TORUS_NO_TIME);
		assert_false(record.shaped);
		assert_string_equal(record.id, "42");
	}
}

/* Parts of a checkpointed job have a whole one besides; whoever failed, was
 * cancelled or has no status used the machine. */
static void parts_of_checkpointed_jobs_are_skipped(void **state)
{
	static const enum torus_trace_line expected[] = {
		[0] = TORUS_TRACE_LINE_JOB,     [1] = TORUS_TRACE_LINE_JOB,
		[2] = TORUS_TRACE_LINE_PARTIAL, [3] = TORUS_TRACE_LINE_PARTIAL,
		[4] = TORUS_TRACE_LINE_PARTIAL, [5] = TORUS_TRACE_LINE_JOB,
	};

	(void)state;
	for (int status = -1; status < 6; status++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "1 0 0 5 4 -1 -1 4 9 -1 %d 1 1 1 1 1 1 1", status);
		assert_int_equal(read_text(text), status < 0 ?
							  TORUS_TRACE_LINE_JOB :
							  expected[status]);
	}
}

static void blanks_and_tabs_separate_fields(void **state)
{
	(void)state;
	assert_int_equal(read_text("\t1\t2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
				   "17 18 \t "),
			 TORUS_TRACE_LINE_JOB);
	assert_string_equal(record.id, "1");
	assert_int_equal(read_text(""), TORUS_TRACE_LINE_NOTHING);
	assert_int_equal(read_text("  \t"), TORUS_TRACE_LINE_NOTHING);
	assert_int_equal(read_text(" ; a comment"), TORUS_TRACE_LINE_NOTHING);
}

static void header_comments_are_read(void **state)
{
	static const char *const wrong[] = {
		"1e5",
		"4,096",
		"0x80",
		"128.5",
		"128x",
		"128;",
		"9223372036854775808",
		"99999999999999999999",
	};

	(void)state;
	header = (struct torus_trace_header){ .max_nodes = -1,
					      .max_processors = -1,
					      .unix_start = -1 };
	read_text("; MaxNodes: 338 (batch partition; 512 total)");
	read_text(";MaxProcs:128");
	read_text(";; UnixStartTime:  893466664");
	assert_true(header.max_nodes == 338);
	assert_true(header.max_processors == 128);
	assert_true(header.unix_start == 893466664);
	read_text("; MaxProcs: 256 processors");
	assert_true(header.max_processors == 256);
	for (size_t i = 0; i < UNIT_ROWS(wrong); i++) {
		char line[128];

		snprintf(line, sizeof(line), "; MaxProcs: %s", wrong[i]);
		assert_int_equal(read_text(line), TORUS_TRACE_LINE_BAD);
		assert_non_null(strstr(why, "MaxProcs: got"));
		assert_true(header.max_processors == 256);
	}
	read_text(";MaxProcs:128");
	read_text("; MaxProcs: -1");
	read_text("; MaxProcs: many");
	read_text("; Note: MaxProcs: 7");
	assert_true(header.max_processors == 128);
}

static void swf_is_recognized_by_its_numbers(void **state)
{
	const struct torus_trace_format *swf = torus_trace_format_find("swf");

	(void)state;
	assert_true(swf->recognizes("; Version: 2.2\n"));
	assert_true(swf->recognizes("1 0 5 10\n"));
	assert_false(swf->recognizes("id,submit,run,nodes\n"));
	assert_false(swf->recognizes("1,0,5\n"));
	assert_false(swf->recognizes("JobID|Submit\n"));
	assert_false(swf->recognizes(""));
}

/* Expected failures: what is said about them. */
static void each_bad_line_has_its_message(void **state)
{
	static const struct {
		const char *line, *why;
	} table[] = {
		{ "1 2 3", "got 3 fields, expected 18" },
		{ "1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1",
		  "got 17 fields, expected 18" },

		{ "1 0 0 5 4x -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 5 (processors used): got \"4x\"" },
		{ "1 0 0 1e 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 4 (run time): got \"1e\"" },
		{ "1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 a",
		  "field 18 (think time): got \"a\"" },
		{ "1 0 0 5 99999999999999999999 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 5 (processors used): got \"99999999999999999999\"" },
		{ "1 0 0 5 -4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 5 (processors used): got -4" },
		{ "1 0 0 5 4 -1 -1 -2 9 -1 1 1 1 1 1 1 1 1",
		  "field 8 (processors requested): got -2" },
		{ "1 0 0 5 4 -1 -1 16777217 9 -1 1 1 1 1 1 1 1 1",
		  "field 8 (processors requested): got 16777217" },
		{ "1 0 0 5 4.5 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 5 (processors used): got 4.500000" },
		{ "1 -1 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 2 (submit time): got -1" },
		{ "1 0 0 9999999999999 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 4 (run time): got 9999999999999" },
		{ "1.5 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1",
		  "field 1 (job number): got \"1.5\"" },
		{ "x", "got 1 field, expected 18" },
		{ "1,0,0,5,4,-1,-1,4,9,-1,1,1,1,1,1,1,1,1",
		  "got 1 field, expected 18" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (read_text(table[i].line) != TORUS_TRACE_LINE_BAD)
			fail_msg("taken: %s", table[i].line);
		if (!strstr(why, table[i].why))
			fail_msg("\"%s\" does not say \"%s\"", why,
				 table[i].why);
	}
}

static void bad_bytes(void **state)
{
	char line[] = "1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1_2 3";

	(void)state;
	*strchr(line, '_') = '\0'; /* more follows behind a NUL */
	assert_int_equal(read_line(line, sizeof(line) - 1),
			 TORUS_TRACE_LINE_BAD);
	assert_int_equal(read_text("1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1\v"),
			 TORUS_TRACE_LINE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_read_by_their_fields),
		cmocka_unit_test(parts_of_checkpointed_jobs_are_skipped),
		cmocka_unit_test(blanks_and_tabs_separate_fields),
		cmocka_unit_test(header_comments_are_read),
		cmocka_unit_test(swf_is_recognized_by_its_numbers),
		/* expected failures */
		cmocka_unit_test(each_bad_line_has_its_message),
		cmocka_unit_test(bad_bytes),
	};

	return UNIT_RUN(tests);
}
