/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storus report: schedules as one self-contained HTML page (report/page.h).
 *
 * The summary beside a schedule (storus/lab/summary_file.h) has measures, origin and machine;
 * without it the measures are computed from the rows.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "report/page.h"
#include "storus/base/notices.h"
#include "storus/lab/summary_file.h"
#include "storus/base/output.h"
#include "storus/storus.h"
#include "torus/config.h"
#include "torus_build.h"

#define NAME &storus_report
#define MOST_SCHEDULES 10

struct report {
	struct torus_trace_choice choice; /* of the trace, as in its replay */
	struct storus_list schedule;
	json_t *summary[MOST_SCHEDULES]; /* NULL: there is none */
	const char *output, *torus, *title, *chart, *trace, *tz, *weekly;
	struct torus_owners owners;         /* of the trace */
	struct torus_report_columns *first; /* of the first schedule */
	const char *command;
	json_t *week; /* of --weekly */
	struct torus_error err;
};

static const struct storus_option options[] = {
	{ "output", "FILE.html", "default: the standard output", .writes = true,
	  STORUS_TO(struct report, output) },
	{ "torus", "FILE|MACHINE",
	  "the machine, if no summary of the schedule names it",
	  STORUS_TO(struct report, torus) },
	{ "title", "TEXT", "title of the page",
	  STORUS_TO(struct report, title) },
	{ "trace", "FILE",
	  "the trace that was replayed, for users and limits; default: the one\n"
	  "that the summary names, if it is there",
	  STORUS_TO(struct report, trace) },
	STORUS_TRACE_CHOICE(struct report, choice),
	{ "tz", "ZONE",
	  "time zone of dates: UTC (the default), Europe/Berlin, +02:00...",
	  STORUS_TO(struct report, tz) },
	{ "weekly", "FILE",
	  "add the section of storus weekly, which writes this file",
	  STORUS_TO(struct report, weekly) },
	{ "chart", "FILE",
	  "Chart.js 3; default: Debian's, of the package libjs-chart.js",
	  STORUS_TO(struct report, chart) },
	{ 0 },
};

/* Return true, with a message, if two words name one schedule: the page would
 * compare it with itself. */
static bool schedules_repeat(const struct report *r)
{
	for (uint32_t i = 0; i < r->schedule.count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const char *first = r->schedule.word[k];
			const char *word = r->schedule.word[i];

			if (strcmp(first, word) != 0 &&
			    !storus_output_same(first, word))
				continue;
			storus_say(NAME, 0,
				   "%s: given twice%s%s; name each schedule once",
				   storus_input_name(word),
				   strcmp(first, word) ? ", first as " : "",
				   strcmp(first, word) ? first : "");
			return true;
		}
	}
	return false;
}

static int report_check(const struct report *r)
{
	if (!r->schedule.count)
		return storus_say(NAME, STORUS_USAGE,
				  "a schedule is missing; expected a file of storus replay --schedule, or - for the standard input");
	if (r->schedule.count > MOST_SCHEDULES)
		return storus_say(NAME, STORUS_USAGE,
				  "\"%s\": more than %d schedules; storus sweep compares many",
				  r->schedule.word[MOST_SCHEDULES],
				  MOST_SCHEDULES);
	if (schedules_repeat(r))
		return STORUS_USAGE;
	if (strcmp(r->output, "-") == 0 && isatty(STDOUT_FILENO))
		return storus_say(NAME, STORUS_USAGE,
				  "the standard output is a terminal; write the page with --output FILE.html");
	return storus_page_zone(NAME, r->tz) ? STORUS_GO : STORUS_USAGE;
}

/* The machine of --torus, or of the summary; NULL: not known, or refused with
 * a line in err. */
static struct torus_config *machine_load(struct report *r, const char *path,
					 const json_t *summary)
{
	const char *torus =
		r->torus ? r->torus :
			   json_string_value(json_object_get(summary, "torus"));
	struct torus_error why = { 0 };
	struct torus_config *config;

	if (!torus)
		return NULL;
	config = torus_config_load(torus, r->torus ? &r->err : &why);
	if (!config && !r->torus)
		storus_say(NAME, 0,
			   "notice: %s, the machine of the summary, cannot be read, so it is not drawn; name it with --torus",
			   torus);
	if (config &&
	    storus_summary_file_machine(path, summary, &config->machine,
					r->torus ? &r->err : &why)) {
		if (!r->torus)
			storus_say(NAME, 0,
				   "notice: %s has changed since: no picture of the machine: %s",
				   torus, why.text);
		torus_config_destroy(config);
		config = NULL;
	}
	return config;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(path, "-") ? "standard input" : slash ? slash + 1 : path;
}

