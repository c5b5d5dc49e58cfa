/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dry run beside another scheduler (torus.yaml, scheduler: dry_run). The thread
 * of sched/torus takes snapshots and plans. It writes the starts of its orders to
 * the journal and changes nothing else: it starts no job, writes no reason, start
 * time or limit, and publishes no plan.
 *
 * Slurm's test whether a job may start would write its reason into the record. So a
 * dry run reads the reason that Slurm's own scheduler gave: a job waits for nodes
 * if that says so. The wrapped select plugin is not asked about a place.
 */
#include "torus_build.h" /* before Slurm's config.h */
#include "slurmctld/host/dry_run.h"

#include "slurmctld/host/host.h"

static bool waits_for_nodes(const job_record_t *job)
{
	switch (job->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
	case WAIT_TIME: /* the caller has checked that its begin time has
			   passed */
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
