/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exported face of libtorus_slurm.so: every call of torus_slurm.h under
 * the one mutex. A new torus.yaml takes effect as a whole or not at all.
 */
#include "torus/state_text.h"
#include "slurmctld/host/host.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/instance/node_map.h"
#include "slurmctld/instance/job_table.h"
#include "slurmctld/instance/state_file.h"
#include "slurmctld/instance/state_saver.h"
#include "slurmctld/names.h"
#include "slurmctld/select/choose.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submission.h"
#include "slurmctld/submit/submit_check.h"

#include "config/policy_guard.h"
#include "format/admin_comment.h"
#include "slurmctld/select/test_only.h"

#include <pthread.h>

/* StateSaveLocation. A reconfigure frees Slurm's own string while other threads save. */
static char *state_directory;

static struct instance_current *const now = &instance_current;

static int api_refuse_file(struct torus_error *err, const char *path)
{
	struct torus_error ignored;

	xfree(now->errors);
	now->errors = xstrdup(err->text);
	now->refused_at = time(NULL);
	instance_log_lines(err, true);
	if (!now->instance) {
		error("torus: correct %s and start again; nothing is lost, no clean start (-c) is needed",
		      path);
		return SLURM_ERROR;
	}
	error("torus: %s is not used; the configuration does not change", path);
	torus_error_clear(&ignored);
	/* even without a new file, Slurm's node numbers may have changed */
	return node_map_make(now->instance, false, &ignored) && ignored.count ?
		       SLURM_ERROR :
		       SLURM_SUCCESS;
}

static void api_report_policy(const char *line)
{
	error("torus: %s", line);
}

static int api_configure(void)
{
	char *path = instance_path();
	struct instance *fresh;
	struct torus_error err;
	int rc = SLURM_SUCCESS;
	bool dry_run;

	if (record_layout_check()) {
		xfree(path);
		return SLURM_ERROR;
	}
	torus_error_clear(&err);
	torus_guard_report(api_report_policy);
	instance_lock();
	xfree(state_directory);
	state_directory = xstrdup(slurm_conf.state_save_location);
	fresh = instance_create(path, &err);
	if (!fresh || instance_links_begin(fresh, &err) ||
	    node_map_make(fresh, true, &err)) {
		instance_destroy(fresh);
		rc = api_refuse_file(&err, path);
	} else {
		struct torus_text text = { 0 };

		instance_log_lines(&fresh->config->notices, false);
		/* The strategies' memory outlives a restart of slurmctld, and a
		 * reconfigure if the machine is unchanged. The next job-table sync drops
		 * holds that the job table does not confirm. */
		if (!now->instance)
			state_file_restore(fresh,
					   slurm_conf.state_save_location);
		else if (torus_state_save(now->instance->state, &text) ||
			 torus_state_restore(fresh->state, text.data, NULL))
			verbose("torus: the machine has changed: the placements of running jobs are derived from their nodes");
		torus_text_free(&text);
		instance_destroy(now->instance);
		now->instance = fresh;
		instance_comment_nodes(now->instance);
		xfree(now->errors);
		xfree(now->links_errors);
	}
	dry_run = instance_is_dry_run(now->instance);
	instance_unlock();
	if (dry_run && host_dry_run_start())
		rc = SLURM_ERROR;
	host_thread_wake();
	xfree(path);
	return rc;
}

static void api_distrust(void)
{
	struct torus_error err;

	torus_error_clear(&err);
	instance_lock();
	if (now->instance && node_map_make(now->instance, false, &err))
		instance_log_lines(&err, true);
	instance_unlock();
}

/* Threads of slurmctld save at the same time (each `scontrol delete partition` saves
 * all state); the latest state must be written last. */
static int api_save(void)
{
	static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER;
	struct torus_text text = { 0 };
	char *directory;
	int rc = 0;

	pthread_mutex_lock(&saving);
	instance_lock();
	directory = xstrdup(state_directory);
	if (now->instance)
		rc = torus_state_save(now->instance->state, &text);
	instance_unlock();
	if (rc)
		error("torus: out of memory while saving the state");
	else if (text.data)
		rc = state_file_write(directory, text.data);
	pthread_mutex_unlock(&saving);
	torus_text_free(&text);
	xfree(directory);
	return rc ? SLURM_ERROR : SLURM_SUCCESS;
}

static void api_keep(bool on)
{
	if (!on && state_saver_stop())
		error("torus: StateSaveLocation does not answer; the latest changes of the machine state are not saved");
	else if (on && state_saver_start(api_save))
		error("torus: the state is not saved, because no thread could be created: %m");
}

/* Return true for jobs with a shape; with sched/torus also for all other jobs
 * that are to start. */
static bool api_concerns(const job_record_t *job, uint16_t mode)
{
	bool concerns;

	instance_lock();
	concerns = !now->bypass && ((now->in_charge && !SELECT_IS_TEST(mode)) ||
				    job_request_is_shaped(job));
	instance_unlock();
	return concerns;
}

static bool api_shares(const job_record_t *job, bitstr_t *nodes)
{
	bool shares;

	instance_lock();
	shares = now->in_charge && now->order && now->order->shared &&
		 now->order->job == job->job_id;
	if (shares)
		bit_and(nodes, now->order->nodes);
	instance_unlock();
	return shares;
}

