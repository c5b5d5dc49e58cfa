/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as a table, CSV or JSON (table.h). */
#include "storus/base/table.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "format/stream.h"
#include "storus/base/args.h"
#include "storus/base/clock.h"
#include "storus/base/json.h"
#include "torus/alloc.h"
#include "torus/number.h"
#include "torus/text.h"

#define WIDTH_MOST 1000
#define FOLD_LEAST 10 /* characters of a column that is folded */

/* Options */

/* "[=FILE]" of --json or --csv; both would go to the same place, or nearly so. */
static int table_take_file(const struct storus_args *args, const char **file,
			   const char *other)
{
	*file = args->value ? args->value : "-";
	return other ? storus_say(args->command, STORUS_USAGE,
				  "--json and --csv exclude each other") :
		       STORUS_DONE;
}

int storus_table_take_json(const struct storus_args *args, void *table)
{
	struct storus_table *t = table;

	return table_take_file(args, &t->json, t->csv);
}

int storus_table_take_csv(const struct storus_args *args, void *table)
{
	struct storus_table *t = table;

	return table_take_file(args, &t->csv, t->json);
}

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
	for (int c = 0; t->column[c].key; c++) {
		if (*at && t->column[c].letter == *at)
			f->column = c;
	}
	return *at ? at + 1 : at;
}

/* Note the fields of a format; returns false if one of them is none. */
static bool table_fields_of_format(struct storus_table *t)
{
	const char *at = t->format;
	struct table_field f;

	while (*at) {
		if (*at++ != '%')
			continue;
		if (*at == '%') {
			at++;
			continue;
		}
		at = table_field(t, at, &f);
		if (f.column < 0 || f.width > WIDTH_MOST ||
		    t->fields == STORUS_TABLE_COLUMNS)
			return false;
		t->field[t->fields++] = (uint8_t)f.column;
	}
	return true;
}

/* Note the columns of "KEY,KEY"; returns false if one is unknown. */
static bool table_fields_of_keys(struct storus_table *t)
{
	const char *at = t->format;

	for (const char *end; at; at = *end ? end + 1 : NULL) {
		int c = 0;

		end = at + strcspn(at, ",");
		while (t->column[c].key &&
		       (strlen(t->column[c].key) != (size_t)(end - at) ||
			strncasecmp(t->column[c].key, at, (size_t)(end - at))))
			c++;
		if (!t->column[c].key || t->fields == STORUS_TABLE_COLUMNS)
			return false;
		t->field[t->fields++] = (uint8_t)c;
	}
	return true;
}

/* Read -o. An exit status, after a line on stderr. */
static int table_format_read(const struct storus_command *command,
			     struct storus_table *t)
{
	char keys[2048] = "", letters[256] = "";
	bool format = strchr(t->format, '%') != NULL;

	t->fields = 0;
	if (format ? table_fields_of_format(t) : table_fields_of_keys(t))
		return STORUS_DONE;
	for (int c = 0; t->column[c].key; c++) {
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys),
			 "%s%s", c ? "," : "", t->column[c].key);
		if (t->column[c].letter)
			snprintf(letters + strlen(letters),
				 sizeof(letters) - strlen(letters), "%s%%%c",
				 c ? " " : "", t->column[c].letter);
	}
	if (format)
		return storus_say(command, STORUS_USAGE,
				  "-o: got \"%s\", expected fields %%[[.]WIDTH]LETTER of %s",
				  t->format, letters);
	return storus_say(command, STORUS_USAGE,
			  "-o: got \"%s\", expected columns of %s", t->format,
			  keys);
}

int storus_table_take_format(const struct storus_args *args, void *table)
{
	struct storus_table *t = table;

	t->format = args->value;
	return t->chosen ? STORUS_DONE : table_format_read(args->command, t);
}

int storus_table_choose(const struct storus_command *command,
			struct storus_table *t,
			const struct storus_column *column)
{
	t->column = column;
	return t->format ? table_format_read(command, t) : STORUS_DONE;
}

