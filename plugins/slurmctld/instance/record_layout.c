/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check the records of the running slurmctld: their layout must be that of the headers at
 * build time. Slurm's loader compares version numbers, but headers may differ at equal
 * numbers: by a distribution's patch, or between two releases. Every member behind an
 * inserted one would be read and written in the wrong place.
 *
 * So sizes are compared: each record is a block of its own from xmalloc(), whose length
 * xsize() returns. From 24.05 on slurmctld exports the function that creates a job's
 * record. Older versions: the first job, partition and node of the tables are measured;
 * an empty table can take no harm. O(1).
 */

#include "slurmctld/instance/instance.h"

static int compare_size(const char *what, const void *record, size_t built)
{
	size_t runs = record ? xsize((void *)(uintptr_t)record) : built;

	if (runs == built)
		return SLURM_SUCCESS;
	error("torus: the plugins were built for another Slurm: its %s records have %zu bytes, the headers said %zu; build them with the source of the Slurm that runs here (contribs/slurm-source)",
	      what, runs, built);
	return SLURM_ERROR;
}

static int compare_job(const job_record_t *job)
{
	int rc = compare_size("job", job, sizeof(*job));

	/* (elsewhere the pointer to the details may be, too) */
	if (rc == SLURM_SUCCESS && job)
		rc = compare_size("job details", job->details,
				  sizeof(*job->details));
	return rc;
}

int record_layout_check(void)
{
	int rc = compare_job(compat_sample_job());

	if (rc == SLURM_SUCCESS && job_list)
		rc = compare_job(list_peek(job_list));
	if (rc == SLURM_SUCCESS && part_list)
		rc = compare_size("partition", list_peek(part_list),
				  sizeof(part_record_t));
	if (rc == SLURM_SUCCESS && node_record_table_ptr &&
	    node_record_count > 0)
		rc = compare_size("node", node_record_table_ptr[0],
				  sizeof(node_record_t));
	return rc;
}
