/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lock hold: how long the host's locks were held without a pause, by the wall clock,
 * the thread's own processor time, and its waits for a core. The remainder are other
 * waits, such as for a mutex of the host. The longest step names the cause.
 */
#ifndef LIVE_BASE_LOCK_HOLD_H
#define LIVE_BASE_LOCK_HOLD_H

#include <stdint.h>

#include "torus/ask.h"

struct lock_hold {
	int64_t us;
	int64_t cpu_us;    /* processor time of the thread */
	int64_t core_us;   /* waits for a core; 0: unknown */
	int64_t waited_us; /* for the locks, before it */
	const char *step;  /* the longest in it, or NULL */
	int64_t step_us;
};

/* A lock hold in progress. */
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
int64_t lock_hold_cpu_us(void); /* the thread's */

/* Call these before the locks are requested, after they are held, and before they
 * are released; then `now` is the finished lock hold. */
void lock_hold_ask(struct lock_hold_clock *c);
void lock_hold_begin(struct lock_hold_clock *c);
void lock_hold_end(struct lock_hold_clock *c);
/* Name the next step under the locks. The text must be static. */
void lock_hold_step(struct lock_hold_clock *c, const char *step);

/* The limit of a search under the locks, in microseconds of the thread's processor
 * time. */
#define SEARCH_US INT64_C(10000)

struct lock_hold_limit {
	struct torus_search_limit limit; /* for torus_ask.limit */
	int64_t until_us;                /* on the thread's clock */
};

/* Begin the limit: us microseconds from now on. */
void lock_hold_limit_begin(struct lock_hold_limit *l, int64_t us);

/* The same for one of several searches that have SEARCH_US together: what those
 * before have left, counted by lock_hold_limit_end_of() in *spent_us, which begins
 * with 0. With nothing left the search ends at its first step. */
void lock_hold_limit_begin_of(struct lock_hold_limit *l,
			      const int64_t *spent_us);
void lock_hold_limit_end_of(const struct lock_hold_limit *l, int64_t *spent_us);

/* Return true if the limit has passed. */
bool lock_hold_limit_passed(const struct lock_hold_limit *l);

#endif
