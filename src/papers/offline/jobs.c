/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader of the jobs of an offline schedule (jobs.h). The first pass reads a
 * denominator per job; the second converts all times to the least common
 * denominator. Nothing is rounded: if the common denominator would bring times
 * beyond TORUS_OFFLINE_TIME_MAX, the set is refused with the line at which this
 * happens. O(n log n) time, 24 bytes per job.
 */
#include "papers/offline/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/file.h"
#include "papers/offline/number.h"
#include "torus/alloc.h"
#include "trace/formats.h"
#include "trace/input/input.h"

enum column {
	COLUMN_D,
	COLUMN_T,
	COLUMNS
};

#define JOBS_MAX 100000000u

struct jobs_reader {
	const char *name; /* of the file */
	struct torus_offline_jobs *jobs;
	int64_t *den; /* denominator of each t, while reading */
	uint32_t room;
	uint32_t line;
	uint32_t dimension_max;
	uint32_t column[COLUMNS]; /* columns of d and of t */
	bool header;
	struct torus_error *err;
};

static int jobs_error(struct jobs_reader *r, const char *column,
		      const char *got, const char *expected)
{
	return torus_error_add(r->err, "%s:%u: %s: got \"%.60s\", expected %s",
			       r->name, r->line, column, got, expected);
}

static int jobs_dimension_read(struct jobs_reader *r, const char *text,
			       uint32_t *d)
{
	uint64_t value = 0;
	const char *p = text;
	char expected[64];

	while (*p >= '0' && *p <= '9' && value <= r->dimension_max)
		value = value * 10 + (uint64_t)(*p++ - '0');
	*d = (uint32_t)value;
	if (p > text && !*p && value >= 1 && value <= r->dimension_max)
		return 0;
	snprintf(expected, sizeof(expected), "a whole number from 1 to %u",
		 r->dimension_max);
	return jobs_error(r, "d", text, expected);
}

/* Read one job. 0, or -1 with EINVAL (and a line in err) or ENOMEM. */
static int jobs_row_take(struct jobs_reader *r, char *line)
{
	char *field[COLUMNS] = { NULL }, *text;
	struct torus_offline_job job = { .line = r->line };
	struct torus_ratio t = { 0 };
	uint32_t fields = 0;
	bool sound;
	int rc;

	for (char *next = line; next; fields++) {
		next = torus_field_take(next, ',', &text, &sound);
		if (!sound)
			return torus_error_add(r->err,
					       "%s:%u: quotes that do not match",
					       r->name, r->line);
		if (fields < COLUMNS)
			field[fields] = text;
	}
	if (fields != COLUMNS)
		return torus_error_add(r->err,
				       "%s:%u: got %u field%s, expected 2: d and t",
				       r->name, r->line, fields,
				       fields == 1 ? "" : "s");
	rc = jobs_dimension_read(r, field[r->column[COLUMN_D]], &job.d);
	if (!torus_ratio_parse(field[r->column[COLUMN_T]], &t))
		rc = jobs_error(r, "t", field[r->column[COLUMN_T]],
				TORUS_RATIO_EXPECTED);
	if (rc || TORUS_GROW_PAIR(r->jobs->job, r->den, r->room, r->jobs->n + 1))
		return -1;
	job.t = t.num;
	r->den[r->jobs->n] = t.den;
	r->jobs->job[r->jobs->n++] = job;
	return 0;
}

static int jobs_line_take(struct jobs_reader *r, char *line, bool whole)
{
	static const char *const names[COLUMNS] = { "d", "t" };
	bool seen[COLUMNS] = { false };
	uint32_t field = 0;
	char *name;
	bool sound;

	if (!whole)
		return torus_error_add(r->err, "%s:%u: longer than %d bytes",
				       r->name, r->line, TORUS_TRACE_LINE_MAX);
	if (!line[strspn(line, " \t")])
		return 0;
	if (r->jobs->n == JOBS_MAX)
		return torus_error_add(r->err, "%s:%u: more than %u jobs",
				       r->name, r->line, JOBS_MAX);
	if (r->header)
		return jobs_row_take(r, line);
	/* Read the first line: the names of the two columns, once each. */
	for (char *next = line; next; field++) {
		enum column c = COLUMN_D;

		next = torus_field_take(next, ',', &name, &sound);
		while (sound && c < COLUMNS && strcmp(name, names[c]))
			c++;
		if (!sound || c == COLUMNS)
			return jobs_error(r, "header", name,
					  "the columns d and t: \"d,t\"");
		if (seen[c])
			return torus_error_add(r->err,
					       "%s:%u: header: the column %s comes twice; expected \"d,t\"",
					       r->name, r->line, names[c]);
		seen[c] = true;
		r->column[c] = field;
	}
	for (int c = 0; c < COLUMNS; c++) {
		if (!seen[c])
			return torus_error_add(r->err,
					       "%s:%u: header: the column %s is missing; expected \"d,t\"",
					       r->name, r->line, names[c]);
	}
	r->header = true;
	return 0;
}

