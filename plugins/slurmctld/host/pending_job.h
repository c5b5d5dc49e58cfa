/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pending job in one of its partitions, as Slurm has it (pending_job.c). */
#ifndef SLURMCTLD_HOST_PENDING_JOB_H
#define SLURMCTLD_HOST_PENDING_JOB_H

#include "slurmctld/host/host.h"

/* A job may start in each of its partitions, in each with each of its QOS: these pairs
 * have numbers, as in its record's priorities. Return the partition of the n-th pair, or
 * NULL; the number of the first pair with the next partition. */
part_record_t *pending_job_partition(const job_record_t *job, uint32_t n);
uint32_t pending_job_next_partition(const job_record_t *job, uint32_t n);

/* The QOS of the n-th pair becomes the job's, if it names several. */
void pending_job_take_qos(job_record_t *job, uint32_t n);

/* Prepare the record for the n-th pair, whose partition and QOS become the job's: its counts,
 * nodes and reservation there. Return true if Slurm lets it start there now; if not, the
 * record has the reason. */
bool pending_job_prepare(job_record_t *job, part_record_t *part, uint32_t n);

/* Set one of Slurm's reasons with a sentence, which is more precise. */
void pending_job_note_reason(job_record_t *job, uint32_t reason,
			     const char *text);

/* Tell the cycle how squeue names the job, if it is a task of an array. */
void pending_job_name_task(struct host *h, const job_record_t *job);

/* Return true if the job shares nodes; if it shares CPUs, and so prefers idle nodes. */
bool pending_job_shares(const job_record_t *job, const part_record_t *part);
bool pending_job_shares_cpus(const job_record_t *job, const part_record_t *part);

/* Return the hash of the job's request; its low bits (HOST_KEY_ALTERNATIVES) are 0. */
uint64_t pending_job_key(const job_record_t *job, const part_record_t *part);

/* Return who submitted it, as the cycle has them (owners_add()). */
const struct torus_job_owner *pending_job_owner(struct host *h,
						const job_record_t *job);

/* Return since when the job may start; its deadline (TORUS_NO_TIME: none); its least
 * limit (--time-min; 0: none). */
int64_t pending_job_eligible_us(const job_record_t *job);
int64_t pending_job_deadline_us(const job_record_t *job);
int64_t pending_job_least_us(const job_record_t *job, const part_record_t *part);

/* pending.c: pending jobs as Slurm has them, reported to the cycle. */

/* Report a pending job to the cycle. 0, or -1 with ENOMEM. */
int pending_submit(struct host *h, job_record_t *job);

/* pending_submit() of a dry run, which leaves the job's record unchanged. */
int pending_dry_run(struct host *h, job_record_t *job);

#endif
