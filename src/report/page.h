/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Self-contained HTML pages. A page's text, style and script are part of the
 * program (page/, sweep/, what_if/), the chart library is a file included in
 * the page, the data are JSON. For schedules:
 *
 *	{"title", "tz", "schedules": [{"name", "sha256", "epoch", "pods",
 *	 "nodes", "jobs": {...}, "users", "partitions", "summary": {...}}]}
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/origin.h"
#include "report/schedule.h"
#include "torus/machine.h"
#include "trace/trace.h"

/* Metadata of a schedule. */
struct torus_report_about {
	const char *name;
	const struct torus_machine *machine; /* for the map; NULL: unknown */
	const char *summary; /* summary as JSON; NULL: computed from the rows */
	const struct torus_owners *owners; /* NULL: unknown */
	int64_t unix_start; /* start of the schedule's clock in seconds; < 0:
			       unknown */
};

/* The columns of the first schedule of a page: the others have 0 in the place of a
 * column that is equal. */
struct torus_report_columns;
void torus_report_columns_free(struct torus_report_columns *c);

/*
 * Write a schedule as JSON: read the file to its end, write an object to out, its jobs
 * in the order of submission. Regions must lie in the machine. *first: NULL, or of an
 * earlier schedule; afterwards the caller frees it. Return 0, or -1 with errno (EINVAL:
 * invalid input) and a line in err.
 */
int torus_report_schedule(FILE *out, struct torus_schedule_file *file,
			  const struct torus_report_about *about,
			  struct torus_report_columns **first,
			  struct torus_error *err);

/* Write the beginning of a page: title, origin (may be NULL) and style, up to
 * the body's start. */
void torus_report_begin(FILE *out, const char *title,
			const struct report_origin *origin);

/* The parts of a page. */
struct torus_report_page {
	const char *title;
	const struct report_origin *origin; /* may be NULL */
	const char *chart; /* text of the chart library; NULL: none */
	size_t chart_length;
	const char *data; /* JSON */
	size_t length;
};

/* Write the page of schedules. Return 0, or -1 with errno. */
int torus_report_write(FILE *out, const struct torus_report_page *page);

/*
 * Write the page of a campaign: {"title", "measures", "rows", "pairs",
 * "resamples"}, rows and pairs as in storus sweep --json and --compare. It
 * needs no chart library. Return 0, or -1 with errno.
 */
int torus_report_sweep(FILE *out, const struct torus_report_page *page);

/* Write the page of storus what-if: its JSON, and {"title", "source", "now",
 * "changes"}; "at" of a job has its two starts in words. It needs no chart
 * library. Return 0, or -1 with errno. */
int torus_report_what_if(FILE *out, const struct torus_report_page *page);

/* owners.c: owners of a trace's jobs. */

struct torus_owner {
	char id[TORUS_TRACE_ID_SIZE];
	uint32_t user, partition, account; /* numbers of names */
	int64_t limit_us;                  /* requested run time, or -1 */
};

/* Names by number, in order of first appearance. */
struct torus_owner_names {
	char (*name)[TORUS_TRACE_USER_SIZE];
	uint32_t count, room;
};

/* Zeroed = none. */
struct torus_owners {
	struct torus_owner *owner; /* by id */
	size_t count;
	uint32_t room;
	struct torus_owner_names users, partitions, accounts;
	bool limits;                          /* some job has one */
	int64_t unix_start;                   /* of the trace, or -1 */
	char digest[TORUS_TRACE_DIGEST_SIZE]; /* of the trace */
};

/* Add all jobs of a trace. Return 0, or -1 with errno and lines in err. */
int torus_owners_read(struct torus_owners *o, const char *path,
		      const struct torus_trace_choice *choice,
		      struct torus_error *err);
void torus_owners_free(struct torus_owners *o);

/* Return the owner, or NULL if there is no such job. For a repeated id, one of
 * them. */
const struct torus_owner *torus_owners_find(const struct torus_owners *o,
					    const char *id);

#endif
