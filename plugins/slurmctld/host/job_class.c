/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pending job asks for besides its number of nodes, as a hash: jobs of one class
 * may use the same nodes. How many nodes hold its CPUs and tasks at least, wherever they
 * are.
 */
#include "live/base/hash.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/fit.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"

#define PARTITIONS 64 /* a power of two */

/* What each node of a partition has at least. Slurm's job write lock protects it. */
static struct part_least {
	const part_record_t *part;
	time_t since; /* Slurm's time of change of partitions */
	struct node_minimum of;
} partitions[PARTITIONS];

/* For sockets, cores or threads: sbatch fills these in for every job, mostly
 * with "nothing asked for". */
static bool job_class_asks_cores(const compat_details *d)
{
	const multi_core_data_t *mc = d->mc_ptr;

	return host_is_asked(d->core_spec) ||
	       (mc && (host_is_asked(mc->boards_per_node) ||
		       host_is_asked(mc->sockets_per_board) ||
		       host_is_asked(mc->sockets_per_node) ||
		       host_is_asked(mc->cores_per_socket) ||
		       host_is_asked(mc->threads_per_core) ||
		       host_is_asked(mc->ntasks_per_board) ||
		       host_is_asked(mc->ntasks_per_socket) ||
		       host_is_asked(mc->ntasks_per_core)));
}

bool job_class_is_picky(const job_record_t *job)
{
	const compat_details *d = job->details;

	return fit_is_known(job) &&
	       (job->gres_list_req || d->pn_min_cpus > 1 ||
		(d->pn_min_memory & ~MEM_PER_CPU) || d->pn_min_tmp_disk ||
		d->cpus_per_task > 1 || d->ntasks_per_node > 1 ||
		job_class_asks_cores(d));
}

/* Hash the resources that the job needs of each node (fit.h). */
static void job_class_hash_picky(uint64_t *h, const job_record_t *job)
{
	const compat_details *d = job->details;

	hash_number(h, d->pn_min_cpus);
	hash_number(h, d->pn_min_memory);
	hash_number(h, d->pn_min_tmp_disk);
	hash_number(h, (uint64_t)d->cpus_per_task << 16 | d->ntasks_per_node);
	hash_number(h, d->core_spec);
	hash_text(h, job->tres_per_node);
	hash_text(h, job->tres_per_socket);
	hash_text(h, job->cpus_per_tres);
	hash_text(h, job->mem_per_tres);
	if (d->mc_ptr)
		hash_bytes(h, d->mc_ptr, sizeof(*d->mc_ptr));
}

/* Return what each node of the partition has at least. */
static const struct node_minimum *job_class_part_least(const part_record_t *part)
{
	struct part_least *p =
		&partitions[((uintptr_t)part >> 6) & (PARTITIONS - 1)];

	if (p->part != part || p->since != last_part_update)
		*p = (struct part_least){
			part,
			last_part_update,
			limits_node_minimum(part->node_bitmap),
		};
	return &p->of;
}

static uint32_t job_class_rounded_up(uint32_t n, uint32_t each)
{
	return n / each + (n % each > 0);
}

uint32_t job_class_nodes_holding(const job_record_t *job,
				 const part_record_t *part)
{
	const compat_details *d = job->details;
	const multi_core_data_t *mc = d->mc_ptr;
	const struct node_minimum *p;
	uint32_t cpus, n;

	if (d->min_cpus <= d->min_nodes)
		return d->min_nodes;
	p = job_class_part_least(part);
	cpus = p->cpus;
	if (((d->pn_min_memory & MEM_PER_CPU) &&
	     (d->pn_min_memory & ~MEM_PER_CPU) * p->cpus > p->memory) ||
	    job->tres_per_job || job->tres_per_task ||
	    (mc && (host_is_asked(mc->ntasks_per_board) ||
		    host_is_asked(mc->ntasks_per_socket) ||
		    host_is_asked(mc->ntasks_per_core))))
		return UINT32_MAX;
	/* select/linear adds up CPUs, select/cons_tres tasks */
	if (wraps_cons_tres() && host_is_asked(d->cpus_per_task))
		cpus -= cpus % d->cpus_per_task;
	if (cpus == 0)
		return UINT32_MAX;
	n = job_class_rounded_up(d->min_cpus, cpus);
	if (host_is_asked(d->ntasks_per_node) &&
	    n < job_class_rounded_up(d->num_tasks, d->ntasks_per_node))
		n = job_class_rounded_up(d->num_tasks, d->ntasks_per_node);
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
	       job_class_nodes_holding(job, part) <= d->max_nodes;
}

bool job_class_is_placed_around(const job_record_t *job,
				const part_record_t *part)
{
	return job->details->req_node_bitmap &&
	       (job_request_is_shaped(job) || job_class_takes_range(job, part));
}

/* Hash what decides how many nodes it needs. */
static void job_class_hash_totals(uint64_t *h, const job_record_t *job)
{
	const compat_details *d = job->details;

	hash_number(h, (uint64_t)d->min_nodes << 32 | d->max_nodes);
	hash_number(h, (uint64_t)d->min_cpus << 32 | d->num_tasks);
	hash_number(h, job->bit_flags & USE_MIN_NODES);
}

void job_class_hash(uint64_t *h, const job_record_t *job)
{
	job_class_hash_totals(h, job);
	job_class_hash_picky(h, job);
	hash_text(h, job->tres_per_job);
	hash_text(h, job->tres_per_task);
	hash_number(h, job->details->contiguous);
}

uint64_t job_class_key(const job_record_t *job, const part_record_t *part)
{
	const compat_details *d = job->details;
	uint64_t h = HASH_START;

	hash_text(&h, part->name);
	hash_text(&h, job->resv_name);
	hash_number(&h, job->resv_name ? job->resv_id : 0);
	hash_text(&h, d->features);
	if (d->features && strchr(d->features, '[')) { /* allowed_nodes.c */
		job_class_hash_totals(&h, job);
		hash_number(&h, job->node_cnt_wag);
	}
	hash_text(&h, d->exc_nodes);
	hash_text(&h, job->mcs_label);
	hash_number(&h, d->whole_node);
	job_reservations_hash(&h, job, part);
	if (job_class_is_placed_around(job, part))
		hash_text(&h, d->req_nodes);
	else if (d->req_node_bitmap)
		hash_number(&h, job->job_id); /* the job has a class of its
						 own */
	if (job_class_is_picky(job))
		job_class_hash_picky(&h, job);
	return h;
}
