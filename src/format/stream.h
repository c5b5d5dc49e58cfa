/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write files as a whole, and name the cause of a failed write. stdio records that a
 * write failed, but not its errno. So the write is repeated once to get the errno,
 * such as that of a full disk.
 */
#ifndef FORMAT_STREAM_H
#define FORMAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Return true, with errno, if a write to the stream failed. The file is then
 * incomplete. */
bool stream_failed(FILE *out);

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

#endif
