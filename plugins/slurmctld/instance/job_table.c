/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job-table sync: the machine state follows Slurm's job table.
 *
 * Before each use of the state, the active jobs (running, suspended, completing)
 * and the idle nodes are hashed. If the hash has changed, the holds are updated:
 *
 *   - a shaped job holds its region until its expected end. Regions that are
 *     still held stay, so that strategies keep what they remember of them;
 *   - every other node in use becomes free when the last job on it ends; nodes
 *     that become free together form one hold of scattered nodes;
 *   - nodes that are not idle though no job is on them (an epilog, a boot) and
 *     those of completing jobs may become free at any moment.
 *
 * The scheduler's mirror of the job table (host_snapshot.c, src/live/) reads the same
 * nodes and ends from job_table_nodes_of(). The two differ in completing jobs:
 *
 *   - here a region ends when its job begins to complete. The state answers
 *     questions about idle nodes, and a node is idle after its epilog;
 *   - in the mirror a job keeps its hold until its last epilog has ended, for
 *     HOST_LINGER seconds at most: a job has one end, which the journal records and
 *     a replay repeats. After that both use the nodes that are still busy.
 *
 * Cost: O(jobs) for the hash; an update O((jobs + nodes) log of these).
 */
#include "torus/placement.h"

#include "live/base/hash.h"
#include "live/base/saturate.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"

#include <stdlib.h>

bool job_table_nodes_of(const job_record_t *job, struct job_nodes *out)
{
	out->completing = IS_JOB_COMPLETING(job);
	if (!out->completing && !IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job))
		return false;
	out->nodes = out->completing ? job->node_bitmap_cg : job->node_bitmap;
	out->end = out->completing ? 0 : job->end_time;
	return true;
}

static int hash_job(void *object, void *arg)
{
	job_record_t *job = object;
	struct job_nodes has;
	uint64_t *hash = arg;

	if (!job_table_nodes_of(job, &has))
		return 0;
	hash_number(hash, job->job_id);
	hash_number(hash, (uint64_t)job->end_time);
	hash_number(hash, (uint64_t)job->job_state << 32 | job->node_cnt);
	if (has.completing && has.nodes)
		hash_number(hash, (uint64_t)bit_set_count(
					  (bitstr_t *)(uintptr_t)has.nodes));
	return 0;
}

/* A shaped job's region in the state, from the last time. */
struct previous_hold {
	uint32_t job;
	uint32_t slot;
	bool valid; /* the region is still the job's */
};

/* An update. */
struct job_table_update {
	struct instance *in;
	struct previous_hold *previous; /* by job */
	uint32_t count;
};

static int by_job(const void *a, const void *b)
{
	const struct previous_hold *x = a, *y = b;

	return x->job < y->job ? -1 : x->job > y->job;
}

/* The job's entry, if it has one; scattered holds belong to no job (0). */
static struct previous_hold *previous_of(const struct job_table_update *u,
					 uint32_t job)
{
	struct previous_hold key = { .job = job };

	return job == 0 ? NULL :
			  bsearch(&key, u->previous, u->count,
				  sizeof(*u->previous), by_job);
}

/* Keep the region if it is still the job's; update its end. */
static int keep_job(void *object, void *arg)
{
	job_record_t *job = object;
	struct job_table_update *u = arg;
	struct instance *in = u->in;
	struct previous_hold *k = previous_of(u, job->job_id);
	const struct torus_hold *hold;
	uint64_t *nodes, *held;
	struct job_nodes has;

	if (!k || !job_table_nodes_of(job, &has) || has.completing || !has.nodes)
		return 0;
	hold = torus_state_hold(in->state, k->slot);
	nodes = torus_scratch_take(&in->scratch);
	held = torus_scratch_take(&in->scratch);
	node_map_from_slurm(&in->map, has.nodes, nodes);
	instance_paint(in, &hold->place, held);
	k->valid = torus_bits_equal(nodes, held, in->machine->words);
	torus_scratch_return(&in->scratch, held);
	torus_scratch_return(&in->scratch, nodes);
	if (k->valid && hold->end_us != seconds_to_us(job->end_time))
		torus_state_set_end(in->state, k->slot,
				    seconds_to_us(job->end_time));
	return 0;
}

/* Note in until[] that the nodes in map are in use until then (seconds). */
static void use_until(struct instance *in, const uint64_t *map, time_t end)
{
	uint32_t words = in->machine->words;
	uint32_t bit = torus_bits_next(map, words, 0);

	while (bit != UINT32_MAX) {
		if (in->until_us[bit] < seconds_to_us(end))
			in->until_us[bit] = seconds_to_us(end);
		bit = torus_bits_next(map, words, bit + 1);
	}
}