static int api_do_choose(struct torus_choice *c)
{
	if (!now->instance)
		return SLURM_ERROR;
	instance_links_reread();
	if (now->in_charge && !SELECT_IS_TEST(c->mode))
		return choose_ordered(now->instance, now->order, c);
	return choose_place(now->instance, c);
}

static int api_choose(struct torus_choice *c)
{
	int rc;

	if (job_request_is_shaped(c->job) && IS_JOB_PENDING(c->job) &&
	    !IS_JOB_COMPLETING(c->job))
		job_display_clear(c->job); /* it was requeued after its end */
	instance_lock();
	rc = api_do_choose(c);
	instance_unlock();
	return rc;
}

static void api_refused(const struct torus_choice *c, const bitstr_t *fit)
{
	instance_lock();
	if (c->ordered && now->order) {
		now->order->refused = true;
		FREE_NULL_BITMAP(now->order->fit);
		if (fit)
			now->order->fit = bit_copy((bitstr_t *)(uintptr_t)fit);
	}
	instance_unlock();
}

/* Add the job's hold to the state at once: a partition tree depends on the
 * order of starts and ends, which the job table does not have. If the state
 * refuses the place, job_table_sync() handles it. */
static void api_remember(struct instance *in, const job_record_t *job,
			 const struct torus_placement *place)
{
	const struct torus_pod *pod = &in->machine->pod[place->pod];

	if (!pod->strategy[place->strategy]->occupancy_only)
		torus_state_commit(in->state, place, job->job_id, NULL,
				   seconds_to_us(job->start_time),
				   seconds_to_us(job->end_time), NULL);
}

static void api_began(job_record_t *job)
{
	struct torus_placement place;

	job_display_clear(job); /* entries of an earlier run */
	if (!job_request_is_shaped(job))
		return;
	instance_lock();
	if (now->instance &&
	    (recent_places_take(now->instance, job, &place) ||
	     recent_places_recognize(now->instance, now->instance->empty, job,
				     &place))) {
		job_display_place(now->instance, job, &place);
		api_remember(now->instance, job, &place);
	} else {
		error("torus: %pJ: its nodes do not form the shape that it asked for",
		      job);
	}
	instance_unlock();
	state_saver_note();
}

/*
 * Return true if the job will be requeued; its nodes are released already. A
 * requeued job loses its placement; a finished job keeps it for scontrol. After
 * a node failure the job's state does not show the requeue yet, but its cause
 * does.
 */
static bool api_will_run_again(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return (job->job_state & JOB_REQUEUE) || base == JOB_PENDING ||
	       (base == JOB_NODE_FAIL && job->batch_flag && job->details &&
		job->details->requeue);
}

static void api_ended(job_record_t *job)
{
	if (api_will_run_again(job)) {
		job_display_clear(job);
		sizes_reset(job);
	}
	state_saver_note();
	host_thread_wake();
}

static int api_submit(job_desc_msg_t *desc, char **err_msg)
{
	int rc;

	submission_begin(0);
	instance_lock();
	rc = submit_check(now->instance, now->in_charge, desc, err_msg);
	instance_unlock();
	if (rc)
		submission_refused();
	host_thread_wake();
	return rc;
}

static int api_modify(job_desc_msg_t *desc, job_record_t *job, uid_t uid,
		      char **err_msg)
{
	bool may = uid == job->user_id || validate_operator(uid);
	int rc = SLURM_SUCCESS;

	if (record_layout_check())
		return SLURM_ERROR;
	submission_begin(job->job_id);
	instance_lock();
	if (job_update_is(desc->comment))
		rc = submit_update_job(now->instance, now->in_charge, desc, job,
				       uid, err_msg);
	if (rc == SLURM_SUCCESS) {
		char *why = NULL;

		/* logged, since before 24.11 Slurm does not show the text to the user */
		rc = submit_check_update(now->instance, now->in_charge && may,
					 desc, job, &why);
		if (rc && why)
			info("update of %pJ refused: %s", job, why);
		/* Slurm checks the user later: the shape of a hidden job is not for all */
		if (err_msg && why &&
		    (may || !(slurm_conf.private_data & PRIVATE_DATA_JOBS)))
			xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", why);
		xfree(why);
	}
	if (rc == SLURM_SUCCESS)
		submit_update_comment(desc, job);
	instance_unlock();
	host_thread_wake();
	return rc;
}

TORUS_EXPORT extern const struct torus_slurm_api torus_slurm_api;

const struct torus_slurm_api torus_slurm_api = {
	.version = TORUS_SLURM_API,
	.slurm = SLURM_VERSION_NUMBER,
	.records = record_layout_check,
	.configure = api_configure,
	.distrust = api_distrust,
	.save = api_save,
	.keep = api_keep,
	.shaped = job_request_is_shaped,
	.concerns = api_concerns,
	.shares = api_shares,
	.choose = api_choose,
	.planned = test_only_planned,
	.answered = test_only_answered,
	.refused = api_refused,
	.larger = choose_larger,
	.users = victims_of_place,
	.keep_off_shapes = victims_keep_off_shapes,
	.start = victims_check_start,
	.began = api_began,
	.step_began = step_layout_order,
	.ended = api_ended,
	.submit = api_submit,
	.modify = api_modify,
	.sched_start = host_thread_start,
	.sched_stop = host_thread_stop,
	.sched_reconfigure = host_thread_reconfigure,
};
