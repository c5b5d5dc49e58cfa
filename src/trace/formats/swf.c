/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of the Standard Workload Format (Feitelson, Tsafrir, Krakov 2014):
 * comment lines that begin with ';', then 18 numbers per line, -1 for unknown
 * values. Seconds may have decimals, which are read to microseconds.
 *
 * It uses the job number, submit and run time, both processor counts, the
 * requested time, status, user, group (as the account) and partition, and the wait time
 * for the start that the job had (a replay computes its own). It ignores processor
 * times, memory, executable
 * and queue (no policy here uses them), and the preceding job with the think
 * time: submissions stay as they were, whatever the policy does to the job
 * before.
 *
 * Every field is checked, even unused ones: a letter in a field shows that the
 * line is invalid. Cost: one pass over the line; a bad line is read again, to
 * explain the error.
 */
#include "trace/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/file.h"
#include "torus/alloc.h"

#define FIELDS 18

enum {
	FIELD_ID = 0,
	FIELD_SUBMIT = 1,
	FIELD_WAIT = 2,
	FIELD_RUN = 3,
	FIELD_USED = 4,
	FIELD_REQUESTED = 7,
	FIELD_LIMIT = 8,
	FIELD_STATUS = 10,
	FIELD_USER = 11,
	FIELD_GROUP = 12,
	FIELD_PARTITION = 15,
};

/*
 * Statuses 2, 3 and 4 are parts of a checkpointed job, which has its own record
 * too: they would count twice. All others, including cancelled (5) and failed
 * (0) jobs, used the machine while they ran.
 */
#define PARTIAL_FIRST 2
#define PARTIAL_LAST 4

static const char *const field_names[FIELDS] = {
	"job number",      "submit time",
	"wait time",       "run time",
	"processors used", "CPU time used",
	"memory used",     "processors requested",
	"time requested",  "memory requested",
	"status",          "user",
	"group",           "executable",
	"queue",           "partition",
	"preceding job",   "think time",
};

struct swf {
	struct torus_trace_header *header;
	bool jobs; /* there were some: a header begins another file (cat) */
	int64_t shift_us; /* from the first file's begin to that of this one */
};

static void *swf_create(struct torus_trace_header *header,
			const struct torus_trace_choice *choice)
{
	struct swf *swf = torus_alloc(1, sizeof(*swf));

	(void)choice;
	if (swf)
		swf->header = header;
	return swf;
}

