/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forward simulation of a snapshot (forward.h). */
#include "torus/plan.h"
#include "torus/placement.h"
#include "questions/forward.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "questions/occupancy.h"
#include "torus/alloc.h"
#include "torus/discipline.h"
#include "torus/regions.h"
#include "torus/text.h"

/* Run time of a job without a limit: a hundred years. */
#define FOREVER_US (INT64_C(100) * 366 * 86400 * 1000000)

/* The nodes that jobs of one partition and reservation, which exclude the same nodes and
 * for which the same floating reservations are too short, may use over time. */
struct forward_scope {
	const char *partition, *reservation;
	const uint64_t *excluded;
	uint32_t floats; /* floating reservations that are too short for them */
	uint64_t *allowed;
	struct torus_outages outages;
	struct torus_outage *outage;
};

struct forward_player {
	const struct snapshot *s;
	struct forward *f;
	struct torus_state *state;
	struct torus_scheduler *scheduler;
	struct torus_job *job; /* per job of the snapshot; unused for running ones.
				  Their requests are owned */
	struct torus_job_owner *owner; /* per job of the snapshot */
	struct forward_scope *scope;
	uint32_t scopes, waiting;
	int64_t now;
	const struct forward_bound *bound;
	bool passed;       /* there was a pass */
	bool promises;     /* reservations of the discipline outlive a pass */
	int64_t latest_us; /* CPU time at which the simulation ends */
	int64_t read_us;   /* earliest time at which it can be reached */
	struct torus_error *err;
};

static int64_t forward_clock_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Reading the CPU clock is a system call. The thread cannot use more CPU time than
 * time passes, so it is read again only when the bound can have been reached. */
static bool forward_over(struct forward_player *p)
{
	int64_t now_us, cpu_us;

	if (!p->bound->compute_us)
		return false;
	now_us = forward_clock_us(CLOCK_MONOTONIC);
	if (now_us < p->read_us)
		return false;
	cpu_us = forward_clock_us(CLOCK_THREAD_CPUTIME_ID);
	p->read_us = now_us + p->latest_us - cpu_us;
	return cpu_us >= p->latest_us;
}

static bool forward_pass_over(void *arg, uint32_t budgets)
{
	(void)budgets;
	return forward_over(arg);
}

enum forward_hold forward_hold(const struct snapshot_job *job)
{
	static const struct {
		const char *begins;
		enum forward_hold hold;
	} reason[] = {
		{ "Dependency", FORWARD_DEPENDENCY },
		{ "JobHeld", FORWARD_HELD },
		{ "BeginTime", FORWARD_BEGIN },
		{ "JobArrayTaskLimit", FORWARD_LIMIT },
		{ "Assoc", FORWARD_LIMIT },
		{ "QOS", FORWARD_LIMIT },
		{ "MaxCpu", FORWARD_LIMIT },
		{ "MaxNode", FORWARD_LIMIT },
		{ "MaxJob", FORWARD_LIMIT },
		{ "Licenses", FORWARD_LIMIT },
		{ "PartitionDown", FORWARD_PARTITION },
		{ "PartitionInactive", FORWARD_PARTITION },
		{ "PartitionNodeLimit", FORWARD_PARTITION },
		{ "PartitionTimeLimit", FORWARD_PARTITION },
		{ "Reservation", FORWARD_RESERVATION },
	};

	for (size_t i = 0; i < sizeof(reason) / sizeof(*reason); i++) {
		if (strncmp(job->reason, reason[i].begins,
			    strlen(reason[i].begins)) == 0)
			return reason[i].hold;
	}
	return FORWARD_NONE;
}

void forward_free(struct forward *f)
{
	for (uint32_t j = 0; j < f->jobs; j++) {
		torus_free(f->job[j].region);
		torus_free(f->job[j].why);
	}
	torus_free(f->job);
	*f = (struct forward){ 0 };
}

static int forward_scope_fill(const struct forward_player *p,
			      struct forward_scope *scope,
			      const struct snapshot_job *job)
{
	const struct snapshot *s = p->s;
	struct torus_outages *o = &scope->outages;

	scope->allowed = torus_alloc(s->config->machine.words,
				     sizeof(*scope->allowed));
	scope->outage = torus_alloc(s->reservations, sizeof(*scope->outage));
	if (!scope->allowed || !scope->outage)
		return -1;
	occupancy_allowed(s, job, scope->allowed);
	o->number = (uint64_t)(scope - p->scope) + 1;
	o->last_start_us = INT64_MAX;
	o->outage = scope->outage;
	for (uint32_t i = 0; i < s->reservations; i++) {
		const struct snapshot_nodes *r = &s->reservation[i];

		if (strcmp(r->name, job->reservation) == 0)
			o->last_start_us = r->end_us;
		else if (r->end_us > p->now && r->start_us < r->end_us)
			scope->outage[o->count++] =
				(struct torus_outage){ .from_us = r->start_us,
						       .to_us = r->end_us,
						       .nodes = r->map,
						       .name = r->name };
		else if (occupancy_floats(r, job))
			scope->outage[o->count++] =
				(struct torus_outage){ .from_us = INT64_MIN,
						       .to_us = TORUS_NO_TIME,
						       .nodes = r->map,
						       .name = r->name };
	}
	return 0;
}

