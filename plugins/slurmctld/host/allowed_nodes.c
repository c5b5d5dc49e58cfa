/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes that a pending job may use, idle or not: its partition, its
 * reservation, -x, features, owners; if it asks for more than nodes (memory,
 * GRES...), also the wrapped select plugin's answer. Slurm's own functions decide
 * all of it. job_reservations.c adds the times at which some of the nodes are
 * reserved. Most jobs of a queue may use the same nodes: a hash of the job's
 * constraints names a class, computed once per snapshot.
 *
 * A job with -w that asks for one number of nodes and no shape gets one set of that
 * size. For a shape or a range the cycle chooses the place, without Slurm's locks
 * (live/mirror/required.c).
 */
#include "torus_build.h" /* before Slurm's config.h */
#include "live/mirror/node_sets.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/instance_weights.h"

#include "live/hash.h"
#include "slurmctld/instance/fit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_reservations.h"
#include "slurmctld/host/one_feature.h"
#include "slurmctld/host/node_count.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/limits.h"

#define CLASS_PLACES 8

/* For sockets, cores or threads: sbatch fills these in for every job, mostly
 * with "nothing asked for". */
static bool asks_cores(const compat_details *d)
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

/* Return true if the job needs resources of each node: ask the wrapped plugin. */
static bool is_picky(const job_record_t *job)
{
	const compat_details *d = job->details;

	return fit_is_known(job) &&
	       (job->gres_list_req || d->pn_min_cpus > 1 ||
		(d->pn_min_memory & ~MEM_PER_CPU) || d->pn_min_tmp_disk ||
		d->cpus_per_task > 1 || d->ntasks_per_node > 1 || asks_cores(d));
}

/* Hash the resources that the job needs of each node (fit.h). */
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

/* Return true if it has -w, and the cycle chooses the place. */
static bool is_placed_around(const job_record_t *job, const part_record_t *part)
{
	return job->details->req_node_bitmap &&
	       (job_request_is_shaped(job) || job_class_takes_range(job, part));
}

/* Hash what decides how many nodes it needs. */
static void hash_totals(uint64_t *h, const job_record_t *job)
{
	const compat_details *d = job->details;

	hash_number(h, (uint64_t)d->min_nodes << 32 | d->max_nodes);
	hash_number(h, (uint64_t)d->min_cpus << 32 | d->num_tasks);
	hash_number(h, job->bit_flags & USE_MIN_NODES);
}

void job_class_hash(uint64_t *h, const job_record_t *job)
{
	hash_totals(h, job);
	hash_picky(h, job);
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
	if (d->features && strchr(d->features, '[')) { /* one_feature.c */
		hash_totals(&h, job);
		hash_number(&h, job->node_cnt_wag);
	}
	hash_text(&h, d->exc_nodes);
	hash_text(&h, job->mcs_label);
	hash_number(&h, d->whole_node);
	job_reservations_hash(&h, job, part);
	if (is_placed_around(job, part))
		hash_text(&h, d->req_nodes);
	else if (d->req_node_bitmap)
		hash_number(&h, job->job_id); /* the job has a class of its
						 own */
	if (is_picky(job))
		hash_picky(&h, job);
	return h;
}

/* Clear the nodes that the wrapped plugin refuses even if they are idle. */
static void allowed_nodes_keep_fit(job_record_t *job, bitstr_t *nodes)
{
	uint32_t most = (uint32_t)bit_set_count(nodes);
	struct fit hidden;
	bitstr_t *fit;

	if (most == 0)
		return;
	fit = bit_copy(nodes);
	fit_begin(job, &hidden);
	if (host_test_only(job, fit, 1, most, most) == SLURM_SUCCESS)
		bit_and(nodes, fit);
	fit_end(job, &hidden);
	bit_free(fit);
}

/* Set those of the nodes in `keep` that have this turn, until it has `want`. Return the
 * next turn; UINT64_MAX: there is none. */
static uint64_t keep_turn(bitstr_t *nodes, uint64_t turn, uint32_t want,
			  bitstr_t *keep, uint32_t *have)
{
	uint64_t next = UINT64_MAX;

	for (bitoff_t i = 0; i < bit_size(nodes) && *have < want; i++) {
		uint64_t own;

		if (!bit_test(nodes, i) || bit_test(keep, i))
			continue;
		own = instance_weights_turn(node_record_table_ptr[i]);
		if (own == turn) {
			bit_set(keep, i);
			++*have;
		} else if (own > turn && own < next) {
			next = own;
		}
	}
	return next;
}

