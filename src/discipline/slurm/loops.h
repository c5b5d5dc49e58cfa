/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm-backfill: stock Slurm's two loops over the pending jobs. loops.c decides when
 * they run, main.c is the loop of slurmctld, attempt.c that of sched/backfill; select.c
 * chooses nodes as the select plugin does.
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
	int64_t main_us;  /* a default pass is due; TORUS_NO_TIME */
	int64_t ended_us; /* one after an end is due */
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

/* loops.c: take a job out of the queue; note that it has started. */
void slurm_started(struct slurm *m, uint32_t position, int64_t now_us);

/* main.c: one pass; `full` ignores default_queue_depth. */
void slurm_main_pass(struct slurm *m, int64_t now_us, bool full);

/* attempt.c: one attempt of sched/backfill. */
void slurm_attempt(struct slurm *m, int64_t now_us);

#endif
