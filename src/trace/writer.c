/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers of SWF and CSV (writer.h). Times are seconds with at most six
 * decimals and no trailing zeros.
 *
 * SWF has no fields for shapes, deadlines, priorities and QOS; they are omitted. SWF
 * identifies jobs, users, groups (accounts) and partitions by numbers: an id that
 * is not a number becomes the job's position in the file; another name becomes -1.
 */
#include "trace/writer.h"

#include <inttypes.h>

#include "format/stream.h"
#include "torus/number.h"

/* Return 0, or -1 if a write to the stream failed. */
static int writer_bytes(FILE *out)
{
	return stream_failed(out) ? -1 : 0;
}

/* Write one line of provenance, without line breaks, which would end the
 * comment. */
static void writer_note(FILE *out, const char *begin, const char *what,
			const char *text)
{
	if (!text)
		return;
	fprintf(out, "%s%s: ", begin, what);
	for (; *text; text++)
		putc((unsigned char)*text < ' ' ? '?' : *text, out);
	putc('\n', out);
}

static void writer_notes(FILE *out, const char *begin,
			 const struct torus_origin *o)
{
	writer_note(out, begin, "storus", o->version);
	writer_note(out, begin, "command", o->command);
	writer_note(out, begin, "jobs from", o->what);
	writer_note(out, begin, "load", o->load);
	for (const char *const *line = o->fit; line && *line; line++)
		writer_note(out, begin, "fit", *line);
	writer_note(out, begin, "seed", o->seed);
	writer_note(out, begin, "trace_sha256", o->digest);
}

static void writer_header(FILE *out, const char *label, int64_t value)
{
	if (value >= 0)
		fprintf(out, "; %s: %" PRId64 "\n", label, value);
}

static int swf_begin(FILE *out, const struct torus_origin *o,
		     const struct torus_writer_columns *columns)
{
	(void)columns;
	fprintf(out, "; Version: 2.2\n");
	if (!o)
		return writer_bytes(out);
	fprintf(out, "; Computer: simulated\n");
	writer_notes(out, "; Note: ", o);
	writer_header(out, "MaxJobs", o->jobs);
	writer_header(out, "MaxRecords", o->jobs);
	writer_header(out, "UnixStartTime", o->unix_start);
	writer_header(out, "MaxNodes", o->nodes);
	writer_header(out, "MaxProcs", o->nodes);
	return writer_bytes(out);
}

static bool writer_is_number(const char *text)
{
	size_t length = strlen(text);

	return length && length <= 18 && strspn(text, "0123456789") == length;
}

bool torus_writer_loses(const struct torus_writer *writer,
			const struct torus_trace_record *r)
{
	return writer == &torus_writer_swf &&
	       (r->shaped || r->priority != 0 ||
		r->deadline_us != TORUS_NO_TIME || r->nice != 0 ||
		r->wait_limit_us >= 0 || *r->qos ||
		(*r->account && !writer_is_number(r->account)) ||
		(*r->user && !writer_is_number(r->user)) ||
		(*r->partition && !writer_is_number(r->partition)));
}

/* Write a size; -1 if it is 0. */
static void size_put(FILE *out, uint32_t n)
{
	if (n)
		fprintf(out, " %" PRIu32, n);
	else
		fputs(" -1", out);
}

static int swf_job(FILE *out, const struct torus_trace_record *r,
		   const struct torus_writer_columns *columns)
{
	char submit[TORUS_SECONDS_SIZE], run[TORUS_SECONDS_SIZE];
	char limit[TORUS_SECONDS_SIZE] = "-1";

	(void)columns;
	torus_seconds_format(r->submit_us, submit);
	torus_seconds_format(r->run_us, run);
	if (r->limit_us >= 0)
		torus_seconds_format(r->limit_us, limit);
	if (writer_is_number(r->id))
		fputs(r->id, out);
	else
		fprintf(out, "%" PRIu64, r->line);
	fprintf(out, " %s -1 %s", submit, run);
	size_put(out, r->used);
	fputs(" -1 -1", out);
	size_put(out, r->requested);
	fprintf(out, " %s -1 1 %s %s -1 -1 %s -1 -1\n", limit,
		writer_is_number(r->user) ? r->user : "-1",
		writer_is_number(r->account) ? r->account : "-1",
		writer_is_number(r->partition) ? r->partition : "-1");
	return writer_bytes(out);
}

