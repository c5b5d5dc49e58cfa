/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands that write pages share. */
#ifndef STORUS_PAGE_H
#define STORUS_PAGE_H

#include <jansson.h>

#include "report/page.h"
#include "storus/storus.h"

#define STORUS_PAGE_CHART "/usr/share/javascript/chart.js/chart.min.js"

/* The chart library's text, malloc()ed; NULL after a complaint, which names the
 * package. */
char *storus_page_chart(const struct storus_command *command, const char *path,
			size_t *length);

/* A time zone that pages can show: UTC, +02:00, a name of the system's. True,
 * or false after a complaint. */
bool storus_page_zone(const struct storus_command *command, const char *zone);

/* A function that writes a page, such as torus_report_write(). */
typedef int storus_page_writer(FILE *out, const struct torus_report_page *page);

/* Write a page to a file, or to the standard output where path is "-". A status,
 * after a complaint if need be. The second takes the data as JSON. */
int storus_page_put(const struct storus_command *command, const char *path,
		    storus_page_writer *writer,
		    const struct torus_report_page *page);
int storus_page_put_json(const struct storus_command *command, const char *path,
			 storus_page_writer *writer,
			 const struct torus_report_page *page,
			 const json_t *data);

#endif
