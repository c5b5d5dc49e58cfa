/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors in text that people wrote: every one found is kept, one line each,
 * until the caller shows them or refuses the input.
 *
 * Cost: O(TORUS_ERROR_TEXT) per error; no allocation. From the first line that
 * no longer fits on they are counted but not kept, and the last line says how
 * many.
 */
#ifndef TORUS_ERROR_H
#define TORUS_ERROR_H

#include <stddef.h>

#define TORUS_ERROR_TEXT 4096

struct torus_error {
	unsigned count;              /* errors reported so far */
	size_t used;                 /* bytes of text in use, without the NUL */
	char text[TORUS_ERROR_TEXT]; /* lines parted by '\n', no trailing one */
};

/* Empty the list. A zeroed struct is an empty list as well. */
void torus_error_clear(struct torus_error *err);

/*
 * Add one line. err may be NULL: the line is dropped. Control characters in
 * it become '?', so that user text cannot forge a line of a log.
 * Returns -1 and sets errno to EINVAL, to be passed on as a failure.
 */
int torus_error_add(struct torus_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Control characters of the line become '?'. */
void torus_error_plain(char *line);

#endif
