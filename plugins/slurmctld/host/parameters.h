/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check that slurm.conf leaves all starts to sched/torus:    SchedulerParameters=sched_interval=-1  slurmctld's own loop does not run   SchedulerParameters=defer              no job starts at its submission   SelectType=select/torus...             applies sched/torus's regions  If a reconfigure removes one of them, jobs still start only where sched/torus orders it: job_test() refuses all others (parameters.c). */
#ifndef SLURMCTLD_HOST_PARAMETERS_H
#define SLURMCTLD_HOST_PARAMETERS_H

#include "slurmctld/host/host.h"

/* Return SLURM_SUCCESS if slurm.conf leaves all starts to
 * sched/torus; else log the reason and return SLURM_ERROR. */
int parameters_check(void);

/* Return the settings of slurm.conf that sched/torus does not support, or NULL. */
const char *parameters_ignored(void);

#endif