const struct storus_table *storus_table_of(const struct storus_command *command)
{
	const struct storus_option *o = command->options;

	for (; o && o->name; o++) {
		if (o->take == storus_table_take_format)
			return (const void *)((const char *)command->initial +
					      o->at);
	}
	return NULL;
}

int storus_table_columns(const struct storus_table *t, struct torus_text *text)
{
	const struct storus_column *c = t->column;
	int rc = 0;

	for (; rc == 0 && c->key; c++) {
		rc = torus_text_add(text, "%s%s", text->length ? ", " : "",
				    c->key);
		if (rc == 0 && c->letter)
			rc = torus_text_add(text, " (%%%c)", c->letter);
	}
	return rc;
}

bool storus_table_asked(const struct storus_table *t)
{
	return t->format || t->noheader || t->csv;
}

/* Values */

/* Append the mean of a sample; in a table with half its interval's width, if known. */
static int table_mean_add(const struct storus_table *t,
			  const struct storus_column *c, const json_t *v,
			  struct torus_text *text)
{
	const json_t *mean = json_object_get(v, "mean");
	const json_t *half = json_object_get(v, "half");
	int rc = 0;

	if (!json_is_number(mean))
		return 0;
	if (t->csv)
		return torus_text_add(text, "%.15g", json_number_value(mean));
	rc = torus_text_add(text, "%.*f", c->decimals, json_number_value(mean));
	if (rc == 0 && json_is_number(half))
		rc = torus_text_add(text, " +-%.*f", c->decimals,
				    json_number_value(half));
	return rc;
}

/* Append a value: nothing for null, the items of a list with commas between them. */
static int table_value_add(const struct storus_table *t,
			   const struct storus_column *c, const json_t *v,
			   struct torus_text *text)
{
	const struct snapshot clock = { .dated = t->dated };
	int64_t us;
	int rc = 0;

	if (json_is_array(v)) {
		for (size_t i = 0; rc == 0 && i < json_array_size(v); i++) {
			const json_t *item = json_array_get(v, i);
			size_t before = text->length;

			if (json_is_string(item) && !json_string_length(item))
				continue;
			rc = before ? torus_text_add(text, ",") : 0;
			if (rc == 0)
				rc = table_value_add(t, c, item, text);
		}
		return rc;
	}
	if (json_is_object(v))
		return table_mean_add(t, c, v, text);
	if (json_is_string(v))
		return torus_text_add(text, "%s", json_string_value(v));
	if (json_is_boolean(v))
		return torus_text_add(text, "%s",
				      json_is_true(v) ? "true" : "false");
	if (!json_is_number(v))
		return 0;
	if (c->time && (t->csv || !c->decimals)) {
		char at[STORUS_CLOCK_SIZE];

		us = json_is_integer(v) ? json_integer_value(v) * 1000000 :
					  llround(json_real_value(v) * 1e6);
		if (!t->csv)
			return torus_text_add(text, "%s",
					      storus_clock(&clock, us, at));
		torus_seconds_format(us, at);
		return torus_text_add(text, "%s", at);
	}
	if (c->decimals && !t->csv)
		return torus_text_add(text, "%.*f", c->decimals,
				      json_number_value(v));
	return json_is_integer(v) ?
		       torus_text_add(text, "%lld",
				      (long long)json_integer_value(v)) :
		       torus_text_add(text, "%.15g", json_real_value(v));
}

/* The text of a column: "-" in a table, nothing in CSV where the row has no value.
 * row NULL: its heading. NULL with ENOMEM; the caller frees it. */
