/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See het.h. sbatch, salloc and srun call slurm_spank_init_post_opt() once per part
 * and submit one job each: a second call means a heterogeneous job. Only then
 * SchedulerType is read, from the configuration that the command has loaded; no
 * message is sent. With --clusters that is the local cluster's, so the sentence names
 * the cluster.
 */
#include "het.h"

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <string.h>

/* Of libslurmfull, which all three commands are linked with. */
extern slurm_conf_t slurm_conf __attribute__((weak));

void het_count_part(void)
{
	static unsigned int parts;

	if (++parts != 2 || !&slurm_conf || !slurm_conf.schedtype ||
	    strcmp(slurm_conf.schedtype, "sched/torus") != 0)
		return;
	slurm_error("torus: cluster %s has SchedulerType=sched/torus, and slurmctld takes heterogeneous jobs (\":\") with sched/backfill only: ask the administrator for SchedulerType=sched/backfill, which works with select/torus, or submit the parts as separate jobs with --dependency",
		    slurm_conf.cluster_name);
}
