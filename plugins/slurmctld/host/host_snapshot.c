/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot of slurmctld's tables for the cycle: the jobs that have nodes and the
 * nodes in one lock hold, then the pending jobs in as many lock holds as needed.
 * Between them jobs may end or be cancelled; commit.c checks each order again.
 *
 * The nodes are in node_use.c. A completing job keeps all its nodes until
 * its last epilog has ended, but at most HOST_LINGER seconds; after that only those
 * that are still busy.
 */
#include "live/mirror/mirror.h"
#include "live/sharing.h"
#include "live/promises/promises.h"
#include "live/orders.h"
#include "slurmctld/host/preempt.h"
#include "slurmctld/host/commit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"

#include "live/base/hash.h"

#include "torus/alloc.h"

#define REGISTER_S 5
#define AWAIT_POLL_US INT64_C(200000)
#define NO_MEMORY_US INT64_C(1000000) /* until the next try */
#define LINKS_LOOK_US                                                          \
	INT64_C(5000000) /* between two checks of the links files */

/* Jobs with nodes */

static void note_busy(struct host *h, const bitstr_t *nodes, int64_t end_us)
{
	uint64_t *map = torus_scratch_take(&h->scratch);

	node_map_from_slurm(&h->map, nodes, map);
	untracked_add(h->cycle, map, end_us);
	torus_scratch_return(&h->scratch, map);
}

/* A job that the cycle does not know. -1 with ENOMEM. */
static int note_running(struct host *h, job_record_t *job, int64_t end_us)
{
	struct cycle_running_job use = {
		.job = job->job_id,
		.start_us = seconds_to_us(job->start_time),
		.end_us = end_us,
		.shares = pending_job_shares(job, job->part_ptr),
	};
	struct torus_placement place;
	struct instance *in;
	uint64_t *nodes;
	int rc;

	if (!job->node_bitmap)
		return 0;
	use.owner = pending_job_owner(h, job);
	use.nodes = nodes = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, job->node_bitmap, nodes);
	if (job_request_is_shaped(job)) {
		in = instance_lock();
		if (in && in->configuration->number == h->configuration_used &&
		    recent_places_recognize(in, in->empty, job, &place))
			use.place = &place;
		instance_unlock();
	}
	rc = running_add(h->cycle, &use);
	torus_scratch_return(&h->scratch, nodes);
	return rc;
}

/* Nobody knows how long an epilog takes. Expect that it takes as long again as it has
 * taken, in powers of two, so that the time changes seldom: if it were expected to end
 * at any moment, the queue's head would wait for it with a start in this minute, and
 * keep every other job from starting. */
static int64_t completing_until(struct host *h, const job_record_t *job)
{
	int64_t until_us = seconds_to_us(
		seconds_doubled(job->end_time, HOST_LINGER, h->snapshot_time));

	agent_wake_at(h->self, until_us);
	return until_us;
}

/* See claims_until(). */
static bool claimed_until(struct host *h, const struct job_nodes *has,
			  int64_t *end_us)
{
	uint64_t *nodes;
	bool whole;

	if (!has->nodes || !claims_any(&h->claims))
		return true;
	nodes = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, has->nodes, nodes);
	whole = claims_until(&h->claims, nodes, end_us);
	torus_scratch_return(&h->scratch, nodes);
	return whole;
}

/* A job with nodes; see job_table.c for completing ones. */
static int note_active(struct host *h, job_record_t *job,
		       const struct job_nodes *has)
{
	int64_t end_us = seconds_to_us(job->end_time);
	bool whole = claimed_until(h, has, &end_us);

	if (pending_job_shares(job, job->part_ptr)) {
		hash_number(&h->sharers, job->job_id);
		hash_number(&h->sharers, job->node_cnt);
		hash_number(&h->sharers, has->completing);
		/* it may give memory back */
		hash_number(&h->sharers,
			    job->tres_alloc_cnt ?
				    job->tres_alloc_cnt[TRES_ARRAY_MEM] :
				    0);
	}
	h->completing += has->completing;
	if (has->completing &&
	    seconds_sum(job->end_time, HOST_LINGER) >= h->snapshot_time &&
	    running_completing(h->cycle, job->job_id,
			       seconds_to_us(job->start_time))) {
		agent_wake_at(h->self,
			      seconds_to_us(seconds_sum(job->end_time,
							HOST_LINGER + 1)));
		return 0;
	}
	if (has->completing) {
		if (has->nodes)
			note_busy(h, has->nodes, completing_until(h, job));
		return 0;
	}
	if (!whole && !pending_job_shares(job, job->part_ptr)) {
		/* one hold has one end: claims_withhold() sets the other */
		note_busy(h, has->nodes, end_us);
		return 0;
	}
	return running_unchanged(h->cycle, job->job_id, job->node_cnt,
				 seconds_to_us(job->start_time), end_us) ?
		       0 :
		       note_running(h, job, end_us);
}

