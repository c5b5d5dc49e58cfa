/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forward simulation of a snapshot: running jobs end at their expected end,
 * pending ones start as the discipline decides and run until their limit, and
 * no other jobs arrive. The scheduler is the cluster's own.
 *
 * A pending job that Slurm holds for reasons other than nodes (a dependency, a
 * hold, a limit, a begin time) is excluded.
 *
 * Cost: a pass per instant at which a job ends. A long queue on a large machine
 * takes minutes with a discipline that plans for every job, so the simulation
 * can be bounded by computing time. Its decisions up to then hold: the starts
 * so far, and the reservations of a discipline that promises starts. All other
 * jobs are open.
 */
#ifndef QUESTIONS_FORWARD_H
#define QUESTIONS_FORWARD_H

#include "format/snapshot.h"
#include "torus/scheduler.h"

/* Why a job is held, from Slurm's reason. */
enum forward_hold {
	FORWARD_NONE, /* nodes, or earlier jobs */
	FORWARD_DEPENDENCY,
	FORWARD_HELD,
	FORWARD_LIMIT,
	FORWARD_BEGIN,
	FORWARD_PARTITION,
	FORWARD_RESERVATION,
};

enum forward_hold forward_hold(const struct snapshot_job *job);

struct forward_job {
	int64_t start_us,
		end_us; /* SNAPSHOT_NO_TIME: not within the simulation */
	uint32_t alternative;
	bool open;    /* undecided when the simulation ended */
	char *region; /* NULL: unknown */
	char *why;    /* reason of a rejection; else NULL */
};

struct forward {
	struct forward_job *job; /* per job of the snapshot */
	uint32_t jobs;
	uint32_t open;  /* number of open jobs */
	uint32_t first; /* job that is first in the queue after the pass at the
			     snapshot's time; UINT32_MAX: none */
	int64_t first_us; /* its start as played, or else as that pass expects
			     it; SNAPSHOT_NO_TIME */
	int64_t until_us; /* all earlier starts are known; SNAPSHOT_NO_TIME: all */
};

/* Bound for interactive questions. */
#define FORWARD_COMPUTE_US 800000

/* How far to simulate. Zeroed: to the end. */
struct forward_bound {
	int64_t compute_us; /* CPU time of this thread; 0: unbounded */
	const struct snapshot_job *job; /* stop when it has started and the start
					   of the first job is known; NULL: all
					   jobs */
	bool now;                       /* stop after the first pass */
	const uint64_t *required; /* nodes that `job` must have; machine bitmap,
				     or NULL */
	/* Of a site with sched/backfill: if Slurm has planned a place for each job that
	 * waits for nodes, play nothing, and find the earliest window of `job` (without
	 * alternatives) beside these places, as `sbatch --test-only` does. */
	bool beside;
};

/* Return -1 with ENOMEM, or EINVAL and lines in err. */
int forward_play(const struct snapshot *s,
		 const struct torus_scheduler_settings *settings,
		 const struct forward_bound *bound, struct forward *f,
		 struct torus_error *err);
void forward_free(struct forward *f);

#endif
