/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of sacct with random separators, words, numbers, dates, states and line ends in
 * their free text, against the truth: none is read wrongly, at least 95 % are read, the
 * others are reported. A name may also end a row that is no job's:
 *
 *	4000001|x|bob|2024-03-01T10:00:00|60|4|FAILED	a whole row, but for the
 *	run|alice|1709287200|3600|64|COMPLETED		rest of the name
 */
#include "files.h"

#include "trace/trace.h"

#define JOBS 20000
#define FIRST 4000000 /* before the first id */
#define MOST 8        /* pieces of a free text */

struct truth {
	int64_t submit_us, run_us;
	uint32_t nodes;
	char user[16];
	bool read;
};

/* Columns in the order of sacct -o ALL, and values of those that nothing is drawn for. */
static const char *const as_all[] = {
	"Account",    "AdminComment", "Comment",    "Constraints", "Container",
	"ElapsedRaw", "Eligible",     "End",        "ExitCode",    "Extra",
	"JobID",      "JobIDRaw",     "JobName",    "NNodes",      "NodeList",
	"Partition",  "Priority",     "Reason",     "ReqTRES",     "Start",
	"State",      "Submit",       "SubmitLine", "Suspended",   "Timelimit",
	"User",       "WCKey",        "WorkDir",    NULL
};
static const char *const constants[][2] = {
	{ "Eligible", "Unknown" },   { "ExitCode", "0:0" },
	{ "NodeList", "n[0-3]" },    { "Partition", "torus" },
	{ "Priority", "17" },        { "ReqTRES", "cpu=1,node=1" },
	{ "Suspended", "00:00:00" }, { "Timelimit", "1-00:00:00" },
	{ "State", "COMPLETED" },
};

static const char *const names_first[] = { "JobID",      "JobName", "User",
					   "Submit",     "Start",   "End",
					   "ElapsedRaw", "NNodes",  "Timelimit",
					   "State",      NULL };
static const char *const text_last[] = {
	"JobID",  "User",      "Submit", "Start",      "ElapsedRaw",
	"NNodes", "Timelimit", "State",  "SubmitLine", NULL
};
static const char *const both_ends[] = { "JobID",     "JobName",    "User",
					 "Submit",    "ElapsedRaw", "NNodes",
					 "Timelimit", "State",      "Comment",
					 NULL };
static const char *constant_of(const char *name)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		if (!strcmp(constants[i][0], name))
			return constants[i][1];
	return NULL;
}

static uint64_t seed = 1;
static uint32_t jobs = JOBS;
static uint32_t least = 95; /* per cent of them that must be read */
static uint32_t heavy = 1;  /* of ten texts of as_all that may be no words */

static uint32_t draw(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (uint32_t)((seed >> 33) % n);
}

/* Write what may stand behind a name, up to the end of a line, and a word. Then no
 * number follows, as two whole rows cannot be told from two jobs. */
static void row_put(FILE *out, const char *delimiter, const char *const *layout)
{
	static const struct {
		const char *column, *value;
	} values[] = {
		{ "User", "bob" },
		{ "Submit", "2024-03-01T10:00:00" },
		{ "Start", "1709287200" },
		{ "End", "1709290800" },
		{ "ElapsedRaw", "3600" },
		{ "NNodes", "4" },
		{ "Timelimit", "UNLIMITED" },
		{ "State", "FAILED" },
		{ "Comment", "y" },
	};

	fputs("x", out);
	for (size_t k = 2; layout[k]; k++)
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
			if (!strcmp(values[i].column, layout[k]))
				fprintf(out, "%s%s", delimiter, values[i].value);
	fputs("\nrun", out);
}

/* Write a free text: mostly plain, else with what a record has. */
static void text_put(FILE *out, const char *delimiter, bool plain)
{
	static const char *const words[] = {
		"run",       "a b",
		"x=1",       "train.py",
		"COMPLETED", "7",
		"12",        "01:00:00",
		"None",      "2024-03-01T10:00:00",
		"node",      "1709287200",
	};
	uint32_t pieces = 1 + draw(plain ? 2 : MOST);

	for (uint32_t i = 0; i < pieces; i++) {
		fputs(words[draw(plain ? 4 : sizeof(words) / sizeof(*words))],
		      out);
		if (plain || i + 1 == pieces)
			continue;
		if (draw(3) == 0)
			putc('\n', out);
		else
			fputs(draw(2) ? "|" : delimiter, out);
	}
}

