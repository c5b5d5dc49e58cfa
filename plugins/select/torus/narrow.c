/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test() of a shaped job: libtorus_slurm chooses the region, and the wrapped plugin
 * sees only its nodes. The wrapped plugin still decides (CPUs, memory, GRES) and allocates
 * the resources of each node.
 *
 * If it refuses the region, some nodes may be unfit for the job, for example without its
 * GRES: another region is searched among those that it calls fit. If all are fit, the
 * region mostly has too little in total (fewer CPUs than tasks): its smallest nodes are
 * excluded, for a few regions. TEST_ONLY tries more, since a job without a place is
 * refused for ever.
 *
 * No other job may use the nodes: select/cons_tres keeps others off nodes whose job is
 * marked as one of an exclusive partition. The wrapped plugin never chooses whom to
 * preempt for a shape: those who have nodes of the region end, all of them, and
 * select_nodes() is told so; on free nodes the shape starts.
 *
 * WILL_RUN: the wrapped plugin finds the same time for that region alone, but rounds it
 * (select/cons_tres groups ends in windows of half a minute and more). Our time counts,
 * unless the wrapped plugin says "later" and we say "now".
 */
#include "table.h"

#include "slurmctld/instance/fit.h"

#define TRIES 4
#define TRIES_EVER 64

/* job_submit/torus has made the shape the job's node count. Without it, or
 * with the count changed since, nothing fits. */
static bool counts_agree(const struct torus_choice *c)
{
	uint32_t count = c->job->details ? c->job->details->min_nodes : 0;

	if (count == c->count)
		return true;
	verbose("torus: %pJ asks for %u nodes, but its shape has %u; is JobSubmitPlugins=torus set?",
		c->job, count, c->count);
	return false;
}

/* The region is free once its victims have ended: would the job fit then? */
static int test_cleared(const struct select_functions *wrapped,
			struct torus_choice *c, COMPAT_JOB_TEST_TAIL)
{
	bitstr_t *region = bit_copy(c->nodes);
	int rc = wrapped->job_test(c->job, c->nodes, c->count, c->count,
				   c->count, SELECT_MODE_TEST_ONLY,
				   COMPAT_JOB_TEST_PASS);

	if (rc == SLURM_SUCCESS && !bit_equal(region, c->nodes))
		rc = SLURM_ERROR;
	bit_free(region);
	return rc;
}

static int is_victim(void *job, void *victim)
{
	return job == victim;
}

static int add_victim(void *victim, void *preempted)
{
	if (!list_find_first(preempted, is_victim, victim))
		list_append(preempted, victim);
	return 0;
}

/*
 * Ask the wrapped plugin who must end for the job's licences, and add the victims of the
 * region, which it frees.
 */
static int test_reclaim(const struct select_functions *wrapped,
			struct torus_choice *c, compat_list victims,
			COMPAT_JOB_TEST_TAIL)
{
	int rc = wrapped->job_test(c->job, c->nodes, c->count, c->count,
				   c->count, c->mode, COMPAT_JOB_TEST_PASS);

	if (rc == SLURM_SUCCESS && (!preempted || !*preempted))
		rc = COMPAT_NO_LICENSES;
	if (rc == SLURM_SUCCESS && victims)
		list_for_each(victims, add_victim, *preempted);
	FREE_NULL_LIST(victims);
	return rc;
}

/*
 * Ask for a start. No job is preempted for its nodes while the job lacks licences that
 * preemption does not give back; TEST_ONLY does not look at licences.
 */
static int test_start(const struct select_functions *wrapped,
		      const struct torus_slurm_api *torus,
		      struct torus_choice *c, COMPAT_JOB_TEST_TAIL)
{
	bool licensed = license_job_test(c->job, time(NULL), true) ==
			SLURM_SUCCESS;
	compat_list victims = NULL;
	enum place_users users = torus->users(c->job, c->nodes, preemptees,
					      &victims);
	int rc = SLURM_SUCCESS;

	if (users == PLACE_HAS_OTHERS)
		rc = SLURM_ERROR;
	else if (!licensed && (!preemptees || !COMPAT_RECLAIMS_LICENSES()))
		rc = COMPAT_NO_LICENSES;
	else if (users == PLACE_HAS_VICTIMS)
		rc = preempted ?
			     test_cleared(wrapped, c, COMPAT_JOB_TEST_PASS) :
			     SLURM_ERROR;
	if (rc != SLURM_SUCCESS) {
		FREE_NULL_LIST(victims);
		return rc == COMPAT_NO_LICENSES ? rc : SLURM_ERROR;
	}
	if (!licensed)
		return test_reclaim(wrapped, c, victims, COMPAT_JOB_TEST_PASS);
	if (users == PLACE_HAS_VICTIMS) {
		*preempted = victims;
		return SLURM_SUCCESS;
	}
	preemptees = NULL;
	rc = wrapped->job_test(c->job, c->nodes, c->count, c->count, c->count,
			       c->mode, COMPAT_JOB_TEST_PASS);
	if (rc == SLURM_SUCCESS && c->job->job_resrcs)
		c->job->job_resrcs->node_req = NODE_CR_RESERVED;
	return rc;
}

