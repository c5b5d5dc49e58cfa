/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims: nodes that are being cleared for a pending job (preempt.c). No other job gets
 * them. O(HOST_CLAIMS) bitmaps per question.
 */
#include "live/mirror/mirror.h"
#include "slurmctld/host/claims.h"
#include "slurmctld/host/host.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/node_map.h"

#include "torus/alloc.h"

void claims_drop_one(struct claim *c)
{
	FREE_NULL_BITMAP(c->nodes);
	torus_free(c->regions);
	*c = (struct claim){ 0 };
}

void claims_end(struct host *h, const bitstr_t *nodes)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		struct claim *c = &h->claims[i];

		if (!c->job ||
		    !bit_overlap_any(c->nodes, (bitstr_t *)(uintptr_t)nodes))
			continue;
		info("sched/torus: JobId=%u loses the nodes that were being cleared for it to a job that may preempt it",
		     c->job);
		claims_drop_one(c);
	}
}

/* A look at who leaves a claim's nodes. */
struct clearing {
	const struct claim *c;
	bitstr_t *staying; /* nodes that are not idle, and that nobody leaves */
	time_t end;        /* of the latest grace time */
};

static int claims_note_clearing(void *object, void *arg)
{
	const job_record_t *job = object;
	struct clearing *x = arg;
	struct job_nodes has;

	if (!job_table_nodes_of(job, &has) || !has.nodes ||
	    !bit_overlap_any(x->c->nodes, (bitstr_t *)(uintptr_t)has.nodes) ||
	    (!has.completing && !(job->preempt_time && IS_JOB_RUNNING(job))))
		return 0;
	bit_and_not(x->staying, (bitstr_t *)(uintptr_t)has.nodes);
	if (!has.completing && x->end < job->end_time)
		x->end = job->end_time;
	return 0;
}

/* Return true if a node will not become free: it is down, or drained. */
static bool claims_lost_node(const struct claim *c)
{
	bitoff_t last = bit_fls(c->nodes);

	for (bitoff_t i = bit_ffs(c->nodes); i >= 0 && i <= last; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (bit_test(c->nodes, i) &&
		    (!node || IS_NODE_DOWN(node) || IS_NODE_DRAIN(node) ||
		     IS_NODE_FAIL(node)))
			return true;
	}
	return false;
}

bool claims_is_clearing(const struct claim *c, time_t *end)
{
	struct clearing x = { .c = c, .end = time(NULL) };
	bool any;

	if (claims_lost_node(c))
		return false;
	x.staying = bit_copy(c->nodes);
	bit_and_not(x.staying, idle_node_bitmap);
	any = bit_ffs(x.staying) >= 0;
	bit_and_not(x.staying, cg_node_bitmap);
	list_for_each(job_list, claims_note_clearing, &x);
	any = any && bit_ffs(x.staying) < 0;
	bit_free(x.staying);
	*end = x.end;
	return any;
}

bool claims_has(const struct host *h, uint32_t job)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (h->claims[i].job == job)
			return true;
	}
	return false;
}

/* (The cycle learns of claims with the next snapshot, but plans before it.) */
bool claims_overlap(const struct host *h, const bitstr_t *nodes)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		const struct claim *c = &h->claims[i];

		if (c->job &&
		    bit_overlap_any(c->nodes, (bitstr_t *)(uintptr_t)nodes))
			return true;
	}
	return false;
}

struct claim *claims_unused(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (!h->claims[i].job)
			return &h->claims[i];
	}
	return NULL;
}

bool claims_until(const struct host *h, const bitstr_t *nodes, int64_t *end_us)
{
	bitstr_t *own = (bitstr_t *)(uintptr_t)nodes;
	bool whole = true;

	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		const struct claim *c = &h->claims[i];

		if (!c->job || *end_us >= c->used_until_us ||
		    !bit_overlap_any(c->nodes, own))
			continue;
		if (bit_super_set(own, c->nodes))
			*end_us = c->used_until_us;
		else
			whole = false;
	}
	return whole;
}

void claims_withhold(struct host *h)
{
	uint64_t *nodes = torus_scratch_take(&h->scratch);

	for (uint32_t i = 0; i < HOST_CLAIMS; i++) {
		if (!h->claims[i].job)
			continue;
		node_map_from_slurm(&h->map, h->claims[i].nodes, nodes);
		untracked_add(h->cycle, nodes, h->claims[i].used_until_us);
	}
	torus_scratch_return(&h->scratch, nodes);
}

void claims_drop(struct host *h)
{
	for (uint32_t i = 0; i < HOST_CLAIMS; i++)
		claims_drop_one(&h->claims[i]);
}
