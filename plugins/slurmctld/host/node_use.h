/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of a snapshot, each in one of three ways for the cycle: free, busy until a time, or out of service (node_use.c). */
#ifndef SLURMCTLD_HOST_NODE_USE_H
#define SLURMCTLD_HOST_NODE_USE_H

#include "slurmctld/host/host.h"

/* Report the nodes that are busy without a job of the cycle, or out of
 * service; -1 with ENOMEM. Return true if the node does not answer. */
int node_use_note(struct host *h);
bool node_use_is_silent(const node_record_t *node);

#endif
