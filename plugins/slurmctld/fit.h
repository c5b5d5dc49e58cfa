/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes could be of a job? TEST_ONLY of select/cons_tres does not say: it
 * selects nodes for the job, as few as hold its tasks. Without a number of
 * tasks it selects all that have what each node of the job needs (CPUs of a
 * task, memory, GRES). GRES for the whole job (--gpus) still keep it to as few
 * nodes as hold them; of such a job nothing can be learnt this way.
 *
 * What is asked for in all is no matter of a single node. fit_begin() hides it
 * until fit_end(), so that jobs that differ only in it are one question.
 */
#ifndef SLURMCTLD_FIT_H
#define SLURMCTLD_FIT_H

#include "slurmctld/slurm_compat.h"

struct fit {
	uint32_t tasks, cpus; /* hidden */
};

/* Can that be asked of the job? */
static inline bool fit_is_known(const job_record_t *job)
{
	const compat_details *d = job->details;

	return !job->tres_per_job && !job->tres_per_task &&
	       (!d->ntasks_per_tres || d->ntasks_per_tres == NO_VAL16);
}

static inline void fit_begin(job_record_t *job, struct fit *hidden)
{
	compat_details *d = job->details;

	*hidden = (struct fit){ d->num_tasks, d->min_cpus };
	d->num_tasks = 0;
	d->min_cpus = 1;
}

static inline void fit_end(job_record_t *job, const struct fit *hidden)
{
	job->details->num_tasks = hidden->tasks;
	job->details->min_cpus = hidden->cpus;
}

#endif
