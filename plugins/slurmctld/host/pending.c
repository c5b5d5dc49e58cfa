/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pending jobs as Slurm has them, reported to the cycle. Slurm's own functions
 * decide whether a job may start at all (dependencies, begin times, holds, limits,
 * licenses...) and note the reason. A job that may not start leaves the queue but
 * keeps its position.
 *
 * A job that names several partitions is queued once for each; a job array as
 * many times as tasks of it may start.
 */
#include "torus_build.h" /* before Slurm's config.h */
#include "live/mirror/waiting.h"
#include "slurmctld/select/job_display.h"
#include "slurmctld/host/dry_run.h"
#include "slurmctld/instance/job_request.h"

#include "live/hash.h"
#include "live/promises/reason.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/preempt.h"
#include "slurmctld/host/join.h"
#include "slurmctld/host/job_reservations.h"
#include "slurmctld/host/node_count.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/limits.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/host/pending.h"
#include "slurmctld/submit/submit_check.h"

/* Used if no limit is known, as Slurm does. */
#define YEAR_US (INT64_C(365) * 24 * 3600 * SECOND_US)
#define CONSTRAINT_SHOWN                                                       \
	30 /* characters of a constraint in a reason, at most */

static int pending_is_nth(void *object, void *arg)
{
	uint32_t *left = arg;

	(void)object;
	return (*left)-- == 0;
}

part_record_t *pending_job_partition(const job_record_t *job, uint32_t n)
{
	compat_list list = job->part_ptr_list;

	if (!list || list_count(list) == 0)
		return n == 0 ? job->part_ptr : NULL;
	return list_find_first(list, pending_is_nth, &n);
}

/* Set one of Slurm's reasons for a job that may not start. */
static void note_reason(job_record_t *job, uint32_t reason)
{
	if ((uint32_t)job->state_reason == reason)
		return;
	job->state_reason = reason;
	xfree(job->state_desc);
	last_job_update = time(NULL);
}

/* The same with a sentence, if Slurm's reason is not precise enough. */
static void note_reason_text(job_record_t *job, uint32_t reason,
			     const char *text)
{
	char *desc = xstrdup(text);

	reason_bound(desc);
	note_reason(job, reason);
	if (xstrcmp(job->state_desc, desc) == 0) {
		xfree(desc);
		return;
	}
	xfree(job->state_desc);
	job->state_desc = desc;
	last_job_update = time(NULL);
}

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
		note_reason_text(job, reason,
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
	note_reason_text(job, reason, text);
	xfree(text);
	xfree(by);
}

/* Return true if the partition no longer accepts shapes. */
static bool is_forced_to_share(job_record_t *job, const part_record_t *part)
{
	char *text;

	if (!submit_options_force_sharing(part) || !job_request_is_shaped(job))
		return false;
	text = xstrdup_printf("partition %s " SUBMIT_FORCED
			      "; move the job: scontrol update job=%u partition=NAME",
			      part->name, job->job_id);
	note_reason_text(job, WAIT_PART_CONFIG, text);
	xfree(text);
	return true;
}

static bool qos_valid(const job_record_t *job)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK, .qos = READ_LOCK };
	bool valid = true;

	if (!job->qos_id || !(accounting_enforce & ACCOUNTING_ENFORCE_QOS) ||
	    job->limit_set.qos)
		return true;
	assoc_mgr_lock(&locks);
	if (job->assoc_ptr)
		valid = job->qos_id < g_qos_count && job->assoc_ptr->usage &&
			job->assoc_ptr->usage->valid_qos &&
			bit_test(job->assoc_ptr->usage->valid_qos, job->qos_id);
	assoc_mgr_unlock(&locks);
	return valid;
}

