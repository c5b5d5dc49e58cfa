/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of errors (torus/text.h). */
#include "torus/text.h"
#include "torus/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Reserved at the end of the text for the "and N more" line. */
#define ROOM_FOR_MORE 48

void torus_error_clear(struct torus_error *err)
{
	err->count = 0;
	err->used = 0;
	err->text[0] = '\0';
}

/* Return the last line if it counts omitted errors, or NULL. */
static char *more_line(struct torus_error *err, unsigned *left_out)
{
	static const char begins[] = "\n... and ";
	char *last = strrchr(err->text, '\n');

	if (!last || strncmp(last, begins, sizeof(begins) - 1) != 0)
		return NULL;
	*left_out = (unsigned)torus_number_of(last + sizeof(begins) - 1);
	return *left_out ? last : NULL;
}

static void error_append(struct torus_error *err, const char *line)
{
	size_t length = strlen(line);
	size_t need = length + (err->used > 0);
	unsigned left_out = 0;
	char *more = more_line(err, &left_out);

	if (!more && err->used + need + ROOM_FOR_MORE < sizeof(err->text)) {
		if (err->used > 0)
			err->text[err->used++] = '\n';
		memcpy(err->text + err->used, line, length + 1);
		err->used += length;
		return;
	}
	/* The list is full: later lines are only counted, short ones too. */
	if (more)
		err->used = (size_t)(more - err->text);
	err->used += (size_t)snprintf(err->text + err->used,
				      sizeof(err->text) - err->used,
				      "\n... and %u more", left_out + 1);
}

size_t torus_error_character(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = *p < 0x80 ? 1 :
		   *p < 0xc2 ? 0 :
		   *p < 0xe0 ? 2 :
		   *p < 0xf0 ? 3 :
		   *p < 0xf5 ? 4 :
			       0;

	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

/* Return true for what moves a terminal's cursor or the order of its text: C0 and C1
 * controls, line separators, marks and overrides of the direction of writing. */
static bool utf8_controls(const unsigned char *p, size_t n)
{
	if (n == 1)
		return iscntrl(*p);
	if (n == 2)
		return p[0] == 0xc2 && p[1] < 0xa0;
	return n == 3 && p[0] == 0xe2 &&
	       ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
		(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

void torus_error_plain(char *line)
{
	unsigned char *p = (unsigned char *)line;

	while (*p) {
		size_t n = torus_error_character((const char *)p);
		bool hidden = n == 0 || utf8_controls(p, n);

		for (n = n ? n : 1; n > 0; n--, p++) {
			if (hidden)
				*p = '?';
		}
	}
}

int torus_error_add(struct torus_error *err, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(line, sizeof(line), format, args);
		va_end(args);
		torus_error_plain(line);
		error_append(err, line);
		err->count++;
	}
	errno = EINVAL;
	return -1;
}
