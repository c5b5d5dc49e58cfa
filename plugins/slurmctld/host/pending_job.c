/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pending job in one of its partitions, as Slurm has it. Slurm's own functions decide
 * whether it may start at all (dependencies, begin times, holds, limits, licenses...) and
 * note the reason.
 */
#include "live/base/hash.h"
#include "live/mirror/mirror.h"
#include "live/promises/promises.h"
#include "slurmctld/host/allowed_nodes.h"
#include "slurmctld/host/host.h"
#include "slurmctld/host/job_class.h"
#include "slurmctld/host/pending_job.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/select/choose.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submit_options.h"

static int pending_job_is_nth(void *object, void *arg)
{
	uint32_t *left = arg;

	(void)object;
	return (*left)-- == 0;
}

static uint32_t pending_job_qos_count(const job_record_t *job)
{
	compat_list list = COMPAT_QOS_LIST(job);
	int count = list ? list_count(list) : 0;

	return count > 0 ? (uint32_t)count : 1;
}

part_record_t *pending_job_partition(const job_record_t *job, uint32_t n)
{
	compat_list list = job->part_ptr_list;

	n /= pending_job_qos_count(job);
	if (!list || list_count(list) == 0)
		return n == 0 ? job->part_ptr : NULL;
	return list_find_first(list, pending_job_is_nth, &n);
}

uint32_t pending_job_next_partition(const job_record_t *job, uint32_t n)
{
	uint32_t count = pending_job_qos_count(job);

	return (n / count + 1) * count;
}

void pending_job_take_qos(job_record_t *job, uint32_t n)
{
	compat_list list = COMPAT_QOS_LIST(job);
	uint32_t left = n % pending_job_qos_count(job);
	slurmdb_qos_rec_t *qos =
		list ? list_find_first(list, pending_job_is_nth, &left) : NULL;

	if (!qos)
		return;
	job->qos_ptr = qos;
	job->qos_id = qos->id;
}

/* Set one of Slurm's reasons for a job that may not start. */
static void pending_job_set_reason(job_record_t *job, uint32_t reason)
{
	if ((uint32_t)job->state_reason == reason)
		return;
	job->state_reason = reason;
	xfree(job->state_desc);
	last_job_update = time(NULL);
}

/* The same with a sentence, if Slurm's reason is not precise enough. */
void pending_job_note_reason(job_record_t *job, uint32_t reason,
			     const char *text)
{
	char *desc = xstrdup(text);

	reason_bound(desc);
	pending_job_set_reason(job, reason);
	if (xstrcmp(job->state_desc, desc) == 0) {
		xfree(desc);
		return;
	}
	xfree(job->state_desc);
	job->state_desc = desc;
	last_job_update = time(NULL);
}

/* Return true if the partition no longer accepts shapes. */
static bool pending_job_is_forced_to_share(job_record_t *job,
					   const part_record_t *part)
{
	char *text;

	if (!submit_options_force_sharing(part) || !job_request_is_shaped(job))
		return false;
	text = xstrdup_printf("partition %s " SUBMIT_FORCED
			      "; move the job: scontrol update job=%u partition=NAME",
			      part->name, job->job_id);
	pending_job_note_reason(job, WAIT_PART_CONFIG, text);
	xfree(text);
	return true;
}

static bool pending_job_has_valid_qos(const job_record_t *job)
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
static bool pending_job_is_independent(job_record_t *job)
{
	bool independent;

	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) ||
	    IS_JOB_REVOKED(job) || !job->details || job->het_job_id)
		return false;
	if (job->details->prolog_running ||
	    (job->step_list && list_count(job->step_list) > 0)) {
		pending_job_set_reason(job, WAIT_CLEANING);
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
			pending_job_set_reason(job, WAIT_HELD);
		return false;
	}
	if (!independent && (job->state_reason == WAIT_HELD ||
			     job->state_reason == WAIT_HELD_USER))
		pending_job_set_reason(job, WAIT_DEPENDENCY);
	return independent;
}

/* Return false if the deadline cannot be met; Slurm then cancels the job with
 * the reason. */
static bool pending_job_meets_deadline(job_record_t *job)
{
	char name[] = "sched/torus";

	return !job->deadline || job->deadline == NO_VAL ||
	       deadline_ok(job, name);
}

