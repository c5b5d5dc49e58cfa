/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's file (journal.h): opening it, and appending so that a line is complete or
 * absent (journal_file.c).
 */
#ifndef FORMAT_JOURNAL_FILE_H
#define FORMAT_JOURNAL_FILE_H

#include "format/journal.h"
#include "torus/scheduler.h"
#include "torus/text.h"

/* Append text[1] and text[2] to the journal at PATH, all or none. text[0] is
 * the header of a new file. */
int journal_append(struct journal_file *file, const char *path, bool is_private,
		   const char *const text[3], struct torus_error *err);
bool journal_file_ended(const struct journal_file *file, const char *path);

/* journal_settings.c: the settings of a scheduler, with which the initial state of a
 * journal begins. */

/* Appended to the settings of a scheduler that starts nothing. */
#define JOURNAL_DRY_RUN " dry_run"

/* The settings of a scheduler in one line: written, and read into *settings, whose
 * members that are not in the line keep their values. Reading returns -1 with lines in
 * err, which begin with `where`. */
int journal_settings(const struct torus_scheduler_settings *settings,
		     struct torus_text *text);
int journal_settings_read(const char *line, const char *where,
			  struct torus_scheduler_settings *settings,
			  struct torus_error *err);
/* Set what torus.yaml leaves open as in such a line, also one of an older version.
 * Return false if the line is another one. */
bool journal_settings_complete(const char *line,
			       struct torus_scheduler_settings *settings);

#endif