/* Write the jobs; `layout`: where the free text stands. */
static void jobs_write(FILE *out, struct truth *truth, const char *delimiter,
		       const char *const *layout)
{
	bool many = layout != names_first && layout != text_last &&
		    layout != both_ends;

	for (int k = 0; layout[k]; k++)
		fprintf(out, "%s%s", k ? delimiter : "", layout[k]);
	putc('\n', out);
	for (uint32_t i = 0; i < jobs; i++) {
		struct truth *t = &truth[i];
		int64_t submit = 1709287200 + (int64_t)i * 10,
			run = 1 + draw(90000);
		bool plain = draw(4) == 0;

		*t = (struct truth){ submit * 1000000, run * 1000000,
				     1 + draw(64), "", false };
		snprintf(t->user, sizeof(t->user), "user%u", draw(20));
		for (int k = 0; layout[k]; k++) {
			const char *name = layout[k];

			if (k)
				fputs(delimiter, out);
			if (!strncmp(name, "JobID", 5))
				fprintf(out, "%u", FIRST + i + 1);
			else if (!strcmp(name, "User"))
				fputs(t->user, out);
			else if (!strcmp(name, "Submit"))
				fprintf(out, "%lld", (long long)submit);
			else if (!strcmp(name, "Start"))
				fprintf(out, "%lld", (long long)submit + 5);
			else if (!strcmp(name, "End"))
				fprintf(out, "%lld",
					(long long)(submit + 5 + run));
			else if (!strcmp(name, "ElapsedRaw"))
				fprintf(out, "%lld", (long long)run);
			else if (!strcmp(name, "NNodes"))
				fprintf(out, "%u", t->nodes);
			else if (constant_of(name))
				fputs(constant_of(name), out);
			else if (!strcmp(name, "JobName") && draw(100) == 0)
				row_put(out, delimiter, layout);
			else
				text_put(out, delimiter,
					 plain || (many && draw(10) >= heavy));
		}
		putc('\n', out);
	}
}

static void check(const char *delimiter, const char *const *layout)
{
	const struct torus_trace_options options = { .format = "sacct" };
	struct truth *truth = calloc(jobs, sizeof(*truth));
	const struct torus_trace_record *r;
	struct torus_error err = { 0 };
	char *text = NULL;
	size_t length = 0;
	uint32_t read = 0;
	FILE *out = open_memstream(&text, &length);
	struct torus_trace *trace;
	enum torus_trace_answer answer;

	assert_non_null(truth);
	assert_non_null(out);
	jobs_write(out, truth, delimiter, layout);
	assert_int_equal(fclose(out), 0);
	trace = torus_trace_open(files_text("random.sacct", text), &options,
				 &err);
	assert_non_null(trace);
	while ((answer = torus_trace_next(trace, &r, &err)) == TORUS_TRACE_JOB) {
		uint64_t id = strtoull(r->id, NULL, 10);
		struct truth *t;

		id -= FIRST;
		assert_true(id >= 1 && id <= jobs);
		t = &truth[id - 1];
		assert_false(t->read);
		t->read = true;
		assert_int_equal(r->submit_us, t->submit_us);
		assert_int_equal(r->run_us, t->run_us);
		assert_int_equal(r->limit_us, 86400 * INT64_C(1000000));
		assert_int_equal(r->requested, t->nodes);
		assert_string_equal(r->user, t->user);
		read++;
	}
	assert_int_equal(answer, TORUS_TRACE_END);
	print_message("%s: %u of %u read, %llu reported\n", delimiter, read,
		      jobs, (unsigned long long)torus_trace_counts(trace)->bad);
	assert_true(read >= jobs * least / 100);
	assert_true(read == jobs || torus_trace_counts(trace)->bad > 0);
	torus_trace_close(trace);
	free(text);
	free(truth);
}

static void a_name_with_separators_is_read_as_it_was(void **state)
{
	(void)state;
	check("|", names_first);
}

static void a_long_separator_is_read_as_it_was(void **state)
{
	(void)state;
	check("^|^", names_first);
	check("|||", text_last);
}

static void text_at_the_end_is_read_as_it_was(void **state)
{
	(void)state;
	check("|", text_last);
}

static void a_row_in_a_name_is_no_job(void **state)
{
	(void)state;
	check("|", both_ends);
	check("^|^", both_ends);
}

