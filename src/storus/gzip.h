/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing gzip: a stream whose bytes go to another one compressed. */
#ifndef STORUS_GZIP_H
#define STORUS_GZIP_H

#include <stdio.h>

/*
 * Closing it writes the end, and leaves `to` open. The same bytes in, the same
 * bytes out: there is no name and no time in the header. NULL with errno;
 * errors of `to` show in ferror() and fclose().
 */
FILE *storus_gzip(FILE *to);

#endif
