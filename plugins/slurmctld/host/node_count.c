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
#include "torus_build.h" /* before Slurm's config.h */
#include "slurmctld/instance/job_request.h"
#include "slurmctld/api.h"

#include "live/hash.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/node_count.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/limits.h"

#define COUNTS 1024 /* a power of two */
#define COUNT_PLACES 8
#define COUNT_PARTITIONS 64 /* a power of two */

/* Slurm's job write lock protects it. */
static struct {
	time_t since; /* Slurm's time of change of partitions */
	struct node_count {
		uint64_t key; /* 0: unused */
		uint32_t nodes;
	} count[COUNTS];
	bool promises; /* the discipline promises starts */
	struct part_least {
		const part_record_t *part;
		time_t since;
		struct node_minimum of;
	} least[COUNT_PARTITIONS];
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

/* Return what each node of the partition has at least. */
static const struct node_minimum *count_part_least(const part_record_t *part)
{
	struct part_least *p =
		&counts.least[((uintptr_t)part >> 6) & (COUNT_PARTITIONS - 1)];

	if (p->part != part || p->since != last_part_update)
		*p = (struct part_least){
			part,
			last_part_update,
			limits_node_minimum(part->node_bitmap),
		};
	return &p->of;
}

/* Return true if the memory of a node may be too little for all its CPUs. */
static bool lacks_memory(const compat_details *d, const struct node_minimum *p)
{
	return (d->pn_min_memory & MEM_PER_CPU) &&
	       (d->pn_min_memory & ~MEM_PER_CPU) * p->cpus > p->memory;
}

static uint32_t count_rounded_up(uint32_t n, uint32_t each)
{
	return n / each + (n % each > 0);
}

/* Return the least number of nodes that hold its CPUs and tasks on any nodes of
 * the partition; UINT32_MAX: unknown. */
static uint32_t count_holding(const job_record_t *job, const part_record_t *part)
{
	const compat_details *d = job->details;
	const multi_core_data_t *mc = d->mc_ptr;
	const struct node_minimum *p;
	uint32_t cpus, n;

	if (d->min_cpus <= d->min_nodes)
		return d->min_nodes;
	p = count_part_least(part);
	cpus = p->cpus;
	if (lacks_memory(d, p) || job->tres_per_job || job->tres_per_task ||
	    (mc && (host_is_asked(mc->ntasks_per_board) ||
		    host_is_asked(mc->ntasks_per_socket) ||
		    host_is_asked(mc->ntasks_per_core))))
		return UINT32_MAX;
	/* select/linear adds up CPUs, select/cons_tres tasks */
	if (wraps_cons_tres() && host_is_asked(d->cpus_per_task))
		cpus -= cpus % d->cpus_per_task;
	if (cpus == 0)
		return UINT32_MAX;
	n = count_rounded_up(d->min_cpus, cpus);
	if (host_is_asked(d->ntasks_per_node) &&
	    n < count_rounded_up(d->num_tasks, d->ntasks_per_node))
		n = count_rounded_up(d->num_tasks, d->ntasks_per_node);
	return n > d->min_nodes ? n : d->min_nodes;
}

/* Slurm chooses the number itself if it is unknown how many nodes hold the job's
 * tasks. */
bool job_class_takes_range(const job_record_t *job, const part_record_t *part)
{
	const compat_details *d = job->details;

	return d->max_nodes > d->min_nodes &&
	       !(job->bit_flags & USE_MIN_NODES) &&
	       !job_request_is_shaped(job) &&
	       count_holding(job, part) <= d->max_nodes;
}

/* Return the least number of nodes that it takes there; with a fixed number that
 * one. */
static uint32_t count_least(const job_record_t *job, const part_record_t *part,
			    uint32_t most)
{
	uint32_t least;

	if (!job_class_takes_range(job, part))
		return most;
	least = count_holding(job, part);
	if (least < part->min_nodes)
		least = part->min_nodes;
	if (least == 0) /* -N0-2 without job_submit/torus */
		least = 1;
	return least < most ? least : most;
}

/* Return how many nodes are idle there. */
static uint32_t count_idle(const job_record_t *job, const part_record_t *part)
{
	bitstr_t *idle = bit_copy(part->node_bitmap);
	uint32_t n;

	bit_and(idle, idle_node_bitmap);
	bit_and(idle, avail_node_bitmap);
	if (job->details->exc_node_bitmap)
		bit_and_not(idle, job->details->exc_node_bitmap);
	n = (uint32_t)bit_set_count(idle);
	bit_free(idle);
	return n;
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

	if (counts.promises || least == most ||
	    most - least < TORUS_MAX_ALTERNATIVES)
		return most;
	n = count_idle(job, part);
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

static uint32_t count_qos_flags(const job_record_t *job)
{
	assoc_mgr_lock_t locks = { .qos = READ_LOCK };
	uint32_t flags;

	assoc_mgr_lock(&locks);
	flags = job->qos_ptr ? job->qos_ptr->flags : 0;
	assoc_mgr_unlock(&locks);
	return flags;
}

/* Return what select_nodes() would choose there if all nodes were idle; 0: none. */
static uint32_t count_ask(job_record_t *job, part_record_t *part)
{
	uint32_t min, target, max, n = 0;
	bitstr_t *nodes;

	if (get_node_cnts(job, count_qos_flags(job), part, &min, &target, &max))
		return 0;
	nodes = allowed_nodes_filter(job, part);
	if (nodes &&
	    host_test_only(job, nodes, min, target, max) == SLURM_SUCCESS)
		n = (uint32_t)bit_set_count(nodes);
	FREE_NULL_BITMAP(nodes);
	return n;
}

void allowed_nodes_ask_count(job_record_t *job, part_record_t *part)
{
	struct node_count *c;
	uint64_t key;

	if (!names_several(job))
		return;
	if (counts.since != last_part_update) {
		memset(counts.count, 0, sizeof(counts.count));
		counts.since = last_part_update;
	}
	key = count_key(job, part);
	c = count_place(key);
	if (c && c->key == 0)
		*c = (struct node_count){ key, count_ask(job, part) };
}

int host_test_only(job_record_t *job, bitstr_t *nodes, uint32_t min,
		   uint32_t target, uint32_t max)
{
	int rc;

	instance_bypass(true);
	rc = compat_test_only(job, nodes, min, target, max);
	instance_bypass(false);
	return rc;
}
