/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map out of a schedule file: rows are streamed, columns found by their
 * header. Cost: O(file). Plain or gzipped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "storus/map_source.h"
#include "storus/site.h"
#include "storus/storus.h"
#include "trace/formats.h"
#include "trace/input.h"

#define FIELDS 64

enum { COLUMN_ID, COLUMN_START, COLUMN_END, COLUMN_GRANTED, COLUMN_REGION,
       COLUMNS };

static const char *const names[COLUMNS] = { "id", "start", "end", "granted",
					    "region" };

struct schedule {
	struct torus_input *in;
	uint32_t column[COLUMNS]; /* position in a row */
	uint32_t fields;
	uint64_t line;
	struct torus_error *err;
};

static int complain(struct schedule *s, const char *what, const char *got)
{
	torus_error_add(s->err, "%s:%llu: %s: got \"%.60s\"",
			torus_input_name(s->in), (unsigned long long)s->line,
			what, got);
	return STORUS_USAGE;
}

/* Split a line; false if quotes do not match or there are too many. */
static bool split(char *line, char **field, uint32_t *fields)
{
	bool sound = true;

	*fields = 0;
	while (line && sound && *fields < FIELDS)
		line = torus_field_take(line, &field[(*fields)++], &sound);
	return sound && !line;
}

static int read_header(struct schedule *s, char *line)
{
	char *field[FIELDS];

	if (!split(line, field, &s->fields))
		return complain(s, "header: quotes that do not match", line);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		uint32_t f = 0;

		while (f < s->fields && strcmp(field[f], names[c]) != 0)
			f++;
		if (f == s->fields)
			return complain(s, "header: a column is missing; expected a file of storus replay --schedule",
					names[c]);
		s->column[c] = f;
	}
	return STORUS_DONE;
}

static bool read_time(const char *text, int64_t *us)
{
	struct torus_number n;
	const char *end = torus_number_scan(text, &n);

	return end && *end == '\0' && torus_number_us(&n, us);
}

static int add_job(struct storus_map *m, struct schedule *s, char **field,
		   int64_t left_us)
{
	struct report_map_job job = { 0 };
	char *region = field[s->column[COLUMN_REGION]];

	snprintf(job.id, sizeof(job.id), "%s", field[s->column[COLUMN_ID]]);
	snprintf(job.left, sizeof(job.left), "%lld s",
		 (long long)(left_us / 1000000));
	job.region = region;
	torus_bits_zero(m->nodes, m->config->machine.words);
	if (storus_site_paint(&m->config->machine, region, m->one, m->nodes,
			      s->err))
		return complain(s, "region: not one of this machine", region);
	job.nodes = torus_bits_count(m->nodes, m->config->machine.words);
	if (report_map_add(&m->map, &job, m->nodes) >= 0)
		return STORUS_DONE;
	if (errno == EBUSY)
		return complain(s, "region: another job holds one of its nodes at that time",
				region);
	torus_error_add(s->err, "%s", strerror(errno));
	return STORUS_TROUBLE;
}

static int read_row(struct storus_map *m, struct schedule *s, char *line,
		    int64_t at_us)
{
	char *field[FIELDS];
	uint32_t fields;
	int64_t start_us, end_us;
	const char *start;

	if (!split(line, field, &fields) || fields != s->fields)
		return complain(s, "row: wrong number of fields or quotes that do not match",
				line);
	start = field[s->column[COLUMN_START]];
	if (!*start || !*field[s->column[COLUMN_REGION]])
		return STORUS_DONE; /* never started */
	if (!read_time(start, &start_us))
		return complain(s, "start: expected seconds", start);
	if (!*field[s->column[COLUMN_END]])
		end_us = INT64_MAX;
	else if (!read_time(field[s->column[COLUMN_END]], &end_us))
		return complain(s, "end: expected seconds",
				field[s->column[COLUMN_END]]);
	if (start_us > at_us || end_us <= at_us)
		return STORUS_DONE;
	return add_job(m, s, field, end_us - at_us);
}

int storus_map_schedule(struct storus_map *m, const char *path, int64_t at_us,
			struct torus_error *err)
{
	struct schedule s = { .err = err };
	int got, status = STORUS_DONE;
	size_t length;
	bool whole;
	char *line;

	s.in = torus_input_open(path, false, err);
	if (!s.in)
		return STORUS_USAGE;
	while (status == STORUS_DONE &&
	       (got = torus_input_line(s.in, &line, &length, &whole, err)) > 0) {
		s.line++;
		status = s.line == 1 ? read_header(&s, line) :
				       read_row(m, &s, line, at_us);
	}
	if (status == STORUS_DONE && got < 0)
		status = errno == EINVAL ? STORUS_USAGE : STORUS_TROUBLE;
	if (status == STORUS_DONE && s.line == 0)
		status = complain(&s, "an empty file; expected one of storus replay --schedule",
				  "");
	torus_input_close(s.in);
	return status;
}
