/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks of lock_hold.h. Waits for a core are the second number of Linux's
 * /proc/thread-self/schedstat, in nanoseconds. Cost: four system calls per lock
 * hold, and a read of the wall clock per step.
 */
#include "live/base/lock_hold.h"
#include "torus/number.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t lock_hold_read_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

int64_t lock_hold_clock_us(void)
{
	return lock_hold_read_us(CLOCK_MONOTONIC);
}

int64_t lock_hold_cpu_us(void)
{
	return lock_hold_read_us(CLOCK_THREAD_CPUTIME_ID);
}

void lock_hold_open(struct lock_hold_clock *c)
{
	c->accounts = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

void lock_hold_close(struct lock_hold_clock *c)
{
	if (c->accounts >= 0)
		close(c->accounts);
	c->accounts = -1;
}

static int64_t core_us(const struct lock_hold_clock *c)
{
	char text[80];
	ssize_t n = c->accounts < 0 ?
			    -1 :
			    pread(c->accounts, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return (int64_t)(torus_number_of(text + strcspn(text, " ") + 1) / 1000);
}

void lock_hold_ask(struct lock_hold_clock *c)
{
	c->asked_us = lock_hold_clock_us();
}

void lock_hold_begin(struct lock_hold_clock *c)
{
	c->began_us = c->step_us = lock_hold_clock_us();
	c->cpu_us = lock_hold_cpu_us();
	c->core_us = core_us(c);
	c->now = (struct lock_hold){ .waited_us = c->began_us - c->asked_us };
}

void lock_hold_step(struct lock_hold_clock *c, const char *step)
{
	int64_t us = lock_hold_clock_us();

	if (c->step && us - c->step_us >= c->now.step_us) {
		c->now.step = c->step;
		c->now.step_us = us - c->step_us;
	}
	c->step = step;
	c->step_us = us;
}

void lock_hold_end(struct lock_hold_clock *c)
{
	lock_hold_step(c, c->step);
	c->now.us = lock_hold_clock_us() - c->began_us;
	c->now.cpu_us = lock_hold_cpu_us() - c->cpu_us;
	c->now.core_us = core_us(c) - c->core_us;
}

/*
 * A limit of a search, in processor time of the thread: SEARCH_US while a host's
 * locks are held. (Waits for a processor do not count: an answer must not depend
 * on the load of the machine.)
 */

/* The processor time that is left; 0 when the limit has passed. */
static int64_t limit_left_us(const struct lock_hold_limit *l)
{
	int64_t now_us = lock_hold_cpu_us();

	return now_us < l->until_us ? l->until_us - now_us : 0;
}

bool lock_hold_limit_passed(const struct lock_hold_limit *l)
{
	return limit_left_us(l) == 0;
}

static bool limit_is_over(void *arg)
{
	return lock_hold_limit_passed(arg);
}

void lock_hold_limit_begin(struct lock_hold_limit *l, int64_t us)
{
	*l = (struct lock_hold_limit){ .limit = { .over = limit_is_over,
						  .arg = l },
				       .until_us = lock_hold_cpu_us() + us };
}

void lock_hold_limit_begin_of(struct lock_hold_limit *l, const int64_t *spent_us)
{
	lock_hold_limit_begin(l, SEARCH_US - *spent_us);
	l->limit.cut = *spent_us >= SEARCH_US;
}

void lock_hold_limit_end_of(const struct lock_hold_limit *l, int64_t *spent_us)
{
	*spent_us = SEARCH_US - limit_left_us(l);
}
