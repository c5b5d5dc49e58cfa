/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pending job asks for besides its number of nodes (job_class.c). */
#ifndef SLURMCTLD_HOST_JOB_CLASS_H
#define SLURMCTLD_HOST_JOB_CLASS_H

#include "slurmctld/host/host.h"

/* The hash of the constraints that decide which nodes the job may use in that
 * partition; add what decides how many nodes it needs. */
uint64_t job_class_key(const job_record_t *job, const part_record_t *part);
void job_class_hash(uint64_t *hash, const job_record_t *job);

/* Return true if the job needs resources of each node: ask the wrapped plugin. */
bool job_class_is_picky(const job_record_t *job);

/* Return true if it has -w, and the cycle chooses the place. */
bool job_class_is_placed_around(const job_record_t *job,
				const part_record_t *part);

/* Return the least number of nodes that hold its CPUs and tasks on any nodes of
 * the partition; UINT32_MAX: unknown. */
uint32_t job_class_nodes_holding(const job_record_t *job,
				 const part_record_t *part);

/* Return true if the job takes what it gets of a range of nodes (-N2-4). */
bool job_class_takes_range(const job_record_t *job, const part_record_t *part);

#endif