/* Test what does not depend on the partition: state, dependencies, times, holds. */
static bool is_independent(job_record_t *job)
{
	bool independent;

	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
	    IS_JOB_REVOKED(job) || !job->details || job->het_job_id)
		return false;
	if (job->details->prolog_running ||
	    (job->step_list && list_count(job->step_list) > 0)) {
		note_reason(job, WAIT_CLEANING);
		return false;
	}
	independent = job_independent(job);
	if (job->priority == 0) {
		if (job->state_reason != FAIL_BAD_CONSTRAINTS &&
		    job->state_reason != WAIT_RESV_DELETED &&
		    job->state_reason != FAIL_BURST_BUFFER_OP &&
		    job->state_reason != WAIT_HELD &&
		    job->state_reason != WAIT_HELD_USER &&
		    job->state_reason != WAIT_MAX_REQUEUE)
			note_reason(job, WAIT_HELD);
		return false;
	}
	if (!independent && (job->state_reason == WAIT_HELD ||
			     job->state_reason == WAIT_HELD_USER))
		note_reason(job, WAIT_DEPENDENCY);
	return independent;
}

/* Return false if the deadline cannot be met; Slurm then cancels the job with
 * the reason. */
static bool deadline_stands(job_record_t *job)
{
	char name[] = "sched/torus";

	return !job->deadline || job->deadline == NO_VAL ||
	       deadline_ok(job, name);
}

bool pending_job_prepare(job_record_t *job, part_record_t *part)
{
	uint32_t reason;

	if (!part)
		return false;
	job->part_ptr = part;
	allowed_nodes_ask_count(job, part);
	job_reservations_choose(job, part);
	sizes_settle(job);
	if (!is_independent(job) || is_forced_to_share(job, part))
		return false;
	reason = (uint32_t)job_limits_check(&job, false);
	if (reason != WAIT_NO_REASON) {
		note_reason(job, reason);
		return false;
	}
	if (!qos_valid(job)) {
		note_reason(job, FAIL_QOS);
		return false;
	}
	if (!acct_policy_job_runnable_pre_select(job, false))
		return false;
	if (license_job_test(job, time(NULL), true) != SLURM_SUCCESS) {
		note_reason(job, WAIT_LICENSES);
		return false;
	}
	if (assoc_mgr_validate_assoc_id(acct_db_conn, job->assoc_id,
					accounting_enforce)) {
		note_reason(job, FAIL_ACCOUNT);
		return false;
	}
	return deadline_stands(job);
}

static int64_t eligible_us(const job_record_t *job)
{
	time_t at = job->details->submit_time;

	if (job->details->begin_time > at)
		at = job->details->begin_time;
	return seconds_to_us(at);
}

int64_t limits_time_us(const job_record_t *job, const part_record_t *part)
{
	uint32_t minutes = job->time_limit;

	if (minutes == NO_VAL)
		minutes = part->default_time;
	if (minutes == NO_VAL)
		minutes = part->max_time;
	if (minutes == NO_VAL || minutes == INFINITE)
		return YEAR_US;
	return seconds_to_us(minutes * INT64_C(60));
}

/* Return its least limit (--time-min); 0: it has none. (Slurm sets one for jobs with
 * a deadline; it does not count.) */
static int64_t pending_least_us(const job_record_t *job,
				const part_record_t *part)
{
	int64_t least_us = seconds_to_us(job->time_min * INT64_C(60));

	if (!job->time_min || job->time_min == NO_VAL ||
	    job->time_min == INFINITE ||
	    (job->deadline && job->deadline != NO_VAL) ||
	    least_us >= limits_time_us(job, part))
		return 0;
	return least_us;
}

static int64_t deadline_us(const job_record_t *job)
{
	return job->deadline && job->deadline != NO_VAL ?
		       seconds_to_us(job->deadline) :
		       TORUS_NO_TIME;
}

