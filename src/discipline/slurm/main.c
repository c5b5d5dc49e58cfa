/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main loop of slurmctld (loops.h): jobs start in order while they fit. The first
 * job of a partition that does not fit stops the partition, and keeps its nodes from
 * partitions that share them. A pass that is not full considers default_queue_depth
 * jobs and one more. O(jobs considered), and a search per partition and start.
 */
#include "discipline/slurm/loops.h"

/* Return true if a job that does not fit stops its partition. */
static bool main_stops(const struct slurm *m, const struct slurm_job *j,
		       int64_t now)
{
	const struct torus_slurm *conf = m->conf;

	if (conf->bf_min_age_reserve &&
	    now - j->submit < conf->bf_min_age_reserve)
		return false;
	return !conf->bf_min_prio_reserve ||
	       j->priority >= conf->bf_min_prio_reserve;
}

/* Start the job in nodes of partitions that have not stopped. */
static bool main_try(struct slurm *m, struct slurm_job *j, int64_t now_us)
{
	const struct torus_slurm *conf = m->conf;

	if (j->job->nodes > torus_state_free_nodes(m->s->state))
		return false;
	slurm_select_partition(m, j);
	for (uint32_t p = 0; p < conf->partitions; p++) {
		if (m->failed[p])
			torus_bits_andnot(m->avail, conf->partition[p].nodes,
					  m->words);
	}
	return slurm_select_start(m, j, now_us);
}

void slurm_main_pass(struct slurm *m, int64_t now_us, bool full)
{
	const struct torus_slurm *conf = m->conf;
	uint32_t depth = 0, started = 0;
	uint64_t array = 0; /* rejected, in this partition: */
	uint32_t part = 0;

	m->main_more = false;
	m->main_last_us = now_us;
	for (uint32_t p = 0; p < conf->partitions; p++) {
		m->failed[p] = false;
		m->depth[p] = 0;
	}
	for (uint32_t i = 0; i < m->queued;) {
		struct slurm_job *j = m->queue[i];
		uint64_t of = j->job->owner ? j->job->owner->array : 0;

		i++;
		if (of && of == array && part == j->partition)
			continue;
		if (conf->sched_max_job_start &&
		    started >= conf->sched_max_job_start) {
			m->main_more = true;
			break;
		}
		array = of;
		part = j->partition;
		if (conf->partition_job_depth &&
		    m->depth[part]++ >= conf->partition_job_depth)
			continue;
		if (!full && depth++ > conf->default_queue_depth) {
			m->main_more = true;
			break;
		}
		if (m->failed[part])
			continue;
		if (main_try(m, j, now_us)) {
			slurm_started(m, --i, now_us);
			started++;
			array = 0;
		} else if (main_stops(m, j, now_us / SLURM_SECOND)) {
			m->failed[part] = true;
			if (!conf->partition[part].nodes)
				break; /* no node is left for any partition */
		}
	}
}
