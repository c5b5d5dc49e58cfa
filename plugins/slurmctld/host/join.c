/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that share nodes, by the rules of stock Slurm: which jobs do, and the start of
 * one on nodes where others run (live/sharing.c chooses these nodes). Slurm's
 * select_nodes() decides; the wrapped plugin sees no other nodes.
 *
 * Cost: a select_nodes() per question. After a refusal no job of that class and
 * limit is tried again in the cycle on the same set of nodes; after MISSES refusals
 * no job at all, until more nodes are shared or the next cycle.
 */
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/commit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"

/* Return true if jobs of this class and limit cannot start beside others now.
 * If `note` is set and nothing is known, record that they cannot. */
static bool join_missed(struct host *h, uint64_t class,
			const struct cycle_guest *g, bool note)
{
	if (h->miss_stamp != g->stamp)
		h->misses = 0;
	h->miss_stamp = g->stamp;
	for (uint32_t i = 0; i < h->misses; i++) {
		if (h->miss[i].class == class &&
		    h->miss[i].limit_us == g->limit_us)
			return true;
	}
	if (note && h->misses < HOST_MISSES)
		h->miss[h->misses++] = (struct miss){ class, g->limit_us };
	return h->misses == HOST_MISSES;
}

/* Start the job beside others. If it does not start, restore its reason. */
static bool join_start(struct host *h, job_record_t *job,
		       struct start_order *order)
{
	uint32_t reason = (uint32_t)job->state_reason;
	char *desc = xstrdup(job->state_desc);
	time_t update = last_job_update;
	const uint64_t *unfit;
	bool started;

	started = commit_start(h, job, order, &unfit) == CYCLE_STARTED;
	if (!started && IS_JOB_PENDING(job)) {
		job->state_reason = reason;
		xfree(job->state_desc);
		job->state_desc = desc;
		desc = NULL;
		last_job_update = update;
	}
	xfree(desc);
	return started;
}

static bool start_beside(struct host *h, struct cycle_guest *g,
			 job_record_t *job, const part_record_t *part)
{
	struct start_order order = { .job = job->job_id,
				     .anywhere = true,
				     .shared = true };
	uint32_t least = job->details->min_nodes;
	bool started = false;

	torus_bits_copy(h->joined, g->nodes, h->words);
	claims_exclude(&h->claims, 0, NULL, NULL, h->joined);
	order.nodes = bit_alloc(node_record_count);
	node_map_to_slurm(&h->map, h->joined, order.nodes);
	bit_and(order.nodes, part->node_bitmap);
	if ((uint32_t)bit_set_count(order.nodes) >= (least ? least : 1))
		started = join_start(h, job, &order);
	bit_free(order.nodes);
	if (!started || !job->node_bitmap)
		return started;
	node_map_from_slurm(&h->map, job->node_bitmap, h->joined);
	g->got = h->joined;
	g->end_us = seconds_to_us(job->end_time);
	return true;
}

bool join_beside(void *arg, struct cycle_guest *g)
{
	struct host *h = arg;
	job_record_t *job = find_job_record(g->name.job);
	part_record_t *part = job && IS_JOB_PENDING(job) && job->details ?
				      pending_job_partition(job, g->name.part) :
				      NULL;
	const struct allowed_class *class;
	uint64_t key;

	if (!part || !commit_is_possible() || !commit_has_machine(h) ||
	    g->count < job->details->min_nodes ||
	    pending_job_key(job, part) !=
		    (g->key & ~(uint64_t)HOST_KEY_ALTERNATIVES))
		return false;
	class = allowed_nodes_class(h, job, part);
	if (!class || class->none)
		return false;
	key = class->key;
	job_class_hash(&key, job);
	if (join_missed(h, key, g, false) ||
	    !pending_job_prepare(job, part, g->name.part))
		return false;
	job->part_ptr = part;
	if (start_beside(h, g, job, part))
		return true;
	join_missed(h, key, g, true);
	return false;
}
