/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing gzip: a stream whose bytes go to another one compressed. */
#ifndef STORUS_GZIP_H
#define STORUS_GZIP_H

#include <stdio.h>

/*
 * fclose() writes the end and leaves `to` open. Equal input gives equal output: the
 * header has no name and no time. NULL with errno; errors of `to` appear in ferror()
 * and fclose().
 */
FILE *storus_gzip(FILE *to);

#endif
