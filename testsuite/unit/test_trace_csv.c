/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs as CSV: columns by name, every field checked. */
#include "unit.h"

#include "trace/formats.h"

static const struct torus_trace_choice choice; /* as the file has it */

static struct torus_trace_record record;
static char why[TORUS_TRACE_WHY_SIZE];

/* A header and one row; the answer to the row (or to the header if it was
 * refused). */
static enum torus_trace_line read_rows(const char *first, const char *row)
{
	const struct torus_trace_format *csv = torus_trace_format_find("csv");
	struct torus_trace_header unused;
	void *self = csv->create(&unused, &choice);
	enum torus_trace_line answer;
	char line[512];

	assert_non_null(self);
	strcpy(line, first);
	why[0] = '\0';
	answer = csv->line(self, line, strlen(line), &record, why);
	if (answer == TORUS_TRACE_LINE_NOTHING && row) {
		strcpy(line, row);
		answer = csv->line(self, line, strlen(line), &record, why);
	}
	csv->destroy(self);
	return answer;
}

static void expect_job(const char *first, const char *row)
{
	if (read_rows(first, row) != TORUS_TRACE_LINE_JOB)
		fail_msg("%s / %s: %s", first, row, why);
}

/* What was refused says why. */
static void expect_why(const char *words)
{
	if (!strstr(why, words))
		fail_msg("\"%s\" does not say \"%s\"", why, words);
}

/* Rows that are refused under this header, and why. */
struct bad_row {
	const char *row, *why;
};

static void expect_bad(const char *first, const struct bad_row *table,
		       size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		if (read_rows(first, table[i].row) != TORUS_TRACE_LINE_BAD)
			fail_msg("taken: %s", table[i].row);
		expect_why(table[i].why);
	}
	free(record.request);
	record.request = NULL;
}

static void columns_come_in_any_order(void **state)
{
	(void)state;
	expect_job("id,submit,run,nodes", "a7,0.5,10,4");
	assert_string_equal(record.id, "a7");
	assert_true(record.submit_us == 500000);
	assert_true(record.run_us == 10000000);
	assert_true(record.limit_us == -1);
	assert_true(record.deadline_us == TORUS_NO_TIME);
	assert_int_equal(record.requested, 4);
	assert_int_equal(record.used, 4);
	assert_false(record.shaped);
	/* any order, blanks, quotes, no id, a run of nothing */
	expect_job(" nodes , \"run\",submit", " 4 , \"0\" , 0.000001");
	assert_string_equal(record.id, "1");
	assert_true(record.run_us == 0);
	assert_true(record.submit_us == 1);
}

static void limits_are_read_with_units(void **state)
{
	const char *first = "submit,run,nodes,limit,deadline,priority,user";

	(void)state;
	expect_job(first, "1,2,3,60.25,100,-1.5,\"Who, me\"");
	assert_true(record.limit_us == 60250000);
	assert_true(record.deadline_us == 100000000);
	assert_true(record.priority == -1.5);
	expect_job(first, "1,2,3,2h,,,");
	assert_true(record.limit_us == INT64_C(7200000000));
	expect_job(first, "1,2,3,0,0,,");
	assert_true(record.limit_us == 0);
	assert_true(record.deadline_us == 0);
}

