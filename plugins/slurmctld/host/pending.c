/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pending jobs as Slurm has them (pending_job.c), reported to the cycle. A job that
 * may not start leaves the queue but keeps its position.
 *
 * A job that names several partitions is queued once for each, with the first of its QOS
 * that lets it start there; a job array as many times as tasks of it may start.
 */
#include "live/mirror/waiting.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/job_request.h"

#include "live/base/hash.h"
#include "live/promises/promises.h"

#define CONSTRAINT_SHOWN                                                       \
	30 /* characters of a constraint in a reason, at most */

/* Append a constraint, with its word unless that is long. */
static void add_constraint(char **text, const char *option, const char *word)
{
	if (!word || !*word)
		return;
	xstrfmtcat(*text, "%s%s", *text ? ", " : "", option);
	if (strlen(word) <= CONSTRAINT_SHOWN)
		xstrfmtcat(*text, " %s", word);
}

/* Say which constraints leave the job no node of the partition. */
static void note_no_nodes(job_record_t *job, const part_record_t *part,
			  const struct allowed_class *class)
{
	const compat_details *d = job->details;
	uint32_t reason = job->resv_name ? WAIT_RESERVATION :
					   WAIT_NODE_NOT_AVAIL;
	char *by = NULL, *text;

	if (class->outside) {
		pending_job_note_reason(
			job, reason,
			"its nodes are unknown to sched/torus; run `scontrol reconfigure`");
		return;
	}
	if (!class->none)
		by = xstrdup("CPUs, memory, GRES, tasks");
	add_constraint(&by, "-C", d->features);
	add_constraint(&by, "-w", d->req_nodes);
	add_constraint(&by, "-x", d->exc_nodes);
	add_constraint(&by, "reservation", job->resv_name);
	text = xstrdup_printf("partition %s has no nodes that the job may use%s%s%s",
			      part->name, by ? " (" : "", by ? by : "",
			      by ? ")" : "");
	pending_job_note_reason(job, reason, text);
	xfree(text);
	xfree(by);
}

/* 0, or -1 if its request is invalid. */
static int pending_read_request(const job_record_t *job,
				const part_record_t *part, bool may_rotate,
				struct torus_request *request)
{
	struct torus_ask *ask = &request->alternative[0].ask;

	if (!job_request_is_shaped(job)) {
		node_count_request(job, part, request);
		return 0;
	}
	if (job_request_of(job, may_rotate, request))
		return -1;
	/* (of a count the number may be the count itself) */
	if (ask->by_count && request->alternatives == 1 &&
	    job->details->min_nodes != ask->count)
		ask->granted = job->details->min_nodes;
	return 0;
}

/* Return how many tasks of the array may start now; 1 for other jobs. */
static uint32_t copies_of(const job_record_t *job)
{
	uint32_t n = 1;

	if (job->array_recs && job->array_recs->task_id_bitmap) {
		uint32_t most = job->array_recs->max_run_tasks;
		uint32_t run = job->array_recs->tot_run_tasks;

		n = job->array_recs->task_cnt;
		if (most && n > (run < most ? most - run : 0))
			n = run < most ? most - run : 0;
	}
	return n < HOST_COPIES ? n : HOST_COPIES;
}

/* Return the priority in Slurm's order of its queue: an expedited job, then the rank of
 * its QOS, then the partition's tier, then the job's priority. (They have 1, 4, 16 and 32
 * of the 53 bits of a double.) */
static double priority_in(const struct host *h, const job_record_t *job,
			  const part_record_t *part, uint32_t number)
{
	double rank = qos_rank_of(&h->qos_ranks, job);

	if (COMPAT_JOB_EXPEDITED(job))
		rank += QOS_RANK_MOST + 1.0;
	return (rank * (UINT16_MAX + 1.0) + part->priority_tier) * 4294967296.0 +
	       (double)compat_priority(job, number);
}

/* Add the job in one partition. Return 1; 0: not in this partition now; -1 with
 * ENOMEM. */
