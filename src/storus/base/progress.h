/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A progress bar with the time left, on stderr if that is a terminal:
 *
 *	[===========>              ]  43 %  23,120 jobs  0:07 left
 */
#ifndef STORUS_PROGRESS_H
#define STORUS_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct storus_progress {
	bool shown;       /* to a terminal */
	bool drawn;       /* the bar is on the screen */
	const char *unit; /* what is counted: jobs unless changed */
	int64_t begin_ns, next_ns;
};

/* Return true if the bar will be shown. */
bool storus_progress_begin(struct storus_progress *p);

/* Draw the bar, at most ten times a second; other calls only read the clock. size 0:
 * unknown. */
void storus_progress_update(struct storus_progress *p, uint64_t done,
			    uint64_t size, uint64_t jobs);

/* Wipe it off. */
void storus_progress_end(struct storus_progress *p);

/* Set by the first of them; the second one ends the program at once. */
extern volatile sig_atomic_t storus_interrupted;

void storus_catch_interrupts(void);

#endif