/* Any line may begin a record whose first column is free text. */
static void all_columns_are_read_as_they_were(void **state)
{
	(void)state;
	check("|", as_all);
	check("|||", as_all);
}

static bool is_text(const char *name)
{
	static const char *const texts[] = {
		"Account",    "AdminComment", "Comment", "Constraints",
		"Container",  "Extra",        "JobName", "Reason",
		"SubmitLine", "WCKey",        "WorkDir", NULL
	};
	int k = 0;

	while (texts[k] && strcmp(texts[k], name))
		k++;
	return texts[k];
}

/* Columns in any order. Where texts stand among values, a word of one may be a value beside
 * it, and what two readings explain is reported; where they stand together, nearly all are
 * read. */
static void columns_in_any_order_are_never_read_wrongly(void **state)
{
	enum {
		COLUMNS = sizeof(as_all) / sizeof(*as_all) - 1
	};
	const char *layout[COLUMNS + 1], *grouped[COLUMNS + 1];

	(void)state;
	jobs = 1000;
	heavy = 5;
	for (int round = 0; round < 4; round++) {
		uint32_t n = 0, values, where = draw(8);

		memcpy(layout, as_all, sizeof(as_all));
		for (uint32_t i = COLUMNS; i-- > 1;) {
			uint32_t j = draw(i + 1);
			const char *other = layout[i];

			layout[i] = layout[j];
			layout[j] = other;
		}
		least = 70;
		check(round % 2 ? "^|^" : "|", layout);
		/* some values, the texts, the other values */
		for (uint32_t part = 0; part < 3; part++) {
			values = 0;
			for (uint32_t i = 0; i < COLUMNS; i++) {
				bool text = is_text(layout[i]);

				if (text ? part == 1 :
					   (values++ < 2 + where) ==
							    (part == 0) &&
						    part != 1)
					grouped[n++] = layout[i];
			}
		}
		grouped[n] = NULL;
		assert_int_equal(n, COLUMNS);
		least = 85;
		check(round % 2 ? "|" : "|||", grouped);
	}
	jobs = JOBS;
	heavy = 1;
}

/* The last record has two readings, submitted at 10:00 or at 12:00: jobs with lower ids came
 * before it from 11:00 on, if there are enough of them and none is out of order. */
static int64_t submitted_of_two(uint32_t before, bool in_order)
{
	const struct torus_trace_options options = { .format = "sacct" };
	const struct torus_trace_record *r;
	struct torus_error err = { 0 };
	int64_t submit_us = 0;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct torus_trace *trace;

	assert_non_null(out);
	fputs("JobID|Comment|Submit|WCKey|ElapsedRaw|NNodes|State\n", out);
	for (uint32_t i = 1; i <= before; i++)
		fprintf(out, "%u|a|2024-03-01T11:%02u:00|b|60|4|COMPLETED\n", i,
			in_order || i != 2 ? i % 60 : 0);
	fprintf(out,
		"%u|a|2024-03-01T10:00:00|2024-03-01T12:00:00|b|60|4|COMPLETED\n",
		before + 1);
	assert_int_equal(fclose(out), 0);
	trace = torus_trace_open(files_text("turns.sacct", text), &options,
				 &err);
	assert_non_null(trace);
	while (torus_trace_next(trace, &r, &err) == TORUS_TRACE_JOB) {
		if (strtoul(r->id, NULL, 10) == before + 1)
			submit_us = r->submit_us;
	}
	torus_trace_close(trace);
	free(text);
	return submit_us / 1000000;
}

static void of_two_readings_the_one_in_the_order_of_ids_counts(void **state)
{
	(void)state;
	assert_int_equal(submitted_of_two(59, true), 1709294400);
	assert_int_equal(submitted_of_two(20, true), 0);
	assert_int_equal(submitted_of_two(59, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_with_separators_is_read_as_it_was),
		cmocka_unit_test(a_long_separator_is_read_as_it_was),
		cmocka_unit_test(text_at_the_end_is_read_as_it_was),
		cmocka_unit_test(a_row_in_a_name_is_no_job),
		cmocka_unit_test(all_columns_are_read_as_they_were),
		cmocka_unit_test(columns_in_any_order_are_never_read_wrongly),
		cmocka_unit_test(
			of_two_readings_the_one_in_the_order_of_ids_counts),
	};

	return cmocka_run_group_tests(tests, files_begin, files_end) ?
		       EXIT_FAILURE :
		       EXIT_SUCCESS;
}
