/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: the part that its host submits, and the scheduler's part. The host owns
 * the memory, with space for the scheduler's indexes, so that queueing a job
 * allocates nothing. It also owns the alternatives of the request, which must stay
 * where they are while the job is queued or running.
 */
#ifndef TORUS_JOB_H
#define TORUS_JOB_H

#include "torus/request.h"

enum torus_job_state {
	TORUS_JOB_NEW,
	TORUS_JOB_QUEUED,
	TORUS_JOB_RUNNING,
	TORUS_JOB_DONE,
	TORUS_JOB_REJECTED,
};

/* What a job needs where jobs share nodes, beside CPUs, which its size counts then. */
struct torus_job_parts {
	uint32_t nodes,
		most_nodes; /* it has at least, at most so many; 0: any */
	uint32_t gpus;      /* on each node */
	uint32_t task;      /* CPUs of a task, which are on one node; 0: 1 */
	uint32_t asked;     /* CPUs that it asked for; 0: those that it had */
	uint64_t memory_mb; /* on each node; 0: not stated */
	bool per_cpu;       /* memory_mb is for each CPU */
	bool whole;         /* it shares no node */
	bool unequal;       /* its nodes had different numbers of GPUs */
};

/* Return the CPUs of a job's whole tasks. Slurm rounds the last one up to a core, which the
 * CPUs that a job had include. */
static inline uint32_t torus_job_parts_tasks(const struct torus_job_parts *parts,
					     uint32_t cpus)
{
	return parts->task > 1 && cpus > parts->task && !parts->whole ?
		       cpus - cpus % parts->task :
		       cpus;
}

#define TORUS_OWNER_NAME 32 /* with the NUL */

/* Who submitted a job, and where: what a site's priorities depend on. */
struct torus_job_owner {
	char user[TORUS_OWNER_NAME], account[TORUS_OWNER_NAME],
		qos[TORUS_OWNER_NAME], partition[TORUS_OWNER_NAME];
	int64_t nice;
	uint64_t array; /* number of the array that it is a task of; 0: none */
	int64_t asked_us; /* limit that was stated; -1: none, the run time
			     stands in */
	struct torus_job_parts parts;
};

#define TORUS_JOB_INDEX (29 + TORUS_MAX_ALTERNATIVES)

/* The host owns the memory; it fills the first part (zero the rest). */
struct torus_job {
	uint64_t id;
	struct torus_job_request request;
	int64_t submit_us;
	int64_t limit_us;    /* expected run time, >= 0 */
	int64_t deadline_us; /* absolute, or TORUS_NO_TIME */
	bool wait_limited;   /* it has a WaitLimit of its own, wait_limit_us;
				else the scheduler's settings have it */
	int64_t wait_limit_us;
	double priority;
	int64_t turn; /* order among jobs of equal rank, then by submission:
			 a job that the host submits again keeps its turn */
	const uint64_t *allowed; /* machine bitmap of the nodes that the job
				    may use; NULL: all. Equal pointers mean
				    equal nodes. The bitmap must not change
				    while the job is queued */
	const struct torus_outages *outages; /* times at which the job may
						not use nodes, or NULL;
						equality and lifetime as
						`allowed` */
	const struct torus_job_owner *owner; /* or NULL */
	void *host;

	/* the scheduler's */
	enum torus_job_state state;
	uint32_t alternative;          /* granted or promised */
	struct torus_job *prev, *next; /* in the queue */
	uint64_t tried;                /* no place at this stamp */
	uint64_t sequence;             /* order of submission, from 1 */
	uint32_t nodes;                /* of the smallest alternative */
	uint32_t share; /* number of its user's share of the usage; 0: none */
	uint64_t position; /* grows along the queue */
	int64_t due_us;    /* when it has waited as long as WaitLimit, or longer
			   than the bound on waits; TORUS_NO_TIME: never */
	uint64_t walk;     /* a discipline's latest walk that considered it */
	void *memo;        /* a discipline's own memory of the job */
	uint64_t index[TORUS_JOB_INDEX]; /* links (discipline/class.h) */
	int64_t policy_rank; /* by the answer of a policy: least first; 0:
				      not named */
	bool admitted;       /* promised its deadline or a restart, so
				      never rejected */
	bool preempted;      /* it has run: it keeps its alternative, and
				      limit_us is its remaining time */
	uint32_t charged;    /* nodes for which its share is charged now */
	struct torus_job *decided; /* next decision of the same pass */
	int64_t start_us;          /* of the hold, or promised; TORUS_NO_TIME */
	uint32_t slot;             /* when running */
	uint32_t reservation;      /* index in the plan, or UINT32_MAX */
	int64_t answer_us;  /* when the discipline answers this deadline job, or
			       those that this job waits for; 0: none */
	const char *reason; /* rejected: why (static text) */
};

/* Return true if the job's k-th alternative is acceptable after a wait until
 * now_us. */
static inline bool torus_job_accepts(const struct torus_job *job, uint32_t k,
				     int64_t now_us)
{
	return now_us - job->submit_us >= job->request.alternative[k].after_us;
}

/* Return when the job's next alternative becomes acceptable, or TORUS_NO_TIME. */
int64_t torus_job_next_alternative(const struct torus_job *job, int64_t now_us);

#endif
