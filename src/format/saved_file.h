/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with what a host saves for its next start: a text between a first line
 * that names what it is, with the version, and a last one that shows that
 * nothing is missing:
 *
 *	torus_state 1
 *	...
 *	end
 *
 * The text is torus_state_save()'s or cycle_save_promises()'s.
 */
#ifndef FORMAT_SAVED_FILE_H
#define FORMAT_SAVED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "torus/error.h"

#define SAVED_FILE_STATE "torus_state 1"
#define SAVED_FILE_PROMISES "torus_promises 1"

/*
 * Put the text, which is empty or ends with its line, in place of the file at
 * path: written beside it, then renamed. `durable`: on the disk when this
 * returns. 0, or -1 with errno.
 */
int saved_file_write(const char *path, const char *first, const char *text,
		     bool durable);

/* The text, which the caller frees with torus_free(). NULL if there is no such
 * file, or with the reason in err. */
char *saved_file_read(const char *path, const char *first,
		      struct torus_error *err);

/* The text of a file of `length` bytes and a NUL, cut out in place; NULL: it is
 * no such file, or not all of one. */
char *saved_file_text(char *file, size_t length, const char *first);

#endif
