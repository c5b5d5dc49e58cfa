/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preemption: a pending job may take the nodes of jobs that Slurm lets it preempt (preempt.c). */
#ifndef SLURMCTLD_HOST_PREEMPT_H
#define SLURMCTLD_HOST_PREEMPT_H

#include "slurmctld/host/host.h"

/* Clear places for waiting jobs that may preempt others. A place that is
 * being cleared is reserved for its job, which starts when the place is free. */
void preempt_run(struct host *h, struct agent *a);
/* (Of an array: for one task, the first in the queue.) */
bool claims_has(const struct host *h, uint32_t job);
bool claims_overlap(const struct host *h, const bitstr_t *nodes);

/* (Return true if the locks were yielded.) */
bool preempt_serve_claims(struct host *h, struct agent *a);
void claims_withhold(struct host *h);

/* Set *end_us, the end of a job with these nodes, to when others get them: after the job
 * that they are cleared for. Return false if it gets a part of them only. */
bool claims_until(const struct host *h, const bitstr_t *nodes, int64_t *end_us);
void claims_drop(struct host *h);

#endif
