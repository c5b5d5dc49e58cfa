/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of Slurm's commands on a live cluster. */
#ifndef STORUS_SLURM_H
#define STORUS_SLURM_H

#include "torus/text.h"

/*
 * Run a command (argv ended by NULL) and hand each line of its output on,
 * newline included; line_fn returns STORUS_DONE to go on. Returns what it
 * returned, or STORUS_TROUBLE with a line in err where the command cannot be
 * run or fails, which has what the command says on stderr. Where it does not fail,
 * that goes to ours.
 */
int storus_slurm_lines(const char *const *command, struct torus_error *err,
		       int (*line_fn)(void *arg, char *line), void *arg);

/* Read the value of a setting of slurm.conf, as `scontrol show config` shows it; "": it
 * shows none. Returns as storus_slurm_lines() does. */
int storus_slurm_setting(const char *name, char *value, size_t size,
			 struct torus_error *err);

#endif
