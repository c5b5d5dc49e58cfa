/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Self-contained HTML pages: a page's own text, style and script are part of the
 * program (page/, sweep/, what_if/), the chart library is a file that is put into
 * the page, the data come as JSON. Of schedules:
 *
 *	{"title", "tz", "schedules": [{"name", "sha256", "epoch", "pods",
 *	 "nodes", "jobs": {...}, "users", "partitions", "summary": {...}}]}
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/origin.h"
#include "report/owners.h"
#include "report/schedule_read.h"
#include "torus/machine.h"

/* What goes with a schedule. */
struct torus_report_about {
	const char *name;
	const struct torus_machine *machine; /* for the map; NULL: not known */
	const char *summary; /* as JSON; NULL: worked out from the rows */
	const struct torus_owners *owners; /* NULL: not known */
	int64_t unix_start; /* of the schedule's clock, seconds; < 0: not known */
};

/*
 * A schedule as JSON: reads the file to its end, writes an object to out.
 * Regions must lie in the machine. 0, or -1 with errno (EINVAL: wrong input)
 * and a line in err.
 */
int torus_report_schedule(FILE *out, struct torus_schedule_file *file,
			  const struct torus_report_about *about,
			  struct torus_error *err);

/* What every page begins with: title, origin (may be NULL) and style, up to the
 * body's start. */
void torus_report_begin(FILE *out, const char *title,
			const struct report_origin *origin);

/* What a page is made of. */
struct torus_report_page {
	const char *title;
	const struct report_origin *origin; /* may be NULL */
	const char *chart; /* the chart library's text; NULL: it has none */
	size_t chart_length;
	const char *data; /* JSON */
	size_t length;
};

/* The page of schedules. 0, or -1 with errno. */
int torus_report_write(FILE *out, const struct torus_report_page *page);

/*
 * The page of a campaign: {"title", "measures", "rows", "pairs", "resamples"},
 * rows and pairs as storus sweep --json and --compare have them. It needs no
 * chart library. 0, or -1 with errno.
 */
int torus_report_sweep(FILE *out, const struct torus_report_page *page);

/* The page of storus what-if: its JSON, and {"title", "source", "now", "changes"}; a
 * job's "at" are its two starts in words. It needs no chart library. 0, or -1 with
 * errno. */
int torus_report_what_if(FILE *out, const struct torus_report_page *page);

#endif