static char *table_cell(const struct storus_table *t,
			const struct storus_column *c, const json_t *row)
{
	struct torus_text text = { 0 };
	json_t *v = NULL;
	int rc = torus_text_add(&text, "%s", "");

	if (!row) {
		rc = torus_text_add(&text, "%s", t->csv ? c->key : c->heading);
	} else {
		if (c->value)
			v = c->value(row, t->csv != NULL);
		else {
			/* What a row has under "before.start". */
			const char *at = c->at ? c->at : c->key;
			const json_t *o = row;

			while (*at) {
				size_t n = strcspn(at, ".");
				char key[64];

				snprintf(key, sizeof(key), "%.*s", (int)n, at);
				o = json_object_get(o, key);
				at += n + (at[n] == '.');
			}
			v = json_incref((json_t *)o);
		}
		rc = rc ? rc : table_value_add(t, c, v, &text);
		if (rc == 0 && !t->csv && !text.length &&
		    !(json_is_string(v) || json_array_size(v)))
			rc = torus_text_add(&text, "-");
	}
	json_decref(v);
	if (rc)
		torus_text_free(&text);
	return text.data;
}

/* Rows that are lines */

/* Blanks between columns. */
static size_t table_gap(const struct storus_table *t)
{
	return t->gap ? t->gap : 1;
}

/* Text by its columns */

/* Return the length of the character that text begins with; *columns: its width. */
static size_t text_character(const char *text, size_t bytes, size_t *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, text, bytes, &state);
	int width = n == 0 || n > bytes ? 1 : wcwidth(c);

	*columns = width < 0 ? 1 : (size_t)width;
	return n == 0 || n > bytes ? 1 : n;
}

/* Return the bytes of the text, of `bytes`, that fit in `most` columns, and *columns. */
static size_t text_fit(const char *text, size_t bytes, size_t most,
		       size_t *columns)
{
	static locale_t utf8;
	locale_t before;
	size_t n = 0;

	*columns = 0;
	while (n < bytes && *columns < most && (text[n] & 0x80) == 0) {
		n++;
		++*columns;
	}
	if (n == bytes || (text[n] & 0x80) == 0)
		return n;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	before = utf8 ? uselocale(utf8) : (locale_t)0;
	while (n < bytes) {
		size_t width,
			length = text_character(text + n, bytes - n, &width);

		if (*columns + width > most)
			break;
		*columns += width;
		n += length;
	}
	if (utf8)
		uselocale(before);
	return n;
}

size_t storus_text_columns(const char *text, size_t bytes)
{
	size_t columns;

	text_fit(text, bytes, SIZE_MAX, &columns);
	return columns;
}

/* Print text at the right (width > 0) or the left of a field, at most `most` columns. */
static void text_put(FILE *f, const char *text, int width, size_t most)
{
	size_t columns, n = text_fit(text, strlen(text), most, &columns);
	size_t field = (size_t)(width < 0 ? -width : width);
	int blanks = field > columns ? (int)(field - columns) : 0;

	fprintf(f, "%*s%.*s%*s", width > 0 ? blanks : 0, "", (int)n, text,
		width < 0 ? blanks : 0, "");
}

/* The fields of a format with what stands between them; cut to their widths, as
 * squeue does. */
static void table_put_formatted(const struct storus_table *t, char *const *cell)
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
		if (!f.width)
			fputs(*cell++, stdout);
		else
			text_put(stdout, *cell++, f.right ? f.width : -f.width,
				 (size_t)f.width);
	}
	putchar('\n');
}

/* Rows that fit a width */

/* Length of the next piece of a cell of that width: up to a blank or a comma. */
static size_t table_piece(const char *text, size_t width)
{
	size_t columns, length = strlen(text);
	size_t all = text_fit(text, length, width, &columns), n = all;

	if (all == length)
		return length;
	if (!all) /* a character that is wider than the column */
		return text_character(text, length, &columns);
	while (n > 1 && text[n - 1] != ' ' && text[n - 1] != ',')
		n--;
	return n > all / 2 ? n : all;
}

/* The columns of a block: the first `lead`, and those from first to end. */
struct table_block {
	uint32_t lead, first, end;
};

