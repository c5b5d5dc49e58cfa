/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of associations and QOS on what a running job holds: nodes, CPUs and other
 * counted resources. select_nodes() tests them after it has found a place: too late for a
 * queue, where a job that may not start would reserve places and delay others. So Slurm's
 * own function tests each alternative of a pending job first, and notes the reason.
 * Limits on the number of jobs and on their length are tested earlier (pending_job.c).
 *
 * The CPUs of whole nodes are counted as if each node was the smallest one that the job
 * may use; if nodes differ, select_nodes() decides.
 *
 * Cost: where limits are enforced, O(kinds of resources x depth of accounts) per job and
 * alternative.
 */
#include "slurmctld/host/host.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/submit/sizes.h"

#include "torus/alloc.h"

/* Slurm does not report a changed limit: test again after this time. */
#define RETRY_US (2 * SECOND_US)

/* Used if no limit is known, as Slurm does. */
#define LIMITS_YEAR_US (INT64_C(365) * 24 * 3600 * SECOND_US)

static bool limits_enforced(void)
{
	return accounting_enforce & ACCOUNTING_ENFORCE_LIMITS;
}

struct node_minimum limits_node_minimum(const bitstr_t *nodes)
{
	bitstr_t *map = (bitstr_t *)(uintptr_t)nodes;
	struct node_minimum least = { UINT32_MAX, UINT64_MAX };

	for (bitoff_t i = bit_ffs(map); i >= 0 && i < bit_size(map); i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (!bit_test(map, i) || !node)
			continue;
		if (node->cpus_efctv < least.cpus)
			least.cpus = node->cpus_efctv;
		if (node->real_memory < least.memory)
			least.memory = node->real_memory;
	}
	if (least.cpus == UINT32_MAX)
		least.cpus = 0;
	return least;
}

static bool limits_within(job_record_t *job, uint32_t cpus_per_node)
{
	uint32_t n = (uint32_t)slurmctld_tres_cnt;
	uint64_t nodes = job->details->min_nodes;
	uint64_t cpus = job->details->min_cpus;
	uint64_t *count;
	bool within;

	if (!job->tres_req_cnt)
		return true;
	count = torus_alloc(n, sizeof(*count));
	if (!count)
		return true; /* select_nodes() will see */
	memcpy(count, job->tres_req_cnt, n * sizeof(*count));
	if ((!wraps_cons_tres() || job->details->whole_node == 1) &&
	    cpus < nodes * cpus_per_node)
		cpus = nodes * cpus_per_node;
	count[TRES_ARRAY_NODE] = nodes;
	count[TRES_ARRAY_CPU] = cpus;
	count[TRES_ARRAY_BILLING] = (uint64_t)
		assoc_mgr_tres_weighted(count, job->part_ptr->billing_weights,
					slurm_conf.priority_flags, false);
	within = acct_policy_job_runnable_post_select(job, count, false);
	torus_free(count);
	return within;
}

uint32_t limits_beyond(struct host *h, job_record_t *job,
		       const struct allowed_class *class)
{
	struct torus_request request;
	uint32_t beyond = sizes_settle(job);

	if (!limits_enforced())
		return beyond;
	if (!sizes_vary(job) || job_request_of(job, h->may_rotate, &request)) {
		request.alternatives = 1;
		beyond = !limits_within(job, class->least_cpus);
	} else {
		/* keep the reason of the first */
		for (uint32_t k = request.alternatives; k-- > 0;) {
			struct torus_ask *ask = &request.alternative[k].ask;
			struct job_sizes was, now;
			bool answer;

			torus_machine_settle(&h->configuration->config->machine,
					     ask);
			was = sizes_of(job);
			now = sizes_for(job, (uint32_t)torus_ask_nodes(ask));
			sizes_set(job, &now);
			answer = limits_within(job, class->least_cpus);
			sizes_set(job, &was);
			if (!answer)
				beyond |= 1u << k;
		}
	}
	return beyond == (1u << request.alternatives) - 1 ? LIMITS_BEYOND_ALL :
							    beyond;
}

void limits_leave_out(struct torus_request *request, uint32_t beyond)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < request->alternatives; k++) {
		if (!(beyond >> k & 1))
			request->alternative[kept++] = request->alternative[k];
	}
	request->alternatives = kept;
}

/* The name of Slurm's own test differs between its versions; some do not export
 * it. */
static bool is_limit(uint32_t reason)
{
	return (reason >= WAIT_QOS_GRP_CPU && reason <= WAIT_ASSOC_MAX_SUB_JOB) ||
	       reason == WAIT_ASSOC_JOB_LIMIT ||
	       reason == WAIT_ASSOC_RESOURCE_LIMIT ||
	       reason == WAIT_ASSOC_TIME_LIMIT ||
	       reason == WAIT_QOS_JOB_LIMIT ||
	       reason == WAIT_QOS_RESOURCE_LIMIT ||
	       reason == WAIT_QOS_TIME_LIMIT;
}

void limits_recheck(struct host *h, const job_record_t *job)
{
	if (limits_enforced() && is_limit((uint32_t)job->state_reason))
		agent_wake_at(h->self, agent_now(h->self) + RETRY_US);
}

int64_t limits_time_us(const job_record_t *job, const part_record_t *part)
{
	int64_t limit_us = job_request_limit_us(job, part);

	return limit_us == TORUS_NO_TIME ? LIMITS_YEAR_US : limit_us;
}
