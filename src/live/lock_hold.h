/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lock hold: how long the host's locks were held without a pause, and what
 * for. Beside the wall clock it counts the thread's own CPU time and the time in
 * which the thread could have run but had no core. The remainder are waits for
 * something else, such as a mutex of the host. The longest step names the cause.
 */
#ifndef LIVE_LOCK_HOLD_H
#define LIVE_LOCK_HOLD_H

#include <stdint.h>

struct lock_hold {
	int64_t us;
	int64_t cpu_us;    /* of it the thread's own work */
	int64_t core_us;   /* of it waits for a core; 0 where not known */
	int64_t waited_us; /* for the locks, before it */
	const char *step;  /* the longest in it, or NULL */
	int64_t step_us;
};

/* One that goes on. */
struct lock_hold_clock {
	struct lock_hold now;
	int64_t asked_us, began_us, cpu_us, core_us, step_us; /* clocks then */
	const char *step;                                     /* that goes on */
	int accounts; /* the kernel's of the thread; -1: it has none */
};

/* In the thread itself. */
void lock_hold_open(struct lock_hold_clock *c);
void lock_hold_close(struct lock_hold_clock *c);

int64_t lock_hold_clock_us(void);

/* The locks are asked for; they were given; they are about to be returned. The
 * stretch then is in `now`. */
void lock_hold_ask(struct lock_hold_clock *c);
void lock_hold_begin(struct lock_hold_clock *c);
void lock_hold_end(struct lock_hold_clock *c);
/* What is done with them from now on: a text that stays. */
void lock_hold_step(struct lock_hold_clock *c, const char *step);

#endif
