/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that only goes forward, for what our own work takes. */
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

/* Processor time of this thread: what others do on the machine does not count. */
static inline int64_t torus_clock_processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
