/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text. */
#ifndef TORUS_CONFIG_FILE_H
#define TORUS_CONFIG_FILE_H

#include <stddef.h>

#include "torus/error.h"

/* Return the text of a file, with a NUL behind its `length` bytes; the caller frees
 * it (torus_free()). NULL with errno: EFBIG if it has more than `most` bytes. */
char *torus_file_slurp(int fd, size_t most, size_t *length);
char *torus_file_read(const char *path, size_t most, size_t *length);

/* The same of at most 64 MiB; NULL with errno and a line in err. */
char *torus_file_text(const char *path, size_t *length, struct torus_error *err);

#endif
