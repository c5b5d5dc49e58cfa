/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text. */
#ifndef TORUS_CONFIG_FILE_H
#define TORUS_CONFIG_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "torus/text.h"

/* Return the bytes of a file, with a NUL behind its `length` bytes; the caller frees
 * them (torus_free()). NULL with errno: EFBIG if it has more than `most` bytes. */
char *torus_file_read(const char *path, size_t most, size_t *length);

/*
 * The same of a text of at most TORUS_FILE_MOST bytes ("-": of the standard input), without
 * its byte order mark; a file with a NUL, or in UTF-16, is no text. NULL with errno and a
 * line in err.
 */
char *torus_file_text(const char *path, size_t *length, struct torus_error *err);

/* What refuses a text, for readers of lines. */
#define TORUS_FILE_MOST ((size_t)256 << 20)
#define TORUS_FILE_NUL "there is a NUL byte in it"
#define TORUS_FILE_FOREIGN                                                     \
	"the text is in UTF-16 or UTF-32, expected UTF-8 (iconv -t UTF-8 converts it)"

/* Return the length of the UTF-8 byte order mark with which a text begins, or 0;
 * SIZE_MAX: the text is in UTF-16 or UTF-32. */
size_t torus_file_mark(const char *text, size_t length);

/*
 * Check that only root and this user may write the file, as slurmctld demands of the
 * files that control it. 0 also if the file cannot be examined: its reader says why. -1
 * with a line in err.
 */
int torus_file_check_owner(const char *path, uid_t user,
			   struct torus_error *err);

/*
 * Sort the lines FILE:NUMBER: ... of err from byte `from` on by number; lines
 * of equal number keep their order, other lines stay at the end.
 * O(lines^2), of at most TORUS_ERROR_TEXT bytes.
 */
void torus_errors_order(struct torus_error *err, size_t from, const char *file);

#endif
