/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EASY's reservations beside that of the head (easy_promised.h). */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "discipline/easy_promised.h"

#include "torus/alloc.h"

#define MAPS 4

int easy_promised_init(struct easy_promised *p, struct torus_scheduler *s)
{
	uint32_t words = torus_state_machine(s->state)->words;

	*p = (struct easy_promised){ .s = s };
	p->service = torus_alloc(MAPS * (size_t)words, sizeof(*p->service));
	if (!p->service)
		return -1;
	p->covered = p->service + words;
	p->nodes = p->covered + words;
	p->other = p->nodes + words;
	return 0;
}

void easy_promised_free(struct easy_promised *p)
{
	for (uint32_t i = 0; i < p->made; i++)
		torus_placement_room_free(&p->promise[i].room);
	torus_placement_room_free(&p->offer.room);
	torus_free(p->promise);
	torus_free(p->service);
}

static const struct torus_machine *promised_machine(const struct easy_promised *p)
{
	return torus_state_machine(p->s->state);
}

/* Cancel the reservations from the i-th on; they stay in the list. */
static void promised_cancel(struct easy_promised *p, uint32_t i)
{
	for (; i < p->count; i++) {
		struct torus_job *job = p->promise[i].job;

		if (job->reservation != UINT32_MAX)
			torus_plan_cancel(p->s->plan, job->reservation);
		job->reservation = UINT32_MAX;
	}
}

/* Put a promise into the plan. False without memory: it is then not protected
 * until the next pass. */
static bool promised_reserve(struct easy_promised *p,
			     const struct easy_promise *promise,
			     const struct torus_placement *place)
{
	struct torus_job *job = promise->job;

	job->reservation = torus_plan_reserve(p->s->plan, place, job->id, job,
					      promise->start_us,
					      torus_time_after(promise->start_us,
							       job->limit_us));
	job->start_us = promise->start_us;
	job->alternative = promise->alternative;
	p->s->lacked_memory |= job->reservation == UINT32_MAX;
	return job->reservation != UINT32_MAX;
}

void easy_promised_suspend(struct easy_promised *p)
{
	promised_cancel(p, 0);
}

void easy_promised_resume(struct easy_promised *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		promised_reserve(p, &p->promise[i], &p->promise[i].place);
}

void easy_promised_clear(struct easy_promised *p)
{
	promised_cancel(p, 0);
	for (uint32_t i = 0; i < p->count; i++)
		p->promise[i].job->start_us = TORUS_NO_TIME;
	p->count = 0;
}

/* The others stay where they are until the next pass. */
void easy_promised_drop(struct easy_promised *p, struct torus_job *job)
{
	uint32_t i = 0;

	while (i < p->count && p->promise[i].job != job)
		i++;
	if (i == p->count)
		return;
	if (job->reservation != UINT32_MAX)
		torus_plan_cancel(p->s->plan, job->reservation);
	job->reservation = UINT32_MAX;
	job->start_us = TORUS_NO_TIME;
	p->count--;
	for (; i < p->count; i++) { /* the rooms keep their memory */
		struct easy_promise moved = p->promise[i];

		p->promise[i] = p->promise[i + 1];
		p->promise[i + 1] = moved;
	}
}

/* Return the toruses that can hold an alternative of the job, a bit each. */
static uint64_t promised_pods(const struct torus_job *job)
{
	uint64_t pods = 0;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		const struct torus_class *c = torus_job_index(job)->class[k];

		pods |= c ? c->pods : UINT64_MAX;
	}
	return pods;
}

/* Paint the nodes in service that the job may use for a start now. */
static void promised_usable(const struct easy_promised *p,
			    const struct torus_job *job, int64_t now_us,
			    uint64_t *map)
{
	const struct torus_machine *m = promised_machine(p);
	uint64_t pods = promised_pods(job);

	torus_bits_copy(map, p->service, m->words);
	for (uint32_t k = 0; k < m->pods && k < 64; k++) {
		if (!(pods >> k & 1))
			torus_bits_zero(map + m->pod[k].first_word,
					m->pod[k].words);
	}
	if (job->allowed)
		torus_bits_and(map, map, job->allowed, m->words);
	if (job->outages &&
	    !torus_outages_clear(job->outages, now_us,
				 torus_time_after(now_us, job->limit_us > 0 ?
								  job->limit_us :
								  1),
				 map, m->words))
		torus_bits_zero(map, m->words);
}

/* Return true if the job may use all nodes now: no torus is too small for it. */
static bool promised_uses_all(const struct easy_promised *p,
			      const struct torus_job *job)
{
	uint32_t pods = promised_machine(p)->pods;
	uint64_t all = pods < 64 ? (UINT64_C(1) << pods) - 1 : UINT64_MAX;

	return !job->allowed && !job->outages &&
	       (promised_pods(job) & all) == all;
}

