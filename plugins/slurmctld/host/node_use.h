/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of a snapshot, each in one of three ways for the cycle: free, busy until a time, or out of service (node_use.c). */
#ifndef SLURMCTLD_HOST_NODE_USE_H
#define SLURMCTLD_HOST_NODE_USE_H

#include "slurmctld/host/host.h"

/* Report the nodes that are busy without a job of the cycle, or out of
 * service; -1 with ENOMEM. Return true if the node does not answer. */
int node_use_note(struct host *h);
bool node_use_is_silent(const node_record_t *node);

/* leaks.c: leaked nodes: Slurm still counts a job on them that has ended. */

/* leaks_find(): after Slurm refused to start the job on these
 * idle nodes, keep the nodes that it refuses to any job; false: there are none.
 * leaks_add(): add the leaked nodes to those out of service. */
bool leaks_find(struct host *h, job_record_t *job, bitstr_t *nodes);
void leaks_add(struct host *h, bitstr_t *out);
void leaks_forget(struct host *h);

#endif
