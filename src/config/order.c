/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts messages by line (config/order.h): the blocks of a file are checked
 * key by key in a fixed order, but people read their file from top to bottom.
 * An insertion sort that moves whole lines within the text.
 */
#include "config/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Return the NUMBER of a line; larger than all numbers if it has none. */
static unsigned long number_of(const char *line, const char *file, size_t n)
{
	if (strncmp(line, file, n) != 0 || line[n] != ':')
		return ULONG_MAX;
	return strtoul(line + n + 1, NULL, 10);
}

/* Return the length with the '\n', which the last line has here, too. */
static size_t order_length_of(const char *line)
{
	return (size_t)(strchr(line, '\n') - line) + 1;
}

/* Return the position of a line of this number among the sorted ones. */
static char *place_for(char *first, char *line, unsigned long number,
		       const char *file, size_t n)
{
	while (first < line && number_of(first, file, n) <= number)
		first += order_length_of(first);
	return first;
}

void torus_errors_order(struct torus_error *err, size_t from, const char *file)
{
	char text[TORUS_ERROR_TEXT + 2], line[TORUS_ERROR_TEXT + 2];
	size_t n = strlen(file), used, length;

	if (!err || err->used <= from)
		return;
	from += err->text[from] == '\n'; /* the separator */
	used = err->used - from;
	memcpy(text, err->text + from, used);
	strcpy(text + used, "\n");
	for (char *p = text; *p; p += length) {
		char *to = place_for(text, p, number_of(p, file, n), file, n);

		length = order_length_of(p);
		memcpy(line, p, length);
		memmove(to + length, to, (size_t)(p - to));
		memcpy(to, line, length);
	}
	memcpy(err->text + from, text, used);
}