static void shapes_belong_to_their_row(void **state)
{
	const char *first = "submit,run,nodes,geometry,connection,rotate";
	const struct torus_ask *ask;

	(void)state;
	expect_job(first, "0,1,,4x4x2,,");
	ask = &record.request->alternative[0].ask;
	assert_true(record.shaped);
	assert_int_equal(record.requested, 32);
	assert_int_equal(ask->shape.axes, 3);
	assert_true(ask->rotate);
	free(record.request);
	record.request = NULL;
	expect_job(first, "0,1,8,2^3,TTM,no");
	ask = &record.request->alternative[0].ask;
	assert_int_equal(ask->connection[1], TORUS_CONN_TORUS);
	assert_int_equal(ask->connection[2], TORUS_CONN_MESH);
	assert_false(ask->rotate);
	/* a count with a connection is a request as well */
	expect_job(first, "0,1,8,,torus,");
	ask = &record.request->alternative[0].ask;
	assert_true(record.shaped && ask->by_count);
	assert_int_equal(ask->count, 8);
	assert_int_equal(ask->connection[0], TORUS_CONN_TORUS);
	expect_job(first, "0,1,,\"4x2,8@1h\",,");
	assert_int_equal(record.request->alternatives, 2);
	assert_int_equal(record.requested, 8);
	/* the next row is not shaped because this one was */
	expect_job(first, "0,1,8,,,yes");
	assert_false(record.shaped);
	free(record.request);
	record.request = NULL;
}

/* What the journal of sched/torus has beyond that. */
static void columns_of_a_journal_are_read(void **state)
{
	const char *first = "submit,run,nodes,placement,eligible,turn,left,"
			    "start,end,region,state,limits,only";

	(void)state;
	record.turn = 7;
	expect_job(first, "5,1,3,flat,4.5,123456789012345678,6,5,6,"
			  "\"pod0:{0-1,5}\",undone,5.5=60 5.75=7.25,"
			  "\"pod0:{0-1,5} 5.5=all 5.5=none\"");
	assert_true(record.shaped);
	assert_string_equal(record.request->alternative[0].ask.strategy, "flat");
	assert_int_equal(record.request->alternative[0].ask.count, 3);
	assert_true(record.since_us == 4500000);
	assert_true(record.turn == INT64_C(123456789012345678));
	assert_true(record.left_us == 6000000);
	assert_int_equal(record.changes, 2);
	assert_true(record.change[0].at_us == 5500000);
	assert_true(record.change[0].limit_us == 60000000);
	assert_true(record.change[1].at_us == 5750000);
	assert_true(record.change[1].limit_us == 7250000);
	assert_string_equal(record.only.data, "pod0:{0-1,5} 5.5=all 5.5=none");
	assert_true(record.start_us == 5000000);
	assert_string_equal(record.place, "pod0:{0-1,5}");
	expect_job(first, "5,1,3,,,,,,,,,,");
	assert_int_equal(record.changes, 0);
	assert_int_equal(record.only.length, 0);
	assert_true(record.since_us == TORUS_NO_TIME);
	assert_true(record.left_us == TORUS_NO_TIME && record.turn == 0);
	torus_text_free(&record.only);
	free(record.request);
	record.request = NULL;
}

/* Lines about nodes. */
static void lines_about_nodes_are_read(void **state)
{
	const char *first = "submit,run,nodes,priority,limit,only,region,state";

	(void)state;
	record.turn = 7;
	assert_int_equal(read_rows(first, "5.5,,,,60.25,,\"p:{0-1,5},q:{2}\","
					  "busy"),
			 TORUS_TRACE_LINE_NODES);
	assert_int_equal(record.kind, TORUS_TRACE_KIND_BUSY);
	assert_true(record.submit_us == 5500000);
	assert_true(record.limit_us == 60250000);
	assert_true(record.turn == INT64_MIN);
	assert_string_equal(record.only.data, "p:{0-1,5},q:{2}");
	assert_int_equal(read_rows(first, "6,,,,,,none,out"),
			 TORUS_TRACE_LINE_NODES);
	assert_int_equal(record.kind, TORUS_TRACE_KIND_OUT);
	assert_true(record.limit_us == -1);
	assert_string_equal(record.only.data, "none");
	assert_int_equal(read_rows(first, "7,,,,,,\"5 - p:{0}=1-2\",outages"),
			 TORUS_TRACE_LINE_NODES);
	assert_int_equal(record.kind, TORUS_TRACE_KIND_OUTAGES);
	assert_string_equal(record.text.data, "5 - p:{0}=1-2");
	record.text.length = 0;
	assert_int_equal(read_rows(first, "8,,,,,,,pass"),
			 TORUS_TRACE_LINE_NODES);
	assert_int_equal(record.kind, TORUS_TRACE_KIND_PASS);
	assert_true(record.submit_us == 8000000);
	/* the next row is about a job */
	expect_job(first, "5,1,3,,,,,completed");
	assert_int_equal(record.kind, TORUS_TRACE_KIND_JOB);
	assert_int_equal(record.only.length, 0);
	torus_text_free(&record.only);
	torus_text_free(&record.text);
}

