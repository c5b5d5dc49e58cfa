/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold after a pass: the queue is in the order that inserting from
 * its tail, job by job, gives; its reservations and the running jobs share no
 * node and time; no promise was broken; and the decisions are the naive ones.
 */
#include "torus/plan.h"
#include "torus/state_find.h"
#include "schedule_run.h"

/* The queue as it should be */

/* Does a new job pass one in the queue? */
static bool passes(const struct world *w, const struct torus_job *new,
		   const struct torus_job *queued)
{
	const struct plain *p = world_plain(w);
	const struct torus_discipline *d = w->settings.discipline;
	int64_t more;

	if (w->settings.order_by_priority && new->priority != queued->priority)
		return new->priority > queued->priority;
	if (!p) /* no naive twin: by the discipline's own rank */
		return torus_discipline_sorts(&w->settings) &&
		       d->rank(w->scheduler->self, new, 0) <
			       d->rank(w->scheduler->self, queued, 0);
	if (p->urgent) {
		if (new->deadline_us == TORUS_NO_TIME ||
		    queued->deadline_us == TORUS_NO_TIME)
			return new->deadline_us < queued->deadline_us;
		return new->deadline_us - new->limit_us <
		       queued->deadline_us - queued->limit_us;
	}
	more = p->longest * (new->limit_us - queued->limit_us);
	if (p->most)
		more = p->most * ((int64_t)torus_ask_nodes(
					  &new->request.alternative[0].ask) -
				  (int64_t)torus_ask_nodes(
					  &queued->request.alternative[0].ask));
	return more > 0;
}

void mirror_insert(struct world *w, struct torus_job *job, int64_t now)
{
	uint32_t i = w->waiting++;

	for (; i > 0 && passes(w, job, w->order[i - 1]) &&
	       !world_overdue(w, w->order[i - 1], now);
	     i--)
		w->order[i] = w->order[i - 1];
	w->order[i] = job;
}

/* Whoever is not queued any more. */
static void mirror_drop(struct world *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->waiting; i++) {
		if (w->order[i]->state == TORUS_JOB_QUEUED)
			w->order[n++] = w->order[i];
	}
	w->waiting = n;
}

/* The queue as it is */

/* Nobody shares a node and a time with a reservation. */
static void check_reservation(const struct world *w, int64_t now,
			      const struct torus_job *job)
{
	const struct torus_plan *p = torus_scheduler_plan(w->scheduler);
	const struct torus_reservation
		*r = torus_plan_reservation(p, job->reservation),
		*q;
	uint64_t mine[WORKLOAD_WORDS], other[WORKLOAD_WORDS];

	assert_ptr_equal(r->owner, job);
	assert_true(r->start_us > now);
	workload_paint(&w->m, &r->place, mine);
	for (const struct torus_job *j = job->next; j; j = j->next) {
		if (j->reservation == UINT32_MAX)
			continue;
		q = torus_plan_reservation(p, j->reservation);
		workload_paint(&w->m, &q->place, other);
		assert_false(torus_bits_meet(mine, other, w->m.words) &&
			     r->start_us < q->start_us + j->limit_us &&
			     q->start_us < r->start_us + job->limit_us);
	}
	for (uint32_t k = 0; k < torus_state_holds(w->s); k++) {
		const struct torus_hold *h =
			torus_state_hold(w->s, torus_state_by_end(w->s, k));

		workload_paint(&w->m, &h->place, other);
		assert_false(torus_bits_meet(mine, other, w->m.words) &&
			     h->end_us > now && r->start_us < h->end_us);
	}
}

/* May the head not have come to fit during the pass? Without a reservation;
 * conservative's others may cut a partition tree so that it does. */
static bool nothing_helps(const struct world *w, const struct torus_job *head)
{
	return head->reservation == UINT32_MAX &&
	       (torus_state_timeless(w->s) ||
		strcmp(w->settings.discipline->name, "conservative") != 0);
}

void look_queue(struct world *w, int64_t now)
{
	struct torus_queue *q = torus_scheduler_queue(w->scheduler);
	bool easy = strcmp(w->settings.discipline->name, "easy") == 0;
	struct torus_placement place;
	uint32_t length = 0;

	mirror_drop(w);
	for (struct torus_job *job = q->head; job; job = job->next) {
		assert_int_equal(job->state, TORUS_JOB_QUEUED);
		assert_ptr_equal(job->next ? job->next->prev : q->tail, job);
		assert_ptr_equal(job, w->order[length]);
		if (job->reservation != UINT32_MAX)
			check_reservation(w, now, job);
		/* behind easy's head it is only expected: a job before it may
		 * become the head */
		if (w->promises && (!easy || job == q->head))
			assert_true(job->start_us <= w->promised[job->id]);
		w->promised[job->id] = easy && job != q->head ? TORUS_NO_TIME :
								job->start_us;
		length++;
	}
	assert_int_equal(length, w->waiting);
	assert_true(torus_queue_check(w->scheduler));
	assert_int_equal(length, q->length);
	if (q->head && !w->ladders && nothing_helps(w, q->head))
		assert_int_not_equal(torus_state_find(w->s,
						      &q->head->request
							       .alternative[0]
							       .ask,
						      &place, NULL),
				     TORUS_FITS);
}

void look_same(const struct world *w, const struct naive *n,
	       const struct torus_job *decided)
{
	uint32_t i = 0;

	for (; decided; decided = decided->decided, i++) {
		assert_true(i < n->decisions);
		assert_ptr_equal(decided, n->decision[i].job);
		assert_memory_equal(w->nodes[decided->id], n->decision[i].nodes,
				    sizeof(n->decision[i].nodes));
	}
	assert_int_equal(i, n->decisions);
}
