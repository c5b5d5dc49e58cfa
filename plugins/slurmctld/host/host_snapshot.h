/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot of slurmctld's tables for the cycle: the jobs that have nodes and the nodes in one lock hold, then the pending jobs in as many lock holds as needed (host_snapshot.c). */
#ifndef SLURMCTLD_HOST_HOST_SNAPSHOT_H
#define SLURMCTLD_HOST_HOST_SNAPSHOT_H

#include "slurmctld/host/host.h"

struct cycle *host_snapshot_take(void *arg, struct agent *a);

#endif
