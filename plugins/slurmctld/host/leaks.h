/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leaked nodes: Slurm still counts a job on them that has ended (leaks.c). */
#ifndef SLURMCTLD_HOST_LEAKS_H
#define SLURMCTLD_HOST_LEAKS_H

#include "slurmctld/host/host.h"

/* leaks_find(): after Slurm refused to start the job on these
 * idle nodes, keep the nodes that it refuses to any job; false: there are none.
 * leaks_add(): add the leaked nodes to those out of service. */
bool leaks_find(struct host *h, job_record_t *job, bitstr_t *nodes);
void leaks_add(struct host *h, bitstr_t *out);
void leaks_forget(struct host *h);

#endif
