/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test() of a shaped job: libtorus_slurm says which region the job would
 * get, and the wrapped plugin sees no other node. It still has the last word
 * (CPUs, memory, GRES), and it works out what the job gets of each node.
 *
 * If it does not want the region, some of the nodes may be unfit for the job,
 * for example without the GRES that it asks for. Then it is asked which nodes
 * are fit at all, as many of them as there are, and a region is looked for
 * once more among those.
 *
 * WILL_RUN: our time is the one after which the region is free. The wrapped
 * plugin is asked about that region alone and finds the same, but for its
 * rounding (select/cons_tres looks at ends in windows of half a minute and
 * more); so ours counts, unless it says "later" where we said "now".
 */
#include "table.h"

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

static int test_region(const struct select_functions *wrapped,
		       struct torus_choice *c, COMPAT_JOB_TEST_TAIL)
{
	int rc;

	if (!c->ordered && !counts_agree(c))
		return SLURM_ERROR;
	rc = wrapped->job_test(c->job, c->nodes, c->count, c->count, c->count,
			       c->mode, COMPAT_JOB_TEST_PASS);
	if (rc == SLURM_SUCCESS && SELECT_IS_MODE_WILL_RUN(c->mode) &&
	    c->when > time(NULL))
		c->job->start_time = c->when;
	return rc;
}

/*
 * Clear the candidates that the wrapped plugin would not take for such a job
 * even if they were free. false if that rules out none, or too many.
 */
static bool keep_fit(const struct select_functions *wrapped,
		     struct torus_choice *c, bitstr_t *candidates,
		     COMPAT_JOB_TEST_TAIL)
{
	uint32_t before = (uint32_t)bit_set_count(candidates);

	preemptees = NULL;
	preempted = NULL;
	if (wrapped->job_test(c->job, candidates, c->count, before, before,
			      SELECT_MODE_TEST_ONLY, COMPAT_JOB_TEST_PASS))
		return false;
	return (uint32_t)bit_set_count(candidates) < before;
}

/*
 * An order of sched/torus is carried out, or it is not: it tries the next
 * best place itself, told which nodes are fit.
 */
static int test_order(const struct select_functions *wrapped,
		      const struct torus_slurm_api *torus,
		      struct torus_choice *c, bitstr_t *candidates,
		      COMPAT_JOB_TEST_TAIL)
{
	int rc = test_region(wrapped, c, COMPAT_JOB_TEST_PASS);
	bool known;

	if (rc == SLURM_SUCCESS)
		return rc;
	known = keep_fit(wrapped, c, candidates, COMPAT_JOB_TEST_PASS);
	torus->refused(c, known ? candidates : NULL);
	return rc;
}

int select_narrowed(const struct select_functions *wrapped,
		    const struct torus_slurm_api *torus, job_record_t *job,
		    bitstr_t *nodes, uint16_t mode, COMPAT_JOB_TEST_TAIL)
{
	bitstr_t *candidates = bit_copy(nodes);
	struct torus_choice c = {
		.job = job,
		.candidates = candidates,
		.mode = mode,
		.preemptees = preemptees,
		.nodes = nodes,
	};
	int rc = torus->choose(&c);

	if (rc == SLURM_SUCCESS && c.ordered) {
		rc = test_order(wrapped, torus, &c, candidates,
				COMPAT_JOB_TEST_PASS);
	} else if (rc == SLURM_SUCCESS) {
		rc = test_region(wrapped, &c, COMPAT_JOB_TEST_PASS);
		if (rc && keep_fit(wrapped, &c, candidates,
				   COMPAT_JOB_TEST_PASS)) {
			rc = torus->choose(&c);
			if (rc == SLURM_SUCCESS)
				rc = test_region(wrapped, &c,
						 COMPAT_JOB_TEST_PASS);
		}
	}
	bit_free(candidates);
	return rc;
}