/* Read all lines. After an invalid header no line is read. */
static int jobs_lines_take(struct jobs_reader *r, struct torus_input *in)
{
	bool whole, wrong = false;
	size_t length;
	char *line;
	int got;

	while ((got = torus_input_line(in, &line, &length, &whole, r->err)) > 0) {
		r->line++;
		if (strlen(line) != length)
			torus_error_add(r->err, "%s:%u: %s", r->name, r->line,
					TORUS_FILE_NUL);
		else if (!jobs_line_take(r, line, whole))
			continue;
		else if (errno != EINVAL)
			return -1;
		wrong = true;
		if (!r->header || r->jobs->n == JOBS_MAX)
			break;
	}
	if (got < 0)
		return -1;
	if (!wrong && !r->header)
		return torus_error_add(r->err,
				       "%s: empty; expected a first line \"d,t\" and a line per job",
				       r->name);
	if (!wrong && !r->jobs->n)
		return torus_error_add(r->err,
				       "%s: no job; expected a line per job below \"d,t\", for example \"4,2.5\"",
				       r->name);
	errno = EINVAL;
	return wrong ? -1 : 0;
}

static int jobs_too_fine(struct jobs_reader *r, uint32_t i)
{
	return torus_error_add(r->err,
			       "%s:%u: t: the times down to here have no common denominator that 18 digits hold; use fewer different denominators, or decimals",
			       r->name, r->jobs->job[i].line);
}

/* Convert every t to the least common denominator. */
static int jobs_unit_find(struct jobs_reader *r)
{
	struct torus_offline_jobs *jobs = r->jobs;
	int64_t times;

	jobs->unit = 1;
	for (uint32_t i = 0; i < jobs->n; i++) {
		times = r->den[i] / torus_common_divisor(jobs->unit, r->den[i]);
		if (__builtin_mul_overflow(jobs->unit, times, &jobs->unit) ||
		    jobs->unit > TORUS_OFFLINE_TIME_MAX)
			return jobs_too_fine(r, i);
	}
	for (uint32_t i = 0; i < jobs->n; i++) {
		times = jobs->unit / r->den[i];
		if (__builtin_mul_overflow(jobs->job[i].t, times,
					   &jobs->job[i].t) ||
		    jobs->job[i].t > TORUS_OFFLINE_TIME_MAX)
			return jobs_too_fine(r, i);
	}
	return 0;
}

struct torus_offline_jobs *torus_offline_jobs_read(const char *path,
						   uint32_t dimension_max,
						   struct torus_error *err)
{
	struct jobs_reader r = { .dimension_max = dimension_max, .err = err };
	struct torus_input *in = torus_input_open(path, true, err);
	int rc;

	if (!in)
		return NULL;
	r.name = torus_input_name(in);
	r.jobs = torus_alloc(1, sizeof(*r.jobs));
	rc = r.jobs ? jobs_lines_take(&r, in) : -1;
	if (!rc)
		rc = jobs_unit_find(&r);
	if (!rc)
		rc = torus_input_digest(in, r.jobs->digest);
	torus_input_close(in);
	torus_free(r.den);
	if (!rc)
		return r.jobs;
	torus_offline_jobs_destroy(r.jobs);
	return NULL;
}

void torus_offline_jobs_destroy(struct torus_offline_jobs *jobs)
{
	if (!jobs)
		return;
	torus_free(jobs->job);
	torus_free(jobs);
}

struct keyed {
	uint32_t d, at;
};

static int jobs_before(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->d != y->d)
		return x->d > y->d ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

uint32_t *torus_offline_order(const struct torus_offline_jobs *jobs)
{
	struct keyed *key = torus_alloc(jobs->n, sizeof(*key));
	uint32_t *order = torus_alloc(jobs->n, sizeof(*order));

	if (!key || !order) {
		torus_free(key);
		torus_free(order);
		errno = ENOMEM;
		return NULL;
	}
	for (uint32_t i = 0; i < jobs->n; i++)
		key[i] = (struct keyed){ jobs->job[i].d, i };
	qsort(key, jobs->n, sizeof(*key), jobs_before);
	for (uint32_t i = 0; i < jobs->n; i++)
		order[i] = key[i].at;
	torus_free(key);
	return order;
}
