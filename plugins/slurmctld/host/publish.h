/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After the orders: write start time, nodes and reason of the queued jobs into Slurm's records, which squeue shows (publish.c). */
#ifndef SLURMCTLD_HOST_PUBLISH_H
#define SLURMCTLD_HOST_PUBLISH_H

#include "slurmctld/host/host.h"

/* Start times and reasons in Slurm's records, the plan file, the lines
 * of the journal that the cycle has collected. */
void publish_collect(void *arg, struct cycle *c);
void publish_plan(void *arg, struct agent *a);
void publish_ended(void *arg, struct cycle *c,
		   const struct agent_counts *counts);
void publish_dry_run_ended(void *arg, struct cycle *c,
			   const struct agent_counts *counts);

#endif
