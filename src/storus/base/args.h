/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command line, read by the table of its command (args.c). */
#ifndef STORUS_BASE_ARGS_H
#define STORUS_BASE_ARGS_H

#include "storus/storus.h"

/* An option that is being read. */
#define STORUS_ARGS_OUTPUTS 8

struct storus_args {
	const struct storus_command *command;
	int argc, at;
	char **argv;
	bool only_operands;  /* after -- */
	const char *operand; /* the last one; NULL: none yet */
	const char *option;  /* its full name */
	const char *value;   /* NULL: none */
	struct {
		const char *option, *file;
	} output[STORUS_ARGS_OUTPUTS]; /* files that are written */
	uint32_t outputs;
};

/*
 * Read the command line into the struct that the command's table is about, whose
 * members hold the initial values. STORUS_GO, or an exit status: --help was
 * printed, or a line on stderr.
 */
int storus_args_read(const struct storus_command *command, int argc,
		     char **argv, void *words);
/* Free its lists. */
void storus_args_free(const struct storus_command *command, void *words);

/*
 * Values, strictly: no junk, no sign where none belongs, no overflow. false
 * after one line on stderr that names args->option, what was read and what
 * was expected. Seconds take at most 6 decimals; minimum <= value.
 */
bool storus_args_count(const struct storus_args *args, uint64_t minimum,
		       uint64_t maximum, uint64_t *value);
bool storus_args_seconds(const struct storus_args *args, int64_t *us);
/* A time on a trace's clock, int64_t: seconds, or a date as they are printed. STORUS_DONE,
 * or STORUS_USAGE after a line on stderr. */
int storus_args_take_time(const struct storus_args *args, void *us);
bool storus_args_factor(const struct storus_args *args, double minimum,
			bool above, double *value);
/* Return true for a job number of Slurm, or a task of an array: 17, 17_4. */
bool storus_args_is_job(const char *word);
/* Index in words (ended by NULL), or -1. */
int storus_args_choice(const struct storus_args *args, const char *const *words);

#endif
