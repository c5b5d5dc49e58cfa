/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many nodes Slurm would give a job without a shape (node_count.c). */
#ifndef SLURMCTLD_HOST_NODE_COUNT_H
#define SLURMCTLD_HOST_NODE_COUNT_H

#include "slurmctld/host/host.h"

/* How many nodes Slurm would give a job without a shape there. The
 * second finds it out; until then it is Slurm's number for one of its partitions.
 * The third: does the discipline promise starts? */
uint32_t node_count_of(const job_record_t *job, const part_record_t *part);

/* Return true if the job takes what it gets of a range of nodes (-N2-4). */
bool job_class_takes_range(const job_record_t *job, const part_record_t *part);
void allowed_nodes_ask_count(job_record_t *job, part_record_t *part);

/* Write its request, with the numbers of a range as alternatives. */
void node_count_request(const job_record_t *job, const part_record_t *part,
			struct torus_request *request);

/* Hash what the request depends on besides the idle nodes. */
void node_count_hash(uint64_t *hash, const job_record_t *job,
		     const part_record_t *part);

/* Return 0 if the request is independent of the idle nodes; otherwise a number
 * within HOST_KEY_ALTERNATIVES that changes with them. */
uint32_t node_count_idle_mark(const job_record_t *job,
			      const part_record_t *part);
void node_count_note_promises(bool promises);

/* Return true if it was found out that the job does not fit there. */
bool node_count_is_none(const job_record_t *job, const part_record_t *part);

/* The wrapped plugin's TEST_ONLY. */
int host_test_only(job_record_t *job, bitstr_t *nodes, uint32_t min,
		   uint32_t target, uint32_t max);

#endif