static inline const char *blanks_skip(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Return true for a first line that begins with a comment or a number. */
static bool swf_recognizes(const char *line)
{
	struct torus_number n;
	const char *p;

	while (*line == '#') {
		line += strcspn(line, "\n");
		line += strspn(line, " \t\r\n");
	}
	if (*line == ';')
		return true;
	p = torus_number_scan(line, &n);
	return p && (*p == ' ' || *p == '\t');
}

/* The begin of a further file: its times count from then, those of the result from the
 * begin of the first one. */
static enum torus_trace_line swf_shift(struct swf *swf, int64_t unix_start,
				       char *why)
{
	int64_t first = swf->header->unix_start;

	if (unix_start == first || (first > 0 && unix_start > first)) {
		swf->shift_us = (unix_start - first) * 1000000;
		return TORUS_TRACE_LINE_NOTHING;
	}
	snprintf(why, TORUS_TRACE_WHY_SIZE,
		 "UnixStartTime: got %lld behind jobs of a file that begins at %lld; join the files in the order of their begins, each with its own",
		 (long long)unix_start, (long long)first);
	return TORUS_TRACE_LINE_REFUSED;
}

/* "; MaxProcs: 128 (some words)"; -1, a word or nothing is unknown. */
static enum torus_trace_line swf_comment(struct swf *swf, const char *line,
					 char *why)
{
	const struct {
		const char *label;
		int64_t *value;
		uint64_t most;
		const char *example;
	} labels[] = {
		{ "MaxNodes:", &swf->header->max_nodes, INT64_MAX, "4096" },
		{ "MaxProcs:", &swf->header->max_processors, INT64_MAX, "4096" },
		{ "UnixStartTime:", &swf->header->unix_start, TORUS_MAX_SECONDS,
		  "1709287200" },
	};
	const char *text, *end;
	uint64_t n;
	size_t i;

	line += strspn(line, ";#");
	line = blanks_skip(line);
	for (i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		size_t length = strlen(labels[i].label);

		if (strncmp(line, labels[i].label, length))
			continue;
		text = blanks_skip(line + length);
		if (!(*text >= '0' && *text <= '9'))
			continue;
		end = torus_number_scan_whole(text, labels[i].most, &n);
		if (!end || (*end && *end != ' ' && *end != '\t')) {
			snprintf(why, TORUS_TRACE_WHY_SIZE,
				 "%s got \"%.*s\", expected a whole number, for example %s",
				 labels[i].label,
				 strcspn(text, " \t") < 40 ?
					 (int)strcspn(text, " \t") :
					 40,
				 text, labels[i].example);
			return TORUS_TRACE_LINE_BAD;
		}
		if (swf->jobs && labels[i].value == &swf->header->unix_start)
			return swf_shift(swf, (int64_t)n, why);
		if (!swf->jobs || (int64_t)n > *labels[i].value)
			*labels[i].value = (int64_t)n;
	}
	return TORUS_TRACE_LINE_NOTHING;
}

/* Read a number, also as 4.0 or 4e0 (pandas). Return the text after it, or NULL. */
static const char *field_scan(const char *p, struct torus_number *n)
{
	const char *end = torus_number_scan(p, n);
	size_t length;
	char text[40];
	double value;

	if (end && *end != 'e' && *end != 'E') {
		if (n->decimals && !n->micro)
			n->decimals = 0;
		return end;
	}
	length = strcspn(p, " \t");
	if (!end || length >= sizeof(text))
		return NULL;
	memcpy(text, p, length);
	text[length] = '\0';
	if (!torus_number_decimal(text, &value) || fabs(value) >= 1e15)
		return NULL;
	n->whole = (int64_t)value;
	n->micro = (int32_t)lround((value - (double)n->whole) * 1e6);
	n->decimals = n->micro ? 6 : 0;
	return p + length;
}

/* Explain why there are not 18 numbers. */
__attribute__((cold)) static enum torus_trace_line swf_explain(const char *line,
							       char *why)
{
	const char *p = blanks_skip(line), *bad = NULL;
	size_t fields = 0, bad_field = 0, length = 0;
	struct torus_number n;

	while (*p) {
		size_t token = strcspn(p, " \t");

		if (!bad && fields < FIELDS && field_scan(p, &n) != p + token) {
			bad = p;
			bad_field = fields;
			length = token < 40 ? token : 40;
		}
		fields++;
		p = blanks_skip(p + token);
	}
	if (fields < FIELDS || !bad)
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "got %zu field%s, expected %d", fields,
			 fields == 1 ? "" : "s", FIELDS);
	else
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "field %zu (%s): got \"%.*s\", expected a number of "
			 "at most 18 digits",
			 bad_field + 1, field_names[bad_field], (int)length,
			 bad);
	return TORUS_TRACE_LINE_BAD;
}

static enum torus_trace_line __attribute__((cold))
swf_out_of_range(int field, const struct torus_number *n, char *why)
{
	char decimals[16] = "";

	if (n->decimals)
		snprintf(decimals, sizeof(decimals), ".%06d", abs(n->micro));
	if (field == FIELD_USED || field == FIELD_REQUESTED)
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "field %d (%s): got "
			 "%s%lld%s, expected -1 or a whole number up to %u",
			 field + 1, field_names[field],
			 !n->whole && n->micro < 0 ? "-" : "",
			 (long long)n->whole, decimals,
			 TORUS_TRACE_MAX_PROCESSORS);
	else
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "field %d (%s): got "
			 "%s%lld%s, expected seconds from 0 to %lld",
			 field + 1, field_names[field],
			 !n->whole && n->micro < 0 ? "-" : "",
			 (long long)n->whole, decimals,
			 (long long)TORUS_TRACE_MAX_SECONDS);
	return TORUS_TRACE_LINE_BAD;
}

/* -1 and 0 mean unknown. */
static inline bool processors_read(const struct torus_number *n, uint32_t *out)
{
	*out = n->whole > 0 ? (uint32_t)n->whole : 0;
	return n->whole >= -1 && n->whole <= TORUS_TRACE_MAX_PROCESSORS &&
	       !n->decimals;
}