/* Return the begin of the schedule's clock, from its summary or the trace. */
static int64_t unix_start_of(const struct report *r, const json_t *summary)
{
	const json_t *start = json_object_get(json_object_get(summary,
							      "trace_header"),
					      "unix_start_time");

	if (json_is_integer(start))
		return json_integer_value(start);
	return r->trace ? r->owners.unix_start : -1;
}

static int schedule_put(struct report *r, uint32_t i, FILE *data)
{
	const char *path = r->schedule.word[i];
	const json_t *summary = r->summary[i];
	struct torus_config *config = machine_load(r, path, summary);
	char *text = summary ? json_dumps(summary, JSON_ENSURE_ASCII) : NULL;
	struct torus_schedule_file *file = NULL;
	const struct torus_report_about about = {
		.name = base_name(path),
		.machine = config ? &config->machine : NULL,
		.summary = text,
		.owners = r->trace ? &r->owners : NULL,
		.unix_start = unix_start_of(r, summary),
	};
	int rc = r->err.count ? -1 : 0;

	errno = EINVAL;
	if (!rc) {
		file = torus_schedule_open(path, &r->err);
		rc = file ? torus_report_schedule(data, file, &about, &r->first,
						  &r->err) :
			    -1;
	}
	torus_schedule_close(file);
	free(text);
	torus_config_destroy(config);
	return rc;
}

/* Schedules that disagree in a key of their summaries; NULL: none do. */
static const char *report_disagree(const struct report *r, const char *key)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < r->schedule.count; i++) {
		const char *text = json_string_value(
			json_object_get(r->summary[i], key));

		if (first && text && strcmp(first, text) != 0)
			return r->schedule.word[i];
		first = first ? first : text;
	}
	return NULL;
}

/* Read the summary of each schedule, and how the schedules differ. */
static int summaries_read(struct report *r)
{
	const char *other;

	for (uint32_t i = 0; i < r->schedule.count; i++) {
		int status = storus_summary_file_read(NAME, r->schedule.word[i],
						      &r->summary[i]);

		if (status)
			return status;
	}
	/* schedules without an identity */
	for (uint32_t i = 0; i < r->schedule.count; i++) {
		const char *path = r->schedule.word[i];

		if (!r->summary[i] && !r->weekly && strcmp(path, "-") != 0 &&
		    access(path, F_OK) == 0)
			storus_say(NAME, 0,
				   "notice: %s: no summary %s.json: trace, policy and completeness are unknown",
				   path, path);
	}
	other = report_disagree(r, "trace_sha256");
	if (other)
		storus_say(NAME, 0,
			   "notice: %s is of another trace than the schedules before it (trace_sha256 differs): equal ids are different jobs, so jobs are not compared",
			   other);
	other = report_disagree(r, "build");
	if (other)
		storus_say(NAME, 0,
			   "notice: %s was made by another build of storus than the schedules before it (build differs): replay all of them again to compare policies",
			   other);
	return STORUS_DONE;
}

/* Read the owners from the trace that the first summary names, as it was typed or beside
 * the schedule, if it is there and unchanged; without it the page has none. */
static void owners_seek(struct report *r)
{
	const char *trace = json_string_value(
		json_object_get(r->summary[0], "trace"));
	const char *digest = json_string_value(
		json_object_get(r->summary[0], "trace_sha256"));
	const char *name = trace ? strrchr(trace, '/') : NULL;
	const char *schedule = r->schedule.word[0];
	const char *slash = strrchr(schedule, '/');
	char beside[PATH_MAX];

	if (!trace || !digest)
		return;
	snprintf(beside, sizeof(beside), "%.*s%s",
		 slash ? (int)(slash - schedule) + 1 : 0, schedule,
		 name ? name + 1 : trace);
	for (int i = 0; i < 2 && !r->trace; i++) {
		struct torus_error why = { 0 };
		const char *path = i ? beside : trace;

		if (access(path, R_OK) ||
		    torus_owners_read(&r->owners, path, &r->choice, &why))
			continue;
		if (!strcmp(digest, r->owners.digest))
			r->trace = path == trace ? trace : "beside";
		else
			torus_owners_free(&r->owners);
	}
}

/* The users and partitions, of the trace that every summary names. */
static int owners_read(struct report *r)
{
	if (!r->trace) {
		owners_seek(r);
		return STORUS_DONE;
	}
	if (torus_owners_read(&r->owners, r->trace, &r->choice, &r->err))
		return storus_say_input(NAME, &r->err);
	for (uint32_t i = 0; i < r->schedule.count; i++) {
		const char *digest = json_string_value(
			json_object_get(r->summary[i], "trace_sha256"));

		if (digest && strcmp(digest, r->owners.digest) != 0)
			return storus_say(NAME, STORUS_USAGE,
					  "--trace %s: not the trace of %s (trace_sha256 differs)",
					  r->trace, r->schedule.word[i]);
	}
	return STORUS_DONE;
}

