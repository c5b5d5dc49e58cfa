/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler (torus/scheduler.h): searches, starts and rejections of jobs, and
 * the stamps that save searches. Jobs come and leave in submit.c; pass.c has the
 * passes.
 *
 * A request without a place has none until nodes become free. So after a failed
 * search the job and its class get a stamp, and passes skip them while the stamp
 * holds (disciplines.h). Time alone frees no nodes, except at the end of an
 * outage. If the strategies recognize every place and the queue is indexed, the
 * classes of all shapes that contain the failed one are stamped too. Whether the
 * empty machine can serve a class is computed once.
 *
 * Cost: an event O(1) apart from the discipline's own, the release and the
 * queue's (queue.c). Memory: the classes and their lanes.
 */
#include <errno.h>

#include "torus/state_find.h"
#include "discipline/disciplines.h"
#include "torus/alloc.h"

#define TORUS_LIVE_RESERVATIONS 1 /* measured: doc/performance.md */

void torus_scheduler_defaults(struct torus_scheduler_settings *settings)
{
	*settings = (struct torus_scheduler_settings){
		.discipline = &torus_discipline_easy,
		.wait_limit_us = TORUS_NO_TIME,
		.backfill_places = 1,
		.reservations = 1,
		.reserve_nodes = true,
		.pass_budget_us = 500000,
	};
}

void torus_scheduler_live(struct torus_scheduler_settings *settings)
{
	if (settings->order_open)
		settings->order_by_priority = !torus_discipline_sorts(settings);
	if (settings->reservations_open)
		settings->reservations = TORUS_LIVE_RESERVATIONS;
	settings->order_open = settings->reservations_open = false;
}

/* Return 0, or -1 with EINVAL and a line for each error. */
static int
scheduler_check_settings(const struct torus_state *state,
			 const struct torus_scheduler_settings *settings,
			 struct torus_error *err)
{
	const struct torus_discipline *d = settings->discipline;
	int rc = 0;

	if (!d)
		return torus_error_add(err, "scheduler: no discipline given");
	if (settings->backfill_places < 1)
		rc = torus_error_add(err,
				     "backfill_places: got 0: expected at least 1");
	if (settings->wait_limit_us < 0)
		rc = torus_error_add(err, "wait_limit: got a time below 0");
	if (torus_options_check(&settings->options, d->options, d->name, err))
		rc = -1;
	if (d->supports &&
	    d->supports(torus_state_machine(state), settings, err))
		rc = -1;
	if (rc)
		errno = EINVAL;
	return rc;
}

/* Return true if a dead link may open a ring of two. Then a place may satisfy a
 * request that a part of it does not. */
static bool scheduler_opens_pairs(const struct torus_pod *pod)
{
	for (uint32_t d = 0; pod->links && d < pod->torus.dims; d++) {
		if (pod->torus.wrap[d] && pod->torus.size[d] == 2)
			return true;
	}
	return false;
}

/* Choose the kind of lanes. Jobs need no class if every request fits whenever
 * enough nodes are free. */
static enum torus_lanes_by scheduler_lanes_by(const struct torus_scheduler *s)
{
	const struct torus_machine *m = torus_state_machine(s->state);

	if (m->pods > 1 || !m->pod[0].torus.flat)
		return TORUS_LANES_CLASS;
	return s->discipline->searches == TORUS_SEARCHES_TIME ?
		       TORUS_LANES_SIZE :
		       TORUS_LANES_ONE;
}

/* 0, or -1 with ENOMEM. */
static int scheduler_build(struct torus_scheduler *s)
{
	s->classes = torus_alloc(1, sizeof(*s->classes));
	s->plan = torus_plan_create(s->state);
	if (!s->classes || !s->plan ||
	    torus_lanes_init(&s->lanes, scheduler_lanes_by(s)))
		return -1;
	s->generation = torus_state_generation(s->state);
	s->patience = TORUS_FIRST_BUDGETS;
	s->self = s->discipline->create ? s->discipline->create(s) : s;
	return s->self ? 0 : -1;
}

struct torus_scheduler *
torus_scheduler_create(struct torus_state *state,
		       const struct torus_scheduler_settings *settings,
		       struct torus_error *err)
{
	struct torus_scheduler *s;
	const struct torus_machine *m;

