/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue: a doubly linked list through the jobs, and the classes of
 * requests that ask the same.
 *
 * A queue is sorted by inserting (Aida, Kasahara, Narita 1998, figure 10): from
 * the tail past all that come after the new job, but past none that has waited
 * as long as WaitLimit. It is never sorted again; equals stay in order (of their turns, if a host
 * gives any: a job with an earlier turn was there before).
 *
 * Cost: O(1) to insert at a known place and to remove; to find the place O(jobs
 * passed from the tail). A class is looked up in O(1), in a table where two
 * classes with the same hash displace each other, so that it never grows.
 */
#include "discipline/disciplines.h"

void torus_queue_insert(struct torus_queue *q, struct torus_job *job,
			struct torus_job *before)
{
	job->next = before;
	job->prev = before ? before->prev : q->tail;
	*(job->prev ? &job->prev->next : &q->head) = job;
	*(job->next ? &job->next->prev : &q->tail) = job;
	q->length++;
}

void torus_queue_remove(struct torus_queue *q, struct torus_job *job)
{
	*(job->prev ? &job->prev->next : &q->head) = job->next;
	*(job->next ? &job->next->prev : &q->tail) = job->prev;
	job->prev = job->next = NULL;
	q->length--;
}

/* Does a new job go before one that is queued? */
static bool before(const struct torus_scheduler *s,
		   const struct torus_job *new, const struct torus_job *queued)
{
	if (s->settings.order_by_priority && new->priority != queued->priority)
		return new->priority > queued->priority;
	if (new->rank != queued->rank)
		return new->rank < queued->rank;
	return new->turn < queued->turn;
}

struct torus_job *torus_queue_place(const struct torus_scheduler *s,
				    const struct torus_job *job, int64_t now)
{
	struct torus_job *after = s->queue.tail;

	while (after && before(s, job, after) &&
	       (!torus_job_overdue(s, after, now) || job->turn < after->turn))
		after = after->prev;
	return after ? after->next : s->queue.head;
}

/* Fibonacci hashing of what makes a class. */
static uint32_t hash(const struct torus_ask *ask, const uint64_t *allowed)
{
	uint64_t h = (uintptr_t)allowed + (ask->by_count ? ask->count : 0);

	for (uint32_t a = 0; !ask->by_count && a < ask->shape.axes; a++) {
		h = h * 257 + ask->shape.extent[a];
		h = h * 5 + ask->connection[a];
	}
	h = (h * 2 + ask->rotate) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32) & (TORUS_CLASSES - 1);
}

struct torus_class *torus_class_of(struct torus_scheduler *s,
				   const struct torus_job *job,
				   const struct torus_ask *ask)
{
	const char *strategy = job->request.strategy;
	struct torus_class *c = &s->classes[hash(ask, job->allowed)];

	if (c->used && c->strategy == strategy &&
	    c->allowed == job->allowed &&
	    torus_ask_same(&c->ask, ask))
		return c;
	c->used = true;
	c->ask = *ask;
	c->strategy = strategy;
	c->allowed = job->allowed;
	c->failed = c->refused = 0;
	c->possible = torus_state_possible(s->state, ask, strategy, NULL,
					   NULL);
	return c;
}