/*
 * Promises of before a restart are restored on nodes that have not registered yet:
 * wait until they have, for REGISTER_S seconds at most.
 */
static bool promises_wait(struct host *h, struct agent *a)
{
	time_t now = time(NULL);

	if (!h->promises.data || !saved_promises_any(h->promises.data)) {
		h->await_until = 0;
		return false;
	}
	if (!h->await_until)
		h->await_until = now + REGISTER_S;
	for (int i = 0; now < h->await_until && i < node_record_count; i++) {
		if (!node_record_table_ptr[i] ||
		    !node_use_is_silent(node_record_table_ptr[i]))
			continue;
		agent_wake_at(a, agent_now(a) + AWAIT_POLL_US);
		return true;
	}
	return false;
}

/* Pending jobs */

static int is_correspondent(void *object, void *arg)
{
	const depend_spec_t *depend = object;

	(void)arg;
	return depend->depend_type == SLURM_DEPEND_AFTER_CORRESPOND;
}

static int add_pending(void *object, void *arg)
{
	const job_record_t *job = object;
	struct host *h = arg;

	if (IS_JOB_PENDING(job) && h->id_count < h->id_room)
		h->ids[h->id_count++] = job->job_id;
	return 0;
}

/* Array tasks that depend on those of another array (aftercorr) must be jobs of their
 * own. Slurm's function that lists its queue splits them. */
static int split_arrays(struct host *h)
{
	compat_list queue = build_job_queue(false, false);

	FREE_NULL_LIST(queue);
	if (TORUS_GROW(h->ids, h->id_room, (size_t)list_count(job_list)))
		return -1;
	h->id_count = 0;
	list_for_each(job_list, add_pending, h);
	return 0;
}

/* Visit all jobs once: a long queue does not fit the processor's caches. -1 with
 * ENOMEM, which ends list_for_each(). */
static int note_job(void *object, void *arg)
{
	job_record_t *job = object;
	struct host *h = arg;
	struct job_nodes has;

	pending_job_name_task(h, job);
	if (job_table_nodes_of(job, &has) && note_active(h, job, &has))
		return -1;
	if (!IS_JOB_PENDING(job))
		return 0;
	h->by_task |= job->array_recs && job->details &&
		      job->array_task_id == NO_VAL &&
		      job->details->depend_list &&
		      list_find_first(job->details->depend_list,
				      is_correspondent, NULL);
	qos_rank_note(&h->qos_ranks, job);
	return add_pending(job, h);
}

static int note_jobs(struct host *h)
{
	if (TORUS_GROW(h->ids, h->id_room, (size_t)list_count(job_list)))
		return -1;
	h->completing = 0;
	h->id_count = 0;
	h->by_task = false;
	h->sharers = HASH_START;
	h->misses = 0;
	qos_rank_begin(&h->qos_ranks);
	if (list_for_each(job_list, note_job, h) < 0)
		return -1;
	qos_rank_settle(&h->qos_ranks);
	sharing_set_hash(h->cycle, h->sharers);
	return h->by_task && !h->dry_run ? split_arrays(h) : 0;
}

/* Return the first second at which it must miss its deadline; as deadline_ok(). */
static time_t late_at(const job_record_t *job)
{
	uint32_t minutes = job->time_min;

	if (minutes == 0 || minutes == NO_VAL)
		minutes = job->time_limit;
	if (minutes == NO_VAL || minutes == INFINITE)
		minutes = 0;
	return seconds_sum(job->deadline, 1 - minutes * INT64_C(60));
}

