/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing strings (torus/text.h). Amortised O(1) per byte. */
#include "torus/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "torus/alloc.h"

static int text_grow(struct torus_text *text, size_t need)
{
	size_t room = text->room ? text->room : 128;

	while (room < need)
		room *= 2;
	if (TORUS_RESIZE(text->data, room))
		return -1;
	text->room = room;
	return 0;
}

int torus_text_add(struct torus_text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		return -1;
	if (text->length + (size_t)length + 1 > text->room &&
	    text_grow(text, text->length + (size_t)length + 1))
		return -1;
	va_start(args, format);
	vsnprintf(text->data + text->length, text->room - text->length, format,
		  args);
	va_end(args);
	text->length += (size_t)length;
	return 0;
}

int torus_text_append(struct torus_text *text, const char *bytes, size_t length)
{
	if (text->length + length + 1 > text->room &&
	    text_grow(text, text->length + length + 1))
		return -1;
	memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
	return 0;
}

void torus_text_free(struct torus_text *text)
{
	torus_free(text->data);
	*text = (struct torus_text){ 0 };
}

char *torus_text_copy(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = torus_alloc(size, 1);

	return copy ? memcpy(copy, text, size) : NULL;
}
