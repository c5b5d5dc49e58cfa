/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/torus: Slurm's symbols of a scheduler plugin. Its thread runs in
 * libtorus_slurm.so, which has the machine (slurmctld/host/host.c).
 */
#include "slurmctld/names.h"
#include "slurmctld/torus_slurm.h"

TORUS_EXPORT extern const char plugin_name[];
TORUS_EXPORT extern const char plugin_type[];
TORUS_EXPORT extern const uint32_t plugin_version;

const char plugin_name[] = "Queue disciplines on a torus";
const char plugin_type[] = "sched/torus";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

TORUS_EXPORT int init(void);
TORUS_EXPORT void fini(void);
TORUS_EXPORT int sched_p_reconfig(void);

static const struct torus_slurm_api *torus;

int init(void)
{
	if (!torus && compat_in_slurmctld())
		torus = torus_slurm_open(init);
	return torus ? torus->sched_start() : SLURM_ERROR;
}

void fini(void)
{
	if (torus)
		torus->sched_stop();
}

int sched_p_reconfig(void)
{
	if (torus)
		torus->sched_reconfigure();
	return SLURM_SUCCESS;
}
