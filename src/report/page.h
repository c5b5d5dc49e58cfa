/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One self-contained HTML page about schedules: the page's own text, style and
 * script are part of the program (page/), the chart library is a file that is
 * put into the page, the data come as JSON.
 *
 *	{"title": ..., "schedules": [{"name", "sha256", "pods", "nodes",
 *	 "jobs": {...}, "summary": {...}}]}
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/origin.h"
#include "report/schedule_read.h"
#include "torus/machine.h"

/*
 * A schedule as JSON: reads the file to its end, writes an object to out. m
 * (NULL: not known) is for the map; regions must lie in it. summary: the
 * JSON of the summary to show, or NULL: worked out from the rows. 0, or -1
 * with errno (EINVAL: wrong input) and a line in err.
 */
int torus_report_schedule(FILE *out, const char *name,
			  struct torus_schedule_file *file,
			  const struct torus_machine *m, const char *summary,
			  struct torus_error *err);

/* What all pages begin with: title, origin (may be NULL) and style, up to the
 * body's start. */
void torus_report_begin(FILE *out, const char *title,
			const struct report_origin *origin);

/* The page around the data. chart is the library's text. 0, or -1 with
 * errno. */
int torus_report_write(FILE *out, const char *title,
		       const struct report_origin *origin, const char *chart,
		       size_t chart_length, const char *data,
		       size_t data_length);

#endif
