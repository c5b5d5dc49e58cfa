/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that share nodes, by the rules of stock Slurm: which jobs do, and the start of one on nodes where others run (live/mirror/sharing.c chooses these nodes) (join.c). */
#ifndef SLURMCTLD_HOST_JOIN_H
#define SLURMCTLD_HOST_JOIN_H

#include "slurmctld/host/host.h"

/* Return true if the job shares nodes; if it shares CPUs, and so prefers
 * idle ones; start one beside others. */
bool pending_job_shares(const job_record_t *job, const part_record_t *part);
bool pending_job_shares_cpus(const job_record_t *job, const part_record_t *part);
bool join_beside(void *arg, struct cycle_guest *g);

#endif
