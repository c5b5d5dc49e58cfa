/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole traces: which format, in which order, what is skipped or refused. */
#include "files.h"

#include "trace/ids.h"
#include "trace/trace.h"

static const char tail[] = " 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n";

/* A growing SWF. */
struct swf {
	char *text, *end;
};

static struct swf swf_begin(void)
{
	struct swf swf;

	swf.text = swf.end = malloc(4 << 20);
	assert_non_null(swf.text);
	*swf.end = '\0';
	return swf;
}

static void swf_add(struct swf *swf, unsigned id, unsigned submit)
{
	swf->end += sprintf(swf->end, "%u %u%s", id, submit, tail);
}

static struct torus_trace *open_text(const char *name, const char *text,
				     const struct torus_trace_options *options)
{
	static const struct torus_trace_options none;
	struct torus_error err = { 0 };
	struct torus_trace *trace = torus_trace_open(files_text(name, text),
						     options ? options : &none,
						     &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

/* Read to the end; the ids joined by blanks in `ids` (may be NULL). */
static enum torus_trace_answer drain(struct torus_trace *trace, char *ids,
				     size_t *jobs, struct torus_error *err)
{
	const struct torus_trace_record *record;
	enum torus_trace_answer answer;
	int64_t before = INT64_MIN;
	uint64_t line = 0;

	*jobs = 0;
	while ((answer = torus_trace_next(trace, &record, err)) ==
	       TORUS_TRACE_JOB) {
		assert_true(record->submit_us >= before);
		if (record->submit_us == before)
			assert_true(record->line > line);
		before = record->submit_us;
		line = record->line;
		if (ids)
			ids += sprintf(ids, "%s ", record->id);
		++*jobs;
	}
	return answer;
}

static void finds_the_format(void **state)
{
	static const struct {
		const char *name, *text, *format;
	} table[] = {
		{ "a.txt", "; Version: 2\n", "swf" },
		{ "a.txt", "\n\n  1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1\n",
		  "swf" },
		{ "a.swf", "id,submit,run,nodes\n", "csv" },
		{ "a.swf", "one bad line\n", "swf" },
		{ "a.swf.gz", "", "swf" },
		{ "a.csv", "what is this\n", "csv" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct torus_trace *t = open_text(table[i].name, table[i].text,
						  NULL);

		assert_string_equal(torus_trace_format(t)->name,
				    table[i].format);
		torus_trace_close(t);
	}
}

/* The mark that some editors begin files with hides neither the format nor the
 * first line. */
static void a_byte_order_mark_hides_nothing(void **state)
{
	static const struct {
		const char *format, *text;
	} table[] = {
		{ "swf", "; Version: 2\n"
			 "1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1\n" },
		{ "swf", "1 0 0 5 4 -1 -1 4 9 -1 1 1 1 1 1 1 1 1\n" },
		{ "csv", "submit,run,nodes\r\n0,1,1\r\n" },
		{ "csv", "# by hand\nsubmit,run,nodes\n0,1,1\n" },
		{ "sacct", "JobID|Submit|Elapsed|NNodes\n1|10|00:05|4\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct torus_error err = { 0 };
		struct torus_trace *t;
		char text[128];
		size_t jobs;

		snprintf(text, sizeof(text), "\xef\xbb\xbf%s", table[i].text);
		t = open_text("a.txt", text, NULL);
		assert_string_equal(torus_trace_format(t)->name,
				    table[i].format);
		assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_END);
		assert_int_equal(jobs, 1);
		assert_int_equal(torus_trace_counts(t)->bad, 0);
		torus_trace_close(t);
	}
}

static void near_disorder_is_sorted(void **state)
{
	struct torus_error err = { 0 };
	struct swf swf = swf_begin();
	struct torus_trace *t;
	char ids[64];
	size_t jobs;

	(void)state;
	swf_add(&swf, 1, 50);
	swf_add(&swf, 2, 10);
	swf_add(&swf, 3, 50);
	swf_add(&swf, 4, 10);
	swf_add(&swf, 5, 5);
	t = open_text("o.swf", swf.text, NULL);
	assert_int_equal(drain(t, ids, &jobs, &err), TORUS_TRACE_END);
	assert_string_equal(ids, "5 2 4 1 3 ");
	torus_trace_close(t);
	free(swf.text);
}

/* Read a trace in which `before` jobs are in order, and then one job follows `late`
 * jobs that were submitted after it. */
static enum torus_trace_answer late_job(unsigned before, unsigned late,
					struct torus_error *err)
{
	struct swf swf = swf_begin();
	enum torus_trace_answer answer;
	struct torus_trace *t;
	size_t jobs;

	for (unsigned i = 0; i < before; i++)
		swf_add(&swf, 50000 + i, 0);
	for (unsigned i = 0; i < late; i++)
		swf_add(&swf, i, 100 + i);
	swf_add(&swf, 99999, 1);
	for (unsigned i = 0; i < 20; i++)
		swf_add(&swf, i, 100 + late + i);
	t = open_text("l.swf", swf.text, NULL);
	answer = drain(t, NULL, &jobs, err);
	if (answer == TORUS_TRACE_END)
		assert_int_equal(jobs, before + late + 21);
	torus_trace_close(t);
	free(swf.text);
	return answer;
}

static void far_disorder_is_refused(void **state)
{
	struct torus_error err = { 0 };

	(void)state;
	assert_int_equal(late_job(0, 1, &err), TORUS_TRACE_END);
	assert_int_equal(late_job(0, 9999, &err), TORUS_TRACE_END);
	assert_int_equal(late_job(0, 10000, &err), TORUS_TRACE_END);
	assert_int_equal(err.count, 0);
	assert_int_equal(late_job(0, 10001, &err), TORUS_TRACE_REFUSED);
	assert_non_null(strstr(err.text, ":10002: submitted before"));
}

/* The window is the same wherever a batch of lines begins. */
static void window_batches(void **state)
{
	(void)state;
	for (unsigned before = 1; before < 70; before++) {
		struct torus_error err = { 0 };

		assert_int_equal(late_job(before, 10000, &err), TORUS_TRACE_END);
		assert_int_equal(late_job(before, 10001, &err),
				 TORUS_TRACE_REFUSED);
	}
}

/* Backwards in blocks of the window's size, at many offsets of the ring. */
static void reversed_blocks(void **state)
{
	struct torus_error err = { 0 };
	struct swf swf = swf_begin();
	struct torus_trace *t;
	size_t jobs;

	(void)state;
	for (unsigned block = 0; block < 40; block++)
		for (unsigned i = 0; i < 1000; i++)
			swf_add(&swf, i, block * 1000 + 999 - i);
	t = open_text("r.swf", swf.text, NULL);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_END);
	assert_int_equal(jobs, 40000);
	torus_trace_close(t);
	free(swf.text);
}

static const char mixed[] = "; comment\n"
			    "1 0 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n"
			    "2 1 0 0 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n"
			    "bad\n"
			    "3 2 0 10 -1 -1 -1 -1 20 -1 1 1 1 -1 1 -1 -1 -1\n"
			    "4 3 0 10 x -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n"
			    "5 4 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1\n";

static void skipped_jobs_are_counted_by_reason(void **state)
{
	struct torus_error err = { 0 };
	struct torus_trace *t = open_text("m.swf", mixed, NULL);
	const struct torus_trace_counts *c = torus_trace_counts(t);
	char ids[64];
	size_t jobs;

	(void)state;
	assert_int_equal(drain(t, ids, &jobs, &err), TORUS_TRACE_END);
	assert_string_equal(ids, "1 5 ");
	assert_int_equal(c->jobs, 2);
	assert_int_equal(c->no_run, 1);
	assert_int_equal(c->no_processors, 1);
	assert_int_equal(c->bad, 2);
	assert_int_equal(torus_trace_bad(t)->count, 2);
	assert_non_null(strstr(torus_trace_bad(t)->text, "m.swf:4: got 1"));
	assert_non_null(strstr(torus_trace_bad(t)->text, "m.swf:6: field 5"));
	torus_trace_close(t);
}

static void first_jobs_only(void **state)
{
	struct torus_trace_options options = { .max_jobs = 1 };
	struct torus_error err = { 0 };
	struct torus_trace *t = open_text("m.swf", mixed, &options);
	char ids[64];
	size_t jobs;

	(void)state;
	assert_int_equal(drain(t, ids, &jobs, &err), TORUS_TRACE_END);
	assert_string_equal(ids, "1 ");
	assert_int_equal(torus_trace_counts(t)->no_run, 0);
	assert_int_equal(torus_trace_counts(t)->bad, 0);
	torus_trace_close(t);
}

/* Expected failures. */
static void strict_refuses_an_unreadable_line(void **state)
{
	struct torus_trace_options options = { .strict = true };
	struct torus_error err = { 0 };
	struct swf swf = swf_begin();
	struct torus_trace *t;
	size_t jobs;

	(void)state;
	for (unsigned i = 0; i < 30000; i++)
		if (i > 20000 && i % 1000 == 0)
			swf.end += sprintf(swf.end, "bad %u\n", i);
		else
			swf_add(&swf, i, i);
	t = open_text("s.swf", swf.text, &options);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_REFUSED);
	/* All of the file was looked at, not only up to the first one. */
	assert_int_equal(torus_trace_counts(t)->bad, 9);
	torus_trace_close(t);
	t = open_text("s.swf", "bad\n", &options);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_REFUSED);
	torus_trace_close(t);
	free(swf.text);
}

