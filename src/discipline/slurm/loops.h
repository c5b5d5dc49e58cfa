/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm-backfill: stock Slurm's two loops over the pending jobs. loops.c decides when
 * they run, main.c is the loop of slurmctld, attempt.c that of sched/backfill; select.c
 * chooses nodes as the select plugin does, parts.c those that jobs share.
 */
#ifndef DISCIPLINE_SLURM_LOOPS_H
#define DISCIPLINE_SLURM_LOOPS_H

#include "discipline/disciplines.h"
#include "discipline/slurm/priority.h"
#include "discipline/slurm/slots.h"

#define SLURM_SECOND INT64_C(1000000)

/* Jobs counted in one attempt. */
struct slurm_count {
	uint64_t attempt;
	uint32_t jobs;
};

/* What a node that jobs share has free. */
struct slurm_room {
	uint64_t memory_mb;
	uint32_t gpus;
	uint32_t jobs;
};

/* Consecutive nodes with room for the job. */
struct slurm_run {
	uint32_t first, last, nodes;
	uint64_t cpus;
};

/* The nodes that jobs share (parts.c). Arrays are by node. */
struct slurm_parts {
	uint64_t generation;           /* of `now` and `holder` */
	struct slurm_room *now, *then; /* `then`: after the first `upto` ends */
	uint32_t upto;
	uint32_t cpus; /* of the job that is fitted */
	uint64_t *free; /* machine bitmap: CPUs free after the first `painted` ends */
	uint32_t painted;
	uint32_t *holder; /* whose jobs run there: SLURM_NONE, SLURM_MIXED */
	bool *alone;      /* a job of ExclusiveUser does */
	uint32_t *idle;   /* CPUs that are free for the job */
	uint32_t *room;   /* of these, CPUs that it can use */
	uint32_t *left;   /* the same in one trial */
	uint32_t *give;   /* CPUs that it gets */
	struct slurm_run *run;
	uint64_t *taken; /* machine bitmap: CPUs that it gets */
};

#define SLURM_MIXED (SLURM_NONE - 1)

struct slurm {
	struct torus_scheduler *s;
	const struct torus_slurm *conf;
	const struct torus_machine *machine;
	uint32_t words;
	bool interactive; /* jobs are those of salloc and srun */
	bool flat; /* one machine without topology: nodes as select/linear */

	/* pending jobs, in the order of the loops */
	struct slurm_job **queue;
	uint32_t queued, queue_room;
	struct slurm_job **refused; /* rejected by the next pass */
	uint32_t refusals, refused_room;
	struct slurm_job *spare;
	void *blocks;
	bool left_out; /* queued jobs are missing here, for lack of memory */
	struct slurm_priority priority;

	/* nodes in use until later: free[k] are free after the first k ends */
	uint64_t *free;
	int64_t *end; /* seconds; end[k] of the k-th, from 1 */
	uint32_t ends, end_room, free_room;
	uint64_t generation;

	struct slurm_parts parts;

	struct slurm_slots slots;
	uint64_t attempts;
	struct slurm_count *user, *user_part, *association, *partition, *planned;
	uint32_t user_room, user_part_room, association_room;

	uint64_t *memory; /* of the bitmaps below */
	uint64_t *avail, *usable, *picked, *scratch, *work;
	bool *failed; /* per partition, in the main loop */
	uint32_t *depth;

	/* when */
	bool begun;
	int64_t last_sched, last_full; /* seconds */
	int64_t main_us; /* a default pass is due; TORUS_NO_TIME */
	int64_t requested_us; /* one was asked for, which sched_min_interval delays */
	bool full;            /* it is full */
	int64_t main_last_us;
	bool main_more; /* a full pass may start more than the latest pass */
	int64_t attempt_us; /* latest attempt */
	int64_t update_us;  /* first update since; TORUS_NO_TIME */
	bool attempt_more;  /* an attempt may start something */
};

/* select.c. Bitmaps: m->avail is the caller's, m->picked the answer. */

/* Return true if the job can start in the nodes of m->avail, and when, in seconds:
 * now, or after running jobs end (unless now_only). m->picked gets the nodes. */
bool slurm_select_will_run(struct slurm *m, struct slurm_job *j, int64_t now_us,
			   bool now_only, int64_t *start);
/* Start the job in nodes of m->avail, m->picked. False: it does not fit. */
bool slurm_select_start(struct slurm *m, struct slurm_job *j, int64_t now_us);
/* Set m->avail to the nodes in service that the job's partition has. */
void slurm_select_partition(struct slurm *m, const struct slurm_job *j);

/* parts.c */

/* Allocate. -1 with ENOMEM. */
int slurm_parts_init(struct slurm *m);
void slurm_parts_free(struct slurm *m);
/* Settle what the job needs of each node. */
void slurm_parts_settle(const struct slurm *m, struct slurm_job *j);
/* Clear in m->avail the nodes that other users' jobs keep from this one. */
void slurm_parts_narrow(struct slurm *m, const struct slurm_job *j);
/* Return true if the job fits with so many CPUs in the nodes of `among` after the first
 * k ends, which are listed. m->picked gets the whole nodes. */
bool slurm_parts_fit(struct slurm *m, const struct slurm_job *j, uint32_t cpus,
		     const uint64_t *among, uint32_t k);
/* Return true if the job fits in the nodes of `among` when no job runs. */
bool slurm_parts_fit_empty(struct slurm *m, const struct slurm_job *j,
			   const uint64_t *among);
/* Return true if the hold has nodes of `among`. */
bool slurm_parts_meet(const struct slurm *m, const struct torus_hold *h,
		      const uint64_t *among);
/* Set *place to the CPUs that the latest fit gave, of `among`. */
void slurm_parts_place(struct slurm *m, const uint64_t *among,
		       struct torus_placement *place);

/* loops.c: take a job out of the queue; note that it has started. */
void slurm_started(struct slurm *m, uint32_t position, int64_t now_us);

/* main.c: one pass; `full` ignores default_queue_depth. */
void slurm_main_pass(struct slurm *m, int64_t now_us, bool full);

/* attempt.c: one attempt of sched/backfill. */
void slurm_attempt(struct slurm *m, int64_t now_us);

#endif