uint64_t pending_job_key(const job_record_t *job, const part_record_t *part)
{
	uint64_t h = HASH_START;

	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		if (!job_display_is_place(job->spank_job_env[i]))
			hash_text(&h, job->spank_job_env[i]);
	}
	hash_text(&h, job->details->req_nodes);
	/* what the job asked for: Slurm's checks write the defaults of the partition
	 * that they look at into pn_min_* */
	hash_number(&h, job->details->orig_pn_min_cpus);
	hash_number(&h, job->bit_flags & JOB_MEM_SET ?
				job->details->orig_pn_min_memory :
				0);
	hash_number(&h, job->details->pn_min_tmp_disk);
	if (!sizes_vary(job))
		node_count_hash(&h, job, part);
	hash_number(&h, (uint64_t)eligible_us(job));
	hash_number(&h, (uint64_t)limits_time_us(job, part));
	hash_number(&h, (uint64_t)deadline_us(job));
	hash_number(&h, (uint64_t)pending_least_us(job, part));
	hash_number(&h, pending_job_shares(job, part));
	return h & ~(uint64_t)HOST_KEY_ALTERNATIVES;
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

/* Return the priority in Slurm's order of its queue: the partition's tier, then
 * the job's priority. */
static double priority_in(const job_record_t *job, const part_record_t *part,
			  uint32_t number)
{
	return (double)part->priority_tier * 4294967296.0 +
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
		.name = { job->job_id, number, claims_has(h, job->job_id) }
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
	if (beyond == HOST_BEYOND_ALL)
		return 0;
	pending.key = pending_job_key(job, part) | beyond |
		      node_count_idle_mark(job, part);
	pending.priority = priority_in(job, part, number);
	for (; pending.name.copy < copies; pending.name.copy++) {
		if (cycle_pending_unchanged(h->cycle, &pending.name,
					    pending.key, class->allowed,
					    class->outages, pending.priority))
			continue;
		if (!read) {
			if (pending_read_request(job, part, h->may_rotate,
						 &request))
				return 0;
			limits_leave_out(&request, beyond);
			pending.request = torus_job_request_of(&request);
		}
		read = true;
		pending.eligible_us = eligible_us(job);
		pending.limit_us = limits_time_us(job, part);
		pending.least_us = pending_least_us(job, part);
		pending.step_us = 60 * SECOND_US;
		pending.deadline_us = deadline_us(job);
		pending.allowed = class->allowed;
		pending.required = class->required;
		pending.outages = class->outages;
		pending.shares = pending_job_shares(job, part);
		pending.spreads = pending_job_shares_cpus(job, part);
		if (cycle_add_pending(h->cycle, &pending))
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
struct reason {
	bool queued; /* the reason is of a queued job */
	uint32_t reason;
	char *desc;
	time_t update;
};

static struct reason queued_reason(const job_record_t *job)
{
	struct reason r = { .reason = (uint32_t)job->state_reason,
			    .update = last_job_update };

	r.queued = r.reason == WAIT_RESOURCES || r.reason == WAIT_PRIORITY;
	if (r.queued)
		r.desc = xstrdup(job->state_desc);
	return r;
}

static void restore_reason(job_record_t *job, struct reason *r)
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
	struct reason reason;
	bool queued = false;
	bool claims = claims_has(h, job->job_id);
	int added = 0;

	if (claims && copies_of(job) <= 1)
		return 0; /* its nodes are being cleared */
	set_job_failed_assoc_qos_ptr(job);
	acct_policy_handle_accrue_time(job, false);
	if (job->array_recs)
		job->array_recs->pend_run_tasks = 0;
	reason = queued_reason(job);
	for (uint32_t n = 0; (part = pending_job_partition(job, n)); n++) {
		added = pending_job_prepare(job, part) ?
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

int pending_dry_run(struct host *h, job_record_t *job)
{
	part_record_t *part;
	int rc = 0;

	if (!dry_run_waits(job))
		return 0;
	for (uint32_t n = 0; rc >= 0 && (part = pending_job_partition(job, n));
	     n++) {
		allowed_nodes_ask_count(job, part);
		rc = pending_add(h, job, part, n);
	}
	return rc < 0 ? -1 : 0;
}