/* Wake at a job's begin time, and when it must miss its deadline: Slurm then cancels
 * it, but only when its record is tested. */
static void wake_for(struct agent *a, const job_record_t *job)
{
	time_t now = time(NULL);

	if (job->details && job->details->begin_time > now)
		agent_wake_at(a, seconds_to_us(job->details->begin_time));
	if (job->deadline && job->deadline != NO_VAL && late_at(job) > now)
		agent_wake_at(a, seconds_to_us(late_at(job)));
}

static int note_pending(struct host *h, struct agent *a)
{
	int rc = 0;

	for (uint32_t i = 0; i < h->id_count && rc == 0 && !agent_stopping(a);
	     i++) {
		job_record_t *job;

		agent_yield_locks(a); /* one job may take SEARCH_US */
		job = find_job_record(h->ids[i]);
		if (!job || !IS_JOB_PENDING(job))
			continue;
		rc = h->dry_run ? pending_dry_run(h, job) :
				  pending_submit(h, job);
		wake_for(a, job);
	}
	return rc;
}

/* Return true, without a cycle, if the dry run has ended: torus.yaml does not
 * set it. */
static bool host_snapshot_dry_run_ended(struct host *h)
{
	bool ended;

	if (!h->dry_run)
		return false;
	ended = !instance_is_dry_run(instance_lock());
	instance_unlock();
	if (ended)
		cycle_setup_drop(h);
	return ended;
}

static bool snapshot_is_ready(struct host *h, struct agent *a)
{
	struct instance *in;
	bool ready;

	if (!commit_is_possible() || host_snapshot_dry_run_ended(h))
		return false;
	in = instance_lock();
	instance_links_reread();
	ready = cycle_setup_begin(h, in);
	if (ready)
		ready = cycle_set_weights(h->cycle,
					  instance_weights_read(in)) == 0;
	if (ready && instance_links_any(in)) {
		ready = cycle_set_links(h->cycle, &in->links) == 0;
		agent_wake_at(a, agent_now(a) + LINKS_LOOK_US);
	}
	instance_unlock();
	return ready;
}

static void snapshot_begin(struct host *h, struct agent *a)
{
	cycle_begin(h->cycle, agent_now(a));
	memset(h->allowed_classes, 0, sizeof(h->allowed_classes));
}

/* Out of memory: a job that the snapshot lacks would count as ended or withdrawn, and
 * lose its promise. Keep what the cycle has, and try again soon. */
static struct cycle *snapshot_incomplete(struct host *h)
{
	if (!h->no_memory)
		error("sched/torus: out of memory: no job is started for now");
	h->no_memory = true;
	agent_wake_at(h->self, agent_now(h->self) + NO_MEMORY_US);
	return NULL;
}

struct cycle *host_snapshot_take(void *arg, struct agent *a)
{
	struct host *h = arg;

	h->self = a;
	agent_step(a, "nodes that were cleared");
	if (!snapshot_is_ready(h, a) ||
	    (preempt_serve_claims(h, a) && !snapshot_is_ready(h, a)))
		return NULL;
	/* (the setup of a cycle takes milliseconds) */
	if (agent_yield_locks(a) && !snapshot_is_ready(h, a))
		return NULL;
	if (promises_wait(h, a))
		return NULL;
	agent_step(a, "preemption");
	snapshot_begin(h, a);
	if (preempt_early(h, a)) {
		if (!snapshot_is_ready(h, a))
			return NULL;
		snapshot_begin(h, a);
	}
	agent_step(a, "running jobs and nodes");
	h->job_update = last_job_update;
	h->node_update = last_node_update;
	h->part_update = last_part_update;
	h->resv_update = last_resv_update;
	h->snapshot_time = time(NULL);
	h->is_private = slurm_conf.private_data & HOST_PRIVATE_DATA;
	if (note_jobs(h) || node_use_note(h))
		return snapshot_incomplete(h);
	claims_withhold(&h->claims, h->cycle);
	agent_step(a, "pending jobs");
	agent_yield_locks(a);
	if (note_pending(h, a))
		return snapshot_incomplete(h);
	h->no_memory = false;
	return agent_stopping(a) ? NULL : h->cycle;
}