static int test_region(const struct select_functions *wrapped,
		       const struct torus_slurm_api *torus,
		       struct torus_choice *c, COMPAT_JOB_TEST_TAIL)
{
	int rc;

	if (!SELECT_IS_TEST(c->mode) && c->shaped)
		return test_start(wrapped, torus, c, COMPAT_JOB_TEST_PASS);
	rc = wrapped->job_test(c->job, c->nodes, c->count, c->count, c->count,
			       c->mode, COMPAT_JOB_TEST_PASS);
	if (rc == SLURM_SUCCESS && SELECT_IS_MODE_WILL_RUN(c->mode) &&
	    c->when > time(NULL))
		c->job->start_time = c->when;
	return rc;
}

/*
 * Clear the candidates that the wrapped plugin refuses for such a job even if they
 * are free. Return false if these are none, or too many.
 */
static bool narrow_keep_fit(const struct select_functions *wrapped,
			    struct torus_choice *c, bitstr_t *candidates,
			    COMPAT_JOB_TEST_TAIL)
{
	uint32_t before = (uint32_t)bit_set_count(candidates);
	struct fit hidden;
	bitstr_t *fit;
	bool fewer;
	int rc;

	if (!fit_is_known(c->job))
		return false;
	fit = bit_copy(candidates);
	fit_begin(c->job, &hidden);
	preemptees = NULL;
	preempted = NULL;
	rc = wrapped->job_test(c->job, fit, c->count, before, before,
			       SELECT_MODE_TEST_ONLY, COMPAT_JOB_TEST_PASS);
	fit_end(c->job, &hidden);
	fewer = rc == SLURM_SUCCESS && (uint32_t)bit_set_count(fit) < before;
	if (fewer)
		bit_and(candidates, fit);
	bit_free(fit);
	return fewer;
}

/* The wrapped plugin refused the region: clear the candidates that other places
 * should avoid. */
static void leave_out(const struct select_functions *wrapped,
		      const struct torus_slurm_api *torus,
		      struct torus_choice *c, bitstr_t *region,
		      bitstr_t *candidates, COMPAT_JOB_TEST_TAIL)
{
	bitstr_t *larger;

	if (narrow_keep_fit(wrapped, c, candidates, COMPAT_JOB_TEST_PASS))
		return;
	larger = torus->larger(region);
	bit_and_not(region, larger);
	bit_and_not(candidates, region);
	bit_free(larger);
}

int narrow_job_test(const struct select_functions *wrapped,
		    const struct torus_slurm_api *torus, job_record_t *job,
		    bitstr_t *nodes, uint16_t mode, COMPAT_JOB_TEST_TAIL)
{
	uint32_t tries = SELECT_IS_TEST(mode) ? TRIES_EVER : TRIES;
	bitstr_t *candidates = bit_copy(nodes);
	struct torus_choice c = {
		.job = job,
		.candidates = candidates,
		.mode = mode,
		.preemptees = preemptees,
		.nodes = nodes,
		.shaped = torus->shaped(job),
	};
	int rc = torus->choose(&c);

	if (rc == SLURM_SUCCESS && !c.ordered && !counts_agree(&c))
		rc = SLURM_ERROR;
	while (rc == SLURM_SUCCESS) {
		bitstr_t *region = bit_copy(nodes);

		rc = test_region(wrapped, torus, &c, COMPAT_JOB_TEST_PASS);
		if (rc && !c.unknown && rc != COMPAT_NO_LICENSES)
			leave_out(wrapped, torus, &c, region, candidates,
				  COMPAT_JOB_TEST_PASS);
		bit_free(region);
		if (rc && c.ordered) /* sched/torus tries others itself */
			torus->refused(&c, candidates);
		if (rc == COMPAT_NO_LICENSES) /* as everywhere */
			break;
		if (rc == SLURM_SUCCESS || c.ordered || c.unknown ||
		    --tries == 0) {
			if (rc &&
			    (slurm_conf.debug_flags & DEBUG_FLAG_SELECT_TYPE))
				info("SELECT_TYPE: torus: %pJ is passed over: its place has other jobs, or too few CPUs, memory or GRES for it",
				     job);
			break;
		}
		rc = torus->choose(&c);
	}
	bit_free(candidates);
	return rc;
}
