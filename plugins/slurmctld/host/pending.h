/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pending jobs as Slurm has them, reported to the cycle (pending.c). */
#ifndef SLURMCTLD_HOST_PENDING_H
#define SLURMCTLD_HOST_PENDING_H

#include "slurmctld/host/host.h"

/* Report a pending job to the cycle. 0, or -1 with ENOMEM. */
int pending_submit(struct host *h, job_record_t *job);

/* pending_submit() of a dry run, which leaves the job's record unchanged. */
int pending_dry_run(struct host *h, job_record_t *job);

#endif