/* All schedules as JSON, malloc()ed. */
static int data_make(struct report *r, char **data, size_t *length)
{
	FILE *out = open_memstream(data, length);
	json_t *title;
	char *text;
	int rc = 0;

	if (!out)
		return -1;
	title = json_string(r->title ? r->title : "storus report");
	text = title ? json_dumps(title, JSON_ENSURE_ASCII | JSON_ENCODE_ANY) :
		       NULL;
	fprintf(out, "{\"title\":%s,\"tz\":\"%s\",\"schedules\":[",
		text ? text : "\"storus report\"", r->tz);
	free(text);
	json_decref(title);
	for (uint32_t i = 0; i < r->schedule.count && !rc; i++) {
		if (i)
			putc(',', out);
		rc = schedule_put(r, i, out);
	}
	putc(']', out);
	if (r->weekly && !rc) {
		/* Parts that storus weekly adds. The page shows the command that the user
		 * typed. */
		json_error_t why;
		const char *typed;

		r->week = json_load_file(r->weekly, 0, &why);
		typed = json_string_value(json_object_get(r->week, "command"));
		r->command = typed ? typed : r->command;
		fputs(",\"weekly\":", out);
		if (r->week && r->schedule.count > 1) {
			rc = json_dumpf(r->week, out, JSON_ENSURE_ASCII);
		} else {
			rc = torus_error_add(&r->err, "--weekly %s: %s",
					     r->weekly,
					     r->week ?
						     "expected two schedules or more" :
						     why.text);
		}
	}
	putc('}', out);
	return fclose(out) || rc ? -1 : 0;
}

static int report_answer(struct report *r)
{
	char *chart, *data = NULL;
	size_t chart_length, length;
	int status = report_check(r);

	if (status != STORUS_GO)
		return status;
	chart = storus_page_chart(NAME, r->chart, &chart_length);
	if (!chart)
		return STORUS_USAGE;
	status = summaries_read(r);
	if (!status)
		status = owners_read(r);
	if (!status && data_make(r, &data, &length))
		status = storus_say_input(NAME, &r->err);
	if (!status) {
		const struct report_origin origin = { .version = PACKAGE_VERSION,
						      .command = r->command };
		const struct torus_report_page page = {
			.title = r->title ? r->title : "storus report",
			.origin = &origin,
			.chart = chart,
			.chart_length = chart_length,
			.data = data,
			.length = length,
		};

		status = storus_page_put(NAME, r->output, torus_report_write,
					 &page);
	}
	free(data);
	free(chart);
	return status;
}

static int report_run(void *words)
{
	struct report *r = words;
	int status = report_answer(r);

	for (int i = 0; i < MOST_SCHEDULES; i++)
		json_decref(r->summary[i]);
	torus_owners_free(&r->owners);
	torus_report_columns_free(r->first);
	json_decref(r->week);
	return status;
}

const struct storus_command storus_report = {
	.name = "report",
	.summary =
		"write an HTML page about schedules: tables, charts, the machine over time",
	.usage = "SCHEDULE.csv... [OPTION]...",
	.about =
		"SCHEDULE.csv is an output of storus replay --schedule, plain or gzipped; - is the\n"
		"standard input. At most ten are compared. The summary of a schedule (x.csv.json or\n"
		"x.json in the directory of x.csv) has measures, provenance and the machine. The page\n"
		"is self-contained: it opens without a network, prints, and can be sent to others.\n"
		"Times are dates if the trace says when its clock began (SWF: UnixStartTime; sacct;\n"
		"a journal).",
	.options = options,
	STORUS_WORDS(struct report, .output = "-", .chart = STORUS_PAGE_CHART,
		     .tz = "UTC"),
	.line = { STORUS_TO(struct report, command) },
	.operand = { .value = "schedule", STORUS_TO(struct report, schedule) },
	.examples =
		"  storus replay --torus 8x8x16 --schedule easy.csv --json=easy.json trace.swf\n"
		"  storus report easy.csv --output easy.html\n"
		"  storus report fcfs.csv easy.csv --torus 8x8x16 >two.html\n"
		"  storus generate bani-uniform | storus replay --torus 8x8x8 --schedule - - |\n"
		"    storus report --torus 8x8x8 - >page.html\n",
	.run = report_run,
};
