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

/* Empty fields of lines that are not about a job, from submit to region. */
#define JOURNAL_NO_JOB ",,,,,,,,,,,,,,,,,,"

/* Return the stream for the next line; NULL: it is lost. */
FILE *journal_next(struct journal *j);
/* Write seconds with 6 decimals. */
void journal_put_seconds(FILE *f, int64_t us);
/* Write a line of job (0: none), time, region and state. */
__attribute__((format(printf, 5, 6))) void
journal_put_line(struct journal *j, uint32_t job, int64_t at_us,
		 const char *state, const char *region, ...);

#endif
