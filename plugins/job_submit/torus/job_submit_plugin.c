/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_submit/torus: Slurm's symbols of a job_submit plugin. The checks are in
 * libtorus_slurm.so (plugins/slurmctld/submit/submit_check.c).
 */
#include <errno.h>

#include "slurmctld/names.h"
#include "slurmctld/torus_slurm.h"

TORUS_EXPORT extern const char plugin_name[];
TORUS_EXPORT extern const char plugin_type[];
TORUS_EXPORT extern const uint32_t plugin_version;

const char plugin_name[] = "Shapes on a torus, checked at submission";
const char plugin_type[] = "job_submit/torus";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

TORUS_EXPORT int init(void);
TORUS_EXPORT int fini(void);
TORUS_EXPORT int job_submit(job_desc_msg_t *desc, uint32_t submit_uid,
			    char **err_msg);
TORUS_EXPORT int job_modify(job_desc_msg_t *desc, job_record_t *job,
			    uint32_t submit_uid COMPAT_JOB_MODIFY_TAIL);

static const struct torus_slurm_api *torus;

int init(void)
{
	if (!torus && compat_in_slurmctld()) {
		torus = torus_slurm_open(init);
		if (!torus)
			return SLURM_ERROR;
	}
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

int job_submit(job_desc_msg_t *desc, uint32_t submit_uid, char **err_msg)
{
	(void)submit_uid;
	return torus ? torus->submit(desc, err_msg) : SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *desc, job_record_t *job,
	       uint32_t submit_uid COMPAT_JOB_MODIFY_TAIL)
{
	int rc = torus ? torus->modify(desc, job, submit_uid,
				       COMPAT_JOB_MODIFY_MESSAGE) :
			 SLURM_SUCCESS;

	/* From 24.11 on, a job without an association that moves to another
	 * partition is refused if errno is left over from an earlier call. */
	errno = 0;
	return rc;
}
