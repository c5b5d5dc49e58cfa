/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with state saved for the host's next start: a first line with name and
 * version, the text, and a last line that shows that the file is complete:
 *
 *	torus_state 1
 *	...
 *	end
 *
 * The text comes from torus_state_save() or saved_promises_save().
 */
#ifndef FORMAT_SAVED_FILE_H
#define FORMAT_SAVED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "torus/text.h"

#define SAVED_FILE_STATE "torus_state 1"
#define SAVED_FILE_PROMISES "torus_promises 1"

/*
 * Replace the file at path by the text, which is empty or ends with a newline:
 * write a new file, then rename it. `durable`: sync it to disk before
 * returning. Return 0, or -1 with errno.
 */
int saved_file_write(const char *path, const char *first, const char *text,
		     bool durable);

/* Return the text; the caller frees it with torus_free(). Return NULL if there
 * is no such file, or with the reason in err. */
char *saved_file_read(const char *path, const char *first,
		      struct torus_error *err);

/* Return the text of a file of `length` bytes and a NUL, extracted in place;
 * NULL if the file has another type or is incomplete. */
char *saved_file_text(char *file, size_t length, const char *first);

#endif
