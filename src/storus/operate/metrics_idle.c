/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why nodes are idle now (metrics.h): the question that replay asks after each
 * pass, of the first TORUS_IDLE_JOBS jobs that wait for nodes. The strategies answer
 * on a state whose other nodes are out of service, which costs less than one with
 * every job in it.
 */
#include "storus/operate/metrics.h"

#include <string.h>

#include "questions/forward.h"
#include "questions/occupancy.h"
#include "replay/idle.h"
#include "torus/alloc.h"

#define JOBS (TORUS_IDLE_JOBS + 1) /* one more shows that more wait */

struct idle_queue {
	const struct snapshot *s;
	uint32_t jobs, maps;
	uint64_t held_back; /* nodes */
	struct torus_job job[JOBS];
	struct torus_request request[JOBS];
	const struct snapshot_job *from[JOBS];
	uint64_t *map[JOBS];     /* nodes of a partition or reservation */
	const uint64_t *present; /* the nodes that exist */
	struct torus_idle_answers answers;
};

/* Let the job use what its partition and reservation have; all: NULL. -1 with ENOMEM. */
static int idle_allow(struct idle_queue *q, const struct snapshot_job *from,
		      struct torus_job *job)
{
	uint32_t words = q->s->config->machine.words;
	uint64_t *map;

	for (uint32_t i = q->jobs; i-- > 0;) {
		if (strcmp(q->from[i]->partition, from->partition) == 0 &&
		    strcmp(q->from[i]->reservation, from->reservation) == 0) {
			job->allowed = q->job[i].allowed;
			return 0;
		}
	}
	map = q->map[q->maps++] = torus_alloc(words, sizeof(*map));
	if (!map)
		return -1;
	occupancy_allowed(q->s, from, map);
	for (uint32_t w = 0; w < words && !job->allowed; w++) {
		if (q->present[w] & ~map[w])
			job->allowed = map;
	}
	return 0;
}

/* A job whose words are wrong can never start and wants nothing. -1 with ENOMEM. */
static int idle_queue_add(struct idle_queue *q, const struct snapshot_job *from)
{
	struct torus_job *job = &q->job[q->jobs];
	struct torus_request *request = &q->request[q->jobs];
	struct torus_error why = { 0 };

	*job = (struct torus_job){
		.submit_us = from->submit_us == SNAPSHOT_NO_TIME ?
				     q->s->time_us :
				     from->submit_us,
		.limit_us = from->limit_us == SNAPSHOT_NO_TIME ? 0 :
								 from->limit_us,
	};
	if (occupancy_request(q->s, from, request, &why))
		return 0;
	job->request = torus_job_request_of(request);
	if (idle_allow(q, from, job))
		return -1;
	q->from[q->jobs] = from;
	if (q->jobs)
		q->job[q->jobs - 1].next = job;
	q->jobs++;
	return 0;
}

static int idle_queue_fill(struct idle_queue *q)
{
	for (uint32_t j = 0; j < q->s->jobs && q->jobs < JOBS; j++) {
		const struct snapshot_job *job = &q->s->job[j];

		if (job->running)
			continue;
		if (forward_hold(job) != FORWARD_NONE)
			q->held_back += job->count ? job->count : 1;
		else if (idle_queue_add(q, job))
			return -1;
	}
	return 0;
}

static int idle_find(struct idle_queue *q, const uint64_t *not_idle,
		     struct metrics_idle *count)
{
	int64_t now_us = q->s->time_us == SNAPSHOT_NO_TIME ? 0 : q->s->time_us;
	struct torus_state *state = torus_state_create(&q->s->config->machine);
	uint32_t *left = &count->cause[TORUS_IDLE_NO_DEMAND];

	if (!state || idle_queue_fill(q)) {
		torus_state_destroy(state);
		return -1;
	}
	torus_state_out(state, not_idle);
	torus_idle_causes(state, q->jobs ? q->job : NULL, now_us, &q->answers,
			  count->cause);
	count->held_back = q->held_back < *left ? (uint32_t)q->held_back : *left;
	*left -= count->held_back;
	torus_state_destroy(state);
	return 0;
}

int metrics_idle_find(const struct snapshot *s, const uint64_t *idle,
		      const uint64_t *present, struct metrics_idle *count)
{
	uint32_t words = s->config->machine.words;
	struct idle_queue *q = torus_alloc(1, sizeof(*q));
	uint64_t *not_idle = torus_alloc(words, sizeof(*not_idle));
	int rc = -1;

	*count = (struct metrics_idle){ .held_back = 0 };
	if (q && not_idle) {
		q->s = s;
		q->present = present;
		torus_bits_copy(not_idle, present, words);
		torus_bits_andnot(not_idle, idle, words);
		rc = idle_find(q, not_idle, count);
	}
	for (uint32_t i = 0; q && i < q->maps; i++)
		torus_free(q->map[i]);
	torus_free(q);
	torus_free(not_idle);
	return rc;
}
