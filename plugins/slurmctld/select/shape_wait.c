/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for shapes (choose.h). job_test() and the cycle of sched/torus note what each
 * job that they consider waits for; the time between two notes counts as the earlier of
 * them says. A job that nobody considers any more keeps its last note.
 *
 * The notes are in memory: a restart of slurmctld begins anew. A table by job number; of
 * two jobs in one slot, whose numbers differ by a multiple of its size, the later note
 * counts.
 */
#include "slurmctld/select/choose.h"

#include <pthread.h>

#define WAITS 8192

static struct {
	uint32_t job; /* 0: none */
	uint32_t shape_s;
	time_t since;
	bool for_shape;
} waits[WAITS];
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;

void shape_wait_note(uint32_t job, bool for_shape)
{
	uint32_t i = job % WAITS;
	time_t now = time(NULL);

	pthread_mutex_lock(&wait_lock);
	if (waits[i].job != job) {
		waits[i].job = job;
		waits[i].shape_s = 0;
	} else if (waits[i].since >= now) {
		pthread_mutex_unlock(&wait_lock);
		return;
	} else if (waits[i].for_shape) {
		waits[i].shape_s += (uint32_t)(now - waits[i].since);
	}
	waits[i].since = now;
	waits[i].for_shape = for_shape;
	pthread_mutex_unlock(&wait_lock);
}

uint32_t shape_wait_take(const job_record_t *job)
{
	uint32_t id = job->job_id, i, shape_s = 0;
	time_t now = time(NULL);

	pthread_mutex_lock(&wait_lock);
	/* a task of an array has waited as part of the array's record */
	if (job->array_job_id && waits[id % WAITS].job != id)
		id = job->array_job_id;
	i = id % WAITS;
	if (waits[i].job == id) {
		shape_s = waits[i].shape_s;
		if (waits[i].for_shape && now > waits[i].since)
			shape_s += (uint32_t)(now - waits[i].since);
		if (id == job->job_id)
			waits[i].job = 0;
	}
	pthread_mutex_unlock(&wait_lock);
	return shape_s;
}