/* Reduce the nodes of a job with -w and without a shape to the number that the
 * job gets (`want`): the required nodes, then nodes that are idle and not reserved,
 * then other unreserved nodes (`open`; NULL: all are reserved), then others; of each
 * those that Slurm takes first. O(nodes x distinct weights). */
static void keep_required(const job_record_t *job, uint32_t want,
			  bitstr_t *open, bitstr_t *nodes)
{
	bitstr_t *required = job->details->req_node_bitmap;
	uint32_t have = (uint32_t)bit_set_count(required);
	bitstr_t *keep = bit_copy(required);

	for (int care = open ? 2 : 0; care >= 0; care--) {
		bitstr_t *among = bit_copy(nodes);
		uint64_t turn = 0;

		if (care > 0)
			bit_and(among, open);
		if (care > 1)
			bit_and(among, idle_node_bitmap);
		while (have < want && turn != UINT64_MAX)
			turn = keep_turn(among, turn, want, keep, &have);
		bit_free(among);
	}
	bit_and(nodes, keep);
	bit_free(keep);
}

/* -w without a shape: choose one set, preferably of nodes that are not reserved. */
static void keep_with(job_record_t *job, const part_record_t *part,
		      bitstr_t *nodes)
{
	bitstr_t *open = compat_unreserved(job, time(NULL));

	if (open)
		bit_and(open, nodes);
	keep_required(job, node_count_of(job, part), open, nodes);
	FREE_NULL_BITMAP(open);
}

bitstr_t *allowed_nodes_filter(job_record_t *job, const part_record_t *part)
{
	bitstr_t *required = job->details->req_node_bitmap;
	bitstr_t *nodes = bit_copy(part->node_bitmap);
	bool special = false;

	job_reservations_restrict(job, nodes);
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
		one_feature_keep(job, node_count_of(job, part), nodes);
	return nodes;
}

/* Return the nodes that the job may use, or NULL if there are none. */
static bitstr_t *work_out(job_record_t *job, const part_record_t *part)
{
	bitstr_t *nodes = allowed_nodes_filter(job, part);

	if (nodes && is_picky(job))
		allowed_nodes_keep_fit(job, nodes);
	if (nodes && job->details->req_node_bitmap &&
	    !is_placed_around(job, part))
		keep_with(job, part, nodes);
	return nodes;
}

/* Return the class of that key; else a free entry near the key's own entry;
 * else its own entry, which is then replaced. */
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

/* Set the required nodes of a job with -w. 0, or -1 with ENOMEM. */
static int class_require(struct host *h, const job_record_t *job,
			 const part_record_t *part, struct allowed_class *class)
{
	const bitstr_t *required = job->details->req_node_bitmap;
	uint64_t *map;
	int rc;

	if (!is_placed_around(job, part))
		return 0;
	map = torus_scratch_take(&h->scratch);
	node_map_from_slurm(&h->map, required, map);
	if (torus_bits_count(map, h->words) <
	    (uint32_t)bit_set_count((bitstr_t *)(uintptr_t)required))
		/* some required nodes are in no torus */
		class->outside = class->none = true;
	rc = cycle_node_set(h->cycle, map, &class->required);
	torus_scratch_return(&h->scratch, map);
	return rc;
}

const struct allowed_class *
allowed_nodes_class(struct host *h, job_record_t *job, part_record_t *part)
{
	uint64_t key = job_class_key(job, part);
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
	class->least_cpus = limits_node_minimum(nodes).cpus;
	bit_free(nodes);
	class->outside = class->none = torus_bits_count(map, h->words) == 0;
	rc = class->none ? 0 : cycle_node_set(h->cycle, map, &class->allowed);
	if (rc == 0 && !class->none)
		rc = job_reservations_outages(h, job, part, map,
					      &class->outages);
	if (rc == 0 && !class->none)
		rc = class_require(h, job, part, class);
	torus_scratch_return(&h->scratch, map);
	if (rc)
		class->key = 0;
	return rc ? NULL : class;
}
