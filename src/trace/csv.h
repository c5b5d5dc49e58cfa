/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the CSV reader: csv.c has the columns of any trace,
 * csv_journal.c those of sched/torus. */
#ifndef TRACE_CSV_H
#define TRACE_CSV_H

#include "trace/formats.h"

enum column {
	COLUMN_ID,
	COLUMN_SUBMIT,
	COLUMN_RUN,
	COLUMN_NODES,
	COLUMN_GEOMETRY,
	COLUMN_CONNECTION,
	COLUMN_ROTATE,
	COLUMN_PLACEMENT,
	COLUMN_LINKS,
	COLUMN_LIMIT,
	COLUMN_DEADLINE,
	COLUMN_USER,
	COLUMN_PARTITION,
	COLUMN_PRIORITY,
	COLUMN_ELIGIBLE,
	COLUMN_TURN,
	COLUMN_LEFT,
	COLUMN_LIMITS,
	COLUMN_ONLY,
	COLUMN_START,
	COLUMN_END,
	COLUMN_REGION,
	COLUMN_STATE,
	COLUMN_STAY,
	COLUMNS,
};

/* One row's fields by column; "" where empty or not in the file. */
struct row {
	char *field[COLUMNS];
};

/* BAD, and why: COLUMN: got "..", expected .. */
enum torus_trace_line torus_csv_bad(char *why, const char *column,
				    const char *got, const char *expected);
/* A field of seconds >= 0; `missing` where it is empty (0: it must not be). */
bool torus_csv_seconds(const struct row *row, enum column column,
		       int64_t missing, int64_t *us, char *why);

/* The columns of the journal, behind submit; of a file that has any of them. */
enum torus_trace_line torus_csv_journal(const struct row *row,
					struct torus_trace_record *record,
					char *why);
/* Is it the first line of a journal? Then *what is NOTHING, or REFUSED: of a
 * later version. */
bool torus_csv_version(const char *line, enum torus_trace_line *what, char *why);
/* Return true if the line is not about a job, but nodes or an instant. */
bool torus_csv_kind(const char *state, enum torus_trace_kind *kind);
enum torus_trace_line torus_csv_cut(const struct row *row,
				    struct torus_trace_record *record,
				    char *why);
/* Of a scheduler's begin: nodes outside; of its state, and of outages: the text.
 */
enum torus_trace_line torus_csv_begin(const struct row *row,
				      struct torus_trace_record *record,
				      char *why);
enum torus_trace_line torus_csv_state(const struct row *row,
				      struct torus_trace_record *record);
/* A change of a link: the text, whose links are the machine's. */
enum torus_trace_line torus_csv_link(const struct row *row,
				     struct torus_trace_record *record,
				     char *why);
/* Did the job have its nodes when the scheduler heard of it? Then they, and since
 * when, are read; false and LINE_BAD in *what, or true. */
bool torus_csv_given(const struct row *row, struct torus_trace_record *record,
		     enum torus_trace_line *what, char *why);
/* Return true if the job waits or runs. */
bool torus_csv_open(const char *state);
/* The placement of a job without a shape: anywhere, or anywhere+N where the
 * cluster has N nodes that are in no torus. False: another word. */
bool torus_csv_anywhere(const char *text, uint32_t *outside);

#endif
