/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a scheduler, with which the initial state of a journal begins. */
#ifndef FORMAT_JOURNAL_SETTINGS_H
#define FORMAT_JOURNAL_SETTINGS_H

#include "torus/scheduler.h"
#include "torus/text.h"

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
