/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pending jobs as Slurm has them, reported to the cycle (pending.c). */
#ifndef SLURMCTLD_HOST_PENDING_H
#define SLURMCTLD_HOST_PENDING_H

#include "slurmctld/host/host.h"

/* Report a pending job to the cycle. 0, or -1 with ENOMEM. */
int pending_submit(struct host *h, job_record_t *job);

/* pending_submit() of a dry run, which leaves the job's record unchanged. */
int pending_dry_run(struct host *h, job_record_t *job);

/* Return true if Slurm lets the job start in that partition now. */
bool pending_job_prepare(job_record_t *job, part_record_t *part);
uint64_t pending_job_key(const job_record_t *job, const part_record_t *part);

/* Return the longest run time of the job in that partition. */
int64_t limits_time_us(const job_record_t *job, const part_record_t *part);

/* Return its n-th partition, or NULL. */
part_record_t *pending_job_partition(const job_record_t *job, uint32_t n);

#endif
