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

/* node_count.c: how many nodes Slurm would give a job without a shape. */

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

/* job_reservations.c: Slurm's reservations as outages of a pending job: on which nodes
 * and when it must not run. */

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