/* A strategy belongs to the policy that a replay tries, not to the job; the order of its
 * ranks concerns no replay. */
static bool writer_is_written(enum torus_word w)
{
	return torus_request_word[w].kind != TORUS_KIND_STRATEGY &&
	       w != TORUS_WORD_RANK_ORDER;
}

static int csv_begin(FILE *out, const struct torus_origin *o,
		     const struct torus_writer_columns *columns)
{
	if (o)
		writer_notes(out, "# ", o);
	fputs("id,submit,run,nodes", out);
	for (enum torus_word w = 0; columns->shapes && w < TORUS_WORDS; w++) {
		if (writer_is_written(w))
			fprintf(out, ",%s", torus_request_word[w].column);
	}
	fprintf(out, ",limit%s%s\n", columns->deadlines ? ",deadline" : "",
		columns->users ?
			",user,partition,priority,nice,account,qos,wait_limit" :
			"");
	return writer_bytes(out);
}

/* Write a field, in quotes if needed: a line that begins with # is a comment. */
static void field_put(FILE *out, const char *text)
{
	stream_put_field(out, text, *text == ' ' || *text == '#');
}

/* Write a comma, and the time if it is known. */
static void time_put(FILE *out, bool stated, int64_t us)
{
	char text[TORUS_SECONDS_SIZE] = "";

	if (stated)
		torus_seconds_format(us, text);
	fprintf(out, ",%s", text);
}

static int csv_job(FILE *out, const struct torus_trace_record *r,
		   const struct torus_writer_columns *columns)
{
	field_put(out, r->id);
	time_put(out, true, r->submit_us);
	time_put(out, true, r->run_us);
	fprintf(out, ",%" PRIu32, r->requested ? r->requested : r->used);
	if (columns->shapes) {
		/* Write the words of a shape; empty fields for a count. */
		struct torus_job_request request = { 0 };
		char text[TORUS_GEOMETRY_SIZE];

		if (r->shaped)
			request = torus_job_request_of(r->request);
		for (enum torus_word w = 0; w < TORUS_WORDS; w++) {
			if (!writer_is_written(w))
				continue;
			*text = '\0';
			if (r->shaped)
				torus_request_word[w].write(&request, text,
							    sizeof(text));
			putc(',', out);
			field_put(out,
				  text); /* several alternatives have commas */
		}
	}
	time_put(out, r->limit_us >= 0, r->limit_us);
	if (columns->deadlines)
		time_put(out, r->deadline_us != TORUS_NO_TIME, r->deadline_us);
	if (columns->users) {
		/* Write whose job it is, and what decides its turn. */
		char priority[48];

		putc(',', out);
		field_put(out, r->user);
		putc(',', out);
		field_put(out, r->partition);
		torus_number_format(r->priority, 6, priority, sizeof(priority));
		fprintf(out, ",%s,%" PRId64 ",", priority, r->nice);
		field_put(out, r->account);
		putc(',', out);
		field_put(out, r->qos);
		time_put(out, r->wait_limit_us >= 0, r->wait_limit_us);
	}
	putc('\n', out);
	return writer_bytes(out);
}

const struct torus_writer torus_writer_swf = {
	.name = "swf",
	.begin = swf_begin,
	.job = swf_job,
};

const struct torus_writer torus_writer_csv = {
	.name = "csv",
	.begin = csv_begin,
	.job = csv_job,
};
