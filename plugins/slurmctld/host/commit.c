/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out an order: starts the job by Slurm's select_nodes() on exactly the
 * order's region, or cancels a job that was not admitted. If the job or the nodes
 * have changed since the pass, nothing is done; the next snapshot shows the
 * change.
 */
#include "live/orders.h"
#include "live/promises/promises.h"
#include "slurmctld/host/commit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/submit/sizes.h"

/* Return the order's job, or NULL if it has changed since the pass. */
static job_record_t *ordered_job(const struct cycle_order *o,
				 part_record_t **part)
{
	job_record_t *job = find_job_record(o->name.job);

	if (!job || !IS_JOB_PENDING(job) || !job->details)
		return NULL;
	*part = pending_job_partition(job, o->name.part);
	return *part ? job : NULL;
}

/* Call select_nodes(), with job_test() restricted to the order's nodes. */
static int commit_select(struct host *h, job_record_t *job,
			 struct start_order *order)
{
	int rc;

	if (fed_mgr_job_lock(job))
		return ESLURM_FED_JOB_LOCK;
	instance_order(order);
	agent_step(h->self, "select_nodes()");
	rc = compat_select_nodes(job);
	agent_step(h->self, "an order");
	instance_order(NULL);
	if (rc == SLURM_SUCCESS)
		fed_mgr_job_start(job, job->start_time);
	else
		fed_mgr_job_unlock(job);
	return rc;
}

/* The select plugin refused them: keep only the unfit ones in the map. */
static const uint64_t *unfit_nodes(struct host *h, struct start_order *order)
{
	uint64_t *fit;

	if (!order->fit)
		return NULL;
	fit = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, order->nodes, h->unfit);
	node_map_from_slurm(&h->map, order->fit, fit);
	torus_bits_andnot(h->unfit, fit, h->words);
	torus_scratch_return(&h->scratch, fit);
	return torus_bits_count(h->unfit, h->words) ? h->unfit : NULL;
}

enum cycle_result commit_start(struct host *h, job_record_t *job,
			       struct start_order *order, const uint64_t **unfit)
{
	struct job_sizes was = sizes_of(job), now = was;
	bool ladder = sizes_vary(job) ||
		      (!order->anywhere && order->count != was.min_nodes);
	int rc;

	if (ladder) {
		now = sizes_for(job, order->count);
		sizes_set(job, &now);
	}
	rc = commit_select(h, job, order);
	if (ladder && rc == SLURM_SUCCESS) {
		job_record_t *rest = job->array_job_id ?
					     find_job_record(job->array_job_id) :
					     NULL;

		/* the other tasks of an array have another record than the started one */
		if (rest && rest != job && IS_JOB_PENDING(rest))
			sizes_set(rest, &was);
	} else if (ladder)
		sizes_set(job, &was);
	if (rc == SLURM_SUCCESS) {
		agent_step(h->self, "launching a job");
		last_job_update = time(NULL);
		info("sched/torus: started %pJ in %s on %s%s", job,
		     job->part_ptr->name, job->nodes,
		     order->shared ? " beside others" : "");
		if (job->batch_flag == 0)
			srun_allocate(job);
		else if (!IS_JOB_CONFIGURING(job))
			launch_job(job);
		rebuild_job_part_list(job);
		return CYCLE_STARTED;
	}
	if (!order->shared)
		verbose("sched/torus: %pJ did not start: %s", job,
			slurm_strerror(rc));
	if (!order->refused)
		return rc == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE ?
			       CYCLE_NEVER :
			       CYCLE_LATER;
	*unfit = unfit_nodes(h, order);
	return CYCLE_UNFIT;
}

bool commit_nodes_are_idle(const bitstr_t *nodes)
{
	bitstr_t *map = (bitstr_t *)(uintptr_t)nodes;

	return bit_super_set(map, idle_node_bitmap) &&
	       bit_super_set(map, avail_node_bitmap);
}

/* Split one task off an array: only this task is rejected; the others may be
 * admitted. The last task is cancelled, since the first ones start first. */
static void split_off(job_record_t *job)
{
	bitstr_t *tasks = job->array_recs ? job->array_recs->task_id_bitmap :
					    NULL;
	bitoff_t last = tasks ? bit_fls(tasks) : -1;

	if (last < 0 || job->array_task_id != NO_VAL)
		return;
	job->array_task_id = (uint32_t)last;
	compat_array_split(job);
}

/* Cancel the job, as Slurm cancels a job whose deadline has passed. */
static enum cycle_result commit_cancel(job_record_t *job, const char *why)
{
	time_t now = time(NULL);

