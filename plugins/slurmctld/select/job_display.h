/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a placement is displayed: our word in AdminComment (admin_comment.h), and TORUS_* among the variables that slurmctld adds to the job's environment (details->env_sup: the batch script's, and those in the answer to salloc and srun), and beside the request in spank_job_env, which Slurm passes to the prologs and epilogs, of slurmctld as well, with SPANK_ in front (job_display.c). */
#ifndef SLURMCTLD_SELECT_JOB_DISPLAY_H
#define SLURMCTLD_SELECT_JOB_DISPLAY_H

#include "slurmctld/instance/instance.h"

/* Set AdminComment and environment of a job. job_display_place()
 * does so only if the job shows no place yet. */
void job_display_place(const struct instance *in, job_record_t *job,
		       const struct torus_placement *place);
void job_display_clear(job_record_t *job);

/* Return true if an entry of an environment, NAME=VALUE, is of a placement. */
bool job_display_is_place(const char *entry);

#endif
