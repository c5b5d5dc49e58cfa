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
};

/* Return BAD with the reason: COLUMN: got "..", expected .. */
enum torus_trace_line torus_csv_bad(char *why, const char *column,
				    const char *got, const char *expected);
/* Read a field of seconds >= 0; `missing` if it is empty (0: it must not
 * be). */
bool torus_csv_seconds(const struct row *row, enum column column,
		       int64_t missing, int64_t *us, char *why);

/* Read the journal's columns after submit, of a file that has any of them. */
enum torus_trace_line torus_csv_journal(const struct row *row,
					struct torus_trace_record *record,
					char *why);
/* Return true for the first line of a journal. *what is then NOTHING, or
 * REFUSED for a later version. */
bool torus_csv_version(const char *line, enum torus_trace_line *what, char *why);
/* Return true if the line is about nodes or an instant, not a job. */
bool torus_csv_kind(const char *state, enum torus_trace_kind *kind);
enum torus_trace_line torus_csv_cut(const struct row *row,
				    struct torus_trace_record *record,
				    char *why);
/* Read a begin line's number of outside nodes, or the text of a state or
 * outages line. */
enum torus_trace_line torus_csv_begin(const struct row *row,
				      struct torus_trace_record *record,
				      char *why);
enum torus_trace_line torus_csv_state(const struct row *row,
				      struct torus_trace_record *record);
/* Read the text of a link change; link names belong to the machine. */
enum torus_trace_line torus_csv_link(const struct row *row,
				     struct torus_trace_record *record,
				     char *why);
/* If the job had its nodes before the scheduler learned of it, read them and
 * their start. Return false with LINE_BAD in *what on error, else true. */
bool torus_csv_given(const struct row *row, struct torus_trace_record *record,
		     enum torus_trace_line *what, char *why);
/* Return true if the job is pending or running. */
bool torus_csv_open(const char *state);
/* Read the placement of a job without a shape: anywhere, or anywhere+N if the
 * cluster has N outside nodes. Return false for any other word. */
bool torus_csv_anywhere(const char *text, uint32_t *outside);

#endif
