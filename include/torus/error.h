/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors in text that people wrote. All errors are collected, one line each,
 * until the caller prints them or refuses the input.
 *
 * Cost: O(TORUS_ERROR_TEXT) per error; no allocation. When a line no longer
 * fits, it and all later ones are only counted, and the last line has their
 * number.
 */
#ifndef TORUS_ERROR_H
#define TORUS_ERROR_H

#include <stddef.h>

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
