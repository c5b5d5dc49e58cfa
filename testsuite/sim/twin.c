/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threaded twin of a simulated site (world.h): the agent has its thread, one thread
 * writes what it saves, one reads the files, and the events happen meanwhile under the
 * host's locks. What happens depends on the machine: a rule that breaks here breaks for a
 * race. Made for ThreadSanitizer.
 *
 * The locks are one recursive mutex, which a call of the host table without the locks takes
 * as well: the rules look at the world there.
 */
#include "twin.h"
#include "life.h"
#include "rules.h"

#include <unistd.h>

#include "format/stream.h"
#include "live/promises/promises.h"
#include "torus/alloc.h"

#define EACH_US 3000 /* between two events, of the machine's time */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_t saver, reader;
	struct torus_text text; /* to be saved */
	bool over;
	char path[96];
} twin;

static struct sim_world *twin_take(void *arg)
{
	pthread_mutex_lock(&twin.mutex);
	return arg;
}

static void twin_give(void)
{
	pthread_mutex_unlock(&twin.mutex);
}

static int64_t twin_now(void *arg)
{
	int64_t now_us = twin_take(arg)->now_us;

	twin_give();
	return now_us;
}

static void twin_lock(void *arg)
{
	sim_host.lock(twin_take(arg));
}

static void twin_unlock(void *arg)
{
	sim_host.unlock(arg);
	twin_give();
}

static void twin_updated(void *arg, struct cycle *c)
{
	sim_host.updated(twin_take(arg), c);
	twin_give();
}

static void twin_forecast(void *arg, struct cycle *c)
{
	sim_host.forecast(twin_take(arg), c);
	twin_give();
}

/* The end of a cycle: what is to be saved goes to the saver. */
static void twin_ended(void *arg, struct cycle *c, const struct agent_counts *n)
{
	sim_host.ended(twin_take(arg), c, n);
	torus_text_free(&twin.text);
	assert_int_equal(saved_promises_save(c, &twin.text), 0);
	pthread_cond_signal(&twin.cond);
	twin_give();
}

static void *twin_save(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&twin.mutex);
	while (!twin.over) {
		struct torus_text text = twin.text;

		twin.text = (struct torus_text){ 0 };
		if (!text.data) {
			pthread_cond_wait(&twin.cond, &twin.mutex);
			continue;
		}
		twin_give();
		if (saved_file_write(twin.path, SAVED_FILE_PROMISES, text.data,
				     false))
			rule_broken("the promises cannot be saved");
		torus_text_free(&text);
		pthread_mutex_lock(&twin.mutex);
	}
	twin_give();
	return NULL;
}

static void *twin_read(void *arg)
{
	bool over = false;

	(void)arg;
	while (!over) {
		struct torus_error err = { 0 };
		char *text = NULL;

		if (access(twin.path, F_OK) == 0 &&
		    !(text = saved_file_read(twin.path, SAVED_FILE_PROMISES,
					     &err)))
			rule_broken("%s", err.text);
		torus_free(text);
		usleep(EACH_US);
		pthread_mutex_lock(&twin.mutex);
		over = twin.over;
		twin_give();
	}
	return NULL;
}

static void twin_begin(struct sim_world *w)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&twin.mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	snprintf(twin.path, sizeof(twin.path), "%s.twin", w->path);
	assert_int_equal(agent_thread_start(&twin.saver, &twin.cond, twin_save,
					    NULL),
			 0);
	assert_int_equal(pthread_create(&twin.reader, NULL, twin_read, NULL), 0);
}

static void twin_end(void)
{
	twin_take(NULL);
	twin.over = true;
	pthread_cond_signal(&twin.cond);
	twin_give();
	pthread_join(twin.saver, NULL);
	pthread_join(twin.reader, NULL);
	torus_text_free(&twin.text);
	unlink(twin.path);
}

/* Begin the agent again, with its thread or without. */
static void twin_switch(struct sim_world *w, const struct agent_host *host)
{
	life_leave(w);
	twin_take(w);
	w->threaded = host;
	assert_true(life_enter(w));
	twin_give();
}

void twin_live(struct sim_world *w, const struct sim_event *event,
	       uint32_t events)
{
	static struct agent_host host;
	int64_t us;

	host = sim_host;
	host.now = twin_now;
	host.lock = twin_lock;
	host.unlock = twin_unlock;
	host.updated = twin_updated;
	host.forecast = twin_forecast;
	host.ended = twin_ended;
	w->dry = false;
	twin_begin(w);
	twin_switch(w, &host);
	us = agent_wall_us();
	for (uint32_t i = 0; i < events; i++) {
		int64_t then_us = us;

		us = agent_wall_us();
		if (event[i].kind == SIM_RESTART)
			twin_switch(w, &host);
		twin_take(w);
		world_meanwhile(w, &event[i], us - then_us);
		twin_give();
		agent_wake(w->agent);
		usleep(EACH_US);
	}
	twin_switch(w, NULL);
	twin_end();
}
