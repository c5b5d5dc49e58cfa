/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose nodes a start may use. A shape has its nodes to itself: a job shares none of
 * them while either job has nodes (running, suspended or completing).
 *
 *   victims            jobs that Slurm may end for a start (REQUEUE, CANCEL). A suspended
 *                      job keeps its nodes, so it is no victim, and suspending a job
 *                      clears no node
 *   victims_of_place() who must end before a shape starts on a place: Slurm ends the
 *                      victims that job_test() names, all of which must have ended at
 *                      the start. Slurm's idle_node_bitmap does not tell: nodes of a
 *                      suspended job are idle, and select/cons_tres takes free cores
 *                      beside victims rather than end these
 *   victims_check_start()  the invariant, at each start
 *
 * Cost: O(jobs log victims), and O(words) for each job with nodes.
 */

#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/select/choose.h"

#include <stdlib.h>

static int victims_by_id(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int victims_add_component(void *object, void *arg)
{
	const job_record_t *job = object;
	struct victims *v = arg;

	if (job->node_bitmap && IS_JOB_RUNNING(job) && v->count < v->room)
		v->id[v->count++] = job->job_id;
	return 0;
}

/* (Of a heterogeneous job Slurm lists the leader, with which all components end.) */
static int victims_add(void *object, void *arg)
{
	job_record_t *job = object;
	uint16_t mode = slurm_job_preempt_mode(job);

	if (mode != PREEMPT_MODE_REQUEUE && mode != PREEMPT_MODE_CANCEL)
		return 0;
	if (job->het_job_list)
		list_for_each(job->het_job_list, victims_add_component, arg);
	else
		victims_add_component(job, arg);
	return 0;
}

void victims_open(struct victims *v, compat_list candidates)
{
	*v = (struct victims){ 0 };
	if (!candidates)
		return;
	v->room = (uint32_t)list_count(job_list);
	v->id = xcalloc((size_t)v->room + 1, sizeof(*v->id));
	list_for_each(candidates, victims_add, v);
	qsort(v->id, v->count, sizeof(*v->id), victims_by_id);
}

void victims_close(struct victims *v)
{
	xfree(v->id);
	*v = (struct victims){ 0 };
}

static bool victims_include(const struct victims *v, uint32_t job)
{
	return v->count > 0 &&
	       bsearch(&job, v->id, v->count, sizeof(job), victims_by_id);
}

/* A walk over the jobs with nodes. */
struct users {
	const struct victims *victims;
	const job_record_t *job; /* that starts; its own nodes do not count */
	bitstr_t *nodes;
	bool suspended_only;
	bool shapes_only;          /* only shapes count */
	const job_record_t *other; /* the first user that is no victim */
	compat_list *ended;        /* gets the victims; may be NULL */
};

static bool user_counts(const struct users *u, const job_record_t *job,
			const struct job_nodes *has)
{
	return has->nodes && job != u->job &&
	       (!u->suspended_only || IS_JOB_SUSPENDED(job)) &&
	       (!u->shapes_only || job_request_is_shaped(job));
}

static int user_keep_off(void *object, void *arg)
{
	const job_record_t *job = object;
	const struct users *u = arg;
	struct job_nodes has;

	if (job_table_nodes_of(job, &has) && user_counts(u, job, &has) &&
	    !victims_include(u->victims, job->job_id))
		bit_and_not(u->nodes, (bitstr_t *)(uintptr_t)has.nodes);
	return 0;
}

void victims_keep_off(const struct victims *v, bitstr_t *nodes)
{
	struct users u = { .victims = v, .nodes = nodes };

	list_for_each(job_list, user_keep_off, &u);
}

void victims_keep_off_suspended(bitstr_t *nodes)
{
	const struct victims none = { 0 };
	struct users u = { .victims = &none,
			   .nodes = nodes,
			   .suspended_only = true };

	list_for_each(job_list, user_keep_off, &u);
}

void victims_keep_off_shapes(const job_record_t *job, bitstr_t *nodes,
			     uint16_t mode, compat_list candidates)
{
	struct victims v;
	struct users u = { .victims = &v,
			   .job = job,
			   .nodes = nodes,
			   .shapes_only = true,
			   .suspended_only = SELECT_IS_MODE_WILL_RUN(mode) ||
					     !slurm_preemption_enabled() };

	if (SELECT_IS_MODE_TEST_ONLY(mode))
		return;
	victims_open(&v, candidates);
	list_for_each(job_list, user_keep_off, &u);
	victims_close(&v);
}

static int user_is_job(void *object, void *arg)
{
	return object == arg;
}

static int user_note(void *object, void *arg)
{
	job_record_t *job = object;
	struct users *u = arg;
	struct job_nodes has;

	if (!job_table_nodes_of(job, &has) || !user_counts(u, job, &has) ||
	    !bit_overlap_any(u->nodes, (bitstr_t *)(uintptr_t)has.nodes))
		return 0;
	if (!victims_include(u->victims, job->job_id)) {
		u->other = job;
	} else if (u->ended) {
		job_record_t *leader = job->het_job_id ?
					       find_job_record(job->het_job_id) :
					       NULL;

		/* the job, or the leader of its heterogeneous job, once */
		if (!*u->ended)
			*u->ended = list_create(NULL);
		if (!leader || leader == job)
			list_append(*u->ended, job);
		else if (!list_find_first(*u->ended, user_is_job, leader))
			list_append(*u->ended, leader);
	}
	return 0;
}

enum place_users victims_of_place(const job_record_t *job, const bitstr_t *place,
				  compat_list candidates, compat_list *ended)
{
	compat_list found = NULL;
	struct victims v;
	struct users u = { .victims = &v,
			   .job = job,
			   .nodes = (bitstr_t *)(uintptr_t)place,
			   .ended = &found };

	victims_open(&v, candidates);
	list_for_each(job_list, user_note, &u);
	victims_close(&v);
	if (u.other || !found) {
		FREE_NULL_LIST(found);
		return u.other ? PLACE_HAS_OTHERS : PLACE_IS_FREE;
	}
	*ended = found;
	return PLACE_HAS_VICTIMS;
}

int victims_check_start(job_record_t *job)
{
	const struct victims none = { 0 };
	struct users u = { .victims = &none,
			   .job = job,
			   .nodes = job->node_bitmap,
			   .shapes_only = !job_request_is_shaped(job) };

	if (!job->node_bitmap)
		return SLURM_SUCCESS;
	list_for_each(job_list, user_note, &u);
	if (!u.other)
		return SLURM_SUCCESS;
	error("torus: %pJ is not started: it would share nodes with %pJ, and a shape has its nodes to itself; please report this",
	      job, u.other);
	return SLURM_ERROR;
}
