/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes that are fit for a job. TEST_ONLY of select/cons_tres selects as few
 * nodes as hold the job's tasks. Without a number of tasks it selects all nodes
 * that have what the job needs of each (CPUs of a task, memory, GRES). With GRES
 * for the whole job (--gpus) it still selects as few nodes as hold them, so that
 * the fit nodes of such a job stay unknown.
 *
 * fit_begin() hides the job's totals until fit_end(), so that jobs that differ only
 * in totals are one question.
 */
#ifndef SLURMCTLD_INSTANCE_FIT_H
#define SLURMCTLD_INSTANCE_FIT_H

#include "slurmctld/slurm_compat.h"

struct fit {
	uint32_t tasks, cpus; /* hidden */
};

/* Return true if this works for the job. */
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