	if (scheduler_check_settings(state, settings, err))
		return NULL;
	s = torus_alloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->state = state;
	s->settings = *settings;
	s->discipline = settings->discipline;
	s->index_at = settings->index_at ? settings->index_at : TORUS_INDEX_AT;
	s->wait_limit_us = s->discipline->limits_waiting ?
				   settings->wait_limit_us :
				   TORUS_NO_TIME;
	s->freed = s->stamp = 1;
	s->back_us = TORUS_NO_TIME;
	s->ranked = torus_discipline_sorts(settings);
	s->ages = s->ranked && !s->discipline->rank_stays;
	s->bound_us = s->ages && s->wait_limit_us != TORUS_NO_TIME ?
			      s->wait_limit_us - 1 :
			      TORUS_NO_TIME;
	/* Note which shortcuts the machine and its strategies allow. */
	m = torus_state_machine(s->state);
	s->timeless = torus_state_timeless(s->state);
	s->recognizes = s->turned = true;
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];

		s->turned &= !pod->no_rotate;
		s->recognizes &= !scheduler_opens_pairs(pod);
		for (uint32_t i = 0; i < pod->strategies; i++)
			s->recognizes &= pod->strategy[i]->complete &&
					 torus_plain(&pod->torus);
	}
	if (scheduler_build(s)) {
		torus_scheduler_destroy(s);
		return NULL;
	}
	return s;
}

void torus_scheduler_destroy(struct torus_scheduler *s)
{
	if (!s)
		return;
	if (s->self && s->discipline->destroy)
		s->discipline->destroy(s->self);
	torus_plan_destroy(s->plan);
	torus_lanes_free(&s->lanes);
	torus_picks_free(&s->picks);
	torus_shares_free(&s->shares);
	if (s->classes)
		torus_classes_free(s->classes);
	torus_free(s->classes);
	torus_free(s);
}

/* The host changed the state without the scheduler. */
void torus_scheduler_end(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now_us)
{
	torus_scheduler_change(s, now_us);
	torus_shares_charge(&s->shares, job, 0, now_us);
	torus_plan_release(s->plan, job->slot, now_us);
	s->generation = torus_state_generation(s->state);
	s->freed = ++s->stamp;
	job->state = TORUS_JOB_DONE;
	job->slot = TORUS_NO_SLOT;
	if (s->discipline->ended)
		s->discipline->ended(s->self, job, now_us);
}

void torus_scheduler_end_overdue(struct torus_scheduler *s, int64_t now_us)
{
	while (torus_state_overdue(s->state, now_us)) {
		uint32_t slot = torus_state_by_end(s->state, 0);
		const struct torus_hold *h = torus_state_hold(s->state, slot);
		struct torus_job over = { .id = h->job,
					  .state = TORUS_JOB_RUNNING,
					  .start_us = h->start_us,
					  .slot = slot,
					  .reservation = UINT32_MAX };

		if (h->owner)
			torus_shares_charge(&s->shares, h->owner, 0, now_us);
		torus_scheduler_end(s, &over, now_us);
	}
}

bool torus_scheduler_lacked_memory(const struct torus_scheduler *s)
{
	return s->lacked_memory;
}

struct torus_queue *torus_scheduler_queue(struct torus_scheduler *s)
{
	return &s->queue;
}

struct torus_state *torus_scheduler_state(struct torus_scheduler *s)
{
	return s->state;
}

struct torus_plan *torus_scheduler_plan(struct torus_scheduler *s)
{
	return s->plan;
}

const struct torus_scheduler_stats *
torus_scheduler_stats(const struct torus_scheduler *s)
{
	return &s->stats;
}

int64_t torus_job_next_alternative(const struct torus_job *job, int64_t now_us)
{
	for (uint32_t k = 1; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now_us))
			return torus_time_after(job->submit_us,
						job->request.alternative[k]
							.after_us);
	}
	return TORUS_NO_TIME;
}

