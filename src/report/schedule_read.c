/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reader of schedules (schedule.h). Cost: O(file), a line in memory. */
#include "report/schedule.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "config/file.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "trace/formats.h"
#include "trace/input/input.h"

#define FIELDS 64

static const char *const names[TORUS_COLUMNS] = {
	"id",      "submit", "start",  "end",         "state", "requested",
	"granted", "region", "reason", "orientation", "ring",
};

struct torus_schedule_file {
	struct torus_input *in;
	uint32_t column[TORUS_COLUMNS]; /* position in a row; FIELDS: none */
	uint32_t fields;
	uint64_t line;
};

int torus_schedule_wrong(const struct torus_schedule_file *f,
			 struct torus_error *err, const char *what,
			 const char *got)
{
	return torus_error_add(err, "%s:%llu: %s: got \"%.60s\"",
			       torus_input_name(f->in),
			       (unsigned long long)f->line, what, got);
}

/* Split a line; false if quotes do not match or there are too many fields. */
static bool schedule_read_split(char *line, char **field, uint32_t *fields)
{
	bool sound = true;

	*fields = 0;
	while (line && sound && *fields < FIELDS)
		line = torus_field_take(line, ',', &field[(*fields)++], &sound);
	return sound && !line;
}

/* Report input that is no schedule, with a hint for pipes. */
static int not_a_schedule(const struct torus_schedule_file *f, const char *what,
			  const char *column, struct torus_error *err)
{
	errno = EINVAL;
	return torus_error_add(err,
			       "%s:%llu: %s%s: expected what storus replay --schedule FILE.csv writes; in a pipe that is storus replay --schedule -",
			       torus_input_name(f->in),
			       (unsigned long long)f->line, what, column);
}

static int schedule_read_header(struct torus_schedule_file *f, char *line,
				struct torus_error *err)
{
	char *field[FIELDS];

	if (!schedule_read_split(line, field, &f->fields))
		return torus_schedule_wrong(f, err,
					    "header: quotes that do not match",
					    line);
	for (uint32_t c = 0; c < TORUS_COLUMNS; c++) {
		uint32_t i = 0;

		while (i < f->fields && strcmp(field[i], names[c]) != 0)
			i++;
		if (i == f->fields && c < TORUS_COLUMNS_NEEDED)
			return not_a_schedule(f, "header: no column ", names[c],
					      err);
		f->column[c] = i < f->fields ? i : FIELDS;
	}
	return 0;
}

/* Read the next line; 0 at the end, -1 with a line in err. */
static int schedule_read_next_line(struct torus_schedule_file *f, char **line,
				   struct torus_error *err)
{
	size_t length;
	bool whole;
	int got = torus_input_line(f->in, line, &length, &whole, err);

	f->line += got > 0;
	if (got > 0 && strlen(*line) != length)
		return torus_schedule_wrong(f, err, TORUS_FILE_NUL, *line);
	return got;
}

struct torus_schedule_file *torus_schedule_open(const char *path,
						struct torus_error *err)
{
	struct torus_schedule_file *f = torus_alloc(1, sizeof(*f));
	int got, saved;
	char *line;

	if (!f) {
		torus_error_add(err, "%s: out of memory", path);
		errno = ENOMEM;
		return NULL;
	}
	f->in = torus_input_open(path, true, err);
	got = f->in ? schedule_read_next_line(f, &line, err) : -1;
	if (got == 0)
		not_a_schedule(f, "the file is empty", "", err);
	if (got > 0 && schedule_read_header(f, line, err) == 0)
		return f;
	saved = got < 0 ? errno : EINVAL;
	torus_schedule_close(f);
	errno = saved;
	return NULL;
}

void torus_schedule_close(struct torus_schedule_file *f)
{
	if (!f)
		return;
	if (f->in)
		torus_input_close(f->in);
	torus_free(f);
}

int torus_schedule_digest(struct torus_schedule_file *f,
			  char hex[TORUS_TRACE_DIGEST_SIZE])
{
	return torus_input_digest(f->in, hex);
}

int torus_schedule_text_digest(const char *path,
			       char hex[TORUS_TRACE_DIGEST_SIZE])
{
	gzFile in = gzopen(path, "re"); /* plain files too */
	uint8_t sum[SHA256_DIGEST_SIZE], block[16384];
	struct sha256_ctx sha;
	int n;

	if (!in)
		return -1;
	sha256_init(&sha);
	while ((n = gzread(in, block, sizeof(block))) > 0)
		sha256_update(&sha, (size_t)n, block);
	gzclose(in);
	sha256_digest(&sha, sizeof(sum), sum);
	base16_encode_update(hex, sizeof(sum), sum);
	hex[TORUS_TRACE_DIGEST_SIZE - 1] = '\0';
	return n < 0 ? -1 : 0;
}

static int schedule_read_time(const struct torus_schedule_file *f,
			      const char *text, const char *name, int64_t *us,
			      struct torus_error *err)
{
	struct torus_number n;
	const char *end;

	*us = TORUS_NO_TIME;
	if (!*text)
		return 0;
	end = torus_number_scan(text, &n);
	if (end && *end == '\0' && torus_number_us(&n, us))
		return 0;
	torus_error_add(err, "%s:%llu: %s: got \"%.60s\", expected seconds",
			torus_input_name(f->in), (unsigned long long)f->line,
			name, text);
	return -1;
}

static int schedule_read_count(const struct torus_schedule_file *f,
			       const char *text, const char *name, uint32_t *n,
			       struct torus_error *err)
{
	uint64_t value = 0;

	if (!*text || torus_number_whole(text, 0, UINT32_MAX, &value)) {
		*n = (uint32_t)value;
		return 0;
	}
	return torus_error_add(err,
			       "%s:%llu: %s: got \"%.60s\", expected a number of nodes",
			       torus_input_name(f->in),
			       (unsigned long long)f->line, name, text);
}

int torus_schedule_next(struct torus_schedule_file *f,
			struct torus_schedule_fields *row,
			struct torus_error *err)
{
	char *field[FIELDS], *line;
	int got = schedule_read_next_line(f, &line, err);
	uint32_t fields;

	if (got == 0 && f->line == 1)
		return not_a_schedule(f, "no job below the header", "", err);
	if (got <= 0)
		return got;
	if (!schedule_read_split(line, field, &fields) || fields != f->fields)
		return torus_schedule_wrong(
			f, err,
			"row: wrong number of fields or quotes that do not match",
			line);
	for (int c = 0; c < TORUS_COLUMNS; c++)
		row->field[c] = f->column[c] < FIELDS ? field[f->column[c]] : "";
	if (schedule_read_time(f, row->field[TORUS_COLUMN_SUBMIT], "submit",
			       &row->submit_us, err) ||
	    schedule_read_time(f, row->field[TORUS_COLUMN_START], "start",
			       &row->start_us, err) ||
	    schedule_read_time(f, row->field[TORUS_COLUMN_END], "end",
			       &row->end_us, err) ||
	    schedule_read_count(f, row->field[TORUS_COLUMN_REQUESTED],
				"requested", &row->requested, err) ||
	    schedule_read_count(f, row->field[TORUS_COLUMN_GRANTED], "granted",
				&row->granted, err))
		return -1;
	return 1;
}
