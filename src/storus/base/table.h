/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of records: everything that storus prints as rows. A row is a JSON object;
 * a description of its columns makes a table, CSV (RFC 4180, a line ends with a
 * newline) or JSON of it.
 *
 *	--json[=FILE]	the rows as they are, within an object of the command
 *	--csv[=FILE]	a line of keys, then a line per row: times in seconds, as in JSON
 *	-o KEY,KEY	these columns, of the table or of CSV
 *	-o FORMAT	fields %[[.]WIDTH]C as in squeue, C being a column's letter; "." sets to
 *			the right; %% is a percent sign, other characters are themselves
 *	--noheader	no line of headings
 *
 * A table on a terminal, or where COLUMNS is set, is no wider than that: text is folded
 * within its column, then columns go to blocks of their own. In a pipe, and with
 * --noheader, a row is a line. Rows that are not folded are printed at once.
 */
#ifndef STORUS_TABLE_H
#define STORUS_TABLE_H

#include <jansson.h>

#include "storus/base/output.h"
#include "storus/storus.h"
#include "torus/text.h"

#define STORUS_TABLE_COLUMNS 96 /* the most of a table */

/* Their options; `member` is the command's struct storus_table. */
#define STORUS_TABLE_OPTIONS(type, member)                                     \
	{ "json", "[=FILE]", "the answer as JSON (default: stdout)",           \
	  STORUS_TAKE_TO(type, member, storus_table_take_json) },              \
		{ "csv", "[=FILE]", "the rows as CSV (default: stdout)",       \
		  STORUS_TAKE_TO(type, member, storus_table_take_csv) },       \
		{ "noheader", NULL, "no line of headings",                     \
		  STORUS_TO(type, member.noheader) },                          \
	{                                                                      \
		"format", "KEY,...",                                           \
			"these columns; or fields as in squeue, \"%.10i %T\"", \
			.letter = 'o',                                         \
			STORUS_TAKE_TO(type, member, storus_table_take_format) \
	}

struct storus_column {
	const char *key; /* of CSV and -o */
	char letter;     /* of -o FORMAT; 0: none */
	const char *heading;
	int width;      /* of the table, at least; negative: set to the left */
	const char *at; /* where a row has it ("before.start"); NULL: its key */
	/* The value in CSV or in a table, if the row does not have it like that: a new
	 * reference, NULL: none. */
	json_t *(*value)(const json_t *row, bool csv);
	int decimals; /* of a number in a table, or of {mean, half}: "0.84 +-0.06" */
	bool time; /* numbers are seconds since 1970, or on a schedule's clock */
	bool more; /* in CSV and where -o names it only */
};

/* Zeroed but for `column`; `dated` before the first row. storus_table_free() frees it;
 * the one among a command's words is freed with them. */
struct storus_table {
	const struct storus_column *column; /* ends with key NULL */
	const char *format;                 /* NULL: all columns */
	const char *json, *csv;             /* a file, "-", or NULL */
	bool noheader;
	bool dated; /* times are dates */
	bool chosen; /* storus_table_choose() reads -o, once all options are read */
	uint32_t only; /* the table has the first of the columns only; 0: all */
	uint32_t lead; /* columns that begin each block */
	uint32_t gap;  /* blanks between columns; 0: one */
	bool narrow;   /* no wider than 80 in a pipe, too */

	/* of the writer */
	uint8_t field[STORUS_TABLE_COLUMNS];
	uint32_t fields;
	bool begun;
	size_t limit; /* characters of a line; 0: rows are not kept */
	int error;    /* errno of the first failure */
	json_t *rows;
	struct storus_output out;
	char **cell; /* of the rows that are kept */
	size_t cells;
	uint32_t room;
};

int storus_table_take_json(const struct storus_args *args, void *table);
int storus_table_take_csv(const struct storus_args *args, void *table);
int storus_table_take_format(const struct storus_args *args, void *table);

/* Set the columns of a table with `chosen`, and read -o with them. An exit status. */
int storus_table_choose(const struct storus_command *command,
			struct storus_table *t,
			const struct storus_column *column);

/* The table among a command's options, as it is at first; NULL: none. */
const struct storus_table *storus_table_of(const struct storus_command *command);

/* Append its columns with their letters: "job (%i), start (%S)". 0, or -1 with ENOMEM. */
int storus_table_columns(const struct storus_table *t, struct torus_text *text);

/* The characters of a line: COLUMNS, the terminal's, or 80; in a pipe without COLUMNS 0
 * (no limit), if not `narrow`. */
size_t storus_table_width(bool narrow);

/* Print words in lines that fit storus_table_width(true); the cursor is at `indent`, where
 * the further lines begin. */
void storus_table_fold(const char *text, size_t indent);

/* The same of a format, at the begin of a line. */
__attribute__((format(printf, 1, 2))) void storus_table_words(const char *format,
							      ...);

/* Print as printf() does; a whole line is folded at blanks to storus_table_width(false), its
 * further lines begin two columns further right. */
__attribute__((format(printf, 1, 2))) void storus_print(const char *format, ...);

/* Return the columns of a terminal that UTF-8 text takes; of bytes that are none one each. */
size_t storus_text_columns(const char *text, size_t bytes);

/* Return true if rows are asked for, where sentences are printed otherwise. */
bool storus_table_asked(const struct storus_table *t);

/* Write a row, or keep it for --json. Takes the reference; NULL: memory ran out. */
void storus_table_row(struct storus_table *t, json_t *row);

/* The rows kept for --json, an array: the caller's. NULL: memory ran out. */
json_t *storus_table_rows(struct storus_table *t);

/* Write what was kept, the headings if there was no row. An exit status, after a line
 * on stderr. */
int storus_table_end(const struct storus_command *command,
		     struct storus_table *t);
/* The same, or with --json an object with `key`: the rows; its age if time_us is not
 * SNAPSHOT_NO_TIME. */
int storus_table_end_rows(const struct storus_command *command,
			  struct storus_table *t, const char *key,
			  int64_t time_us);
void storus_table_free(struct storus_table *t);

#endif
