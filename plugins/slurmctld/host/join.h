/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that share nodes, by the rules of stock Slurm: which jobs do, and the start of one on nodes where others run (live/sharing.c chooses these nodes) (join.c). */
#ifndef SLURMCTLD_HOST_JOIN_H
#define SLURMCTLD_HOST_JOIN_H

#include "slurmctld/host/host.h"

/* Start a job beside others (agent.h). */
bool join_beside(void *arg, struct cycle_guest *g);

#endif
