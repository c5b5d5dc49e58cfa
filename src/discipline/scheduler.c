/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler (torus/scheduler.h): events of the host, starts and rejections
 * of jobs, and the stamps that save searches.
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

#include "discipline/disciplines.h"
#include "torus/alloc.h"

#define FIRST_BUDGETS 2 /* for the search for a pass's first job */

void torus_scheduler_defaults(struct torus_scheduler_settings *settings)
{
	*settings = (struct torus_scheduler_settings){
		.discipline = &torus_discipline_easy,
		.wait_limit_us = TORUS_NO_TIME,
		.backfill_places = 1,
		.pass_budget_us = 500000,
	};
}

/* Return 0, or -1 with EINVAL and a line for each error. */
static int check_settings(const struct torus_state *state,
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

/* Note which shortcuts the machine and its strategies allow. */
static void scheduler_remember_failure(struct torus_scheduler *s)
{
	const struct torus_machine *m = torus_state_machine(s->state);

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
}

/* Choose the kind of lanes. Jobs need no class if every request fits whenever
 * enough nodes are free. */
static enum torus_lanes_by lanes_by(const struct torus_scheduler *s)
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
	if (!s->classes || !s->plan || torus_lanes_init(&s->lanes, lanes_by(s)))
		return -1;
	s->generation = torus_state_generation(s->state);
	s->patience = FIRST_BUDGETS;
	s->self = s->discipline->create ? s->discipline->create(s) : s;
	return s->self ? 0 : -1;
}

struct torus_scheduler *
torus_scheduler_create(struct torus_state *state,
		       const struct torus_scheduler_settings *settings,
		       struct torus_error *err)
{
	struct torus_scheduler *s;

	if (check_settings(state, settings, err))
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
	scheduler_remember_failure(s);
	if (scheduler_build(s)) {
		torus_scheduler_destroy(s);
		return NULL;
	}
	return s;
}

void torus_scheduler_destroy(struct torus_scheduler *s)
{
	int saved = errno;

	if (!s)
		return;
	if (s->self && s->discipline->destroy)
		s->discipline->destroy(s->self);
	torus_plan_destroy(s->plan);
	torus_lanes_free(&s->lanes);
	if (s->classes)
		torus_classes_free(s->classes);
	torus_free(s->classes);
	torus_free(s);
	errno = saved;
}

/* The host changed the state without the scheduler. */
static void notice_changes(struct torus_scheduler *s, int64_t now_us)
{
	uint64_t generation = torus_state_generation(s->state);

	if (generation == s->generation)
		return;
	s->generation = generation;
	s->freed = ++s->stamp;
	if (s->discipline->changed)
		s->discipline->changed(s->self, now_us);
}

/* Set the job's node count on this machine, also in its ask. */
static uint64_t scheduler_nodes(const struct torus_scheduler *s,
				struct torus_ask *ask)
{
	torus_machine_settle(torus_state_machine(s->state), ask);
	return torus_ask_nodes(ask);
}

/* Find the job's classes; without memory the job has none. */
static void scheduler_classify(struct torus_scheduler *s, struct torus_job *job)
{
	const struct torus_request *r = &job->request;

	job->nodes = UINT32_MAX;
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_ask *ask = &job->request.alternative[k].ask;
		uint64_t nodes = scheduler_nodes(s, ask);
		struct torus_class *c = torus_class_take(s->classes, s->state,
							 job, k);

		if (torus_lanes_reserve(&s->lanes, s->classes->count)) {
			torus_class_drop(s->classes, c);
			c = NULL;
		}
		torus_job_index(job)->class[k] = c;
		s->lacked_memory |= c == NULL;
		if (nodes < job->nodes)
			job->nodes = (uint32_t)nodes;
	}
}

/* Copy the job's allowed nodes and outages into each of its asks. */
static void bind_asks(struct torus_job *job, const uint64_t *allowed,
		      const struct torus_outages *outages)
{
	job->allowed = allowed;
	job->outages = outages;
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		struct torus_ask *ask = &job->request.alternative[k].ask;

		ask->allowed = allowed;
		ask->outages = outages;
	}
}

static void scheduler_declassify(struct torus_scheduler *s,
				 struct torus_job *job)
{
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		torus_class_drop(s->classes, torus_job_index(job)->class[k]);
		torus_job_index(job)->class[k] = NULL;
	}
}

/* Return true if any of the job's alternatives could ever be served. */
static bool scheduler_possible(struct torus_scheduler *s,
			       const struct torus_job *job,
			       struct torus_error *why)
{
	const struct torus_request *r = &job->request;

	for (uint32_t k = 0; k < r->alternatives; k++) {
		enum torus_answer answer =
			torus_job_index(job)->class[k] ?
				torus_job_index(job)->class[k]->possible :
				torus_state_possible(s->state,
						     &r->alternative[k].ask,
						     NULL, NULL);

		if (answer == TORUS_FITS)
			return true;
	}
	for (uint32_t k = 0; why && k < r->alternatives; k++)
		torus_state_possible(s->state, &r->alternative[k].ask, NULL,
				     why);
	return false;
}

