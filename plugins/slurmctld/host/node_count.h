/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many nodes Slurm would give a job without a shape (node_count.c). */
#ifndef SLURMCTLD_HOST_NODE_COUNT_H
#define SLURMCTLD_HOST_NODE_COUNT_H

#include "slurmctld/host/host.h"

/* How many nodes Slurm would give a job without a shape there; until it was asked, this
 * is Slurm's number for one of the job's partitions. */
uint32_t node_count_of(const job_record_t *job, const part_record_t *part);

/* Return where to write the answer for that partition, if Slurm has to be asked for it
 * (allowed_nodes_ask_count()); 0: the job does not fit there. NULL: not now. */
uint32_t *node_count_to_ask(const job_record_t *job, const part_record_t *part);

/* Return true if the answer is that the job does not fit there. */
bool node_count_is_none(const job_record_t *job, const part_record_t *part);

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

/* Note whether the discipline promises starts. */
void node_count_note_promises(bool promises);

#endif
