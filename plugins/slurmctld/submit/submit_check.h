/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The check of a job that is submitted or changed (submit_check.c). */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_CHECK_H
#define SLURMCTLD_SUBMIT_SUBMIT_CHECK_H

#include "slurmctld/instance/instance.h"

/* Check a submission, or an update of a job. in NULL: no configuration; in_charge:
 * sched/torus starts the jobs. Results as in submit_options.h. */
int submit_check(struct instance *in, bool in_charge, job_desc_msg_t *desc,
		 char **err_msg);
int submit_check_update(struct instance *in, bool in_charge,
			job_desc_msg_t *desc, job_record_t *job, char **err_msg);

/* Describe the job as it would be submitted now. The description's
 * strings belong to the job and must not be freed. */
void submit_check_describe(const job_record_t *job, job_desc_msg_t *desc);

/* submit_places.c: the place of a submitted job in the empty machine and in its
 * partitions. */

/* The first alternative that can ever run becomes desc's. Results as in
 * submit_options.h. */
int submit_places_check(struct instance *in, bool in_charge,
			job_desc_msg_t *desc,
			const struct torus_request *request, char **err_msg);

/* A shape within one node beside --gres becomes a job of one node without a shape.
 * Return true if it is such a job. */
bool submit_places_part_of_node(const struct instance *in, job_desc_msg_t *desc,
				const struct torus_request *request,
				char **err_msg);

/* submit_update.c: a waiting job gets another shape (storus update). */

/* Apply the text of admin_comment.h in desc->comment, and remove it from
 * desc. */
int submit_update_job(struct instance *in, bool ladder, job_desc_msg_t *desc,
		      job_record_t *job, uid_t uid, char **err_msg);

/* Put the job's entries (format/admin_comment.h) before an AdminComment that replaces the
 * job's; entries in it are removed. */
void submit_update_comment(job_desc_msg_t *desc, const job_record_t *job);

#endif