/* The job waits for nodes that it may use now: they are covered. */
static void promised_cover(struct easy_promised *p, const struct torus_job *job,
			   int64_t now_us)
{
	uint32_t words = promised_machine(p)->words;

	promised_usable(p, job, now_us, p->nodes);
	torus_bits_or(p->covered, p->nodes, words);
	p->complete = p->blocked >= p->s->settings.reservations &&
		      torus_bits_subset(p->service, p->covered, words);
}

/* Return true if the start is unknown and the nodes in service would do: running
 * jobs have no known end. Overwrites p->nodes. */
static bool promised_waits_for_ever(struct easy_promised *p,
				    struct torus_job *job, int64_t now_us)
{
	struct torus_placement place;

	if (job->start_us != TORUS_NO_TIME || !p->s->timeless)
		return false;
	promised_usable(p, job, now_us, p->nodes);
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (torus_state_find_in(p->s->state,
					torus_job_ask(job, k, now_us), p->nodes,
					&place) == TORUS_FITS)
			return true;
	}
	return false;
}

void easy_promised_begin(struct easy_promised *p, struct torus_job *head,
			 int64_t now_us)
{
	const struct torus_machine *m = promised_machine(p);
	uint32_t most = p->s->settings.reservations;
	bool known = head->start_us != TORUS_NO_TIME;

	p->blocked = 1;
	p->stamp = ++p->s->stamp;
	p->asked.known = false;
	p->complete = most == 0 ||
		      (most == 1 && known && promised_uses_all(p, head));
	if (p->complete)
		return;
	torus_bits_copy(p->service, torus_state_present_map(p->s->state),
			m->words);
	torus_bits_andnot(p->service, torus_state_out_map(p->s->state),
			  m->words);
	torus_bits_zero(p->covered, m->words);
	if (!promised_waits_for_ever(p, head, now_us))
		promised_cover(p, head, now_us);
}

bool easy_promised_wants(struct easy_promised *p, const struct torus_job *job,
			 int64_t now_us)
{
	const struct easy_nodes *asked = &p->asked;
	struct torus_class *c = torus_job_index(job)->class[0];
	const struct easy_nodes nodes = {
		.known = true,
		.allowed = job->allowed,
		.outages = job->outages,
		.limit_us = job->outages ? job->limit_us : 0,
		.pods = promised_pods(job),
	};

	if (p->complete || job->reservation != UINT32_MAX)
		return false;
	if (p->blocked < p->s->settings.reservations)
		return true;
	if (!asked->known || asked->allowed != nodes.allowed ||
	    asked->outages != nodes.outages ||
	    asked->limit_us != nodes.limit_us || asked->pods != nodes.pods) {
		promised_usable(p, job, now_us, p->nodes);
		if (!torus_bits_subset(p->nodes, p->covered,
				       promised_machine(p)->words))
			return true;
		p->asked = nodes;
	}
	if (c && job->request.alternatives == 1)
		c->refusals->covered = p->stamp;
	return false;
}

/*
 * Find the earliest window of the job's acceptable alternatives, until latest_us;
 * ties go to the first. *k is the one that is found.
 */
static bool promised_window(struct easy_promised *p, struct torus_job *job,
			    struct torus_window_bounds *bounds, uint32_t *k,
			    struct torus_placement *place)
{
	bool again = false, found = false;
	int64_t when_us;
	uint32_t i;

	for (i = 0; i < job->request.alternatives; i++) {
		const struct torus_ask *ask = torus_job_ask(job, i,
							    bounds->now_us);
		enum torus_answer answer;

		if (!torus_job_accepts(job, i, bounds->now_us) ||
		    bounds->latest_us < bounds->from_us)
			continue;
		answer = torus_plan_window(p->s->plan, ask, bounds,
					   torus_class_cache(torus_job_index(job)
								     ->class[i],
							     TORUS_PLAN_REAL),
					   &when_us, place);
		p->s->lacked_memory |= answer == TORUS_FAILED;
		again = found && answer != TORUS_FITS;
		if (answer != TORUS_FITS)
			continue;
		bounds->latest_us = when_us - 1;
		*k = i;
		found = true;
	}
	bounds->latest_us += found;
	if (!again) /* `place` is the last that was found */
		return found;
	bounds->from_us = bounds->latest_us;
	return torus_plan_window(p->s->plan,
				 torus_job_ask(job, *k, bounds->now_us), bounds,
				 NULL, &when_us, place) == TORUS_FITS;
}

/* Append a promise and reserve its place. False without memory. */
static bool promised_append(struct easy_promised *p, struct torus_job *job,
			    uint32_t alternative, int64_t start_us,
			    const struct torus_placement *place)
{
	struct easy_promise *last;

	if (TORUS_GROW(p->promise, p->room, p->count + 1))
		return false;
	last = &p->promise[p->count];
	if (p->made == p->count) {
		*last = (struct easy_promise){ 0 };
		p->made++;
	}
	last->job = job;
	last->alternative = alternative;
	last->start_us = start_us;
	if (torus_placement_keep(promised_machine(p), &last->place, place,
				 &last->room) ||
	    !promised_reserve(p, last, place))
		return false;
	p->count++;
	return true;
}