static struct forward_scope *forward_scope_of(struct forward_player *p,
					      const struct snapshot_job *job)
{
	struct forward_scope *scope = p->scope;
	uint32_t floats = 0;

	/* the longer a job, the more of them */
	for (uint32_t i = 0; i < p->s->reservations; i++)
		floats += occupancy_floats(&p->s->reservation[i], job);
	for (; scope < p->scope + p->scopes; scope++) {
		if (strcmp(scope->partition, job->partition) == 0 &&
		    strcmp(scope->reservation, job->reservation) == 0 &&
		    scope->floats == floats &&
		    (scope->excluded == job->excluded ||
		     (scope->excluded && job->excluded &&
		      torus_bits_equal(scope->excluded, job->excluded,
				       p->s->config->machine.words))))
			return scope;
	}
	p->scopes++;
	scope->partition = job->partition;
	scope->reservation = job->reservation;
	scope->excluded = job->excluded;
	scope->floats = floats;
	return forward_scope_fill(p, scope, job) ? NULL : scope;
}

/* Submit a pending job. Return -1 with ENOMEM. */
static int forward_submit(struct forward_player *p, uint32_t j)
{
	const struct snapshot_job *from = &p->s->job[j];
	struct forward_scope *scope = forward_scope_of(p, from);
	struct torus_error why = { 0 };
	struct torus_job *job = &p->job[j];
	struct torus_request request;

	if (!scope)
		return -1;
	snprintf(p->owner[j].user, sizeof(p->owner[j].user), "%s", from->user);
	*job = (struct torus_job){
		.id = j + 1,
		.submit_us = from->submit_us == SNAPSHOT_NO_TIME ||
					     from->submit_us > p->now ?
				     p->now :
				     from->submit_us,
		.limit_us = from->limit_us == SNAPSHOT_NO_TIME ? FOREVER_US :
								 from->limit_us,
		.deadline_us = TORUS_NO_TIME,
		.owner = &p->owner[j],
		.priority = from->priority,
		.turn = from->submit_us, /* squeue's order is by priority */
		.allowed = scope->allowed,
		.outages = scope->outages.count || scope->outages.last_start_us <
							   INT64_MAX ?
				   &scope->outages :
				   NULL,
	};
	if (occupancy_request(p->s, from, &request, &why) == 0) {
		struct torus_job_request own = torus_job_request_of(&request);

		for (uint32_t k = 0; k < own.alternatives; k++)
			own.alternative[k].ask.required =
				from == p->bound->job && p->bound->required ?
					p->bound->required :
					from->required;
		if (torus_job_request_copy(&job->request, &own))
			return -1;
		if (torus_scheduler_submit(p->scheduler, job, p->now, &why) ==
		    TORUS_FITS) {
			p->waiting++;
			return 0;
		}
	}
	why.text[strcspn(why.text, "\n")] = '\0';
	p->f->job[j].why = torus_text_copy(why.text);
	return p->f->job[j].why ? 0 : -1;
}

/* Note the start of a job. Return -1 with ENOMEM. */
static int forward_note(struct forward_player *p, const struct torus_job *job,
			int64_t start_us, const struct torus_placement *place)
{
	struct forward_job *f = &p->f->job[job->id - 1];
	struct torus_text text = { 0 };

	f->start_us = start_us;
	f->end_us = torus_time_after(start_us, job->limit_us);
	f->alternative = job->alternative;
	if (torus_placement_format(torus_state_machine(p->state), place, &text))
		return -1;
	torus_free(f->region);
	f->region = text.data;
	return 0;
}

static int forward_started(struct forward_player *p, const struct torus_job *job)
{
	struct forward_job *f = &p->f->job[job->id - 1];

	if (job->state == TORUS_JOB_REJECTED) {
		f->why = torus_text_copy(job->reason ? job->reason : "rejected");
		return f->why ? 0 : -1;
	}
	if (job->state != TORUS_JOB_RUNNING)
		return 0;
	return forward_note(p, job, p->now,
			    &torus_state_hold(p->state, job->slot)->place);
}

/* The simulation ended at its bound: jobs of a discipline that promises starts begin as
 * reserved, the others stay open. (EASY makes its reservations anew in each pass.) */
