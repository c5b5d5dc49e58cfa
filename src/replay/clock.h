/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Monotonic clock, for measuring our own work. */
#ifndef REPLAY_CLOCK_H
#define REPLAY_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t torus_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Processor time of this thread; other processes do not count. */
static inline int64_t torus_clock_processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
