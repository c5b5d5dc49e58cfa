/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A schedule as CSV, one row per job in the order of their ends (an order by
 * submission would need to buffer every job that an earlier one delays):
 *
 *	id,submit,start,end,state,requested,granted,region,orientation,
 *	strategy,wait,bounded_slowdown,reason
 *
 * On a machine whose links may fail there is also a column ring, because the
 * region does not show which rings a dead link opens.
 *
 * Times are seconds on the input's clock without trailing zeros. Unknown fields
 * are empty. The text is hashed before compression, so that the summary can
 * contain the schedule's digest.
 */
#ifndef REPORT_SCHEDULE_H
#define REPORT_SCHEDULE_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/replay.h"
#include "torus/text.h"
#include "torus/plan.h"
#include "trace/trace.h"

struct torus_schedule {
	FILE *out; /* stream for rows; it hashes them and writes them to `to` */
	FILE *to;
	struct sha256_ctx sha;
	int write_errno;        /* errno of a failed write to `to`; 0: none */
	struct torus_text text; /* scratch */
	bool rings;             /* the column ring is written */
};

/* Write the header. The struct must not move afterwards. 0, or -1 with
 * errno. */
int torus_schedule_begin(struct torus_schedule *schedule,
			 const struct torus_machine *m, FILE *out);
int torus_schedule_row(struct torus_schedule *schedule,
		       const struct torus_machine *m,
		       const struct torus_replay_row *row);
/* After all rows: flush, and get the SHA-256 in hexadecimal. Return 0, or -1
 * with errno. */
int torus_schedule_finish(struct torus_schedule *schedule,
			  char hex[TORUS_TRACE_DIGEST_SIZE]);
void torus_schedule_end(struct torus_schedule *schedule);

/* schedule_read.c: reader of schedules (schedule.h), a row at a time. */

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
	TORUS_COLUMNS_NEEDED, /* earlier columns are required; later ones are
				 "" if missing */
	TORUS_COLUMN_ORIENTATION = TORUS_COLUMNS_NEEDED,
	TORUS_COLUMN_RING,
	TORUS_COLUMNS
};

/* Fields as in the file, valid until the next row. */
struct torus_schedule_fields {
	const char *field[TORUS_COLUMNS];
	int64_t submit_us, start_us, end_us; /* TORUS_NO_TIME: empty */
	uint32_t requested, granted;         /* 0: empty */
};

struct torus_schedule_file;

/* Return NULL with errno and a line in err: EINVAL for invalid input, else as
 * open(). */
struct torus_schedule_file *torus_schedule_open(const char *path,
						struct torus_error *err);
void torus_schedule_close(struct torus_schedule_file *file);

/* Return 1: a row; 0: the end; -1 with errno and a line in err. */
int torus_schedule_next(struct torus_schedule_file *file,
			struct torus_schedule_fields *row,
			struct torus_error *err);

/* Get the SHA-256 of the file after reading it to its end; 0, or -1 with
 * errno. */
int torus_schedule_digest(struct torus_schedule_file *file,
			  char hex[TORUS_TRACE_DIGEST_SIZE]);

/* Get the SHA-256 of a file's uncompressed text; 0, or -1. The summary of
 * storus replay calls it schedule_sha256. */
int torus_schedule_text_digest(const char *path,
			       char hex[TORUS_TRACE_DIGEST_SIZE]);

/* Add FILE:LINE: what: got "...". Return -1 with EINVAL. */
int torus_schedule_wrong(const struct torus_schedule_file *file,
			 struct torus_error *err, const char *what,
			 const char *got);

#endif
