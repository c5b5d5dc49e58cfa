/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output files that appear whole or not at all: written to a temporary file
 * in the same directory, synced, then renamed over the target. If the program ends
 * before, also by a signal, the temporary file is removed.
 *
 * FILE.gz is written as gzip. "-" is the standard output. A target that exists and is
 * not a regular file (/dev/null, a pipe) is written directly. A symbolic link is
 * followed; a replaced file keeps its mode.
 */
#ifndef STORUS_OUTPUT_H
#define STORUS_OUTPUT_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "storus/storus.h"
#include "report/page.h"

struct storus_output {
	FILE *stream;    /* write here; NULL when closed */
	FILE *pressed;   /* where the stream's gzip goes; NULL: none */
	char *path;      /* where it will appear */
	char *temporary; /* NULL: written directly */
	int slot;        /* in the list that the signal handlers clean up */
};

/* 0, or -1 with errno; nothing is left behind then. */
int storus_output_open(struct storus_output *out, const char *path);

/* Flush, sync and close. Call it for all outputs before the first commit, so that none
 * appears if one failed. 0, or -1 with errno. */
int storus_output_finish(struct storus_output *out);

/* Finish it if it is open, and rename it. 0, or -1 with errno and nothing left
 * behind. */
int storus_output_commit(struct storus_output *out);

/* Remove it, unless committed. A zeroed struct is fine; keeps errno. */
void storus_output_discard(struct storus_output *out);

/* Say that path ("-" or NULL: the standard output) cannot be written, by errno.
 * Returns STORUS_TROUBLE. */
int storus_output_failed(const struct storus_command *command, const char *path);

/* Flush the standard output at the end of the program. Return the status, or
 * STORUS_TROUBLE if something could not be written, which is said once. */
int storus_output_end(int status);

/* The signals that end the program now, and the name of one. */
void storus_signals_ending(sigset_t *set);
const char *storus_signal_name(int number);

/* Return true if two paths lead to one regular file, now or once both are
 * written. */
bool storus_output_same(const char *a, const char *b);

/* Return true if writing `output` replaces the regular file `input`. */
bool storus_output_replaces(const char *output, const char *input);

/* page.c: what the subcommands that write pages share. */

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
