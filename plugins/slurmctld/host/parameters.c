/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check that slurm.conf leaves all starts to sched/torus:
 *
 *   SchedulerParameters=sched_interval=-1  slurmctld's own loop does not run
 *   SchedulerParameters=defer              no job starts at its submission
 *   SelectType=select/torus...             applies sched/torus's regions
 *
 * If a reconfigure removes one of them, jobs still start only where sched/torus
 * orders it: job_test() refuses all others.
 */

#include "slurmctld/host/host.h"
#include "slurmctld/instance/instance.h"

/* Return true if `word` is one of the comma-separated parameters. */
static bool parameters_contain(const char *parameters, const char *word)
{
	size_t length = strlen(word);

	while (parameters && *parameters) {
		size_t n = strcspn(parameters, ",");

		if (n == length && strncasecmp(parameters, word, n) == 0)
			return true;
		parameters += n + (parameters[n] == ',');
	}
	return false;
}

static int parameters_require(const char *word, const char *why)
{
	if (parameters_contain(slurm_conf.sched_params, word))
		return SLURM_SUCCESS;
	error("sched/torus: SchedulerParameters has \"%s\", expected \"%s\": %s; write SchedulerParameters=sched_interval=-1,defer",
	      slurm_conf.sched_params ? slurm_conf.sched_params : "", word, why);
	return SLURM_ERROR;
}

const char *parameters_ignored(void)
{
	uint16_t mode = slurm_conf.preempt_mode;

	if ((mode & ~PREEMPT_MODE_GANG) == PREEMPT_MODE_SUSPEND)
		return "PreemptMode=SUSPEND has no effect: sched/torus does not suspend jobs to start others; jobs are preempted with PreemptMode=REQUEUE or CANCEL";
	if ((mode & PREEMPT_MODE_GANG) && !wraps_cons_tres())
		return "PreemptMode=GANG has no effect: with select/torus and sched/torus a node has one job at a time; select/torus_cons_tres shares nodes";
	return NULL;
}

int parameters_check(void)
{
	static const char *logged; /* (Slurm starts with a reconfigure) */
	const char *ignored = parameters_ignored();
	int rc = parameters_require("sched_interval=-1",
				    "slurmctld's main loop must not start jobs");

	if (parameters_require("defer", "jobs must not start during submission"))
		rc = SLURM_ERROR;
	if (xstrncmp(slurm_conf.select_type, "select/torus", 12)) {
		error("sched/torus: SelectType is %s, expected select/torus or select/torus_cons_tres: other plugins ignore its regions",
		      slurm_conf.select_type);
		rc = SLURM_ERROR;
	}
	if (ignored && ignored != logged)
		info("sched/torus: %s", ignored);
	logged = ignored;
	return rc;
}
