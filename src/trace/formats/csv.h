/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the CSV reader: csv.c has the columns of any trace,
 * csv_journal.c those of sched/torus. */
#ifndef TRACE_CSV_H
#define TRACE_CSV_H

#include "format/journal.h"
#include "trace/formats.h"

enum column {
#define COLUMN(ENUMERATOR, NAME, KIND, WRITER, READER, MEMBER)                 \
	COLUMN_##ENUMERATOR,
	JOURNAL_COLUMNS(COLUMN)
#undef COLUMN
	COLUMNS,
};

/* The columns of the request's words are in the order of their table. */
#define COLUMN_OF_WORD(w) ((enum column)(COLUMN_GEOMETRY + (w)))

/* The fields of a row by column; "" if empty or missing in the file. */
struct row {
	char *field[COLUMNS];
	uint64_t number; /* from 1 */
};

/* Return BAD with the reason: COLUMN: got "..", expected .. */
enum torus_trace_line torus_csv_bad(char *why, enum column column,
				    const char *got, const char *expected);

/* Fill in the record from the fields of a set of columns, each by its reader
 * (journal.h). Return JOB, BAD with the reason, or FAILED. */
enum torus_trace_line torus_csv_read(const struct row *row, uint64_t wanted,
				     struct torus_trace_record *record,
				     char *why);
#define COLUMN_BIT(column) (UINT64_C(1) << (column))

/* A reader of columns: `to` is the member of the record. It returns the same. */
typedef enum torus_trace_line
torus_csv_reader(const struct row *row, enum column column,
		 struct torus_trace_record *record, void *to, char *why);
torus_csv_reader torus_csv_limits, torus_csv_only; /* after submit */

/* Check the times that only a journal has. */
enum torus_trace_line torus_csv_journal(const struct row *row,
					const struct torus_trace_record *record,
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