/* Print a row's part of a block, in as many lines as its longest cell takes. */
static void table_put_folded(const struct storus_table *t, char *const *cell,
			     const size_t *width, const struct table_block *b)
{
	const char *rest[STORUS_TABLE_COLUMNS];
	bool more = true;

	for (uint32_t i = 0; i < t->fields; i++)
		rest[i] = cell[i];
	while (more) {
		size_t blanks = 0;

		more = false;
		for (uint32_t i = 0; i < b->end; i++) {
			size_t n, shown, left;

			if (i >= b->lead && i < b->first)
				continue;
			n = table_piece(rest[i], width[i]);
			shown = n && rest[i][n - 1] == ' ' ? n - 1 : n;
			left = storus_text_columns(rest[i], shown);
			left = width[i] > left ? width[i] - left : 0;
			if (t->column[t->field[i]].width > 0)
				blanks += left;
			if (shown)
				printf("%*s%.*s", (int)blanks, "", (int)shown,
				       rest[i]);
			blanks = shown ? 0 : blanks;
			if (t->column[t->field[i]].width < 0)
				blanks += left;
			blanks += table_gap(t);
			rest[i] += n;
			more = more || *rest[i];
		}
		putchar('\n');
	}
}

/* Characters of the first n columns. */
static size_t table_sum(const struct storus_table *t, const size_t *width,
			uint32_t n)
{
	size_t sum = n ? (n - 1) * table_gap(t) : 0;

	for (uint32_t i = 0; i < n; i++)
		sum += width[i];
	return sum;
}

/* Make the widest column of text narrower until the first n fit; false: they cannot.
 * Times are not folded. */
static bool table_narrow(const struct storus_table *t, size_t *width,
			 uint32_t n, size_t limit)
{
	while (table_sum(t, width, n) > limit) {
		uint32_t widest = UINT32_MAX;

		for (uint32_t i = 0; i < n; i++) {
			const struct storus_column *c = &t->column[t->field[i]];

			if (c->width < 0 && !c->time && width[i] > FOLD_LEAST &&
			    (widest == UINT32_MAX || width[i] > width[widest]))
				widest = i;
		}
		if (widest == UINT32_MAX)
			return false;
		width[widest]--;
	}
	return true;
}

/* Choose the widths: those of the description if they fit, else those of the cells;
 * else folded ones; if even those do not fit, the widest column fits beside the lead,
 * which has half of the line at least. */
static void table_widths(const struct storus_table *t, uint32_t lead,
			 size_t *width)
{
	size_t usual[STORUS_TABLE_COLUMNS], cells[STORUS_TABLE_COLUMNS];
	size_t widest = 0, left;

	for (uint32_t i = 0; i < t->fields; i++) {
		int n = t->column[t->field[i]].width;

		cells[i] = 0;
		for (size_t k = i; k < t->cells; k += t->fields) {
			size_t length = storus_text_columns(t->cell[k],
							    strlen(t->cell[k]));

			cells[i] = length > cells[i] ? length : cells[i];
		}
		usual[i] = (size_t)(n < 0 ? -n : n);
		usual[i] = usual[i] > cells[i] ? usual[i] : cells[i];
	}
	memcpy(width, table_sum(t, usual, t->fields) <= t->limit ? usual : cells,
	       t->fields * sizeof(*width));
	if (table_narrow(t, width, t->fields, t->limit))
		return;
	memcpy(width, cells, t->fields * sizeof(*width));
	for (uint32_t i = lead; i < t->fields; i++)
		widest = cells[i] > widest ? cells[i] : widest;
	left = widest + table_gap(t);
	table_narrow(t, width, lead,
		     left < t->limit / 2 ? t->limit - left : t->limit / 2);
	left = table_sum(t, width, lead) + table_gap(t);
	left = t->limit > left + FOLD_LEAST ? t->limit - left : FOLD_LEAST;
	for (uint32_t i = lead; i < t->fields; i++)
		width[i] = width[i] > left ? left : width[i];
}

