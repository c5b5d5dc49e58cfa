/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A journal in which a scheduler begins while jobs wait and run: each of them is
 * one job of the trace. */
#include "files.h"

#include "trace/joined.h"

#define HEAD                                                                   \
	"# torus journal 3\n"                                                  \
	"id,submit,run,nodes,placement,limit,left,limits,only,start,region,state,stay\n"
#define BEGIN(t) "," t ",,,,,,,,,,begin,\n"
#define WAITS(id, t, limit, only, stay)                                        \
	id "," t "," limit ",2,," limit ",,," only ",,,waiting," stay "\n"
#define RUNS(id, t, limit, start, stay)                                        \
	id "," t "," limit ",2,," limit ",,,," start ",p:0,running," stay "\n"
#define GIVEN(id, t, limit, start, stay)                                       \
	id "," t "," limit ",2,given," limit ",,,," start ",p:0,running," stay \
	   "\n"
#define OVER(id, t, run, how, start, stay)                                     \
	id "," t "," run ",2," how ",9,,,," start ",p:0,completed," stay "\n"
#define STATE(t, text) "," t ",,,,,,,,," text ",state,\n"

/* A record each: ID SUBMIT RUN, in order, "given" behind those that are; of
 * other kinds the text. */
static const char *joined(const char *text, uint64_t *jobs)
{
	static const struct torus_trace_options how = { .strict = true,
							.state = true };
	static char list[1024];
	struct torus_error err = { 0 };
	const struct torus_trace_record *r;
	struct torus_trace *trace = torus_trace_open(files_text("j.csv", text),
						     &how, &err);
	char *to = list;

	assert_non_null(trace);
	*to = '\0';
	while (torus_trace_next(trace, &r, &err) == TORUS_TRACE_JOB) {
		const char *between = to > list ? "|" : "";

		if (r->kind)
			to += sprintf(to, "%s%s", between,
				      r->text.length ? r->text.data : "");
		else
			to += sprintf(to, "%s%s %g %g%s%s%s%s", between, r->id,
				      (double)r->submit_us * 1e-6,
				      (double)r->run_us * 1e-6,
				      r->begun ? " given" : "",
				      r->left_us != TORUS_NO_TIME ? " left" : "",
				      r->only.length ? " " : "",
				      r->only.length ? r->only.data : "");
	}
	*jobs = torus_trace_counts(trace)->jobs;
	torus_trace_close(trace);
	return list;
}

static void expect(const char *text, const char *list, uint64_t jobs)
{
	uint64_t got;

	assert_string_equal(joined(text, &got), list);
	assert_int_equal(got, jobs);
}

static void test_runs_on(void **state)
{
	(void)state;
	/* it began under the first scheduler, or while there was none */
	expect(HEAD BEGIN("0") RUNS("7", "1", "9", "2", "1") BEGIN("5")
		       GIVEN("7", "5", "9", "2", "1")
			       OVER("7", "5", "6", "given", "2", "1"),
	       "7 1 6", 1);
	expect(HEAD BEGIN("0") WAITS("7", "1", "9", "", "1") BEGIN("5")
		       GIVEN("7", "5", "9", "4", "1")
			       OVER("7", "5", "4", "given", "4", "1"),
	       "7 1 4", 1);
	/* through three of them, in two files */
	expect(HEAD BEGIN("0") RUNS("7", "1", "9", "2", "1") BEGIN("5")
		       GIVEN("7", "5", "9", "2", "1") HEAD BEGIN("8")
			       GIVEN("7", "8", "9", "2", "4")
				       OVER("7", "8", "10", "given", "2", "4"),
	       "7 1 10", 1);
	/* it is not over */
	expect(HEAD BEGIN("0") RUNS("7", "1", "9", "2", "1") BEGIN("5")
		       GIVEN("7", "5", "9", "2", "1"),
	       "", 0);
	/* nobody saw it end */
	expect(HEAD BEGIN("0") RUNS("7", "1", "9", "2", "1") BEGIN("5"),
	       "7 1 3", 1);
}

static void test_waits_on(void **state)
{
	(void)state;
	expect(HEAD BEGIN("0") WAITS("7", "1", "9", "", "1") BEGIN("5")
		       WAITS("7", "5", "9", "", "3")
			       OVER("7", "5", "2", "", "6", "3"),
	       "7 1 2", 1);
	expect(HEAD BEGIN("0") WAITS("7", "1", "9", "p:0", "1") BEGIN("5")
		       WAITS("7", "5", "9", "", "1")
			       OVER("7", "5", "2", "", "6", "1"),
	       "7 1 2 p:0 5.000000=all", 1);
	/* withdrawn meanwhile; requeued: a run, and another */
	expect(HEAD BEGIN("0") WAITS("7", "1", "9", "", "1") BEGIN("5"),
	       "7 1 9 left", 1);
	expect(HEAD BEGIN("0") RUNS("7", "1", "9", "2", "1") BEGIN("5")
		       WAITS("7", "5", "9", "", "1")
			       OVER("7", "5", "2", "", "6", "1"),
	       "7 1 3|7 5 2", 2);
}

/* Jobs with nodes: before the first scheduler, and before a later one. Of its
 * state only what tells of the latter is left. */
static void jobs_with_nodes_are_read_before_each_scheduler(void **state)
{
	(void)state;
	expect(HEAD BEGIN("0") STATE("0", "pod p") STATE("0", "hold 3 x")
		       GIVEN("3", "0", "9", "0", "1") BEGIN(
			       "5") STATE("5", "pod p") STATE("5", "hold 3 x")
			       GIVEN("3", "5", "9", "0", "1")
				       OVER("3", "5", "7", "given", "0", "1"),
	       "pod p|hold 3 x|3 0 7 given", 0);
	expect(HEAD BEGIN("0") STATE("0", "pod p") BEGIN("5")
		       STATE("5", "pod p") STATE("5", "hold 3 x")
			       STATE("5", "hold 33 x\\") STATE("5", "hold 3")
				       STATE("5", "hold 4 y\\") STATE("5", "y")
					       GIVEN("4", "5", "9", "4", "1")
						       OVER("4", "5", "7",
							    "given", "4", "1"),
	       "pod p|hold 4 y\\|y|4 5 7 given", 0);
}

/* An update without time for all its jobs submits one of a later turn before. */
static void jobs_of_one_instant_come_in_the_order_of_their_stays(void **state)
{
	struct torus_trace_record first = { .stay = 2, .turn = 9 },
				  second = { .stay = 3, .turn = 5 },
				  had_nodes = { .stay = 4, .turn = INT64_MIN };

	(void)state;
	assert_true(torus_trace_by_submission(&first, &second) < 0);
	assert_true(torus_trace_by_submission(&second, &first) > 0);
	assert_true(torus_trace_by_submission(&had_nodes, &first) < 0);
	second.stay = first.stay; /* of two files: by turn */
	assert_true(torus_trace_by_submission(&second, &first) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_on),
		cmocka_unit_test(test_waits_on),
		cmocka_unit_test(jobs_with_nodes_are_read_before_each_scheduler),
		cmocka_unit_test(
			jobs_of_one_instant_come_in_the_order_of_their_stays),
	};

	return cmocka_run_group_tests_name("joined", tests, files_begin,
					   files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
