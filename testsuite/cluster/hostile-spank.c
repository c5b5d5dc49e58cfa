/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SPANK plugin as any user can write one, to send what spank/torus would not:
 * in the job's spank_job_env $HOSTILE_NAME becomes $HOSTILE_VALUE, beside a shape
 * and $HOSTILE_MORE other entries.
 */
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>

SPANK_PLUGIN(hostile, 1)

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	const char *name = getenv("HOSTILE_NAME");
	const char *value = getenv("HOSTILE_VALUE");
	const char *more = getenv("HOSTILE_MORE");
	char other[64];

	(void)argc;
	(void)argv;
	if (spank_context() != S_CTX_ALLOCATOR && spank_context() != S_CTX_LOCAL)
		return 0;
	for (int i = 0; more && i < atoi(more); i++) {
		snprintf(other, sizeof(other), "TORUS_REQ_OTHER_%d", i);
		spank_job_control_setenv(sp, other, "4x4", 1);
	}
	spank_job_control_setenv(sp, "TORUS_REQ_GEOMETRY", "2x2", 1);
	if (name && value)
		spank_job_control_setenv(sp, name, value, 1);
	return 0;
}