size_t storus_table_width(bool narrow)
{
	const char *word = getenv("COLUMNS");
	struct winsize window;
	uint64_t n;

	if (word && torus_number_whole(word, 20, WIDTH_MOST, &n))
		return n;
	if (!isatty(STDOUT_FILENO))
		return narrow ? 80 : 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ?
		       window.ws_col :
		       80;
}

void storus_table_fold(const char *text, size_t indent)
{
	size_t width = storus_table_width(true), at = indent, n;

	for (; *text; text += n + strspn(text + n, " \n")) {
		n = strcspn(text, " \n");
		size_t columns = storus_text_columns(text, n);

		if (at > indent && at + 1 + columns > width) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		}
		printf("%s%.*s", at > indent ? " " : "", (int)n, text);
		at += columns + (at > indent);
	}
	putchar('\n');
}

void storus_table_words(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		storus_table_fold(text, 0);
	free(text);
}

/* Print a line, which may be folded between its words. */
static void print_line(const char *line, size_t width)
{
	size_t indent = strspn(line, " "), at = 0, columns;

	while (width) {
		size_t length = strlen(line);
		size_t n = text_fit(line, length, width > at ? width - at : 1,
				    &columns);

		if (n == length)
			break;
		while (n > indent && line[n] != ' ')
			n--;
		if (n <= indent) /* a word that is too long: to its end */
			n = indent + strcspn(line + indent, " ");
		if (!line[n + strspn(line + n, " ")])
			break;
		length = n;
		while (length > 1 && line[length - 1] == ' ')
			length--;
		printf("%*s%.*s\n", (int)at, "", (int)length, line);
		at = at ? at : indent + 2;
		indent = 0;
		line += n + strspn(line + n, " ");
	}
	printf("%*s%s\n", (int)at, "", line);
}

void storus_print(const char *format, ...)
{
	static struct torus_text open; /* a line that has not ended */
	size_t width = storus_table_width(false);
	char *text = NULL, *line, *end;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text && torus_text_add(&open, "%s", text) == 0) {
		for (line = open.data; (end = strchr(line, '\n'));
		     line = end + 1) {
			*end = '\0';
			print_line(line, width);
		}
		open.length = strlen(line);
		memmove(open.data, line, open.length + 1);
	}
	if (!open.length)
		torus_text_free(&open);
	free(text);
}

/* The writer */

static void table_failed(struct storus_table *t)
{
	if (!t->error)
		t->error = errno ? errno : ENOMEM;
}

/* Write or keep a line of cells, which it frees. row NULL: the headings. */
static void table_line(struct storus_table *t, const json_t *row)
{
	char *cell[STORUS_TABLE_COLUMNS];
	bool good = true;

	for (uint32_t i = 0; i < t->fields; i++) {
		cell[i] = table_cell(t, &t->column[t->field[i]], row);
		good = good && cell[i];
	}
	if (good && t->limit &&
	    TORUS_GROW(t->cell, t->room, t->cells + t->fields))
		good = false;
	if (!good)
		table_failed(t);
	else if (t->limit)
		memcpy(t->cell + t->cells, cell, t->fields * sizeof(*cell));
	else if (t->format && !t->csv && strchr(t->format, '%'))
		table_put_formatted(t, cell);
	else {
		/* All columns, in a table with their widths: none is cut, the last has no
		 * trailing blanks. */
		FILE *f = t->csv ? t->out.stream : stdout;

		for (uint32_t i = 0; i < t->fields; i++) {
			int width = t->column[t->field[i]].width;
			bool last = i + 1 == t->fields;

			if (t->csv && i)
				putc(',', f);
			if (t->csv)
				stream_put_field(f, cell[i], false);
			else if (last && width < 0)
				fputs(cell[i], f);
			else {
				text_put(f, cell[i], width, SIZE_MAX);
				fprintf(f, "%*s", last ? 0 : (int)table_gap(t),
					"");
			}
		}
		putc('\n', f);
	}
	if (good && t->limit) {
		t->cells += t->fields;
		return;
	}
	for (uint32_t i = 0; i < t->fields; i++)
		torus_free(cell[i]);
}

