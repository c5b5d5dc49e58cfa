/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many nodes Slurm would give a job without a shape (node_count.c). */
#ifndef SLURMCTLD_HOST_NODE_COUNT_H
#define SLURMCTLD_HOST_NODE_COUNT_H

#include "slurmctld/host/host.h"

/* How many nodes Slurm would give a job without a shape there. The
 * second finds it out; until then it is Slurm's number for one of its partitions.
 * The third: does the discipline promise starts? */
uint32_t host_nodes_of(const job_record_t *job, const part_record_t *part);

/* Return true if the job takes what it gets of a range of nodes (-N2-4). */
bool host_takes_range(const job_record_t *job, const part_record_t *part);
void host_settle_nodes(job_record_t *job, part_record_t *part);

/* Write its request, with the numbers of a range as alternatives. */
void host_request_nodes(const job_record_t *job, const part_record_t *part,
			struct torus_request *request);

/* Hash what the request depends on besides the idle nodes. */
void host_hash_nodes(uint64_t *hash, const job_record_t *job,
		     const part_record_t *part);

/* Return 0 if the request is independent of the idle nodes; otherwise a number
 * within HOST_KEY_ALTERNATIVES that changes with them. */
uint32_t host_idle_mark(const job_record_t *job, const part_record_t *part);
void host_note_promises(bool promises);

/* Return true if it was found out that the job does not fit there. */
bool host_never_there(const job_record_t *job, const part_record_t *part);

/* The wrapped plugin's TEST_ONLY. */
int host_test_only(job_record_t *job, bitstr_t *nodes, uint32_t min,
		   uint32_t target, uint32_t max);

#endif