static void csv_is_recognized_by_its_columns(void **state)
{
	const struct torus_trace_format *csv = torus_trace_format_find("csv");

	(void)state;
	assert_true(csv->recognizes("id,submit,run,nodes\n1,2,3,4\n"));
	assert_false(csv->recognizes("; Version\n"));
	assert_false(csv->recognizes("1,2,3\nsubmit,"));
	assert_false(csv->recognizes("JobID|Submit|submit\n"));
	assert_false(csv->recognizes(""));
}

/* Expected failures. */
static void bad_headers(void **state)
{
	static const struct {
		const char *line, *why;
	} table[] = {
		{ "id,submit,run", "nodes or geometry is required" },
		{ "id,submit,nodes", "submit and run are required" },
		{ "submit,run,nodes,run", "comes twice: \"run\"; " },
		{ "submit,run,node", "no such column \"node\"" },
		{ "submit,run,node", "did you mean nodes?" },
		{ "submit,run,nodes,", "no such column \"\"" },
		{ "Submit,run,nodes", "no such column \"Submit\"" },
		{ "submit,run,\"nodes", "quotes that do not match" },
		{ "0,1,2", "no such column \"0\"" },
	};

	(void)state;
	for (size_t i = 0; i < UNIT_ROWS(table); i++) {
		assert_int_equal(read_rows(table[i].line, NULL),
				 TORUS_TRACE_LINE_REFUSED);
		expect_why(table[i].why);
	}
}

#define EIGHT "6=1 6=1 6=1 6=1 6=1 6=1 6=1 6=1 "

static void bad_journals(void **state)
{
	static const struct bad_row table[] = {
		{ "5,1,3,flut,,,,", "flut" },
		{ "5,1,3,,5.1,,,", "eligible: got \"5.1\"" },
		{ "5,1,3,,-1,,,", "eligible: got \"-1\"" },
		{ "5,1,3,,,1.5,,", "turn: got \"1.5\"" },
		{ "5,1,3,,,-1,,", "turn: got \"-1\"" },
		{ "5,1,3,,,99999999999999999999,,", "turn: got \"9999" },
		{ "5,1,3,,,,4.9,", "left: got \"4.9\"" },
		{ "5,1,3,,,,x,", "left: got \"x\"" },
		{ "5,1,3,,,,,6", "limits: got \"6\"" },
		{ "5,1,3,,,,,6=", "limits: got \"6=\"" },
		{ "5,1,3,,,,,6=x", "limits: got \"6=x\"" },
		{ "5,1,3,,,,,6=-1", "limits: got \"6=-1\"" },
		{ "5,1,3,,,,,6=1,7=1", "got 9 fields" },
		{ "5,1,3,,,,,7=1 6=1", "limits: got \"7=1 6=1\"" },
		{ "5,1,3,,,,,4=1", "limits: got \"4=1\"" },
		{ "5,1,3,,,,," EIGHT EIGHT EIGHT EIGHT "6=1", "at most 32" },
	};

	(void)state;
	expect_bad("submit,run,nodes,placement,eligible,turn,left,limits",
		   table, UNIT_ROWS(table));
}

/* What the nodes are called, the machine's reader will see. */
static void bad_only(void **state)
{
	static const struct bad_row table[] = {
		{ "5,1,3,all x", "only: got \"all x\"" },
		{ "5,1,3,all 6", "only: got \"all 6\"" },
		{ "5,1,3,all 6=", "only: got \"all 6=\"" },
		{ "5,1,3,all 4=none", "only: got \"all 4=none\"" },
		{ "5,1,3,all 7=none 6=all", "expected NODES WHEN=NODES" },
		{ "5,1,3,all 6=none  7=all", "only: got" },
		{ "5,1,3,all -6=none", "only: got" },
	};

	(void)state;
	expect_bad("submit,run,nodes,only", table, UNIT_ROWS(table));
}

