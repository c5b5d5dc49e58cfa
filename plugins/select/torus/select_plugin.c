/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select/torus: Slurm's symbols of a select plugin that wraps a stock one.
 *
 * The same source serves both plugins; linear.c and cons_tres.c have their
 * names. Jobs without a shape pass through, and so does every call that does not
 * choose nodes.
 *
 * On Slurm 22.05 every command loads this file, so it links only libc. The code
 * for toruses is in libtorus_slurm.so, which only slurmctld opens. Functions of
 * slurmctld are resolved at their first call.
 */
#include "table.h"

#include "select/torus/table.h"

TORUS_EXPORT extern const uint32_t plugin_version;

const uint32_t plugin_version = SLURM_VERSION_NUMBER;

#define SYMBOL(type, name, parameters, arguments) "select_p_" #name,

static const char *select_symbols[] = {
	"plugin_id", SELECT_OWN(SYMBOL) COMPAT_SELECT_FORWARDS(SYMBOL)
};

static struct select_functions wrapped;
static plugin_context_t *context;
static const struct torus_slurm_api *torus; /* in slurmctld only */

_Static_assert(sizeof(wrapped) == sizeof(select_symbols),
	       "a name for each function");

TORUS_EXPORT int init(void);
TORUS_EXPORT int fini(void);

#define DECLARE(type, name, parameters, arguments)                             \
	TORUS_EXPORT type select_p_##name parameters;
SELECT_OWN(DECLARE)
COMPAT_SELECT_FORWARDS(DECLARE)

#define FORWARD(type, name, parameters, arguments)                             \
	type select_p_##name parameters                                        \
	{                                                                      \
		return wrapped.name arguments;                                 \
	}
COMPAT_SELECT_FORWARDS(FORWARD)

/* select/linear does not support this; it would report it under its own name. */
static int check_parameters(void)
{
	if (plugin_id != COMPAT_SELECT_ID_LINEAR ||
	    !(slurm_conf.select_type_param & COMPAT_CR_PARTS))
		return SLURM_SUCCESS;
	error("%s allocates whole nodes: SelectTypeParameters=CR_CPU, CR_Core and CR_Socket need select/torus_cons_tres",
	      plugin_type);
	return SLURM_ERROR;
}

int init(void)
{
	if (context)
		return SLURM_SUCCESS;
	if (compat_in_slurmctld() &&
	    xstrcmp(slurm_conf.select_type, plugin_type) == 0) {
		if (check_parameters())
			return SLURM_ERROR;
		torus = torus_slurm_open(init);
		if (!torus)
			return SLURM_ERROR;
	}
	context = plugin_context_create("select", select_wrapped_type,
					(void **)&wrapped, select_symbols,
					sizeof(select_symbols));
	if (!context) {
		error("%s: cannot load %s", plugin_type, select_wrapped_type);
		return SLURM_ERROR;
	}
	if (torus)
		verbose("%s wraps %s", plugin_type, select_wrapped_type);
	return SLURM_SUCCESS;
}

int fini(void)
{
	int rc = SLURM_SUCCESS;

	/* (slurmctld only calls this when it is built to look for leaks) */
	if (torus && !COMPAT_SELECT_SAVES)
		torus->keep(false);
	if (context)
		rc = plugin_context_destroy(context);
	context = NULL;
	return rc;
}

int select_p_node_init(void)
{
	int rc = wrapped.node_init();

	if (rc == SLURM_SUCCESS && torus)
		rc = torus->configure();
	/* (not in init(), after which slurmctld may fork) */
	if (rc == SLURM_SUCCESS && torus && !COMPAT_SELECT_SAVES)
		torus->keep(true);
	return rc;
}

#if COMPAT_SELECT_SAVES
int select_p_state_save(char *directory)
{
	int rc = wrapped.state_save(directory);

	/* a full disk is logged; it must not prevent the shutdown */
	if (torus)
		torus->save(); /* (a reconfigure may free `directory`) */
	return rc;
}

int select_p_step_start(step_record_t *step)
{
	if (torus)
		torus->step_began(step);
	return wrapped.step_start(step);
}
#endif

#define PLANNED_TRIES 48

/* WILL_RUN for sbatch --test-only: the first time at which the wrapped plugin has nodes
 * that are not planned for the jobs before. SLURM_ERROR: this is another question, or
 * none was found. */
static int test_planned(job_record_t *job, bitstr_t *nodes,
			const uint32_t *counts, uint16_t mode,
			COMPAT_JOB_TEST_TAIL)
{
	time_t at = time(NULL), next;
	int rc = SLURM_ERROR;

	for (int i = 0; i < PLANNED_TRIES && at; i++) {
		bitstr_t *left = bit_copy(nodes);
		bool found;

		if (!torus->planned(job, mode, left, at, &next)) {
			bit_free(left);
			return SLURM_ERROR;
		}
		rc = wrapped.job_test(job, left, counts[0], counts[1],
				      counts[2], mode, COMPAT_JOB_TEST_PASS);
		found = rc == SLURM_SUCCESS && job->start_time <= at;
		if (found) {
			bit_copybits(nodes, left);
			job->start_time = at;
		}
		bit_free(left);
		if (found)
			return rc;
		at = rc == SLURM_SUCCESS && (!next || job->start_time < next) ?
			     job->start_time :
			     next;
	}
	return SLURM_ERROR;
}

int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min,
		      uint32_t max, uint32_t wanted, uint16_t mode,
		      COMPAT_JOB_TEST_TAIL)
{
	bool beside = torus && !SELECT_IS_TEST(mode) &&
		      torus->shares(job, nodes);
	int rc;

	if (beside)
		preemptees = NULL;
	if (torus && !torus->shaped(job))
		torus->keep_off_shapes(job, nodes, mode, preemptees);
	if (torus && SELECT_IS_MODE_WILL_RUN(mode) && !torus->shaped(job) &&
	    test_planned(job, nodes, (const uint32_t[]){ min, max, wanted },
			 mode, COMPAT_JOB_TEST_PASS) == SLURM_SUCCESS)
		rc = SLURM_SUCCESS;
	else if (beside || !torus || !torus->concerns(job, mode))
		rc = wrapped.job_test(job, nodes, min, max, wanted, mode,
				      COMPAT_JOB_TEST_PASS);
	else
		rc = narrow_job_test(&wrapped, torus, job, nodes, mode,
				     COMPAT_JOB_TEST_PASS);
	if (torus && rc == SLURM_SUCCESS && SELECT_IS_MODE_WILL_RUN(mode))
		torus->answered(job, mode);
	return rc;
}

int select_p_job_begin(job_record_t *job)
{
	int rc = torus ? torus->start(job) : SLURM_SUCCESS;

	if (rc == SLURM_SUCCESS)
		rc = wrapped.job_begin(job);
	if (rc == SLURM_SUCCESS && torus)
		torus->began(job);
	return rc;
}

int select_p_job_fini(job_record_t *job)
{
	if (torus)
		torus->ended(job);
	return wrapped.job_fini(job);
}

/* A job takes over the nodes of another: the result has no shape. */
int select_p_job_expand(job_record_t *from, job_record_t *to)
{
	if (torus && (torus->shaped(from) || torus->shaped(to))) {
		info("%s: %pJ cannot take the nodes of %pJ: a shape does not grow",
		     plugin_type, to, from);
		return SLURM_ERROR;
	}
	return wrapped.job_expand(from, to);
}

int select_p_reconfigure(void)
{
	int rc = wrapped.reconfigure();

	if (torus)
		torus->distrust();
	return rc;
}
