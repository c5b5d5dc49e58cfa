/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libtorus_slurm.so: the one instance inside slurmctld, and what the plugins
 * ask of it.
 *
 * Slurm opens its plugins with local symbols, so each would have a libtorus,
 * a configuration and a machine state of its own. Instead they open this
 * library, which lies beside them (torus_slurm_open()), and only inside
 * slurmctld; the loader maps one file once.
 *
 * Every function locks the instance's own mutex for its length, after the
 * locks of Slurm that its caller holds, and calls nothing that waits.
 */
#ifndef SLURMCTLD_TORUS_SLURM_H
#define SLURMCTLD_TORUS_SLURM_H

#include "slurmctld/slurm_compat.h"

#define TORUS_SLURM_API 7

/* A question about a job, and the answer (torus_slurm_api.choose). */
struct torus_choice {
	job_record_t *job;
	const bitstr_t *candidates; /* Slurm's: the region lies inside */
	uint16_t mode;              /* SELECT_MODE_* */
	compat_list preemptees;     /* jobs that may be preempted, or NULL */
	bool shaped;                /* the nodes are for nobody else */
	int64_t spent_us; /* by the searches for this choice; begins with 0 */

	/* the answer */
	bitstr_t *nodes; /* the caller's; set to the region */
	uint32_t count;  /* nodes in it */
	time_t when;     /* WILL_RUN: when they can be had */
	bool ordered;    /* sched/torus's order: no other place */
	bool unknown;    /* nodes: the search was ended, some of them may do */
};

struct torus_slurm_api {
	uint32_t version;
	uint32_t slurm; /* the version of its headers */

	/* Are Slurm's records laid out as in these headers? If not, SLURM_ERROR,
	 * and the log says which. Looks at those that there are by now. */
	int (*records)(void);

	/*
	 * Read torus.yaml beside slurm.conf, learn Slurm's node numbers, and
	 * go on with the machine state as it was, at start as it was saved.
	 * If the file is wrong, what is wrong is logged; SLURM_ERROR when there
	 * is no earlier configuration to keep. Needs the node table.
	 */
	int (*configure)(void);

	/* Slurm's node or job tables changed shape: trust nothing kept. */
	void (*distrust)(void);

	/* Write the machine state into StateSaveLocation, from where
	 * configure() takes it at the next start. No locks needed. */
	int (*save)(const char *directory);
	/* Save soon after every change, from now on, or no more: where Slurm
	 * does not say when to. */
	void (*keep)(bool on);

	/* Does the job ask for a shape? */
	bool (*shaped)(const job_record_t *job);
	/* Is job_test() of the job in that mode ours to answer? */
	bool (*concerns)(const job_record_t *job, uint16_t mode);

	/* sched/torus starts the job on nodes that others use as well: keep
	 * those that it may share. False: no such thing. */
	bool (*shares)(const job_record_t *job, bitstr_t *nodes);

	/*
	 * The one region that the job would get: RUN_NOW on idle nodes,
	 * TEST_ONLY were all candidates free, WILL_RUN as soon as possible.
	 * SLURM_SUCCESS, or SLURM_ERROR if there is none (not now, or never).
	 * Needs the job lock.
	 */
	int (*choose)(struct torus_choice *c);
	/* The wrapped plugin does not want those nodes; `fit`: the candidates
	 * that other places may be of. */
	void (*refused)(const struct torus_choice *c, const bitstr_t *fit);
	/* Those that have more CPUs than the smallest of these nodes. */
	bitstr_t *(*larger)(const bitstr_t *nodes);

	/* The job begins on its nodes: AdminComment and environment. */
	void (*began)(job_record_t *job);
	/* Its nodes are given back. */
	void (*ended)(job_record_t *job);

	/*
	 * A job is submitted, or changed: checks what it asks for against the
	 * machine and sets its node count. *err_msg (xmalloc) says what is
	 * wrong. Slurm's error number, or SLURM_SUCCESS. `uid` asks for the
	 * change, and Slurm has not checked yet whether it may.
	 */
	int (*submit)(job_desc_msg_t *desc, char **err_msg);
	int (*modify)(job_desc_msg_t *desc, job_record_t *job, uid_t uid,
		      char **err_msg);

	/* sched/torus: its thread. SLURM_ERROR if this slurm.conf does not
	 * suit it. */
	int (*sched_start)(void);
	void (*sched_stop)(void);
	void (*sched_reconfigure)(void);
};

/* Exported by libtorus_slurm.so under this name. */
#define TORUS_SLURM_SYMBOL "torus_slurm_api"

/*
 * Open the library that lies in the directory of the shared object of
 * `here` (any function of the caller's). NULL, with the reason logged: it is not
 * there, not of one build with the caller, or built for another slurmctld.
 */
const struct torus_slurm_api *torus_slurm_open(int (*here)(void));

#endif