/* Reserve the place that the head has at its shadow time. */
static bool promised_append_head(struct easy_promised *p,
				 struct torus_job *head, int64_t now_us)
{
	struct torus_placement place;
	int64_t when_us;

	if (head->start_us == TORUS_NO_TIME)
		return true;
	return torus_plan_shadow(p->s->plan,
				 torus_job_ask(head, head->alternative, now_us),
				 now_us, &when_us, &place) == TORUS_FITS &&
	       promised_append(p, head, head->alternative, when_us, &place);
}

bool easy_promised_add(struct easy_promised *p, struct torus_job *head,
		       struct torus_job *job, int64_t now_us, uint32_t *k,
		       struct torus_placement *place)
{
	struct torus_window_bounds bounds = {
		.now_us = now_us,
		.from_us = now_us,
		.latest_us = TORUS_NO_TIME,
		.length_us = job->limit_us,
	};

	if (p->count == 0 && !promised_append_head(p, head, now_us)) {
		p->s->lacked_memory = true;
		return false;
	}
	if (!promised_window(p, job, &bounds, k, place))
		return false;
	if (bounds.latest_us == now_us)
		return true;
	if (!promised_append(p, job, *k, bounds.latest_us, place)) {
		p->s->lacked_memory = true;
		return false;
	}
	p->blocked++;
	promised_cover(p, job, now_us);
	return false;
}

/* Return the first promise whose nodes the place would take in its time. */
static uint32_t promised_first_met(struct easy_promised *p,
				   const struct torus_placement *place,
				   int64_t end_us)
{
	const struct torus_machine *m = promised_machine(p);
	uint32_t i;

	if (p->count == 0)
		return 0;
	torus_bits_zero(p->nodes, m->words);
	torus_placement_paint(m, place, p->nodes);
	for (i = 0; i < p->count; i++) {
		const struct easy_promise *q = &p->promise[i];

		if (end_us <= q->start_us)
			continue;
		torus_bits_zero(p->other, m->words);
		torus_placement_paint(m, &q->place, p->other);
		if (torus_bits_meet(p->nodes, p->other, m->words))
			break;
	}
	return i;
}

/* Reserve the promises from the i-th on anew, none of them later. False: one would
 * be later. The list keeps the former ones. */
static bool promised_move(struct easy_promised *p, uint32_t i, int64_t now_us)
{
	for (; i < p->count; i++) {
		struct easy_promise moved = { .job = p->promise[i].job };
		struct torus_window_bounds bounds = {
			.now_us = now_us,
			.from_us = now_us + 1,
			.latest_us = p->promise[i].start_us,
			.length_us = moved.job->limit_us,
		};
		struct torus_placement place;

		if (!promised_window(p, moved.job, &bounds, &moved.alternative,
				     &place))
			return false;
		moved.start_us = bounds.latest_us;
		if (!promised_reserve(p, &moved, &place))
			return false;
	}
	return true;
}

bool easy_promised_allows(struct easy_promised *p, struct torus_placement *place,
			  int64_t now_us, int64_t end_us)
{
	int64_t until_us = torus_end_after(end_us, now_us);
	uint32_t first = promised_first_met(p, place, until_us), trial;
	bool fits;

	if (first == p->count)
		return true;
	/* a search for windows overwrites the nodes of a place */
	if (torus_placement_keep(promised_machine(p), &p->offer.place, place,
				 &p->offer.room)) {
		p->s->lacked_memory = true;
		return false;
	}
	*place = p->offer.place;
	promised_cancel(p, first);
	trial = torus_plan_reserve(p->s->plan, place, 0, NULL, now_us, until_us);
	fits = trial != UINT32_MAX && promised_move(p, first, now_us);
	if (trial != UINT32_MAX)
		torus_plan_cancel(p->s->plan, trial);
	else
		p->s->lacked_memory = true;
	if (fits) {
		uint32_t i = first;

		/* Take the promises from the i-th on as they are in the plan. */
		for (; i < p->count; i++) {
			struct easy_promise *promise = &p->promise[i];

			promise->start_us = promise->job->start_us;
			promise->alternative = promise->job->alternative;
			p->s->lacked_memory |=
				torus_placement_keep(promised_machine(p),
						     &promise->place,
						     &torus_plan_reservation(
							      p->s->plan,
							      promise->job
								      ->reservation)
							      ->place,
						     &promise->room) != 0;
		}
		return true;
	}
	promised_cancel(p, first);
	for (uint32_t i = first; i < p->count; i++)
		promised_reserve(p, &p->promise[i], &p->promise[i].place);
	return false;
}
