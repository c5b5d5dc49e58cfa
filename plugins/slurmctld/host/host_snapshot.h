/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot of slurmctld's tables for the cycle: the jobs that have nodes and the nodes in one lock hold, then the pending jobs in as many lock holds as needed (host_snapshot.c). */
#ifndef SLURMCTLD_HOST_HOST_SNAPSHOT_H
#define SLURMCTLD_HOST_HOST_SNAPSHOT_H

#include "slurmctld/host/host.h"

struct cycle *host_snapshot_take(void *arg, struct agent *a);

/* Tell the cycle how squeue names the job, if it is a task of an array. */
void pending_job_name_task(struct host *h, const job_record_t *job);

/* Return true if slurmctld lets schedulers start jobs; it does not while it
 * shuts down. */
bool commit_is_possible(void);

#endif
