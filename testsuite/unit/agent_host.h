/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hosts of the thread of sched/torus (live/agent.h) have in common in
 * tests: the real clock, and a lock, which is the first thing in a host.
 */
#ifndef UNIT_AGENT_HOST_H
#define UNIT_AGENT_HOST_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static int64_t now_us(void *arg)
{
	struct timespec t;

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void nap(int64_t us)
{
	struct timespec t = { .tv_nsec = us * 1000 };

	nanosleep(&t, NULL);
}

static void take(void *host)
{
	pthread_mutex_lock(host);
}

static void give(void *host)
{
	pthread_mutex_unlock(host);
}

#endif
