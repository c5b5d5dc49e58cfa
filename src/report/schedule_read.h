/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads schedules (schedule.h) back, a row at a time: columns are found by
 * their header, so files with more or in another order are fine. Plain or
 * gzipped; "-" is the standard input.
 */
#ifndef REPORT_SCHEDULE_READ_H
#define REPORT_SCHEDULE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/error.h"
#include "torus/plan.h"
#include "trace/trace.h"

enum torus_schedule_column {
	TORUS_COLUMN_ID,
	TORUS_COLUMN_SUBMIT,
	TORUS_COLUMN_START,
	TORUS_COLUMN_END,
	TORUS_COLUMN_STATE,
	TORUS_COLUMN_REQUESTED,
	TORUS_COLUMN_GRANTED,
	TORUS_COLUMN_REGION,
	TORUS_COLUMN_REASON,
	TORUS_COLUMNS
};

/* The fields are as written and valid until the next row. */
struct torus_schedule_fields {
	const char *field[TORUS_COLUMNS];
	int64_t submit_us, start_us, end_us; /* TORUS_NO_TIME: empty */
	uint32_t requested, granted;         /* 0: empty */
};

struct torus_schedule_file;

/* NULL with errno and a line in err: EINVAL wrong input, else as open(). */
struct torus_schedule_file *torus_schedule_open(const char *path,
						struct torus_error *err);
void torus_schedule_close(struct torus_schedule_file *file);

/* 1: a row; 0: the end; -1 with errno and a line in err. */
int torus_schedule_next(struct torus_schedule_file *file,
			struct torus_schedule_fields *row,
			struct torus_error *err);

/* SHA-256 of the file, once it was read to its end; 0, or -1 with errno. */
int torus_schedule_digest(struct torus_schedule_file *file,
			  char hex[TORUS_TRACE_DIGEST_SIZE]);

/* SHA-256 of a file's text, of a gzipped one as it was before; 0, or -1. It is
 * what the summary of storus replay calls schedule_sha256. */
int torus_schedule_text_digest(const char *path,
			       char hex[TORUS_TRACE_DIGEST_SIZE]);

/* FILE:LINE: what: got "...". Returns -1 with EINVAL. */
int torus_schedule_wrong(const struct torus_schedule_file *file,
			 struct torus_error *err, const char *what,
			 const char *got);

#endif