/* Open the output, choose the columns and write their headings. */
static void table_begin(struct storus_table *t)
{
	bool all = !t->format && !t->fields;

	if (t->begun)
		return;
	t->begun = true;
	errno = 0;
	if (t->csv && storus_output_open(&t->out, t->csv)) {
		table_failed(t);
		return;
	}
	for (uint32_t c = 0; all && t->column[c].key; c++) {
		if ((t->csv || !t->column[c].more) && (!t->only || c < t->only))
			t->field[t->fields++] = (uint8_t)c;
	}
	if (!t->csv && !t->noheader && !(t->format && strchr(t->format, '%')))
		t->limit = storus_table_width(t->narrow);
	if (!t->noheader)
		table_line(t, NULL);
}

void storus_table_row(struct storus_table *t, json_t *row)
{
	errno = 0;
	if (!row) {
		table_failed(t);
	} else if (t->json) {
		if (!t->rows)
			t->rows = json_array();
		if (json_array_append(t->rows, row))
			table_failed(t);
	} else {
		table_begin(t);
		if (!t->error)
			table_line(t, row);
	}
	json_decref(row);
}

json_t *storus_table_rows(struct storus_table *t)
{
	json_t *rows = t->rows ? t->rows : json_array();

	t->rows = NULL;
	if (t->error) {
		json_decref(rows);
		rows = NULL;
	}
	return rows;
}

int storus_table_end(const struct storus_command *command,
		     struct storus_table *t)
{
	int status = STORUS_DONE;

	if (!t->json)
		table_begin(t);
	if (!t->error && t->limit) {
		/* Print the rows that were kept, in blocks of as many columns as fit. */
		size_t width[STORUS_TABLE_COLUMNS] = { 0 };
		uint32_t lead = t->lead ? t->lead : t->fields > 1 ? 1 : 0;

		table_widths(t, lead, width);
		for (uint32_t first = lead, end; first < t->fields;
		     first = end) {
			size_t sum = lead ? table_sum(t, width, lead) +
						     table_gap(t) :
					    0;

			sum += width[first];
			for (end = first + 1;
			     end < t->fields &&
			     sum + table_gap(t) + width[end] <= t->limit;
			     end++)
				sum += table_gap(t) + width[end];
			if (first > lead)
				putchar('\n');
			for (size_t k = 0; k < t->cells; k += t->fields)
				table_put_folded(t, t->cell + k, width,
						 &(struct table_block){
							 lead, first, end });
		}
	}
	if (!t->error && t->csv && storus_output_commit(&t->out))
		table_failed(t);
	errno = t->error;
	if (errno)
		status = errno == ENOMEM ?
				 storus_no_memory(command) :
				 storus_output_failed(command, t->csv);
	storus_table_free(t);
	return status;
}

int storus_table_end_rows(const struct storus_command *command,
			  struct storus_table *t, const char *key,
			  int64_t time_us)
{
	json_t *rows;

	if (!t->json)
		return storus_table_end(command, t);
	rows = storus_table_rows(t);
	return storus_json_write(command,
				 rows ? storus_age_json(json_pack("{s:i, s:o}",
								  "schema", 1,
								  key, rows),
							time_us) :
					NULL,
				 t->json);
}

void storus_table_free(struct storus_table *t)
{
	storus_output_discard(&t->out);
	json_decref(t->rows);
	for (size_t i = 0; i < t->cells; i++)
		torus_free(t->cell[i]);
	torus_free(t->cell);
	t->rows = NULL;
	t->cell = NULL;
	t->cells = t->room = 0;
}
