/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partitions that force jobs to share nodes (OverSubscribe=FORCE) take no shapes,
 * whose nodes are never shared: they are removed from a list of several. A partition
 * may become one while a job waits for it (pending.c).
 */
#include "slurmctld/submit/submit_check.h"

bool submit_options_force_sharing(const part_record_t *part)
{
	return part && (part->max_share & SHARED_FORCE) &&
	       (part->max_share & ~SHARED_FORCE) > 1;
}

/* Return the other partitions of the list, or NULL if there are none. */
static char *partitions_left(const char *named, char **err_msg)
{
	char *names = xstrdup(named), *rest = names, *name, *left = NULL;

	while ((name = strsep(&rest, ","))) {
		if (submit_options_force_sharing(find_part_record(name)))
			submit_message(err_msg,
				       "partition %s is left out: it " SUBMIT_FORCED,
				       name);
		else
			xstrfmtcat(left, "%s%s", left ? "," : "", name);
	}
	xfree(names);
	return left;
}

int submit_options_check_partitions(job_desc_msg_t *desc,
				    const part_record_t *fallback,
				    char **err_msg)
{
	const part_record_t *part = fallback;
	char *left;

	if (desc->partition && strchr(desc->partition, ',')) {
		left = partitions_left(desc->partition, err_msg);
		if (!left)
			return ESLURM_NOT_SUPPORTED;
		xfree(desc->partition);
		desc->partition = left;
		return SLURM_SUCCESS;
	}
	if (desc->partition)
		part = find_part_record(desc->partition);
	if (!submit_options_force_sharing(part))
		return SLURM_SUCCESS;
	submit_message(err_msg, "partition %s " SUBMIT_FORCED, part->name);
	return ESLURM_NOT_SUPPORTED;
}
