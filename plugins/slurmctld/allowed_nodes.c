/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes a pending job may use, free or not: its partition, those of
 * the reservation that it names, -x, features, owners; and where it asks for
 * more than nodes (memory, GRES...), what the wrapped select plugin would take.
 * All of it by Slurm's own functions. When it must keep out of some of them,
 * reservations.c says.
 *
 * Most jobs of a queue may use the same nodes. What is asked for is summed up
 * in a hash, and each such class is worked out once per snapshot.
 *
 * With -w a job without a shape has as many nodes as it wants: one choice. For a
 * shape the cycle chooses the place, without Slurm's locks (live/required.c).
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "live/hash.h"
#include "slurmctld/fit.h"
#include "slurmctld/host.h"

#define CLASS_PLACES 8

static bool is_requested(uint16_t n)
{
	return n && n != NO_VAL16 && n != INFINITE16;
}

/* For sockets, cores or threads: sbatch fills these in for every job, mostly
 * with "nothing asked for". */
static bool asks_cores(const compat_details *d)
{
	const multi_core_data_t *mc = d->mc_ptr;

	return is_requested(d->core_spec) ||
	       (mc && (is_requested(mc->boards_per_node) ||
		       is_requested(mc->sockets_per_board) ||
		       is_requested(mc->sockets_per_node) ||
		       is_requested(mc->cores_per_socket) ||
		       is_requested(mc->threads_per_core) ||
		       is_requested(mc->ntasks_per_board) ||
		       is_requested(mc->ntasks_per_socket) ||
		       is_requested(mc->ntasks_per_core)));
}

/* More of each node than to be there: then the wrapped plugin is asked, too. */
static bool is_picky(const job_record_t *job)
{
	const compat_details *d = job->details;

	return fit_is_known(job) &&
	       (job->gres_list_req || d->pn_min_cpus > 1 ||
		(d->pn_min_memory & ~MEM_PER_CPU) || d->pn_min_tmp_disk ||
		d->cpus_per_task > 1 || d->ntasks_per_node > 1 || asks_cores(d));
}

/* What it asks for of each node (fit.h). */
static void hash_picky(uint64_t *h, const job_record_t *job)
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

static bool is_shaped(const job_record_t *job)
{
	return job_request_is_shaped(job->spank_job_env,
				     job->spank_job_env_size);
}

static uint64_t class_key(const job_record_t *job, const part_record_t *part)
{
	const compat_details *d = job->details;
	uint64_t h = HASH_START;

	hash_text(&h, part->name);
	hash_text(&h, job->resv_name);
	hash_text(&h, d->features);
	if (d->features && strchr(d->features, '['))
		hash_number(&h, d->min_nodes); /* host_keep_one_feature() */
	hash_text(&h, d->exc_nodes);
	hash_text(&h, job->mcs_label);
	hash_number(&h, d->whole_node);
	host_hash_reserved(&h, job, part);
	if (d->req_node_bitmap && is_shaped(job))
		hash_text(&h, d->req_nodes);
	else if (d->req_node_bitmap)
		hash_number(&h, job->job_id); /* a class of its own */
	if (is_picky(job))
		hash_picky(&h, job);
	return h;
}

/* Without those that the wrapped plugin would not take even if idle. */
static void allowed_nodes_keep_fit(job_record_t *job, bitstr_t *nodes)
{
	uint32_t most = (uint32_t)bit_set_count(nodes);
	struct fit hidden;
	bitstr_t *fit;

	if (most == 0)
		return;
	fit = bit_copy(nodes);
	fit_begin(job, &hidden);
	instance_lock();
	instance_bypass(true);
	instance_unlock();
	if (compat_test_only(job, fit, 1, most) == SLURM_SUCCESS)
		bit_and(nodes, fit);
	instance_lock();
	instance_bypass(false);
	instance_unlock();
	fit_end(job, &hidden);
	bit_free(fit);
}

/* -w of a job without a shape: nodes beside the required ones, first those that
 * are idle and not reserved (`open`; NULL: all are reserved). */
