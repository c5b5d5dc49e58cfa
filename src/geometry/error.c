/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of errors (torus/error.h). */
#include "torus/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
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
	char *last = strrchr(err->text, '\n');

	if (last && sscanf(last, "\n... and %u more", left_out) == 1)
		return last;
	return NULL;
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

void torus_error_plain(char *line)
{
	for (; *line; line++) {
		if (iscntrl((unsigned char)*line))
			*line = '?';
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