static int forward_close(struct forward_player *p)
{
	struct torus_plan *plan = torus_scheduler_plan(p->scheduler);
	const struct torus_job *job = torus_scheduler_queue(p->scheduler)->head;
	int rc = 0;

	p->f->until_us = p->now;
	for (; job && rc == 0; job = job->next) {
		if (!p->promises || job->reservation == UINT32_MAX) {
			p->f->job[job->id - 1].open = true;
			p->f->open++;
			continue;
		}
		rc = forward_note(p, job, job->start_us,
				  &torus_plan_reservation(plan, job->reservation)
					   ->place);
	}
	return rc;
}

static bool forward_has_started(const struct forward_player *p, uint32_t j)
{
	return p->f->job[j].start_us != SNAPSHOT_NO_TIME;
}

/* Return true if only the play tells when the first job starts: an alternative that
 * it accepts later may start earlier than the first pass expects. */
static bool forward_first_open(const struct forward_player *p)
{
	uint32_t first = p->f->first;

	return first != UINT32_MAX && p->job[first].request.alternatives > 1 &&
	       !forward_has_started(p, first);
}

/* Return true if the simulation must continue. */
static bool forward_goes_on(const struct forward_player *p)
{
	const struct snapshot_job *job = p->bound->job;

	return p->waiting > 0 && !(p->bound->now && p->passed) &&
	       !(job && forward_has_started(p, (uint32_t)(job - p->s->job)) &&
		 !forward_first_open(p));
}

/* Note the head of the queue after the first pass. */
static void forward_note_first(struct forward_player *p)
{
	const struct torus_job *head = torus_scheduler_queue(p->scheduler)->head;

	if (!head)
		return;
	p->f->first = head->id - 1;
	if (head->start_us != TORUS_NO_TIME)
		p->f->first_us = head->start_us;
}

static int forward_run(struct forward_player *p)
{
	int64_t next;
	int rc = 0;

	/* as in the forecasts of sched/torus, the usage of now stands */
	for (uint32_t i = 0; rc == 0 && i < p->s->usages; i++)
		rc = torus_scheduler_take_usage(p->scheduler, &p->s->usage[i],
						p->now);
	for (uint32_t j = 0; rc == 0 && j < p->s->jobs; j++) {
		if (!p->s->job[j].running &&
		    forward_hold(&p->s->job[j]) == FORWARD_NONE)
			rc = forward_submit(p, j);
	}
	/* overdue jobs may end at any moment */
	while (rc == 0 && forward_goes_on(p)) {
		int64_t wake;
		struct torus_job *job;

		job = torus_scheduler_pass(p->scheduler, p->now, &wake);
		rc = torus_scheduler_lacked_memory(p->scheduler) ? -1 : 0;
		for (; job && rc == 0; job = job->decided) {
			p->waiting -= job->state != TORUS_JOB_QUEUED;
			rc = forward_started(p, job);
		}
		next = torus_state_next_end_us(p->state);
		if (wake > p->now && wake < next)
			next = wake;
		if (!p->passed)
			forward_note_first(p);
		p->passed = true;
		if (next == TORUS_NO_TIME)
			break;
		if (torus_scheduler_cut(p->scheduler)->cut || forward_over(p))
			return rc ? rc : forward_close(p);
		p->now = next > p->now ? next : p->now + 1;
		torus_scheduler_end_overdue(p->scheduler, p->now);
	}
	return rc;
}

/* Return true if the scheduler has planned a start and nodes for every job that waits for
 * nodes, but `job` of the bound. */
static bool forward_all_planned(const struct forward_player *p)
{
	const struct snapshot *s = p->s;

	for (uint32_t j = 0; j < s->jobs; j++) {
		const struct snapshot_job *job = &s->job[j];

		if (!job->running && job != p->bound->job &&
		    forward_hold(job) == FORWARD_NONE &&
		    (job->start_us == SNAPSHOT_NO_TIME || !*job->place))
			return false;
	}
	return true;
}

/* Reserve the planned places of these jobs. Return 1, with none reserved, if one is no place
 * of a single torus; -1 with ENOMEM. */
static int forward_reserve_planned(struct forward_player *p)
{
	const struct torus_machine *m = torus_state_machine(p->state);
	struct torus_plan *plan = torus_scheduler_plan(p->scheduler);
	uint64_t *nodes = torus_alloc(m->words, sizeof(*nodes));
	int rc = nodes ? 0 : -1;

	for (uint32_t j = 0; rc == 0 && j < p->s->jobs; j++) {
		const struct snapshot_job *job = &p->s->job[j];
		int64_t start_us = job->start_us > p->now ? job->start_us :
							    p->now;
		int64_t end_us = job->limit_us == SNAPSHOT_NO_TIME ?
					 TORUS_NO_TIME :
					 torus_time_after(start_us,
							  job->limit_us);
		struct torus_placement place;

		if (job->running || job == p->bound->job ||
		    forward_hold(job) != FORWARD_NONE)
			continue;
		if (torus_regions_place_parse(m, job->place, nodes, &place,
					      NULL))
			rc = 1;
		else if (torus_plan_reserve(plan, &place, j + 1, NULL, start_us,
					    end_us) == UINT32_MAX)
			rc = -1;
	}
	if (rc)
		torus_plan_clear(plan);
	torus_free(nodes);
	return rc;
}