static void keep_required(const job_record_t *job, bitstr_t *open,
			  bitstr_t *nodes)
{
	bitstr_t *required = job->details->req_node_bitmap;
	uint32_t want = job->details->min_nodes;
	uint32_t have = (uint32_t)bit_set_count(required);
	bitstr_t *keep = bit_copy(required);

	for (int care = 2; care >= 0; care--) {
		for (bitoff_t i = 0; i < bit_size(nodes) && have < want; i++) {
			if (!bit_test(nodes, i) || bit_test(keep, i) ||
			    (care > 0 && (!open || !bit_test(open, i))) ||
			    (care > 1 && !bit_test(idle_node_bitmap, i)))
				continue;
			bit_set(keep, i);
			have++;
		}
	}
	bit_and(nodes, keep);
	bit_free(keep);
}

/* -w without a shape: one choice, rather among what is not reserved. */
static void keep_with(job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *open = compat_unreserved(job, time(NULL));

	if (open)
		bit_and(open, nodes);
	keep_required(job, open, nodes);
	FREE_NULL_BITMAP(open);
}

/* The nodes, or NULL: none. */
static bitstr_t *work_out(job_record_t *job, part_record_t *part)
{
	bitstr_t *required = job->details->req_node_bitmap;
	bitstr_t *nodes = bit_copy(part->node_bitmap);
	bool special = false;

	host_keep_own(job, nodes);
	if (job->details->exc_node_bitmap)
		bit_and_not(nodes, job->details->exc_node_bitmap);
	filter_by_node_owner(job, nodes);
	filter_by_node_mcs(job, slurm_mcs_get_select(job), nodes);
	set_job_features_use(job->details);
	if (valid_feature_counts(job, false, nodes, &special) ||
	    (required && !bit_super_set(required, nodes))) {
		bit_free(nodes);
		return NULL;
	}
	if (special)
		host_keep_one_feature(job, nodes);
	if (is_picky(job))
		allowed_nodes_keep_fit(job, nodes);
	if (required && !is_shaped(job))
		keep_with(job, nodes);
	return nodes;
}

/* The class of that key, or where it is to be: a free place near to its own;
 * where there is none, its own. */
static struct allowed_class *place_of(struct host *h, uint64_t key)
{
	for (uint64_t i = 0; i < CLASS_PLACES; i++) {
		struct allowed_class *class =
			&h->allowed_classes[(key + i) &
					    (HOST_ALLOWED_CLASSES - 1)];

		if (class->key == key || class->key == 0)
			return class;
	}
	return &h->allowed_classes[key & (HOST_ALLOWED_CLASSES - 1)];
}

/* -w of a shape. 0, or -1 with ENOMEM. */
static int class_require(struct host *h, const job_record_t *job,
			 struct allowed_class *class)
{
	const bitstr_t *required = job->details->req_node_bitmap;
	uint64_t *map;
	int rc;

	if (!required || !is_shaped(job))
		return 0;
	map = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, required, map);
	if (torus_bits_count(map, h->words) <
	    (uint32_t)bit_set_count((bitstr_t *)(uintptr_t)required))
		class->outside = class->none = true; /* some are in no torus */
	rc = cycle_node_set(h->cycle, map, &class->required);
	torus_scratch_return(&h->scratch, map);
	return rc;
}

const struct allowed_class *host_allowed_class(struct host *h, job_record_t *job,
					       part_record_t *part)
{
	uint64_t key = class_key(job, part);
	struct allowed_class *class = place_of(h, key);
	bitstr_t *nodes;
	uint64_t *map;
	int rc;

	if (class->key == key)
		return class;
	nodes = work_out(job, part);
	*class = (struct allowed_class){ .key = key };
	class->none = !nodes || bit_ffs(nodes) < 0;
	if (class->none) {
		FREE_NULL_BITMAP(nodes);
		return class;
	}
	map = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, nodes, map);
	class->least_cpus = host_least_cpus(nodes);
	bit_free(nodes);
	class->outside = class->none = torus_bits_count(map, h->words) == 0;
	rc = class->none ? 0 : cycle_node_set(h->cycle, map, &class->allowed);
	if (rc == 0 && !class->none)
		rc = host_outages(h, job, part, map, &class->outages);
	if (rc == 0 && !class->none)
		rc = class_require(h, job, class);
	torus_scratch_return(&h->scratch, map);
	if (rc)
		class->key = 0;
	return rc ? NULL : class;
}