/* On a machine of several toruses a count is the same number of nodes in each:
 * the number that torus_state_possible() grants. */
static void settle_counts(struct torus_scheduler *s, struct torus_job *job)
{
	struct torus_request *r = &job->request;
	struct torus_placement place;

	if (torus_state_machine(s->state)->pods == 1)
		return;
	for (uint32_t k = 0; k < r->alternatives; k++) {
		struct torus_ask *ask = &r->alternative[k].ask;

		if (ask->by_count && !ask->granted &&
		    torus_state_possible(s->state, ask, &place, NULL) ==
			    TORUS_FITS)
			ask->granted = place.granted;
	}
}

static void enter_queue(struct torus_scheduler *s, struct torus_job *job,
			int64_t now_us)
{
	job->state = TORUS_JOB_QUEUED;
	torus_job_index(job)->standing = (struct torus_standing){
		.priority = s->settings.order_by_priority ? job->priority : 0,
		.rank = s->discipline->rank ? s->discipline->rank(job) : 0,
		.turn = job->turn,
	};
	torus_queue_add(s, job, now_us);
	s->ladders += job->request.alternatives > 1;
	s->restricted += job->outages != NULL;
}

enum torus_answer torus_scheduler_submit(struct torus_scheduler *s,
					 struct torus_job *job, int64_t now_us,
					 struct torus_error *why)
{
	s->lacked_memory = false;
	job->sequence = ++s->sequence;
	job->prev = job->next = job->decided = NULL;
	job->alternative = 0;
	job->tried = job->walk = 0;
	job->admitted = job->preempted = false;
	job->start_us = TORUS_NO_TIME;
	job->slot = TORUS_NO_SLOT;
	job->reservation = UINT32_MAX;
	job->reason = NULL;
	bind_asks(job, job->allowed, job->outages);
	settle_counts(s, job);
	scheduler_classify(s, job);
	if (!scheduler_possible(s, job, why)) {
		scheduler_declassify(s, job);
		job->state = TORUS_JOB_REJECTED;
		job->reason = "not even the empty machine has a place for it";
		return TORUS_NEVER;
	}
	enter_queue(s, job, now_us);
	if (s->discipline->submitted)
		s->discipline->submitted(s->self, job, now_us);
	return TORUS_FITS;
}

void torus_scheduler_end(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now_us)
{
	notice_changes(s, now_us);
	torus_plan_release(s->plan, job->slot, now_us);
	s->generation = torus_state_generation(s->state);
	s->freed = ++s->stamp;
	job->state = TORUS_JOB_DONE;
	job->slot = TORUS_NO_SLOT;
	if (s->discipline->ended)
		s->discipline->ended(s->self, job, now_us);
}

static void leave_queue(struct torus_scheduler *s, struct torus_job *job)
{
	torus_queue_remove(s, job);
	scheduler_declassify(s, job);
	s->ladders -= job->request.alternatives > 1;
	s->restricted -= job->outages != NULL;
}

void torus_scheduler_readmit(struct torus_scheduler *s, struct torus_job *job,
			     const uint64_t *allowed,
			     const struct torus_outages *outages, int64_t now_us)
{
	torus_queue_leave_lane(s, job);
	scheduler_declassify(s, job);
	s->restricted -= job->outages != NULL;
	bind_asks(job, allowed, outages);
	s->restricted += job->outages != NULL;
	job->tried = 0;
	scheduler_classify(s, job);
	torus_queue_enter_lane(s, job);
	if (s->discipline->readmitted)
		s->discipline->readmitted(s->self, job, now_us);
}

void torus_scheduler_resume(struct torus_scheduler *s, struct torus_job *job,
			    const struct torus_promised *promised)
{
	job->admitted = promised->admitted;
	if (promised->place && s->discipline->resumed &&
	    !s->discipline->resumed(s->self, job, promised))
		s->lacked_memory = true;
}

void torus_scheduler_remove(struct torus_scheduler *s, struct torus_job *job,
			    int64_t now_us)
{
	leave_queue(s, job);
	job->state = TORUS_JOB_NEW;
	if (s->discipline->left)
		s->discipline->left(s->self, job, now_us);
}

void torus_scheduler_change(struct torus_scheduler *s, int64_t now_us)
{
	notice_changes(s, now_us);
}

void torus_scheduler_pass_limit(struct torus_scheduler *s,
				const struct torus_pass_limit *limit)
{
	s->limit = *limit;
}

const struct torus_pass_cut *torus_scheduler_cut(const struct torus_scheduler *s)
{
	return &s->cut;
}

/* The pass ends before the job. */
static void scheduler_cut_before(struct torus_scheduler *s,
				 const struct torus_job *job)
{
	s->cut.cut = true;
	for (; job; job = job->next)
		s->cut.left++;
}

bool torus_scheduler_stops(struct torus_scheduler *s,
			   const struct torus_job *job)
{
	const struct torus_pass_limit *limit = &s->limit;
	struct torus_pass_cut *cut = &s->cut;

	if (cut->cut)
		return true;
	if (limit->limited ?
		    cut->steps >= limit->steps :
		    cut->steps > 0 && limit->over && limit->over(limit->arg, 1))
		scheduler_cut_before(s, job);
	else
		cut->steps++;
	return cut->cut;
}

