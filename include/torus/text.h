/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, for saved states and text forms of any length.
 */
#ifndef TORUS_TEXT_H
#define TORUS_TEXT_H

#include <stddef.h>

/* Zeroed = empty. data is NUL-terminated once anything was added. */
struct torus_text {
	char *data;
	size_t length; /* without the NUL */
	size_t room;
};

/* Append formatted text: 0, or -1 with ENOMEM and the text unchanged. */
int torus_text_add(struct torus_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Free the buffer and make the text empty again. */
void torus_text_free(struct torus_text *text);

#endif
