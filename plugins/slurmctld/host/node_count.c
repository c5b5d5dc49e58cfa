/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many nodes Slurm would give a job without a shape. At submission Slurm notes its
 * answer for one of the job's partitions (node_cnt_wag). Partitions differ in limits and
 * nodes, so the wrapped plugin is asked again for each partition of a job that names
 * several.
 *
 * A job of a range (-N2-4) takes what is idle, as under stock Slurm. Its request has an
 * alternative for each number, the largest first, so that it is the same request whatever
 * is idle, and keeps its promise. If there are too few alternatives, the numbers are
 * spread over the range; there the largest is the number of idle nodes, unless the
 * discipline promises starts.
 *
 * Answers are kept, by kind of request, until a partition changes; beyond COUNTS kinds
 * the others keep Slurm's number. Cost: a TEST_ONLY for each kind and partition.
 */
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"

#include "live/base/hash.h"

#define COUNTS 1024 /* a power of two */
#define COUNT_PLACES 8

/* Slurm's job write lock protects it. */
static struct {
	time_t since; /* Slurm's time of change of partitions */
	struct node_count {
		uint64_t key; /* 0: unused */
		uint32_t nodes;
	} count[COUNTS];
	bool promises; /* the discipline promises starts */
} counts;

void node_count_note_promises(bool promises)
{
	counts.promises = promises;
}

static bool names_several(const job_record_t *job)
{
	return job->part_ptr_list && list_count(job->part_ptr_list) > 1 &&
	       !job_request_is_shaped(job);
}

static uint64_t count_key(const job_record_t *job, const part_record_t *part)
{
	uint64_t h = job_class_key(job, part);

	job_class_hash(&h, job);
	return h;
}

/* Return the entry of that key, or a free one for it; NULL: there is none. */
static struct node_count *count_place(uint64_t key)
{
	for (uint64_t i = 0; i < COUNT_PLACES; i++) {
		struct node_count *c = &counts.count[(key + i) & (COUNTS - 1)];

		if (c->key == key || c->key == 0)
			return c;
	}
	return NULL;
}

/* Return the answer, or NULL if the plugin was not asked yet. */
static const struct node_count *count_find(const job_record_t *job,
					   const part_record_t *part)
{
	const struct node_count *c = NULL;

	if (names_several(job))
		c = count_place(count_key(job, part));
	return c && c->key ? c : NULL;
}

/* Return Slurm's own number, which is for one of its partitions. */
static uint32_t count_of_slurm(const job_record_t *job)
{
	uint32_t min = job->details->min_nodes, nodes = job->node_cnt_wag;

	if (nodes < min)
		nodes = min;
	if (job->details->max_nodes && nodes > job->details->max_nodes)
		nodes = job->details->max_nodes;
	return nodes ? nodes : 1;
}

/* Return the least number of nodes that it takes there; with a fixed number that
 * one. */
static uint32_t count_least(const job_record_t *job, const part_record_t *part,
			    uint32_t most)
{
	uint32_t least;

	if (!job_class_takes_range(job, part))
		return most;
	least = job_class_nodes_holding(job, part);
	if (least < part->min_nodes)
		least = part->min_nodes;
	if (least == 0) /* -N0-2 without job_submit/torus */
		least = 1;
	return least < most ? least : most;
}

static uint32_t count_most(const job_record_t *job, const part_record_t *part)
{
	const struct node_count *c = count_find(job, part);

	return c && c->nodes ? c->nodes : count_of_slurm(job);
}

uint32_t node_count_of(const job_record_t *job, const part_record_t *part)
{
	uint32_t most = count_most(job, part), n;
	uint32_t least = count_least(job, part, most);
	bitstr_t *idle;

	if (counts.promises || least == most ||
	    most - least < TORUS_MAX_ALTERNATIVES)
		return most;
	/* as many as are idle there */
	idle = bit_copy(part->node_bitmap);
	bit_and(idle, idle_node_bitmap);
	bit_and(idle, avail_node_bitmap);
	if (job->details->exc_node_bitmap)
		bit_and_not(idle, job->details->exc_node_bitmap);
	n = (uint32_t)bit_set_count(idle);
	bit_free(idle);
	return n >= least && n < most ? n : most;
}

void node_count_hash(uint64_t *hash, const job_record_t *job,
		     const part_record_t *part)
{
	uint32_t most = count_most(job, part);

	hash_number(hash, most);
	hash_number(hash, count_least(job, part, most));
}

uint32_t node_count_idle_mark(const job_record_t *job, const part_record_t *part)
{
	uint32_t n = node_count_of(job, part);

	return n == count_most(job, part) ? 0 : 1 + n % HOST_KEY_ALTERNATIVES;
}

void node_count_request(const job_record_t *job, const part_record_t *part,
			struct torus_request *request)
{
	uint32_t most = node_count_of(job, part);

	torus_request_range(request, count_least(job, part, most), most);
	for (uint32_t k = 0; k < request->alternatives; k++) {
		request->alternative[k].ask.strategy = INSTANCE_ANYWHERE;
		request->alternative[k].ask.anywhere = true;
	}
}

bool node_count_is_none(const job_record_t *job, const part_record_t *part)
{
	const struct node_count *c = count_find(job, part);

	return c && c->nodes == 0;
}

uint32_t *node_count_to_ask(const job_record_t *job, const part_record_t *part)
{
	struct node_count *c;
	uint64_t key;

	if (!names_several(job))
		return NULL;
	if (counts.since != last_part_update) {
		memset(counts.count, 0, sizeof(counts.count));
		counts.since = last_part_update;
	}
	key = count_key(job, part);
	c = count_place(key);
	if (!c || c->key)
		return NULL;
	c->key = key;
	return &c->nodes;
}
