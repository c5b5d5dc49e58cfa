/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's reservations as outages of a pending job: on which nodes and when it must not run (job_reservations.c). */
#ifndef SLURMCTLD_HOST_JOB_RESERVATIONS_H
#define SLURMCTLD_HOST_JOB_RESERVATIONS_H

#include "slurmctld/host/host.h"

/*
 * the times at which the job may not use nodes (a machine bitmap),
 * -1 with ENOMEM; the nodes of its own reservation, if any; and a hash of what
 * these depend on.
 */
int job_reservations_outages(struct host *h, job_record_t *job,
			     const part_record_t *part, const uint64_t *nodes,
			     const struct torus_outages **out);
void job_reservations_restrict(const job_record_t *job, bitstr_t *nodes);

/* Choose one of the reservations that the job names for this partition (it has nodes) and
 * set it in the record: the first that is active and has so many idle nodes
 * there, else the first active one with enough nodes, else the first with
 * enough nodes. */
void job_reservations_choose(job_record_t *job, const part_record_t *part,
			     uint32_t nodes);
void job_reservations_hash(uint64_t *hash, const job_record_t *job,
			   const part_record_t *part);

#endif