struct torus_search_limit *torus_scheduler_search_limit(struct torus_scheduler *s)
{
	return s->limit.limited || !s->limit.over ? NULL : &s->looking;
}

static bool search_is_over(void *arg)
{
	struct torus_scheduler *s = arg;

	return s->limit.over(s->limit.arg, s->cut.steps > 1 ? 1 : s->patience);
}

/* The search for a pass's first job was ended, or was not. The next pass can
 * continue behind the windows that it has examined; with the first one it begins
 * anew. */
static void settle_patience(struct torus_scheduler *s, bool ended)
{
	bool stuck = torus_plan_windows(s->plan) - s->windows <= 1;

	if (!ended)
		s->patience = FIRST_BUDGETS;
	else if (stuck && s->patience < UINT32_MAX / 2)
		s->patience *= 2;
}

bool torus_scheduler_interrupted(struct torus_scheduler *s,
				 const struct torus_job *job)
{
	if (s->cut.cut || !s->looking.cut)
		return false;
	s->cut.steps--;
	if (s->cut.steps == 0)
		settle_patience(s, true);
	scheduler_cut_before(s, job);
	return true;
}

/* Start jobs in queue order; no job overtakes the head. */
static int64_t plain_pass(struct torus_scheduler *s, int64_t now_us)
{
	while (s->queue.head && !torus_scheduler_stops(s, s->queue.head) &&
	       torus_scheduler_try(s, s->queue.head, now_us))
		;
	return s->queue.head ?
		       torus_job_next_alternative(s->queue.head, now_us) :
		       TORUS_NO_TIME;
}

struct torus_job *torus_scheduler_pass(struct torus_scheduler *s,
				       int64_t now_us, int64_t *wake_us)
{
	notice_changes(s, now_us);
	if (s->back_us <= now_us)
		s->freed = ++s->stamp;
	s->first = s->last = NULL;
	s->lacked_memory = false;
	s->cut = (struct torus_pass_cut){ 0 };
	s->looking = (struct torus_search_limit){ .over = search_is_over,
						  .arg = s };
	s->windows = torus_plan_windows(s->plan);
	*wake_us = s->discipline->pass ? s->discipline->pass(s->self, now_us) :
					 plain_pass(s, now_us);
	if (s->cut.steps > 0)
		settle_patience(s, false);
	if (s->cut.cut && now_us + TORUS_GO_ON_US < *wake_us)
		*wake_us = now_us + TORUS_GO_ON_US;
	s->back_us = torus_scheduler_next_outage(s, now_us);
	if (s->back_us < *wake_us)
		*wake_us = s->back_us;
	s->stats.searches = torus_plan_searches(s->plan);
	return s->first;
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
static void nothing_for(struct torus_scheduler *s, struct torus_class *c)
{
	c->failed = s->freed;
	if (!s->recognizes || c->ask.by_count)
		return;
	for (uint32_t i = 0; i < s->lanes.heaped; i++) {
		struct torus_class *other = s->lanes.heap[i].lane->class;

		if (other && other->failed != s->freed &&
		    other->ask.strategy == c->ask.strategy &&
		    other->ask.allowed == c->ask.allowed &&
		    other->ask.outages == c->ask.outages &&
		    (!c->ask.outages || other->limit_us >= c->limit_us) &&
		    torus_ask_contains(&other->ask, &c->ask, s->turned))
			other->failed = s->freed;
	}
}

bool torus_scheduler_find(struct torus_scheduler *s, struct torus_job *job,
			  uint32_t k, int64_t now_us,
			  struct torus_placement *place)
{
	const struct torus_ask *ask = torus_job_ask(job, k, now_us);
	struct torus_class *c = torus_job_index(job)->class[k];

	if (torus_ask_nodes(ask) > torus_state_free_nodes(s->state) ||
	    (c && c->failed == s->freed))
		return false;
	if (torus_plan_find(s->plan, ask, place, NULL) == TORUS_FITS)
		return true;
	if (c)
		nothing_for(s, c);
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
	leave_queue(s, job);
	job->state = TORUS_JOB_RUNNING;
	job->slot = slot;
	job->alternative = alternative;
	job->start_us = now_us;
	scheduler_decide(s, job);
	return true;
}

void torus_scheduler_reject(struct torus_scheduler *s, struct torus_job *job,
			    const char *reason)
{
	leave_queue(s, job);
	job->state = TORUS_JOB_REJECTED;
	job->reason = reason;
	scheduler_decide(s, job);
}

void torus_scheduler_preempt(struct torus_scheduler *s, struct torus_job *job,
			     int64_t now_us)
{
	torus_plan_release(s->plan, job->slot, now_us);
	s->generation = torus_state_generation(s->state);
	s->freed = ++s->stamp;
	job->limit_us -= now_us - job->start_us;
	job->preempted = true;
	job->slot = TORUS_NO_SLOT;
	job->start_us = TORUS_NO_TIME;
	job->tried = 0;
	scheduler_classify(s, job);
	enter_queue(s, job, now_us);
	scheduler_decide(s, job);
}