	split_off(job);
	info("sched/torus: %pJ is not admitted and cancelled: %s", job, why);
	last_job_update = now;
	compat_set_state(job, JOB_DEADLINE);
	job->exit_code = 1;
	job->state_reason = FAIL_DEADLINE;
	xfree(job->state_desc);
	job->state_desc = xstrdup(why);
	reason_bound(job->state_desc);
	job->start_time = now;
	job->end_time = now;
	srun_allocate_abort(job);
	job_completion_logger(job, false);
	return CYCLE_STARTED;
}

bool commit_has_machine_of(const struct host *h, const struct instance *in)
{
	return in && in->configuration->number == h->configuration_used &&
	       in->mapped == h->mapped;
}

bool commit_has_machine(const struct host *h)
{
	bool same = commit_has_machine_of(h, instance_lock());

	instance_unlock();
	return same;
}

/* An order that is not carried out is repeated after the next snapshot. */
static enum cycle_result order_postponed(const struct cycle_order *o,
					 const char *why)
{
	const job_record_t *job = find_job_record(o->name.job);

	if (job)
		verbose("sched/torus: %pJ does not start: %s", job, why);
	else
		verbose("sched/torus: JobId=%u does not start: %s", o->name.job,
			why);
	return CYCLE_LATER;
}

/* Start the job, with the order's limit if that is shorter than its own
 * (--time-min). */
static enum cycle_result
start_within(struct host *h, const struct cycle_order *o, job_record_t *job,
	     struct start_order *order, const uint64_t **unfit)
{
	uint32_t minutes = job->time_limit;
	enum cycle_result result;
	job_record_t *rest;

	if (o->limit_us >= limits_time_us(job, job->part_ptr))
		return commit_start(h, job, order, unfit);
	job->time_limit = (uint32_t)(o->limit_us / (60 * SECOND_US));
	result = commit_start(h, job, order, unfit);
	if (result != CYCLE_STARTED) {
		job->time_limit = minutes;
		return result;
	}
	info("sched/torus: time limit of %pJ is %u instead of %u minutes, no less than --time-min, so that it starts now",
	     job, job->time_limit, minutes);
	rest = job->array_job_id ? find_job_record(job->array_job_id) : NULL;
	if (rest && rest != job && IS_JOB_PENDING(rest))
		rest->time_limit = minutes;
	return result;
}

static enum cycle_result start_in(struct host *h, const struct cycle_order *o,
				  job_record_t *job, const uint64_t **unfit)
{
	struct start_order order = { .job = o->name.job, .place = o->place };
	enum cycle_result result;

	set_job_features_use(job->details);
	order.anywhere = !job_request_is_shaped(job);
	order.nodes = bit_alloc(node_record_count);
	order.count = node_map_to_slurm(&h->map, o->nodes, order.nodes);
	if (order.count != o->place.granted ||
	    !commit_nodes_are_idle(order.nodes))
		result = order_postponed(o, "its nodes are no longer idle");
	else if (claims_meet(&h->claims, o->nodes))
		result = order_postponed(
			o, "some of its nodes are being cleared for other jobs");
	else
		result = start_within(h, o, job, &order, unfit);
	if (result == CYCLE_UNFIT && leaks_find(h, job, order.nodes)) {
		node_map_from_slurm(&h->map, order.nodes, h->unfit);
		*unfit = h->unfit;
	}
	bit_free(order.nodes);
	FREE_NULL_BITMAP(order.fit);
	return result;
}

bool commit_is_possible(void)
{
	return !slurmctld_config.shutdown_time &&
	       !slurmctld_config.scheduling_disabled && fed_mgr_sibs_synced() &&
	       job_list && avail_node_bitmap && idle_node_bitmap;
}

enum cycle_result commit_order(void *arg, const struct cycle_order *o,
			       uint32_t *number, const uint64_t **unfit)
{
	enum cycle_result result;
	part_record_t *part = NULL;
	struct host *h = arg;
	job_record_t *job;

	if (!commit_is_possible())
		return order_postponed(o, "slurmctld starts no jobs now");
	if (!commit_has_machine(h))
		return order_postponed(o,
				       "torus.yaml or the nodes have changed");
	job = ordered_job(o, &part);
	if (!job)
		return order_postponed(o,
				       "it is not pending, or its partition was deleted");
	/* (the tests below may change its eligible time) */
	if (pending_job_key(job, part) !=
	    (o->key & ~(uint64_t)HOST_KEY_ALTERNATIVES))
		return order_postponed(o, "the job was changed");
	if (o->reject_reason)
		return commit_cancel(job, o->reject_reason);
	if (!pending_job_prepare(job, part, o->name.part))
		return order_postponed(o,
				       "it now waits for another reason (see its reason)");
	job->part_ptr = part;
	result = start_in(h, o, job, unfit);
	if (result == CYCLE_STARTED) {
		diag_started(o);
		pending_job_name_task(h, job);
	}
	*number = job->job_id;
	return result;
}
