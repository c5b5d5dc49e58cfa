/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See keeper.h. Changes of KEEPER_DELAY seconds make one save, which needs none
 * of Slurm's locks. What a kill loses is what came after the latest: those jobs
 * are recognized in their nodes (follow.c). Slurm's own state files lag behind
 * by as much and more.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "common/keeper.h"

#include <pthread.h>
#include <time.h>

#include "common/slurm_compat.h"

#define KEEPER_DELAY 1 /* seconds */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct {
	pthread_t thread;
	int (*save)(const char *directory);
	char *directory;
	bool runs, stop, changed;
} keeper;

/* Let what belongs together come in. */
static void linger(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += KEEPER_DELAY;
	while (!keeper.stop &&
	       pthread_cond_timedwait(&cond, &mutex, &until) == 0)
		;
}

static void *keep(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	while (!keeper.stop) {
		if (!keeper.changed) {
			pthread_cond_wait(&cond, &mutex);
			continue;
		}
		linger();
		keeper.changed = false;
		pthread_mutex_unlock(&mutex);
		keeper.save(keeper.directory); /* it logs what goes wrong */
		pthread_mutex_lock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

void keeper_start(int (*save)(const char *directory), const char *directory)
{
	pthread_mutex_lock(&mutex);
	if (!keeper.runs) {
		keeper.save = save;
		keeper.directory = xstrdup(directory);
		keeper.stop = keeper.changed = false;
		keeper.runs = pthread_create(&keeper.thread, NULL, keep,
					     NULL) == 0;
		if (!keeper.runs) {
			error("torus: no thread to save the state: it is not saved");
			xfree(keeper.directory);
		}
	}
	pthread_mutex_unlock(&mutex);
}

void keeper_stop(void)
{
	pthread_mutex_lock(&mutex);
	if (!keeper.runs) {
		pthread_mutex_unlock(&mutex);
		return;
	}
	keeper.stop = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(keeper.thread, NULL);
	keeper.runs = false;
	xfree(keeper.directory);
}

void keeper_note(void)
{
	pthread_mutex_lock(&mutex);
	if (keeper.runs && !keeper.changed) {
		keeper.changed = true;
		pthread_cond_signal(&cond);
	}
	pthread_mutex_unlock(&mutex);
}
