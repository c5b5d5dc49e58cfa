/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes could be of a job? TEST_ONLY of select/cons_tres does not say: it
 * selects nodes for the job, as few as hold its tasks. Without a number of
 * tasks it selects all that have what each node of the job needs (CPUs of a
 * task, memory, GRES). GRES for the whole job (--gpus) still keep it to as few
 * nodes as hold them; of such a job nothing can be learnt this way.
 *
 * fit_begin() hides the number of tasks until fit_end(); false: do not ask.
 */
#ifndef SLURMCTLD_FIT_H
#define SLURMCTLD_FIT_H

#include "slurmctld/slurm_compat.h"

static inline bool fit_begin(job_record_t *job, uint32_t *tasks)
{
	compat_details *d = job->details;

	if (job->tres_per_job || job->tres_per_task ||
	    (d->ntasks_per_tres && d->ntasks_per_tres != NO_VAL16))
		return false;
	*tasks = d->num_tasks;
	d->num_tasks = 0;
	return true;
}

static inline void fit_end(job_record_t *job, uint32_t tasks)
{
	job->details->num_tasks = tasks;
}

#endif