static int pending_add(struct host *h, job_record_t *job, part_record_t *part,
		       uint32_t number)
{
	const struct allowed_class *class = allowed_nodes_class(h, job, part);
	/* (the nodes of the first copy are being cleared) */
	struct cycle_pending_job pending = {
		.name = { job->job_id, number,
			  claims_has(&h->claims, job->job_id) }
	};
	uint32_t copies = copies_of(job), beyond;
	struct torus_request request;
	bool read = false;

	if (!class)
		return -1;
	if (class->none || node_count_is_none(job, part)) {
		if (!h->dry_run)
			note_no_nodes(job, part, class);
		return 0;
	}
	beyond = h->dry_run ? 0 : limits_beyond(h, job, class);
	if (beyond == LIMITS_BEYOND_ALL)
		return 0;
	pending.key = pending_job_key(job, part) | beyond |
		      node_count_idle_mark(job, part);
	pending.priority = priority_in(h, job, part, number);
	for (; pending.name.copy < copies; pending.name.copy++) {
		if (waiting_unchanged(h->cycle, &pending.name, pending.key,
				      class->allowed, class->outages,
				      pending.priority))
			continue;
		if (!read) {
			if (pending_read_request(job, part, h->may_rotate,
						 &request))
				return 0;
			limits_leave_out(&request, beyond);
			pending.request = torus_job_request_of(&request);
		}
		read = true;
		pending.eligible_us = pending_job_eligible_us(job);
		pending.limit_us = limits_time_us(job, part);
		pending.least_us = pending_job_least_us(job, part);
		pending.step_us = 60 * SECOND_US;
		pending.deadline_us = pending_job_deadline_us(job);
		pending.allowed = class->allowed;
		pending.required = class->required;
		pending.outages = class->outages;
		pending.owner = pending_job_owner(h, job);
		pending.shares = pending_job_shares(job, part);
		pending.spreads = pending_job_shares_cpus(job, part);
		if (waiting_add(h->cycle, &pending))
			return -1;
	}
	return 1;
}

/* Remove the published nodes and start time of a job that leaves the queue. */
static void forget_promise(job_record_t *job)
{
	if (!job->sched_nodes)
		return;
	xfree(job->sched_nodes);
	job->start_time = 0;
	last_job_update = time(NULL);
}

/*
 * A job that is queued for one of its partitions or alternatives keeps the reason
 * of publish_plan(); a reason about another partition must not replace it. If both
 * wrote in turn, each cycle would cause a change for the next.
 */
struct pending_reason {
	bool queued; /* the reason is of a queued job */
	uint32_t reason;
	char *desc;
	time_t update;
};

static struct pending_reason queued_reason(const job_record_t *job)
{
	struct pending_reason r = { .reason = (uint32_t)job->state_reason,
				    .update = last_job_update };

	r.queued = r.reason == WAIT_RESOURCES || r.reason == WAIT_PRIORITY;
	if (r.queued)
		r.desc = xstrdup(job->state_desc);
	return r;
}

static void restore_reason(job_record_t *job, struct pending_reason *r)
{
	if (!r->queued || ((uint32_t)job->state_reason == r->reason &&
			   xstrcmp(job->state_desc, r->desc) == 0))
		return;
	job->state_reason = r->reason;
	xfree(job->state_desc);
	job->state_desc = r->desc;
	r->desc = NULL;
	last_job_update = r->update;
}

int pending_submit(struct host *h, job_record_t *job)
{
	part_record_t *part;
	struct pending_reason reason;
	bool queued = false;
	bool claims = claims_has(&h->claims, job->job_id);
	int added = 0;

	if (claims && copies_of(job) <= 1)
		return 0; /* its nodes are being cleared */
	set_job_failed_assoc_qos_ptr(job);
	acct_policy_handle_accrue_time(job, false);
	if (job->array_recs)
		job->array_recs->pend_run_tasks = 0;
	reason = queued_reason(job);
	for (uint32_t n = 0; (part = pending_job_partition(job, n));
	     n = added > 0 ? pending_job_next_partition(job, n) : n + 1) {
		added = pending_job_prepare(job, part, n) ?
				pending_add(h, job, part, n) :
				0;
		if (added < 0 || !IS_JOB_PENDING(job))
			break; /* no memory, or its deadline has passed */
		queued = queued || added > 0;
	}
	if (added >= 0 && IS_JOB_PENDING(job)) {
		limits_recheck(h, job);
		if (queued)
			restore_reason(job, &reason);
		else if (!claims)
			forget_promise(job);
	}
	xfree(reason.desc);
	return added < 0 ? -1 : 0;
}

static bool pending_waits_for_nodes(const job_record_t *job)
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

/* In a dry run: return true if the job waits for nodes only, according to Slurm's
 * scheduler. Slurm's test whether a job may start would write its reason into the
 * record, so its own scheduler's reason is read. The wrapped select plugin is not asked
 * about a place. */
static bool pending_waits(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job) &&
	       !IS_JOB_REVOKED(job) && job->details && !job->het_job_id &&
	       job->priority != 0 && !job->details->prolog_running &&
	       job->details->begin_time <= time(NULL) &&
	       pending_waits_for_nodes(job);
}

int pending_dry_run(struct host *h, job_record_t *job)
{
	part_record_t *part;
	int rc = 0;

	if (!pending_waits(job))
		return 0;
	for (uint32_t n = 0; rc >= 0 && (part = pending_job_partition(job, n));
	     n = pending_job_next_partition(job, n)) {
		allowed_nodes_ask_count(job, part);
		rc = pending_add(h, job, part, n);
	}
	return rc < 0 ? -1 : 0;
}
