/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the wrapped select plugin, which differ between versions of
 * Slurm. slurm_compat.h lists those that are only passed on; this file has the
 * others.
 */
#ifndef SELECT_TORUS_TABLE_H
#define SELECT_TORUS_TABLE_H

#include "slurmctld/torus_slurm.h"
#include "slurmctld/names.h"

#include <stdint.h>

#define SELECT_OWN(X)                                                          \
	X(int, node_init, (void), ())                                          \
	X(int, job_test,                                                       \
	  (job_record_t * job, bitstr_t * nodes, uint32_t min, uint32_t max,   \
	   uint32_t wanted, uint16_t mode, COMPAT_JOB_TEST_TAIL),              \
	  (job, nodes, min, max, wanted, mode, COMPAT_JOB_TEST_PASS))          \
	X(int, job_begin, (job_record_t * job), (job))                         \
	X(int, job_fini, (job_record_t * job), (job))                          \
	X(int, job_expand, (job_record_t * from, job_record_t * to),           \
	  (from, to))                                                          \
	X(int, reconfigure, (void), ())                                        \
	COMPAT_SELECT_STATE(X)

#define SELECT_MEMBER(type, name, parameters, arguments) type(*name) parameters;

/* In the order of select_symbols[]. */
struct select_functions {
	const uint32_t *plugin_id;
	SELECT_OWN(SELECT_MEMBER)
	COMPAT_SELECT_FORWARDS(SELECT_MEMBER)
};

/*
 * Call the wrapped plugin's job_test() with only the job's region (narrow.c). The
 * arguments are those of the symbol of that name.
 */
int narrow_job_test(const struct select_functions *wrapped,
		    const struct torus_slurm_api *torus, job_record_t *job,
		    bitstr_t *nodes, uint16_t mode, COMPAT_JOB_TEST_TAIL);

/*
 * Differences between the two select plugins: linear.c or cons_tres.c is linked
 * with the common files.
 */

TORUS_EXPORT extern const char plugin_name[];
TORUS_EXPORT extern const char plugin_type[];
TORUS_EXPORT extern const uint32_t plugin_id;

/* The stock plugin's type; not const, since older Slurm takes a char *. */
extern char select_wrapped_type[];

#endif
