/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pending jobs as Slurm has them, reported to the cycle (pending.c). */
#ifndef SLURMCTLD_HOST_PENDING_H
#define SLURMCTLD_HOST_PENDING_H

#include "slurmctld/host/host.h"

/* Report a pending job to the cycle. 0, or -1 with ENOMEM. */
int host_pending(struct host *h, job_record_t *job);

/* host_pending() of a dry run, which leaves the job's record unchanged. */
int host_dry_run_pending(struct host *h, job_record_t *job);

/* Return true if Slurm lets the job start in that partition now. */
bool host_runnable(job_record_t *job, part_record_t *part);
uint64_t host_key(const job_record_t *job, const part_record_t *part);

/* Return the longest run time of the job in that partition. */
int64_t host_limit_us(const job_record_t *job, const part_record_t *part);

/* Return its n-th partition, or NULL. */
part_record_t *host_partition(const job_record_t *job, uint32_t n);

#endif
