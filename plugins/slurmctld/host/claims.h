/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that are being cleared for a pending job (claims.c). */
#ifndef SLURMCTLD_HOST_CLAIMS_H
#define SLURMCTLD_HOST_CLAIMS_H

#include "slurmctld/host/host.h"

/* Return true if the job has a claim. (Of an array: for one task, the first in the
 * queue.) */
bool claims_has(const struct host *h, uint32_t job);
bool claims_overlap(const struct host *h, const bitstr_t *nodes);

/* Set *end_us, the end of a job with these nodes, to when others get them: after the job
 * that they are cleared for. Return false if it gets a part of them only. */
bool claims_until(const struct host *h, const bitstr_t *nodes, int64_t *end_us);

/* Report the claimed nodes to the cycle as busy. */
void claims_withhold(struct host *h);

/* Return an unused entry, or NULL. */
struct claim *claims_unused(struct host *h);

/* Return true if jobs leave all nodes of the claim that are not idle. *end: the end of
 * the latest grace time. */
bool claims_is_clearing(const struct claim *c, time_t *end);

/* End the claims on these nodes; one claim; all. */
void claims_end(struct host *h, const bitstr_t *nodes);
void claims_drop_one(struct claim *c);
void claims_drop(struct host *h);

/* preempt.c: preemption: a pending job may take the nodes of jobs that Slurm lets it
 * preempt. */

/* Return true if Slurm lets `job` preempt `other`, which is in that partition. */
bool preempt_may(job_record_t *job, job_record_t *other, part_record_t *part);

/* Clear places for waiting jobs that may preempt others. A place that is
 * being cleared is reserved for its job, which starts when the place is free. */
void preempt_run(struct host *h, struct agent *a);

/* Start jobs on their cleared nodes. Return true if the locks were yielded. */
bool preempt_serve_claims(struct host *h, struct agent *a);

#endif
