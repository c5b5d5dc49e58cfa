/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the CSV reader: csv.c has the columns of any trace,
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

/* The fields of a row by column; "" if empty or missing in the file. */
struct row {
	char *field[COLUMNS];
	uint64_t number; /* from 1 */
};

/* Return BAD with the reason: COLUMN: got "..", expected .. */
enum torus_trace_line torus_csv_bad(char *why, const char *column,
				    const char *got, const char *expected);
/* Read a field of seconds >= 0; `missing` if it is empty (0: it must not
 * be). */
bool torus_csv_seconds(const struct row *row, enum column column,
		       int64_t missing, int64_t *us, char *why);
/* Read the limit: seconds, or a number with a unit as in --geometry's @DUR; the
 * nodes; the names; the place, omitted if it is too long. */
bool torus_csv_limit(const struct row *row, int64_t *us, char *why);
bool torus_csv_nodes(const struct row *row, uint32_t *nodes, char *why);
bool torus_csv_names(const struct row *row, struct torus_trace_record *record,
		     char *why);
void torus_csv_place(const struct row *row, struct torus_trace_record *record);

/* Read the journal's columns after submit, of a file that has any of them. */
enum torus_trace_line torus_csv_journal(const struct row *row,
					struct torus_trace_record *record,
					char *why);
/* Return true for the first line of a journal. *what is then NOTHING, or
 * REFUSED for a later version. */
bool torus_csv_version(const char *line, enum torus_trace_line *what, char *why);
/* Return true if the line is about nodes or an instant, not a job. */
bool torus_csv_kind(const char *state, enum torus_trace_kind *kind);
/* Read such a line. */
enum torus_trace_line torus_csv_other(const struct row *row,
				      struct torus_trace_record *record,
				      char *why);
/* If the job had its nodes before the scheduler learned of it, read them and
 * their start. Return false with LINE_BAD in *what on error, else true. */
bool torus_csv_adopted(const struct row *row, struct torus_trace_record *record,
		       enum torus_trace_line *what, char *why);
/* Read the placement of a job without a shape: anywhere, or anywhere+N if the
 * cluster has N outside nodes. Return false for any other word. */
bool torus_csv_anywhere(const char *text, uint32_t *outside);

#endif
