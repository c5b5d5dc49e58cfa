/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes, CPUs and tasks in a job's record depend on the alternative that the job gets
 * (sizes.c).
 */
#ifndef SLURMCTLD_SUBMIT_SIZES_H
#define SLURMCTLD_SUBMIT_SIZES_H

#include "slurmctld/instance/instance.h"

/* Node, CPU and task counts of a job's record, which depend on the
 * alternative. */
struct job_sizes {
	uint32_t min_nodes, max_nodes, min_cpus, num_tasks;
	uint32_t saved_cpus; /* min_cpus after a restart of slurmctld */
};

/* Set the record of a job with alternatives to the first one that the
 * limits of job->part_ptr allow. Return a bit for each that they do not allow. */
uint32_t sizes_settle(job_record_t *job);
struct job_sizes sizes_of(const job_record_t *job);

/* Return these counts for an alternative of `nodes` nodes. */
struct job_sizes sizes_for(const job_record_t *job, uint32_t nodes);
void sizes_set(job_record_t *job, const struct job_sizes *s);

/* Set the record of a pending job for `nodes` nodes, with what squeue shows. */
void sizes_set_nodes(job_record_t *job, uint32_t nodes);

/* Return true if the job has more than one alternative. */
bool sizes_vary(const job_record_t *job);

/* Set the record of a job that waits again to the first alternative. Takes the
 * instance's lock. */
void sizes_reset(job_record_t *job);

/* As torus_state_possible() for a new ask on the empty machine. The number that
 * the machine grants to a count is cached. */
enum torus_answer sizes_possible(struct instance *in,
				 const struct torus_ask *ask,
				 struct torus_placement *place,
				 struct torus_error *err);

/* Return the nodes of the k-th alternative; the count itself if the limit ended the
 * search for a count. */
uint32_t sizes_of_alternative(struct instance *in,
			      const struct torus_request *request, uint32_t k,
			      struct torus_search_limit *limit);

#endif