static void bad_nodes(void **state)
{
	static const struct bad_row table[] = {
		{ "5,,,,,out", "region: got \"\"" },
		{ "5,,,,all,out", "region: got \"all\"" },
		{ "5,,,,none 6=none,busy", "expected nodes, or none" },
		{ ",,,,none,busy", "submit: got \"\"" },
		{ "5,,,x,none,busy", "limit: got \"x\"" },
		{ "5,,,,none,bus", "run: got \"\"" },
	};

	(void)state;
	expect_bad("submit,run,nodes,limit,region,state", table,
		   UNIT_ROWS(table));
}

static void no_header(void **state)
{
	const struct torus_trace_format *csv = torus_trace_format_find("csv");
	struct torus_trace_header unused;
	void *self = csv->create(&unused, &choice);

	(void)state;
	assert_int_equal(csv->end(self, why), TORUS_TRACE_LINE_REFUSED);
	csv->destroy(self);
}

static void bad_rows(void **state)
{
	static const struct bad_row table[] = {
		{ "1,0,1", "got 3 fields, expected 8" },
		{ "1,0,1,4,,,,,", "got 9 fields, expected 8" },
		{ "1,,1,4,,,,", "submit: got \"\"" },
		{ "1,-1,1,4,,,,", "submit: got \"-1\"" },
		{ "1,0,,4,,,,", "run: got \"\"" },
		{ "1,0,-5,4,,,,", "run: got \"-5\"" },
		{ "1,0,1.1234567,4,,,,", "at most 6 decimals" },
		{ "1,0,1e3,4,,,,", "run: got \"1e3\"" },
		{ "1,0,1,0,,,,", "nodes: got \"0\"" },
		{ "1,0,1,-4,,,,", "nodes: got \"-4\"" },
		{ "1,0,1,4.5,,,,", "nodes: got \"4.5\"" },
		{ "1,0,1,99999999,,,,", "nodes: got \"99999999\"" },
		{ "1,0,1,,,,,", "neither nodes nor geometry" },
		{ "1,0,1,,4xx2,,,", "4xx2" },
		{ "1,0,1,,0x4,,,", "0x4" },
		{ "1,0,1,9,4x2,,,", "as many nodes as the column nodes" },
		{ "1,0,1,,4x2,TTT,,", "TTT" },
		{ "1,0,1,,60000x60000,,,", "60000x60000" },
		{ "1,0,1,4,,,maybe,", "rotate: got \"maybe\"" },
		{ "1,0,1,4,,,,2w", "limit: got \"2w\"" },
		{ "1,0,1,4,,,,-2", "limit: got \"-2\"" },
		{ "1,0,1,\"4,,,,", "field 4: quotes" },
		{ "1,0,1,\"4\"4,,,,", "field 4: quotes" },
		{ "12345678901234567890123456789012,0,1,4,,,,", "at most 31" },
	};

	(void)state;
	expect_bad("id,submit,run,nodes,geometry,connection,rotate,limit",
		   table, UNIT_ROWS(table));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_in_any_order),
		cmocka_unit_test(limits_are_read_with_units),
		cmocka_unit_test(shapes_belong_to_their_row),
		cmocka_unit_test(columns_of_a_journal_are_read),
		cmocka_unit_test(lines_about_nodes_are_read),
		cmocka_unit_test(csv_is_recognized_by_its_columns),
		/* expected failures */
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(no_header),
		cmocka_unit_test(bad_rows),
		cmocka_unit_test(bad_journals),
		cmocka_unit_test(bad_only),
		cmocka_unit_test(bad_nodes),
	};

	return UNIT_RUN(tests);
}
