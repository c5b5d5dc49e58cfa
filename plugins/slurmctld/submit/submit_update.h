/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A waiting job gets another shape (storus update) (submit_update.c). */
#ifndef SLURMCTLD_SUBMIT_SUBMIT_UPDATE_H
#define SLURMCTLD_SUBMIT_SUBMIT_UPDATE_H

#include "slurmctld/instance/instance.h"

/* Apply the text of job_update.h in desc->comment, and remove it from
 * desc. */
int submit_update_job(struct instance *in, bool ladder, job_desc_msg_t *desc,
		      job_record_t *job, uid_t uid, char **err_msg);

#endif