const struct torus_ask *torus_job_ask(struct torus_job *job, uint32_t k,
				      int64_t now_us)
{
	struct torus_ask *ask = &job->request.alternative[k].ask;

	ask->now_us = now_us;
	ask->end_us = torus_time_after(now_us, job->limit_us);
	return ask;
}

/* Stamp a class without a place, and the classes of the search whose shape
 * contains its. */
static void scheduler_stamp_failed(struct torus_scheduler *s,
				   struct torus_class *c)
{
	c->refusals->failed = s->freed;
	if (!s->recognizes || c->ask.by_count)
		return;
	for (uint32_t i = 0; i < s->lanes.heaped; i++) {
		const struct torus_lane_first *first = &s->lanes.heap[i];
		struct torus_class *other;

		if (!torus_extents_within(c->extents, first->extents))
			continue;
		other = first->lane->class;
		if (other && other->refusals->failed != s->freed &&
		    other->ask.strategy == c->ask.strategy &&
		    other->ask.allowed == c->ask.allowed &&
		    other->ask.outages == c->ask.outages &&
		    (!c->ask.outages || other->limit_us >= c->limit_us) &&
		    torus_ask_contains(&other->ask, &c->ask, s->turned))
			other->refusals->failed = s->freed;
	}
}

bool torus_scheduler_find(struct torus_scheduler *s, struct torus_job *job,
			  uint32_t k, int64_t now_us,
			  struct torus_placement *place)
{
	const struct torus_ask *ask = torus_job_ask(job, k, now_us);
	struct torus_class *c = torus_job_index(job)->class[k];

	if (torus_ask_nodes(ask) > torus_state_free_nodes(s->state) ||
	    (c && c->refusals->failed == s->freed))
		return false;
	if (torus_plan_find(s->plan, ask, place) == TORUS_FITS)
		return true;
	if (c)
		scheduler_stamp_failed(s, c);
	return false;
}

bool torus_scheduler_try(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now_us)
{
	struct torus_placement place;
	bool all = true;

	if (job->tried == s->freed)
		return false;
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now_us))
			all = false;
		else if (torus_scheduler_find(s, job, k, now_us, &place))
			return torus_scheduler_start(s, job, k, &place, now_us);
	}
	if (all)
		job->tried = s->freed;
	return false;
}

static void scheduler_decide(struct torus_scheduler *s, struct torus_job *job)
{
	job->decided = NULL;
	*(s->last ? &s->last->decided : &s->first) = job;
	s->last = job;
}

bool torus_scheduler_start(struct torus_scheduler *s, struct torus_job *job,
			   uint32_t alternative,
			   const struct torus_placement *place, int64_t now_us)
{
	uint32_t slot = torus_plan_commit(s->plan, place, job->id, job, now_us,
					  torus_time_after(now_us,
							   job->limit_us));

	if (slot == TORUS_NO_SLOT) {
		s->lacked_memory |= errno == ENOMEM;
		return false;
	}
	s->generation = torus_state_generation(s->state);
	if (!s->timeless)
		s->freed = ++s->stamp;
	torus_scheduler_leave(s, job);
	job->state = TORUS_JOB_RUNNING;
	job->slot = slot;
	job->alternative = alternative;
	job->start_us = now_us;
	torus_shares_charge(&s->shares, job, place->granted, now_us);
	scheduler_decide(s, job);
	return true;
}

void torus_scheduler_reject(struct torus_scheduler *s, struct torus_job *job,
			    const char *reason)
{
	torus_scheduler_leave(s, job);
	job->state = TORUS_JOB_REJECTED;
	job->reason = reason;
	scheduler_decide(s, job);
}

void torus_scheduler_preempt(struct torus_scheduler *s, struct torus_job *job,
			     int64_t now_us)
{
	torus_shares_charge(&s->shares, job, 0, now_us);
	torus_plan_release(s->plan, job->slot, now_us);
	s->generation = torus_state_generation(s->state);
	s->freed = ++s->stamp;
	job->limit_us -= now_us - job->start_us;
	job->preempted = true;
	job->slot = TORUS_NO_SLOT;
	job->start_us = TORUS_NO_TIME;
	job->tried = 0;
	torus_scheduler_classify(s, job);
	torus_scheduler_enter(s, job, now_us);
	scheduler_decide(s, job);
}
