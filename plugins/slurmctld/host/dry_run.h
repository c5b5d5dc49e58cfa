/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dry run beside another scheduler (torus.yaml, scheduler: dry_run) (dry_run.c). */
#ifndef SLURMCTLD_HOST_DRY_RUN_H
#define SLURMCTLD_HOST_DRY_RUN_H

#include "slurmctld/instance/instance.h"

/* dry_run_wanted(): return true if torus.yaml sets a dry run.
 * dry_run_check(): -1 and a line in err if the scheduler is sched/torus itself.
 * The third function returns true if the job waits for nodes only, according to
 * Slurm's scheduler. */
bool dry_run_wanted(const struct instance *in);
int dry_run_check(const struct torus_config *config, struct torus_error *err);
bool dry_run_waits(const job_record_t *job);

#endif
