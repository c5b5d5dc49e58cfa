/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/torus inside slurmctld: start and end of its thread, and its locks. Slurm
 * stops the plugin at shutdown and, from 24.11 on, at every reconfigure. Before
 * 24.11 the thread runs on, and the next snapshot has the new configuration.
 */

#include "slurmctld/host/commit.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/node_map.h"

#include <errno.h>

#include "slurmctld/select/test_only.h"
#include "torus/alloc.h"

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER;
static struct host *host; /* under life */

static int64_t host_now(void *arg)
{
	(void)arg;
	return agent_wall_us();
}

static void host_lock(void *arg)
{
	slurmctld_lock_t locks = COMPAT_SCHED_LOCKS;

	(void)arg;
	lock_slurmctld(locks);
}

static void host_unlock(void *arg)
{
	slurmctld_lock_t locks = COMPAT_SCHED_LOCKS;

	(void)arg;
	unlock_slurmctld(locks);
}

/* Slurm dates changes by the second: a change in the snapshot's second may be later
 * than the snapshot. */
static bool host_changed(void *arg, bool *soon)
{
	struct host *h = arg;

	if (slurmctld_config.shutdown_time)
		return false;
	*soon = h->completing > 0 && h->cycle && cycle_queued(h->cycle) > 0;
	h->journal_ended |= h->journal && journal_ends(h->journal);
	return h->journal_ended || last_job_update >= h->snapshot_time ||
	       last_node_update >= h->snapshot_time ||
	       last_job_update != h->job_update ||
	       last_node_update != h->node_update ||
	       last_part_update != h->part_update ||
	       last_resv_update != h->resv_update;
}

static const struct agent_host functions = {
	.now = host_now,
	.lock = host_lock,
	.unlock = host_unlock,
	.changed = host_changed,
	.snapshot = host_snapshot_take,
	.updated = cycle_setup_updated,
	.commit = commit_order,
	.join = join_beside,
	.forecast = publish_collect,
	.publish = publish_plan,
	.ended = publish_ended,
};

static const struct agent_host dry_run_functions = {
	.now = host_now,
	.lock = host_lock,
	.unlock = host_unlock,
	.changed = host_changed,
	.snapshot = host_snapshot_take,
	.updated = cycle_setup_updated,
	.ended = publish_dry_run_ended,
};

static void host_destroy(struct host *h)
{
	if (!h)
		return;
	cycle_setup_drop(h);
	claims_close(&h->claims);
	leaks_forget(h);
	node_map_free(&h->map);
	torus_free(h->maps);
	torus_free(h->unoffered);
	torus_free(h->ids);
	plan_listing_free(&h->listing);
	test_only_forget(UINT32_MAX);
	xfree(h->state_dir);
	torus_free(h);
}

static int host_create(bool dry_run)
{
	int rc = SLURM_SUCCESS;

	pthread_mutex_lock(&life);
	if (!host) {
		host = torus_alloc(1, sizeof(*host));
		if (host) {
			host->dry_run = dry_run;
			host->agent = agent_create(dry_run ? &dry_run_functions :
							     &functions,
						   host);
		}
		if (!host || !host->agent) {
			error("sched/torus: no thread: %s", strerror(errno));
			host_destroy(host);
			host = NULL;
			rc = SLURM_ERROR;
		}
	}
	pthread_mutex_unlock(&life);
	return rc;
}

int host_thread_start(void)
{
	int rc;

	if (parameters_check())
		return SLURM_ERROR;
	rc = host_create(false);
	if (rc == SLURM_SUCCESS)
		instance_in_charge(true);
	return rc;
}

int host_dry_run_start(void)
{
	return host_create(true);
}

void host_thread_stop(void)
{
	struct host *h;

	pthread_mutex_lock(&life);
	h = host;
	host = NULL;
	pthread_mutex_unlock(&life);
	if (!h)
		return;
	agent_destroy(h->agent);
	instance_in_charge(false);
	host_destroy(h);
}

void host_thread_reconfigure(void)
{
	parameters_check();
	host_thread_wake();
}

void host_thread_wake(void)
{
	pthread_mutex_lock(&life);
	if (host)
		agent_wake(host->agent);
	pthread_mutex_unlock(&life);
}