static enum torus_trace_line swf_fill(const struct torus_number *v,
				      struct torus_trace_record *record,
				      char *why)
{
	if (!torus_number_us(&v[FIELD_SUBMIT], &record->submit_us) ||
	    record->submit_us < 0)
		return swf_out_of_range(FIELD_SUBMIT, &v[FIELD_SUBMIT], why);
	if (!torus_number_us(&v[FIELD_RUN], &record->run_us))
		return swf_out_of_range(FIELD_RUN, &v[FIELD_RUN], why);
	if (!processors_read(&v[FIELD_USED], &record->used))
		return swf_out_of_range(FIELD_USED, &v[FIELD_USED], why);
	if (!processors_read(&v[FIELD_REQUESTED], &record->requested))
		return swf_out_of_range(FIELD_REQUESTED, &v[FIELD_REQUESTED],
					why);
	if (!torus_number_us(&v[FIELD_LIMIT], &record->limit_us))
		return swf_out_of_range(FIELD_LIMIT, &v[FIELD_LIMIT], why);
	if (record->limit_us <= 0)
		record->limit_us = -1;
	record->deadline_us = TORUS_NO_TIME;
	record->priority = 0;
	record->component = record->shaped = false;
	record->parts = (struct torus_job_parts){ 0 };
	if (v[FIELD_STATUS].whole >= PARTIAL_FIRST &&
	    v[FIELD_STATUS].whole <= PARTIAL_LAST)
		return TORUS_TRACE_LINE_PARTIAL;
	if (record->run_us <= 0)
		return TORUS_TRACE_LINE_NO_RUN;
	if (!record->used && !record->requested)
		return TORUS_TRACE_LINE_NO_PROCESSORS;
	return TORUS_TRACE_LINE_JOB;
}

/* Converts by hand: snprintf() would take as long as the rest of the line. */
static void user_write(int64_t user, char *to)
{
	char digits[20];
	size_t n = 0;

	for (; user > 0; user /= 10)
		digits[n++] = (char)('0' + user % 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
}

/* Read the numbers of a line one by one; more fields are counted. Return false if
 * it is invalid. */
static bool fields_read(struct swf *swf, const char *line,
			struct torus_number v[FIELDS])
{
	const char *p = blanks_skip(line);

	for (size_t i = 0; i < FIELDS; i++) {
		p = field_scan(p, &v[i]);
		if (!p || (*p && *p != ' ' && *p != '\t'))
			return false;
		p = blanks_skip(p);
	}
	swf->header->wide += *p != '\0';
	return true;
}

static enum torus_trace_line swf_line(void *self, char *line, size_t length,
				      struct torus_trace_record *record,
				      char *why)
{
	struct swf *swf = self;
	struct torus_number v[FIELDS];
	const char *first = blanks_skip(line);
	enum torus_trace_line what;
	char number[24];
	int64_t wait_us;
	size_t id_length;

	if (memchr(first, '\0', length - (size_t)(first - line))) {
		snprintf(why, TORUS_TRACE_WHY_SIZE, TORUS_FILE_NUL);
		return TORUS_TRACE_LINE_BAD;
	}
	if (*first == ';' || *first == '#')
		return swf_comment(swf, first, why);
	if (first == line + length)
		return TORUS_TRACE_LINE_NOTHING;
	if (!fields_read(swf, line, v))
		return swf_explain(line, why);
	id_length = strcspn(first, " \t");
	/* not .0 of 4.0; 1000 of 1e3 */
	if (!v[FIELD_ID].decimals && id_length < TORUS_TRACE_ID_SIZE) {
		id_length = strspn(first, "-0123456789");
		if (!strchr(". \t", first[id_length])) {
			snprintf(number, sizeof(number), "%lld",
				 (long long)v[FIELD_ID].whole);
			first = number;
			id_length = strlen(number);
		}
	}
	if (v[FIELD_ID].decimals || id_length >= TORUS_TRACE_ID_SIZE) {
		snprintf(why, TORUS_TRACE_WHY_SIZE,
			 "field 1 (job number): "
			 "got \"%.*s\", expected a whole number",
			 id_length < 40 ? (int)id_length : 40, first);
		return TORUS_TRACE_LINE_BAD;
	}
	memcpy(record->id, first, id_length);
	record->id[id_length] = '\0';
	user_write(v[FIELD_USER].whole, record->user);
	user_write(v[FIELD_GROUP].whole, record->account);
	user_write(v[FIELD_PARTITION].whole, record->partition);
	what = swf_fill(v, record, why);
	record->submit_us += swf->shift_us;
	swf->jobs = true;
	if (what == TORUS_TRACE_LINE_JOB && v[FIELD_WAIT].whole >= 0 &&
	    torus_number_us(&v[FIELD_WAIT], &wait_us))
		record->start_us = record->submit_us + wait_us;
	return what;
}

const struct torus_trace_format torus_trace_swf = {
	.name = "swf",
	.summary = "Standard Workload Format, 18 numbers per line",
	.ending = ".swf",
	.recognizes = swf_recognizes,
	.create = swf_create,
	.destroy = torus_free,
	.line = swf_line,
};
