/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write files as a whole, and name the cause of a failed write. stdio records that a
 * write failed, but not its errno. So the write is repeated once to get the errno,
 * such as that of a full disk.
 */
#ifndef FORMAT_STREAM_H
#define FORMAT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "torus/text.h"

/* Return true, with errno, if a write to the stream failed. The file is then
 * incomplete. */
bool stream_failed(FILE *out);

/* Write a field of CSV: in quotes (RFC 4180) if it has a comma, a quote or the end of a
 * line, or if `quoted`. */
void stream_put_field(FILE *out, const char *text, bool quoted);

/* Close the stream. -1 with errno if any data could not be written. */
int stream_close(FILE *out);

/* Write the whole text. -1 with errno. */
int stream_write(int fd, const char *text);

/*
 * Replace the file by these texts (ended by NULL), with that mode regardless of the
 * umask: write PATH.new, which is no link and no older file, then rename it.
 * `durable`: sync it to disk before returning. Return 0, or -1 with errno and the
 * old file unchanged.
 */
int stream_replace(const char *path, const char *const *text, mode_t mode,
		   bool durable);

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
