/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A waiting job gets another shape (storus update). The update is a text in the
 * Comment of a job update (format/admin_comment.h). Slurm calls job_modify() before it
 * checks the user, so the user is checked here. The text is checked like a submission
 * of the job with that shape.
 *
 * The update changes what job_submit() sets: the request in spank_job_env, its copy
 * in AdminComment, the counts of nodes, tasks and CPUs. Slurm's own part of the
 * update then has nothing to do. Limits of accounting are tested at the start.
 *
 * Needs Slurm's locks of jobs and nodes (write) and partitions (read).
 */
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_request.h"
#include "slurmctld/names.h"
#include "slurmctld/submit/sizes.h"
#include "slurmctld/submit/submit_check.h"

#include "format/admin_comment.h"

struct update {
	job_record_t *job;
	job_desc_msg_t desc; /* the job, submitted with the new shape */
	char *entry[TORUS_WORDS + 1]; /* xmalloc; ends with NULL */
	uint32_t entries;
};

static int update_check(struct instance *in, bool ladder, struct update *u,
			char *text, char **err_msg)
{
	struct torus_request_words words;
	struct torus_error err;
	int rc;

	torus_error_clear(&err);
	if (job_update_read(text, &words, &err)) {
		xstrfmtcat(*err_msg, "torus: %s", err.text);
		return ESLURM_NOT_SUPPORTED;
	}
	u->entries = job_request_write(&words, u->entry);
	submit_check_describe(u->job, &u->desc);
	u->desc.partition = xstrdup(u->job->partition); /* the check's own */
	u->desc.spank_job_env = u->entry;
	u->desc.spank_job_env_size = u->entries;
	rc = submit_check(in, ladder, &u->desc, err_msg);
	if (rc == SLURM_SUCCESS) {
		job_record_t *job = u->job;

		job_request_remove(job->spank_job_env, &job->spank_job_env_size);
		xrecalloc(job->spank_job_env,
			  job->spank_job_env_size + u->desc.spank_job_env_size +
				  1,
			  sizeof(char *));
		for (uint32_t i = 0; i < u->desc.spank_job_env_size; i++) {
			job->spank_job_env[job->spank_job_env_size++] =
				u->desc.spank_job_env[i];
			u->desc.spank_job_env[i] = NULL; /* the job's now */
		}
		admin_comment_remove(job->admin_comment, ADMIN_COMMENT_ASK);
		if (job->admin_comment && !*job->admin_comment)
			xfree(job->admin_comment);
		if (job->admin_comment)
			xstrcat(job->admin_comment, " ");
		xstrcat(job->admin_comment, u->desc.admin_comment);
		sizes_set_nodes(job, u->desc.min_nodes);
		job->start_time = 0; /* forecast of the earlier shape */
		last_job_update = time(NULL);
	}
	xfree(u->desc.partition);
	xfree(u->desc.admin_comment);
	for (uint32_t i = 0; i < u->entries; i++)
		xfree(u->entry[i]);
	return rc;
}

/* Check that this user may change the job, and that it can be changed. */
static int may_change(const job_record_t *job, uid_t uid, char **err_msg)
{
	if (uid != job->user_id && !validate_operator(uid))
		return ESLURM_ACCESS_DENIED;
	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) || !job->details) {
		xstrfmtcat(*err_msg,
			   "torus: the shape of a job can change only while it waits");
		return ESLURM_JOB_NOT_PENDING;
	}
	if (!job_request_is_shaped(job)) {
		xstrfmtcat(*err_msg,
			   "torus: the job was submitted without --geometry; submit it again with one");
		return ESLURM_NOT_SUPPORTED;
	}
	return SLURM_SUCCESS;
}

void submit_update_comment(job_desc_msg_t *desc, const job_record_t *job)
{
	static const char *const mark[] = { ADMIN_COMMENT_ASK,
					    ADMIN_COMMENT_PLACE,
					    ADMIN_COMMENT_LINK_DOWN };
	char *text = NULL;

	if (!desc->admin_comment)
		return;
	for (size_t i = 0; i < sizeof(mark) / sizeof(*mark); i++) {
		const char *entry = admin_comment_entry(job->admin_comment,
							mark[i]);

		/* Slurm uses one description for all tasks of an array */
		admin_comment_remove(desc->admin_comment, mark[i]);
		for (; entry; entry = admin_comment_entry(entry + 1, mark[i]))
			xstrfmtcat(text, "%s%.*s", text ? " " : "",
				   (int)strcspn(entry, " "), entry);
	}
	if (!text)
		return;
	/* in front: programs read a line at a time */
	if (*desc->admin_comment)
		xstrfmtcat(text, " %s", desc->admin_comment);
	xfree(desc->admin_comment);
	desc->admin_comment = text;
}

int submit_update_job(struct instance *in, bool ladder, job_desc_msg_t *desc,
		      job_record_t *job, uid_t uid, char **err_msg)
{
	struct update u = { .job = job };
	char *why = NULL, *text = desc->comment;
	int rc = may_change(job, uid, &why);

	desc->comment = NULL; /* keep the job's own */
	if (rc == SLURM_SUCCESS)
		rc = update_check(in, ladder, &u, text, &why);
	if (rc == SLURM_SUCCESS)
		info("torus: %pJ asks for another shape: %s", job,
		     job->admin_comment);
	else
		info("torus: update of %pJ by uid %u refused: %s", job, uid,
		     why ? why : slurm_strerror(rc));
	if (err_msg && why)
		xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", why);
	xfree(why);
	xfree(text);
	return rc;
}