void pending_job_name_task(struct host *h, const job_record_t *job)
{
	const struct plan_file_id id = { job->job_id, job->array_job_id,
					 job->array_task_id };

	if (id.task != NO_VAL && id.array)
		promises_name_task(h->cycle, &id);
}

bool pending_job_prepare(job_record_t *job, part_record_t *part, uint32_t n)
{
	uint32_t reason;

	if (!part)
		return false;
	job->part_ptr = part;
	pending_job_take_qos(job, n);
	allowed_nodes_ask_count(job, part);
	if (job->resv_list && part->node_bitmap)
		job_reservations_choose(job, part, node_count_of(job, part));
	sizes_settle(job);
	if (!pending_job_is_independent(job) ||
	    pending_job_is_forced_to_share(job, part))
		return false;
	reason = (uint32_t)job_limits_check(&job, false);
	if (reason != WAIT_NO_REASON) {
		pending_job_set_reason(job, reason);
		return false;
	}
	if (!pending_job_has_valid_qos(job)) {
		pending_job_set_reason(job, FAIL_QOS);
		return false;
	}
	if (!acct_policy_job_runnable_pre_select(job, false))
		return false;
	if (license_job_test(job, time(NULL), true) != SLURM_SUCCESS) {
		pending_job_set_reason(job, WAIT_LICENSES);
		return false;
	}
	/* (without accounting 23.11 has no associations, and each is invalid) */
	if ((accounting_enforce & ACCOUNTING_ENFORCE_ASSOCS) &&
	    assoc_mgr_validate_assoc_id(acct_db_conn, job->assoc_id,
					accounting_enforce)) {
		pending_job_set_reason(job, FAIL_ACCOUNT);
		return false;
	}
	return pending_job_meets_deadline(job);
}

bool pending_job_shares_cpus(const job_record_t *job, const part_record_t *part)
{
	uint16_t most = part->max_share & (uint16_t)~SHARED_FORCE;

	return most > 1 && ((part->max_share & SHARED_FORCE) ||
			    job->details->share_res == 1);
}

/* (As _resolve_shared_status() of select_nodes() has it.) */
bool pending_job_shares(const job_record_t *job, const part_record_t *part)
{
	const compat_details *d = job->details;

	if (!d || !part || part->max_share == 0 || job->reboot ||
	    job_request_is_shaped(job))
		return false;
	if (!wraps_cons_tres() || pending_job_shares_cpus(job, part))
		return pending_job_shares_cpus(job, part);
	return d->share_res != 0 && !COMPAT_WHOLE_NODE(d->whole_node) &&
	       d->core_spec == NO_VAL16;
}

/* (Without accounting Slurm knows no name: the number stands in. A search for the name may
 * wait for a directory service.) */
const struct torus_job_owner *pending_job_owner(struct host *h,
						const job_record_t *job)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK };
	const struct torus_job_owner *owner;
	char number[16];

	snprintf(number, sizeof(number), "%u", job->user_id);
	assoc_mgr_lock(&locks);
	owner = owners_add(h->cycle,
			   job->assoc_ptr && job->assoc_ptr->user ?
				   job->assoc_ptr->user :
				   number,
			   job->account);
	assoc_mgr_unlock(&locks);
	return owner;
}

int64_t pending_job_eligible_us(const job_record_t *job)
{
	time_t at = job->details->submit_time;

	if (job->details->begin_time > at)
		at = job->details->begin_time;
	return seconds_to_us(at);
}

/* Return its least limit (--time-min); 0: it has none. (Slurm sets one for jobs with
 * a deadline; it does not count.) */
int64_t pending_job_least_us(const job_record_t *job, const part_record_t *part)
{
	int64_t least_us = seconds_to_us(job->time_min * INT64_C(60));

	if (!job->time_min || job->time_min == NO_VAL ||
	    job->time_min == INFINITE ||
	    (job->deadline && job->deadline != NO_VAL) ||
	    least_us >= limits_time_us(job, part))
		return 0;
	return least_us;
}

int64_t pending_job_deadline_us(const job_record_t *job)
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
	hash_number(&h, (uint64_t)pending_job_eligible_us(job));
	hash_number(&h, (uint64_t)limits_time_us(job, part));
	hash_number(&h, (uint64_t)pending_job_deadline_us(job));
	hash_number(&h, (uint64_t)pending_job_least_us(job, part));
	hash_number(&h, pending_job_shares(job, part));
	return h & ~(uint64_t)HOST_KEY_ALTERNATIVES;
}
