/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as text. */
#ifndef TORUS_CONFIG_FILE_H
#define TORUS_CONFIG_FILE_H

#include "torus/error.h"

/* Return the text of a file, at most 64 MiB; the caller frees it (torus_free()).
 * NULL with errno and a line in err. */
char *torus_file_text(const char *path, size_t *length, struct torus_error *err);

#endif
