/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One self-contained HTML page about schedules: the page's own text, style and
 * script are part of the program (page/), the chart library is a file that is
 * put into the page, the data come as JSON.
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

/* What all pages begin with: title, origin (may be NULL) and style, up to the
 * body's start. */
void torus_report_begin(FILE *out, const char *title,
			const struct report_origin *origin);

/* What pages with charts share, as script elements: the chart library's text
 * and page/1-base.js (figures with CSV, PNG and data table, calendar, ticks);
 * and data for the page's own script, as JSON. */
void torus_report_script(FILE *out, const char *chart, size_t chart_length);
void torus_report_data(FILE *out, const char *data, size_t length);

/*
 * The page of a campaign: {"title", "measures", "rows", "pairs", "resamples"},
 * rows and pairs as storus sweep --json and --compare have them. It needs no
 * chart library. 0, or -1 with errno.
 */
int torus_report_sweep(FILE *out, const char *title,
		       const struct report_origin *origin, const char *data,
		       size_t length);

/* The page of storus what-if: its JSON, and {"title", "source", "now", "changes"}; a
 * job's "at" are its two starts in words. It needs no chart library. 0, or -1 with
 * errno. */
int torus_report_what_if(FILE *out, const char *title,
			 const struct report_origin *origin, const char *data,
			 size_t length);

/* The page around the data. chart is the library's text. 0, or -1 with
 * errno. */
int torus_report_write(FILE *out, const char *title,
		       const struct report_origin *origin, const char *chart,
		       size_t chart_length, const char *data,
		       size_t data_length);

#endif
