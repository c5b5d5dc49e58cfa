/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See state_saver.h. The first change is saved at once; the changes of the next
 * SAVER_DELAY_US together after them, and a save that failed is tried again. Saving needs
 * none of Slurm's locks, and the thread that notes a change never waits for it.
 *
 * slurmctld does not announce its end. So exit(), and fork() of the successor at a
 * reconfigure, wait until all noted changes are saved. A kill loses the changes since the
 * latest save: the places of those jobs are recognized from their nodes (job_table.c).
 * Slurm's own state files are older than that.
 *
 * Every wait for a save has a limit, since StateSaveLocation may be a file system that
 * does not answer. A stop then leaves the thread in its save: the thread uses nothing but
 * this file's variables, in a library that is never closed (torus_slurm.c), and what save() has
 * copied. It ends when the save returns, unless a start has taken it over.
 */
#include "slurmctld/instance/state_saver.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "live/agent.h"

#define SAVER_DELAY_US INT64_C(1000000)
#define SAVER_PATIENCE_US INT64_C(2000000) /* that an end waits for a save */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	pthread_t thread;
	pthread_cond_t cond;
	int (*save)(void);
	bool runs; /* the thread has not ended */
	bool stop, changed, saving;
	bool detached;   /* a stop did not wait for its end */
	bool failed;     /* the latest save failed: repeat it */
	unsigned hurry;  /* number of threads that wait for a save */
	bool registered; /* the handlers of exit() and fork() are registered */
} saver;

/* With the mutex: wait for a change, unless one is still unsaved. Return false to stop
 * without a change. */
static bool await_change(void)
{
	while (!saver.changed && !saver.failed && !saver.stop)
		pthread_cond_wait(&saver.cond, &mutex);
	return saver.changed || !saver.stop;
}

static void *state_saver_run(void *arg)
{
	int rc;

	(void)arg;
	pthread_mutex_lock(&mutex);
	while (await_change()) {
		struct timespec until;

		saver.changed = false;
		saver.saving = true;
		pthread_mutex_unlock(&mutex);
		rc = saver.save(); /* the function logs its errors */
		pthread_mutex_lock(&mutex);
		saver.failed = rc != 0;
		saver.saving = false;
		pthread_cond_broadcast(&saver.cond);
		/* wait for further changes, to save them together */
		until = agent_time_in(SAVER_DELAY_US);
		while (!saver.stop && !(saver.hurry && saver.changed) &&
		       pthread_cond_timedwait(&saver.cond, &mutex, &until) == 0)
			;
	}
	saver.runs = false;
	pthread_cond_broadcast(&saver.cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* With the mutex: wait for the end of a save in progress; if it failed, ask for
 * another one. The wait is limited: the ending thread may hold a lock that the save
 * needs. */
static void state_saver_try_failed(const struct timespec *until)
{
	while (saver.saving &&
	       pthread_cond_timedwait(&saver.cond, &mutex, until) == 0)
		;
	saver.changed |= saver.failed;
}

/* With the mutex: wait until all noted changes are saved, with the same limit. */
static void state_saver_flush(void)
{
	struct timespec until = agent_time_in(SAVER_PATIENCE_US);

	if (!saver.runs || saver.stop)
		return;
	saver.hurry++;
	state_saver_try_failed(&until);
	pthread_cond_broadcast(&saver.cond);
	while ((saver.changed || saver.saving) &&
	       pthread_cond_timedwait(&saver.cond, &mutex, &until) == 0)
		;
	saver.hurry--;
}

static void at_exit(void)
{
	pthread_mutex_lock(&mutex);
	state_saver_flush();
	pthread_mutex_unlock(&mutex);
}

static void before_fork(void)
{
	pthread_mutex_lock(&mutex);
	state_saver_flush();
}

static void in_parent(void)
{
	pthread_mutex_unlock(&mutex);
}

/* The thread is the parent's. */
static void in_child(void)
{
	saver.runs = false;
	pthread_mutex_unlock(&mutex);
}

/* With the mutex. An errno or 0. */
static int register_ends(void)
{
	int rc;

	if (saver.registered)
		return 0;
	rc = pthread_atfork(before_fork, in_parent, in_child);
	if (rc == 0 && atexit(at_exit))
		rc = ENOMEM;
	saver.registered = rc == 0;
	return rc;
}

/* With the mutex. An errno or 0. */
static int state_saver_begin(void)
{
	int rc;

	saver.stop = saver.changed = saver.saving = saver.failed = false;
	saver.detached = false;
	saver.hurry = 0;
	rc = register_ends();
	if (rc == 0)
		rc = agent_thread_start(&saver.thread, &saver.cond,
					state_saver_run, NULL);
	return rc;
}

int state_saver_start(int (*save)(void))
{
	int rc = 0;

	pthread_mutex_lock(&mutex);
	saver.save = save;
	if (!saver.runs) {
		rc = state_saver_begin();
		saver.runs = rc == 0;
	}
	saver.stop = false; /* of a thread that a stop has detached */
	pthread_mutex_unlock(&mutex);
	if (rc == 0)
		return 0;
	errno = rc;
	return -1;
}

int state_saver_stop(void)
{
	struct timespec until = agent_time_in(SAVER_PATIENCE_US);
	bool ended;

	pthread_mutex_lock(&mutex);
	if (!saver.runs || saver.stop) {
		pthread_mutex_unlock(&mutex);
		return 0;
	}
	state_saver_try_failed(&until);
	saver.stop = true;
	pthread_cond_broadcast(&saver.cond);
	until = agent_time_in(SAVER_PATIENCE_US);
	while (saver.runs &&
	       pthread_cond_timedwait(&saver.cond, &mutex, &until) == 0)
		;
	ended = !saver.runs;
	if (!ended && !saver.detached)
		saver.detached = pthread_detach(saver.thread) == 0;
	pthread_mutex_unlock(&mutex);
	if (ended && !saver.detached) {
		pthread_join(saver.thread, NULL);
		pthread_cond_destroy(&saver.cond);
	}
	if (ended)
		return 0;
	errno = ETIMEDOUT;
	return -1;
}

void state_saver_note(void)
{
	pthread_mutex_lock(&mutex);
	if (saver.runs && !saver.changed) {
		saver.changed = true;
		pthread_cond_broadcast(&saver.cond);
	}
	pthread_mutex_unlock(&mutex);
}
