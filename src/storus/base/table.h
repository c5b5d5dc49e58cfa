/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of the questions to a machine: --json[=FILE], or a table with --noheader
 * and -o FORMAT in the manner of squeue and sinfo. A format has fields %[[.]WIDTH]C,
 * C being a column's letter; "." sets to the right; without a width a field is as
 * wide as it is. Other characters stand for themselves, %% for a percent sign.
 */
#ifndef STORUS_TABLE_H
#define STORUS_TABLE_H

#include <jansson.h>

#include "storus/storus.h"

/* Their options; `member` is the command's struct storus_table. */
#define STORUS_TABLE_OPTIONS(type, member)                                       \
	{ "json", "[=FILE]", "the answer as JSON (default: stdout)",             \
	  STORUS_TO(type, member.json) },                                        \
		{ "noheader", NULL, "no line of headings",                       \
		  STORUS_TO(type, member.noheader) },                            \
	{                                                                        \
		"format", "FORMAT",                                              \
			"fields as in squeue: \"%.10i %T\"; their letters are\n" \
			"in the manual",                                         \
			.letter = 'o',                                           \
			STORUS_TAKE_TO(type, member, storus_table_take_format)   \
	}

struct storus_column {
	char letter;
	const char *heading;
	int width; /* of the format without -o; negative: set to the left */
};

struct storus_table {
	const struct storus_column *column; /* ends with letter 0 */
	const char *format;                 /* NULL: all columns */
	const char *json;                   /* a file, "-", or NULL */
	bool noheader;
};

/* -o FORMAT into a struct storus_table, which has its columns. */
int storus_table_take_format(const struct storus_args *args, void *table);

/* Is a table asked for, where sentences are printed otherwise? */
bool storus_table_asked(const struct storus_table *t);

/* The headings, unless --noheader; then a row: a value per column, in their
 * order. */
void storus_table_begin(const struct storus_table *t);
void storus_table_row(const struct storus_table *t, const char *const *value);
#define STORUS_TABLE_ROW(t, ...)                                               \
	storus_table_row(t, (const char *const[]){ __VA_ARGS__ })

#endif
