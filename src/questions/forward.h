/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot played forward: running jobs end when they are expected to, waiting ones
 * start as the discipline decides and run as long as they may, nobody else comes. The
 * scheduler is the one that decides in the cluster.
 *
 * A waiting job that Slurm holds back for other reasons than nodes (a dependency, a
 * hold, a limit, a begin time) does not take part.
 *
 * Cost: a pass per instant at which a job ends. A long queue on a large machine takes
 * minutes with a discipline that plans for every job, so that a play can be bounded by
 * its computing time. What it has decided by then holds: the starts so far, and the
 * reservations of a discipline that promises starts. All others are open.
 */
#ifndef QUESTIONS_FORWARD_H
#define QUESTIONS_FORWARD_H

#include "format/snapshot.h"
#include "torus/scheduler.h"

/* What keeps a job back, by Slurm's reason. */
enum forward_hold {
	FORWARD_NONE, /* nodes, or jobs before it */
	FORWARD_DEPENDENCY,
	FORWARD_HELD,
	FORWARD_LIMIT,
	FORWARD_BEGIN,
	FORWARD_PARTITION,
	FORWARD_RESERVATION,
};

enum forward_hold forward_hold(const struct snapshot_job *job);

struct forward_job {
	int64_t start_us, end_us; /* SNAPSHOT_NO_TIME: not within the play */
	uint32_t alternative;
	bool open;    /* the play ended before it was decided */
	char *region; /* NULL: not known */
	char *why;    /* rejected: why; else NULL */
};

struct forward {
	struct forward_job *job; /* per job of the snapshot */
	uint32_t jobs;
	uint32_t open; /* how many are */
	int64_t until_us; /* all starts before are known; SNAPSHOT_NO_TIME: all are */
};

/* What a question that waits for a play spends on it. */
#define FORWARD_COMPUTE_US 800000

/* How far to play. Zeroed: to the end. */
struct forward_bound {
	int64_t compute_us;             /* of this thread's CPU time; 0: any */
	const struct snapshot_job *job; /* until it has started; NULL: all jobs */
};

/* -1 with ENOMEM, or EINVAL and lines in err. */
int forward_play(const struct snapshot *s,
		 const struct torus_scheduler_settings *settings,
		 const struct forward_bound *bound, struct forward *f,
		 struct torus_error *err);
void forward_free(struct forward *f);

#endif
