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

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "storus/storus.h"

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

#endif
