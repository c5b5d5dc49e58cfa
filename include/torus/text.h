/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, for saved states and text forms of any length.
 */
#ifndef TORUS_TEXT_H
#define TORUS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed = empty. data is NUL-terminated once anything was added. */
struct torus_text {
	char *data;
	size_t length; /* without the NUL */
	size_t room;
};

/* Append formatted text: 0, or -1 with ENOMEM and the text unchanged. */
int torus_text_add(struct torus_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append bytes, none of them a NUL; the same. */
int torus_text_append(struct torus_text *text, const char *bytes, size_t length);

/* Return a copy, which the caller frees (torus_free()); NULL with ENOMEM. */
char *torus_text_copy(const char *text);

/* Read a whole number of at most 9 digits, without sign or leading zero, and
 * move *p past it. Return false if there is none. */
bool torus_text_number(const char **p, uint32_t *value);

/* Free the buffer and make the text empty again. */
void torus_text_free(struct torus_text *text);

#endif
