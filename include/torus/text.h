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

/* FNV-1a: the hash of what came before (at first TORUS_HASH_START) and of a text. */
#define TORUS_HASH_START UINT64_C(14695981039346656037)
static inline uint64_t torus_hash_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	while (*text++);
	return hash;
}

/*
 * Errors in text that people wrote. All errors are collected, one line each,
 * until the caller prints them or refuses the input.
 *
 * Cost: O(TORUS_ERROR_TEXT) per error; no allocation. When a line no longer
 * fits, it and all later ones are only counted, and the last line has their
 * number.
 */

#define TORUS_ERROR_TEXT 4096

struct torus_error {
	unsigned count;              /* errors reported so far */
	size_t used;                 /* bytes of text in use, without the NUL */
	char text[TORUS_ERROR_TEXT]; /* lines separated by '\n', none at the
					end */
};

/* Empty the list. A zeroed struct is an empty list as well. */
void torus_error_clear(struct torus_error *err);

/*
 * Add one line. err may be NULL: the line is dropped. Control characters in
 * it become '?', so that user text cannot forge a line of a log.
 * Returns -1 and sets errno to EINVAL, to be passed on as a failure.
 */
int torus_error_add(struct torus_error *err, const char *format, ...)
	__attribute__((cold, format(printf, 2, 3)));

/* Replace control characters of the line, and what is not UTF-8, by '?': it can then be
 * printed on any terminal and into any log. */
void torus_error_plain(char *line);

/* Return the bytes of the UTF-8 character at p, which a NUL ends; 0: it is none. */
size_t torus_error_character(const char *p);

#endif