static void shows_ten(void **state)
{
	struct torus_error err = { 0 };
	struct swf swf = swf_begin();
	struct torus_trace *t;
	size_t jobs;

	(void)state;
	for (unsigned i = 0; i < 25; i++)
		swf.end += sprintf(swf.end, "bad line %u\n", i);
	t = open_text("b.swf", swf.text, NULL);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_END);
	assert_int_equal(torus_trace_counts(t)->bad, 25);
	assert_int_equal(torus_trace_bad(t)->count, 10);
	torus_trace_close(t);
	free(swf.text);
}

static void files_that_are_no_trace_are_refused(void **state)
{
	struct torus_trace_options options = { 0 };
	struct torus_error err = { 0 };
	struct torus_trace *t;
	size_t jobs;

	(void)state;
	assert_null(torus_trace_open(files_text("u.txt", "what is this\n"),
				     &options, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "--format"));
	torus_error_clear(&err);
	options.format = "sacct9";
	assert_null(torus_trace_open(files_text("u.txt", "; swf\n"), &options,
				     &err));
	assert_int_equal(err.count, 1);
	torus_error_clear(&err);
	t = open_text("h.csv", "submit,run,node\n", NULL);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_REFUSED);
	assert_non_null(strstr(err.text, "h.csv:1: no such column"));
	torus_trace_close(t);
	torus_error_clear(&err);
	t = open_text("e.csv", "", NULL);
	assert_int_equal(drain(t, NULL, &jobs, &err), TORUS_TRACE_REFUSED);
	assert_int_equal(err.count, 1);
	torus_trace_close(t);
}