/* Find the earliest window of the bound's job, which has one alternative, beside the
 * planned places. */
static int forward_beside(struct forward_player *p)
{
	uint32_t j = (uint32_t)(p->bound->job - p->s->job);
	struct torus_job *job = &p->job[j];
	const struct torus_window_bounds bounds = {
		.now_us = p->now,
		.from_us = p->now,
		.latest_us = TORUS_NO_TIME - 1,
		.length_us = p->s->job[j].limit_us == SNAPSHOT_NO_TIME ?
				     FOREVER_US :
				     p->s->job[j].limit_us,
	};
	struct torus_placement place;
	enum torus_answer answer;
	struct torus_ask *ask;
	int64_t when_us;

	if (forward_submit(p, j))
		return -1;
	if (p->f->job[j].why)
		return 0;
	ask = &job->request.alternative[0].ask;
	ask->now_us = p->now;
	ask->end_us = torus_time_after(p->now, bounds.length_us);
	answer = torus_plan_window(torus_scheduler_plan(p->scheduler), ask,
				   &bounds, NULL, &when_us, &place);
	if (answer == TORUS_FAILED)
		return -1;
	return answer == TORUS_FITS ? forward_note(p, job, when_us, &place) : 0;
}

static int forward_begin(struct forward_player *p,
			 const struct torus_scheduler_settings *settings)
{
	const struct snapshot *s = p->s;
	struct forward *f = p->f;

	f->job = torus_alloc(s->jobs, sizeof(*f->job));
	p->job = torus_alloc(s->jobs, sizeof(*p->job));
	p->owner = torus_alloc(s->jobs, sizeof(*p->owner));
	p->scope = torus_alloc((size_t)s->jobs + 1, sizeof(*p->scope));
	p->state = occupancy_state(s);
	if (!f->job || !p->job || !p->owner || !p->scope || !p->state)
		return -1;
	f->jobs = s->jobs;
	for (uint32_t j = 0; j < s->jobs; j++) {
		f->job[j].start_us = s->job[j].running ? s->job[j].start_us :
							 SNAPSHOT_NO_TIME;
		f->job[j].end_us = s->job[j].running ? s->job[j].end_us :
						       SNAPSHOT_NO_TIME;
	}
	p->now = s->time_us == SNAPSHOT_NO_TIME ? 0 : s->time_us;
	f->until_us = SNAPSHOT_NO_TIME;
	f->first = UINT32_MAX;
	f->first_us = SNAPSHOT_NO_TIME;
	p->latest_us = forward_clock_us(CLOCK_THREAD_CPUTIME_ID) +
		       p->bound->compute_us;
	p->promises = settings->discipline->resumed;
	p->scheduler = torus_scheduler_create(p->state, settings, p->err);
	if (!p->scheduler)
		return -1;
	torus_scheduler_pass_limit(p->scheduler,
				   &(struct torus_pass_limit){
					   .over = forward_pass_over,
					   .arg = p });
	return 0;
}

int forward_play(const struct snapshot *s,
		 const struct torus_scheduler_settings *settings,
		 const struct forward_bound *bound, struct forward *f,
		 struct torus_error *err)
{
	struct forward_player p = { .s = s, .f = f, .bound = bound, .err = err };
	int rc;

	*f = (struct forward){ 0 };
	rc = forward_begin(&p, settings);
	if (rc == 0)
		rc = bound->beside && forward_all_planned(&p) ?
			     forward_reserve_planned(&p) :
			     1;
	if (rc >= 0)
		rc = rc == 0 ? forward_beside(&p) : forward_run(&p);
	if (rc == 0) {
		/* The play knows better than its first pass when the first job starts:
		 * one of its alternatives may be accepted later and start earlier. */
		if (f->first != UINT32_MAX &&
		    f->job[f->first].start_us != SNAPSHOT_NO_TIME)
			f->first_us = f->job[f->first].start_us;
	}
	torus_scheduler_destroy(p.scheduler);
	torus_state_destroy(p.state);
	for (uint32_t i = 0; i < p.scopes; i++) {
		torus_free(p.scope[i].allowed);
		torus_free(p.scope[i].outage);
	}
	for (uint32_t j = 0; p.job && j < s->jobs; j++)
		torus_free(p.job[j].request.alternative);
	torus_free(p.scope);
	torus_free(p.owner);
	torus_free(p.job);
	if (rc)
		forward_free(f);
	return rc;
}
