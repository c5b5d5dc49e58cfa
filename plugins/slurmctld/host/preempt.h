/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preemption: a pending job may take the nodes of jobs that Slurm lets it preempt. */
#ifndef SLURMCTLD_HOST_PREEMPT_H
#define SLURMCTLD_HOST_PREEMPT_H

#include "slurmctld/host/host.h"

/* Return true if Slurm lets `job` preempt `other`, which is in that partition. */
bool preempt_may(job_record_t *job, job_record_t *other, part_record_t *part);

/* Clear places for waiting jobs that may preempt others. A place that is
 * being cleared is reserved for its job, which starts when the place is free. */
void preempt_run(struct host *h, struct agent *a);

/* Clear places before the pass, for the first jobs of the queue. Return true if the locks
 * were yielded. */
bool preempt_early(struct host *h, struct agent *a);

/* Start jobs on their cleared nodes. Return true if the locks were yielded. */
bool preempt_serve_claims(struct host *h, struct agent *a);

#endif
