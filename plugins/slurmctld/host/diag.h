/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched/torus in sdiag: Slurm's own counters, so that exporters and dashboards that read sdiag show sched/torus like sched/backfill (diag.c). */
#ifndef SLURMCTLD_HOST_DIAG_H
#define SLURMCTLD_HOST_DIAG_H

#include "live/orders.h"
#include "slurmctld/host/host.h"

/* The counters of sdiag. */
void diag_started(const struct cycle_order *o);
void diag_cycle(const struct host *h, uint32_t queued,
		const struct agent_cycle *cycle);

#endif
