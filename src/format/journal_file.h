/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's file (journal.h): opening it, and appending so that a line is complete or absent (journal_file.c). */
#ifndef FORMAT_JOURNAL_FILE_H
#define FORMAT_JOURNAL_FILE_H

#include "format/journal.h"

/* Append text[1] and text[2] to the journal at PATH, all or none. text[0] is
 * the header of a new file. */
int journal_append(struct journal_file *file, const char *path, bool is_private,
		   const char *const text[3], struct torus_error *err);
bool journal_file_ended(const struct journal_file *file, const char *path);

#endif
