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

#endif
