/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cause of a failed write. stdio records that a write failed, but not its
 * errno. So the write is repeated once to get the errno, such as that of a full
 * disk.
 */
#ifndef FORMAT_STREAM_H
#define FORMAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Return true, with errno, if a write to the stream failed. The file is then
 * incomplete. */
bool stream_failed(FILE *out);

/* Close the stream. -1 with errno if any data could not be written. */
int stream_close(FILE *out);

#endif
