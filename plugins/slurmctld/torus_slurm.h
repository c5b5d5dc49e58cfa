/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libtorus_slurm.so: the one instance inside slurmctld, and its interface for the
 * plugins.
 *
 * Slurm opens its plugins with local symbols, so each would have its own libtorus,
 * configuration and machine state. Instead they open this library in their own
 * directory (torus_slurm_open()), and only inside slurmctld; the loader maps the file
 * once.
 *
 * Every function holds the instance's mutex, after the locks of Slurm that its caller
 * holds, and never waits.
 */
#ifndef SLURMCTLD_TORUS_SLURM_H
#define SLURMCTLD_TORUS_SLURM_H

#include "slurmctld/slurm_compat.h"

#define TORUS_SLURM_API 9

/* A question about a job, and the answer (torus_slurm_api.choose). */
struct torus_choice {
	job_record_t *job;
	const bitstr_t *candidates; /* Slurm's: the region lies inside */
	uint16_t mode;              /* SELECT_MODE_* */
	compat_list preemptees;     /* jobs that may be preempted, or NULL */
	bool shaped;                /* no other job may use the nodes */
	int64_t spent_us; /* time used by the searches for this choice;
			     begins with 0 */

	/* the answer */
	bitstr_t *nodes; /* the caller's; set to the region */
	uint32_t count;  /* nodes in it */
	time_t when;     /* WILL_RUN: when the nodes are free */
	bool ordered;    /* sched/torus's order: no other place */
	bool unknown; /* the limit ended the search: `nodes` may have a place */
};

/* Who has nodes of a place. */
enum place_users {
	PLACE_IS_FREE,
	PLACE_HAS_VICTIMS, /* jobs that all may be ended for the start */
	PLACE_HAS_OTHERS,  /* at least one may not */
};

struct torus_slurm_api {
	uint32_t version;
	uint32_t slurm; /* the version of its headers */

	/* Check that Slurm's records have the layout of these headers, as far
	 * as there are records. SLURM_ERROR if not; the log names them. */
	int (*records)(void);

	/*
	 * Read torus.yaml beside slurm.conf, map Slurm's node numbers, and keep
	 * the machine state; at start restore the saved one. If the file is
	 * wrong, its errors are logged; SLURM_ERROR if there is no earlier
	 * configuration. Needs the node table.
	 */
	int (*configure)(void);

	/* Slurm's node or job tables have changed: drop all caches. */
	void (*distrust)(void);

	/* Write the machine state into the StateSaveLocation of the latest
	 * configure(), which takes it from there at the next start. No locks
	 * needed. */
	int (*save)(void);
	/* Save soon after every change from now on, or stop. For versions of
	 * Slurm that do not tell a select plugin when to save. */
	void (*keep)(bool on);

	/* Return true if the job asks for a shape. */
	bool (*shaped)(const job_record_t *job);
	/* Return true if choose() answers job_test() of the job in that mode. */
	bool (*concerns)(const job_record_t *job, uint16_t mode);

	/* If sched/torus starts the job on shared nodes, keep those that it may
	 * share. False: it does not. */
	bool (*shares)(const job_record_t *job, bitstr_t *nodes);

	/*
	 * Choose the job's region: RUN_NOW on idle nodes, TEST_ONLY on all
	 * candidates, free or not, WILL_RUN at the earliest time.
	 * SLURM_SUCCESS, or SLURM_ERROR if there is none (not now, or never).
	 * Needs the job lock.
	 */
	int (*choose)(struct torus_choice *c);
	/* `--test-only` of a job without a shape: clear the nodes that are planned
	 * for others while it would run from `from` on. *next: when the first of
	 * them is free again; 0: none. False: this is another question. */
	bool (*planned)(const job_record_t *job, uint16_t mode, bitstr_t *nodes,
			time_t from, time_t *next);
	/* job_test() has answered WILL_RUN, by whichever plugin. */
	void (*answered)(job_record_t *job, uint16_t mode);
	/* The wrapped plugin refuses those nodes; `fit`: the candidates for
	 * other places. */
	void (*refused)(const struct torus_choice *c, const bitstr_t *fit);
	/* Keep the nodes that have more CPUs than the smallest of them. */
	bitstr_t *(*larger)(const bitstr_t *nodes);

	/*
	 * A shape has its nodes to itself. users(): who has nodes of a place that
	 * the job shall get; `candidates` may be preempted. PLACE_HAS_VICTIMS:
	 * *ended lists them, for select_nodes() to preempt. keep_off_shapes():
	 * clear the nodes of shapes that a job without one cannot have.
	 * start(): SLURM_ERROR, which is logged, if the job would share nodes of
	 * a shape, its own or another job's. They need the job lock.
	 */
	enum place_users (*users)(const job_record_t *job, const bitstr_t *place,
				  compat_list candidates, compat_list *ended);
	void (*keep_off_shapes)(const job_record_t *job, bitstr_t *nodes,
				uint16_t mode, compat_list candidates);
	int (*start)(job_record_t *job);

	/* The job begins on its nodes: set AdminComment and environment. */
	void (*began)(job_record_t *job);
	/* A step of it is laid out: number its tasks by --rank-order. */
	void (*step_began)(step_record_t *step);
	/* Its nodes are released. */
	void (*ended)(job_record_t *job);

	/*
	 * A job is submitted or changed: check its request against the machine
	 * and set its node count. *err_msg (xmalloc) gets the errors. Slurm's
	 * error number, or SLURM_SUCCESS. Slurm has not checked yet whether
	 * `uid` may change the job.
	 */
	int (*submit)(job_desc_msg_t *desc, char **err_msg);
	int (*modify)(job_desc_msg_t *desc, job_record_t *job, uid_t uid,
		      char **err_msg);

	/* Start and stop the thread of sched/torus. SLURM_ERROR if slurm.conf
	 * does not allow it. */
	int (*sched_start)(void);
	void (*sched_stop)(void);
	void (*sched_reconfigure)(void);
};

/* Exported by libtorus_slurm.so under this name. */
#define TORUS_SLURM_SYMBOL "torus_slurm_api"

/*
 * Open the library in the directory of the shared object that has `here` (any
 * function of the caller). NULL with the reason logged: there is none, it is of
 * another build than the caller, or it was built for another slurmctld.
 */
const struct torus_slurm_api *torus_slurm_open(int (*here)(void));

#endif
