/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables in the manner of squeue (table.h). */
#include "storus/base/table.h"

#include <ctype.h>
#include <string.h>

#define WIDTH_MOST 1000

/* A field of a format. */
struct table_field {
	bool right;
	int width;  /* 0: as wide as it is */
	int column; /* -1: no such letter */
};

/* Read the field after '%'; returns what follows it. */
static const char *table_field(const struct storus_table *t, const char *at,
			       struct table_field *f)
{
	*f = (struct table_field){ .column = -1 };
	if (*at == '.') {
		f->right = true;
		at++;
	}
	for (; isdigit((unsigned char)*at); at++) {
		if (f->width <= WIDTH_MOST)
			f->width = f->width * 10 + (*at - '0');
	}
	for (int c = 0; t->column[c].letter; c++) {
		if (t->column[c].letter == *at)
			f->column = c;
	}
	return *at ? at + 1 : at;
}

int storus_table_take_format(const struct storus_args *args, void *table)
{
	struct storus_table *t = table;
	const char *at = args->value;
	struct table_field f;
	char letters[128] = "";

	t->format = at;
	while (*at) {
		if (*at++ != '%')
			continue;
		if (*at == '%') {
			at++;
			continue;
		}
		at = table_field(t, at, &f);
		if (f.column >= 0 && f.width <= WIDTH_MOST)
			continue;
		for (int c = 0; t->column[c].letter; c++)
			snprintf(letters + strlen(letters),
				 sizeof(letters) - strlen(letters), "%s%%%c",
				 c ? " " : "", t->column[c].letter);
		return storus_say(args->command, STORUS_USAGE,
				  "-o: got \"%s\", expected fields %%[[.]WIDTH]LETTER of %s",
				  t->format, letters);
	}
	return STORUS_DONE;
}

bool storus_table_asked(const struct storus_table *t)
{
	return t->format || t->noheader;
}

/* Cut to the width, as squeue does. */
static void table_print(const char *text, const struct table_field *f)
{
	if (!f->width)
		fputs(text, stdout);
	else if (f->right)
		printf("%*.*s", f->width, f->width, text);
	else
		printf("%-*.*s", f->width, f->width, text);
}

static void table_formatted(const struct storus_table *t,
			    const char *const *value)
{
	const char *at = t->format;
	struct table_field f;

	while (*at) {
		if (*at != '%' || at[1] == '%') {
			putchar(*at);
			at += *at == '%' ? 2 : 1;
			continue;
		}
		at = table_field(t, at + 1, &f);
		table_print(value ? value[f.column] :
				    t->column[f.column].heading,
			    &f);
	}
	putchar('\n');
}

/* All columns with their widths: none is cut, the last has no trailing
 * blanks. */
static void table_plain(const struct storus_table *t, const char *const *value)
{
	for (int c = 0; t->column[c].letter; c++) {
		const char *text = value ? value[c] : t->column[c].heading;
		bool last = !t->column[c + 1].letter;

		if (last && t->column[c].width < 0)
			fputs(text, stdout);
		else
			printf("%*s%s", t->column[c].width, text,
			       last ? "" : " ");
	}
	putchar('\n');
}

void storus_table_row(const struct storus_table *t, const char *const *value)
{
	if (t->format)
		table_formatted(t, value);
	else
		table_plain(t, value);
}

void storus_table_begin(const struct storus_table *t)
{
	if (!t->noheader)
		storus_table_row(t, NULL);
}
