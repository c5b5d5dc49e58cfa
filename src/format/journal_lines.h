/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the journal (journal.h): journal.c writes lines of stays and
 * nodes, journal_text.c those that contain a text. */
#ifndef FORMAT_JOURNAL_LINES_H
#define FORMAT_JOURNAL_LINES_H

#include "format/journal.h"

#include <stdio.h>

struct journal {
	const struct torus_machine *m;
	char *path;
	struct journal_file file;
	bool is_private;
	bool dry_run;
	bool mended;   /* lines were lost, and this has been written */
	uint64_t lost; /* lost lines not yet counted in the file */
	uint64_t lines;
	char *text; /* of f */
	size_t length;
	FILE *f; /* in memory; NULL: nothing was collected */
};

/* Return the stream for the next line; NULL: it is lost. */
FILE *journal_next(struct journal *j);
/* Write seconds with 6 decimals. */
void journal_put_seconds(FILE *f, int64_t us);

#endif