/* Hold a shaped job's region; return false if the state refuses it. */
static bool job_table_hold_region(const struct job_table_update *u,
				  job_record_t *job)
{
	const struct previous_hold *k = previous_of(u, job->job_id);
	struct instance *in = u->in;
	struct torus_placement place;

	if (k && k->valid)
		return true;
	if (!job_request_is_shaped(job) ||
	    !recent_places_recognize(in, in->state, job, &place))
		return false;
	return torus_state_commit(in->state, &place, job->job_id, NULL,
				  seconds_to_us(job->start_time),
				  seconds_to_us(job->end_time),
				  NULL) != TORUS_NO_SLOT;
}

static int hold_job(void *object, void *arg)
{
	job_record_t *job = object;
	struct job_table_update *u = arg;
	struct instance *in = u->in;
	struct job_nodes has;
	uint64_t *nodes;

	if (!job_table_nodes_of(job, &has) || !has.nodes ||
	    (!has.completing && job_table_hold_region(u, job)))
		return 0;
	nodes = torus_scratch_take(&in->scratch);
	node_map_from_slurm(&in->map, has.nodes, nodes);
	use_until(in, nodes, has.end);
	torus_scratch_return(&in->scratch, nodes);
	return 0;
}

/* Set until[] of the nodes of regions, too. */
static void note_regions(struct instance *in)
{
	uint64_t *nodes = torus_scratch_take(&in->scratch);

	for (uint32_t k = torus_state_holds(in->state); k-- > 0;) {
		const struct torus_hold *h =
			torus_state_hold(in->state,
					 torus_state_by_end(in->state, k));

		if (h->place.scattered)
			continue;
		instance_paint(in, &h->place, nodes);
		use_until(in, nodes, (time_t)(h->end_us / SECOND_US));
	}
	torus_scratch_return(&in->scratch, nodes);
}

static void check_state(const struct instance *in)
{
#ifdef TORUS_DEBUG
	struct torus_error err;

	torus_error_clear(&err);
	if (!torus_state_check(in->state, &err))
		error("torus: self check: %s", err.text);
#else
	(void)in;
#endif
}

static int job_table_update(struct instance *in, const uint64_t *idle)
{
	const struct torus_untracked untracked = { .until_us = in->until_us };
	struct job_table_update u = { .in = in };
	int rc;
	const struct torus_state *s = in->state;
	uint32_t holds = torus_state_holds(s), words = in->machine->words;
	uint64_t *nodes;

	u.previous = xcalloc(holds + 1, sizeof(*u.previous));
	for (uint32_t k = 0; k < holds; k++) {
		uint32_t slot = torus_state_by_end(s, k);

		u.previous[u.count++] = (struct previous_hold){
			.job = (uint32_t)torus_state_hold(s, slot)->job,
			.slot = slot,
		};
	}
	qsort(u.previous, u.count, sizeof(*u.previous), by_job);
	list_for_each(job_list, keep_job, &u);
	for (uint32_t i = 0; i < u.count; i++) {
		if (!u.previous[i].valid)
			torus_state_release(in->state, u.previous[i].slot, NULL);
	}
	for (uint32_t bit = 0; bit < in->machine->words * 64; bit++)
		in->until_us[bit] = TORUS_NODE_IDLE;
	/* hold every node that is not idle at least for this moment, with or without a
	 * job */
	nodes = torus_scratch_take(&in->scratch);
	torus_bits_copy(nodes, torus_state_free_map(in->empty), words);
	torus_bits_andnot(nodes, idle, words);
	use_until(in, nodes, 0);
	torus_scratch_return(&in->scratch, nodes);
	list_for_each(job_list, hold_job, &u);
	xfree(u.previous);
	rc = torus_state_hold_until(in->state, &untracked);
	if (rc)
		error("torus: out of memory while reading the job table");
	else
		note_regions(in);
	check_state(in);
	return rc;
}

int job_table_sync(struct instance *in)
{
	uint64_t *idle = torus_scratch_take(&in->scratch), hash;
	int rc = 0;

	node_map_from_slurm(&in->map, idle_node_bitmap, idle);
	hash = hash_map(idle, in->machine->words);
	list_for_each(job_list, hash_job, &hash);
	if (in->stale || hash != in->job_table_hash) {
		rc = job_table_update(in, idle);
		in->job_table_hash = hash;
		in->stale = rc != 0;
	}
	torus_scratch_return(&in->scratch, idle);
	return rc;
}
