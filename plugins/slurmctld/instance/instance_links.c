/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links files of torus.yaml, read again when one of them changes. A wrong file
 * changes nothing: its errors go to the log and to `storus reservations -v`. Jobs
 * over a link that goes down continue; the log, their AdminComment and, while it is
 * down, their reason name the link.
 *
 * Cost: a stat() per file and second; of a change O(links x running jobs).
 */
#include "torus/placement.h"
#include "slurmctld/instance/instance.h"
#include "slurmctld/instance/job_table.h"

#include <sys/stat.h>

#include "config/file.h"
#include "format/admin_comment.h"
#include "live/base/hash.h"
#include "torus/alloc.h"

bool instance_links_any(const struct instance *in)
{
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		if (in->config->links[p])
			return true;
	}
	return false;
}

/* Hash the files' identity and time of change. */
static uint64_t links_stamp(const struct instance *in)
{
	uint64_t hash = HASH_START;

	for (uint32_t p = 0; p < in->machine->pods; p++) {
		struct stat st = { 0 };

		if (!in->config->links[p])
			continue;
		if (stat(in->config->links[p], &st))
			hash_number(&hash, 1);
		hash_number(&hash, st.st_ino);
		hash_number(&hash, (uint64_t)st.st_size);
		hash_number(&hash, (uint64_t)st.st_mtim.tv_sec);
		hash_number(&hash, (uint64_t)st.st_mtim.tv_nsec);
	}
	return hash;
}

int instance_links_begin(struct instance *in, struct torus_error *err)
{
	for (uint32_t p = 0; p < in->machine->pods; p++) {
		if (in->config->links[p] &&
		    torus_file_check_owner(in->config->links[p],
					   slurm_conf.slurm_user_id, err))
			return -1;
	}
	in->links_stamp = links_stamp(in);
	return torus_link_list_copy(&in->links, &in->machine->links);
}

/* Set the reason of a running job, which scontrol and squeue show. */
#define LINKS_REASON "torus: the job runs over the link "

/* Write a link that has just failed to the log, and once to the AdminComment. */
static void links_mark_job(uint32_t id, const char *link)
{
	job_record_t *job = find_job_record(id);
	const char *entry;
	char *word;

	error("torus: JobId=%u runs over the link %s, which is down; it continues",
	      id, link);
	if (!job)
		return;
	/* 1,2 0 in one word: 1,2/0 */
	word = xstrdup_printf(ADMIN_COMMENT_LINK_DOWN "%s", link);
	*strrchr(word, ' ') = '/';
	entry = admin_comment_entry(job->admin_comment, word);
	if (!entry ||
	    (entry[strlen(word)] != '\0' && entry[strlen(word)] != ' '))
		xstrfmtcat(job->admin_comment, "%s%s",
			   job->admin_comment ? " " : "", word);
	xfree(word);
	last_job_update = time(NULL);
}

/* Report the links of a job's place that have just gone down. */
static void links_report_job(struct instance *in, const struct torus_hold *h,
			     const struct torus_link_list *now)
{
	char down[TORUS_LINK_SIZE] = "";
	bool failed = false;
	job_record_t *job;

	for (uint32_t i = 0; i < now->count; i++) {
		const struct torus_link *l = &now->link[i], *was;
		char text[TORUS_LINK_SIZE];

		if (l->health != TORUS_LINK_DOWN ||
		    !torus_placement_has_link(in->machine, &h->place, l))
			continue;
		torus_link_format(l, &in->machine->pod[l->pod].torus, text,
				  sizeof(text));
		was = torus_link_find(&in->links, l);
		if (!was || was->health != TORUS_LINK_DOWN) {
			failed = true;
			links_mark_job((uint32_t)h->job, text);
		}
		if (!*down)
			memcpy(down, text, sizeof(down));
	}
	/* The reason names a link that is down now, if there is one. A reason that is
	 * not ours stays, unless a link has just failed. */
	job = find_job_record((uint32_t)h->job);
	if (!job || (!failed &&
		     (!job->state_desc || strncmp(job->state_desc, LINKS_REASON,
						  strlen(LINKS_REASON)) != 0)))
		return;
	xfree(job->state_desc);
	if (*down)
		job->state_desc =
			xstrdup_printf(LINKS_REASON "%s, which is down", down);
	last_job_update = time(NULL);
}

static void links_report_jobs(struct instance *in,
			      const struct torus_link_list *now)
{
	if (job_table_sync(in))
		return; /* the error was logged */
	for (uint32_t k = 0; k < torus_state_holds(in->state); k++) {
		const struct torus_hold *h =
			torus_state_hold(in->state,
					 torus_state_by_end(in->state, k));

		if (h->job)
			links_report_job(in, h, now);
	}
}

static void links_use(struct instance *in, struct torus_link_list *now)
{
	uint32_t down = 0;

	if (torus_state_set_links(in->state, now) ||
	    torus_state_set_links(in->empty, now)) {
		error("torus: links: out of memory");
		in->links_stamp = 0; /* look again */
		return;
	}
	links_report_jobs(in, now);
	for (uint32_t i = 0; i < now->count; i++)
		down += now->link[i].health == TORUS_LINK_DOWN;
	info("torus: links: %u down, %u weak", down, now->count - down);
	torus_link_list_free(&in->links);
	in->links = *now;
	*now = (struct torus_link_list){ 0 };
}

/* Return 1 if files had changed; 0 if not; -1 with lines in err if a file is invalid:
 * then nothing changes. */
static int links_read_changed(struct instance *in, struct torus_error *err)
{
	struct torus_link_list now = { 0 };
	time_t second = time(NULL);
	uint64_t stamp;
	int rc = 0;

	if (in->links_looked == second || !instance_links_any(in))
		return 0;
	in->links_looked = second;
	stamp = links_stamp(in);
	if (stamp == in->links_stamp)
		return 0;
	in->links_stamp = stamp;
	for (uint32_t p = 0; p < in->machine->pods && rc == 0; p++) {
		if (in->config->links[p])
			rc = torus_file_check_owner(in->config->links[p],
						    slurm_conf.slurm_user_id,
						    err);
	}
	if (rc == 0)
		rc = torus_config_read_links(in->config, &now, err);
	if (rc == 0) {
		links_use(in, &now);
		rc = 1;
	}
	torus_link_list_free(&now);
	return rc;
}

void instance_links_reread(void)
{
	struct instance_current *now = &instance_current;
	struct torus_error err;
	int rc;

	torus_error_clear(&err);
	rc = now->instance ? links_read_changed(now->instance, &err) : 0;
	if (rc)
		xfree(now->links_errors);
	if (rc >= 0)
		return;
	now->links_errors = xstrdup(err.text);
	now->refused_at = time(NULL);
	instance_log_lines(&err, true);
	error("torus: the links file is not used; the links stay as they are");
}