/* What a list of all ids says about the repeated ones. */
static void repeats_of_list(char (*ids)[TORUS_TRACE_ID_SIZE],
			    const uint64_t *line, unsigned jobs,
			    struct torus_trace_repeats *r)
{
	for (unsigned i = 0, j; i < jobs; i++) {
		for (j = 0; strcmp(ids[j], ids[i]);)
			j++;
		if (j == i)
			continue;
		if (!r->count++) {
			strcpy(r->id, ids[i]);
			r->line[0] = line[j];
			r->line[1] = line[i];
		}
		r->last = line[i];
	}
}

/* Ids in order, with gaps, again and out of order, as numbers and as text. */
static void repeated_ids(void **state)
{
	enum {
		JOBS = 2000
	};
	static char id[JOBS][TORUS_TRACE_ID_SIZE];
	static uint64_t line[JOBS];

	(void)state;
	for (unsigned seed = 1; seed <= 60; seed++) {
		struct torus_ids *ids = torus_ids_create();
		struct torus_trace_repeats got = { 0 }, want = { 0 };
		unsigned jobs = seed * JOBS / 60, next = 1;

		assert_non_null(ids);
		for (unsigned i = 0; i < jobs; i++) {
			unsigned r = i * 2654435761u * seed >> 16;

			next += r % 50 == 0 ? r % 7 : 1;
			snprintf(id[i], sizeof(id[i]),
				 r % 3 || seed % 2 ? "%u" : "%uA",
				 r % (20 * seed) ? next : 1 + r % (2 * JOBS));
			line[i] = (i ? line[i - 1] : 0) + 1 + (r % 40 == 0);
			torus_ids_add(ids, id[i], line[i], &got);
		}
		repeats_of_list(id, line, jobs, &want);
		assert_int_equal(got.count, want.count);
		assert_int_equal(got.last, want.last);
		assert_string_equal(got.id, want.id);
		assert_int_equal(got.line[0], want.line[0]);
		assert_int_equal(got.line[1], want.line[1]);
		torus_ids_destroy(ids);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_format),
		cmocka_unit_test(a_byte_order_mark_hides_nothing),
		cmocka_unit_test(near_disorder_is_sorted),
		cmocka_unit_test(far_disorder_is_refused),
		cmocka_unit_test(window_batches),
		cmocka_unit_test(reversed_blocks),
		cmocka_unit_test(skipped_jobs_are_counted_by_reason),
		cmocka_unit_test(first_jobs_only),
		/* expected failures */
		cmocka_unit_test(strict_refuses_an_unreadable_line),
		cmocka_unit_test(shows_ten),
		cmocka_unit_test(files_that_are_no_trace_are_refused),
		cmocka_unit_test(repeated_ids),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
