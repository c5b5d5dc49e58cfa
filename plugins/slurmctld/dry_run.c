/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run beside another scheduler (torus.yaml, scheduler: dry_run): the
 * thread of sched/torus takes its snapshots and plans on them; where it would
 * have started a job goes to the journal, and nothing of Slurm's is changed: no
 * job is started, no reason, start time or limit written, no plan published, no
 * file but the journal touched.
 *
 * The test whether a job may start writes its reason into the record, so it is
 * not made here: the job waits for nodes if that is the reason which Slurm's own
 * scheduler gave. What the wrapped select plugin says of a place is not asked.
 */
#include "torus_build.h" /* before Slurm's config.h */

#include "slurmctld/host.h"

static bool waits_for_nodes(const job_record_t *job)
{
	switch (job->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
	case WAIT_TIME: /* which has come, where it is asked */
		return true;
	default:
		return false;
	}
}

bool dry_run_waits(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job) &&
	       !IS_JOB_REVOKED(job) && job->details && !job->het_job_id &&
	       job->priority != 0 && !job->details->prolog_running &&
	       job->details->begin_time <= time(NULL) && waits_for_nodes(job);
}

bool dry_run_wanted(const struct instance *in)
{
	return in && in->config->live.dry_run;
}

int dry_run_check(const struct torus_config *config, struct torus_error *err)
{
	if (!config->live.dry_run ||
	    xstrcmp(slurm_conf.schedtype, SCHED_TORUS) != 0)
		return 0;
	return torus_error_add(
		err,
		"%s: scheduler: dry_run: got true, but SchedulerType is " SCHED_TORUS
		", which starts jobs: expected false, or SchedulerType=sched/backfill",
		config->path);
}
