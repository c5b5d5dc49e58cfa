/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle node time by cause: how long nodes were not held by a job of the trace,
 * and the reason.
 *
 * Between two instants nothing changes. Of N nodes, jobs hold B, and I are free
 * and in service. N - B nodes are idle:
 *
 *	out of service	N - B - I: down, or in use by others than the trace's jobs
 *	fragmentation	a waiting job has enough free nodes, but no box of so
 *			many nodes is free, of whatever shape
 *	shape		such a box is free, but not of the job's shape or
 *			connection; or its smallest box has more nodes than are
 *			free (7 nodes as 2x2x2)
 *	reservation	a waiting job has a place, and the discipline keeps it
 *			back (queue order, another job's reservation); or the
 *			nodes are too few for every job that waits
 *	no demand	nothing waits for them
 *
 * The free nodes are assigned in queue order. With R of them left, a pending job
 * that asks for n <= R nodes takes n of them for its cause, which is determined on
 * the free nodes of that time. A job with n > R, or with more than it may use of
 * the free ones, waits for more nodes, and so does each job after the first
 * TORUS_IDLE_JOBS. Nodes that remain count as `reservation` if a job waits for
 * more, else as `no demand`. An alternative that is not acceptable yet does not
 * count.
 *
 * So fragmentation and shape are the nodes that the same queue could have used
 * on a machine without topology and without reservations. The causes add up to
 *
 *	N x (last end - first submission) - sum of granted nodes x time held
 *
 * exactly, in node microseconds. Cost: O(free nodes + TORUS_IDLE_JOBS) per
 * instant, and up to two searches for each job that takes nodes.
 */
#ifndef REPLAY_IDLE_H
#define REPLAY_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/job.h"
#include "torus/plan.h"

#define TORUS_IDLE_JOBS 256
#define TORUS_IDLE_SLICES 128
#define TORUS_IDLE_ANSWERS 32

enum torus_idle_cause {
	TORUS_IDLE_FRAGMENTATION,
	TORUS_IDLE_SHAPE,
	TORUS_IDLE_RESERVATION,
	TORUS_IDLE_OUT,
	TORUS_IDLE_NO_DEMAND,
	TORUS_IDLE_CAUSES,
};

extern const char *const torus_idle_names[TORUS_IDLE_CAUSES];

/* 64 bits would overflow with 100,000 nodes after six years. */
__extension__ typedef unsigned __int128 torus_node_us;

/* Idle nodes by cause between two instants. */
struct torus_idle_spell {
	int64_t from_us, until_us;
	uint32_t nodes[TORUS_IDLE_CAUSES];
};

/* Zeroed = nothing measured. Slices are equal parts of the time from from_us to
 * until_us. */
struct torus_idle {
	bool measured;
	int64_t from_us, until_us; /* first submission, last end */
	torus_node_us node_us[TORUS_IDLE_CAUSES];
	int64_t slice_us;
	torus_node_us slice[TORUS_IDLE_SLICES][TORUS_IDLE_CAUSES];
	struct torus_idle_spell *spell; /* spells since the last end */
	uint32_t spells, room;
};

void torus_idle_free(struct torus_idle *idle);

/* Add a spell. Return 0, or -1 with ENOMEM. */
int torus_idle_add(struct torus_idle *idle,
		   const struct torus_idle_spell *spell);
/* Count the spells up to now, because a job ended. Time after the last end does
 * not count. */
void torus_idle_commit(struct torus_idle *idle);
/* Set the first submission if it lies before the first instant: until then N
 * nodes have no demand. */
void torus_idle_begin(struct torus_idle *idle, int64_t first_submit_us,
		      uint32_t nodes);

/* Fill whole node seconds by cause; they add up to the result. */
uint64_t torus_idle_seconds(const torus_node_us node_us[TORUS_IDLE_CAUSES],
			    uint64_t node_s[TORUS_IDLE_CAUSES]);

/* Cache of answers for the latest machine state: many jobs ask the same. Zeroed
 * = empty. */
struct torus_idle_answers {
	struct torus_plan *plan; /* the scheduler's, whose shadow time answers
				    for the first job; or NULL */
	uint64_t generation;
	uint32_t count;
	struct torus_ask ask[TORUS_IDLE_ANSWERS];
	enum torus_idle_cause cause[TORUS_IDLE_ANSWERS];
	/* the latest count asked for, and what the empty machine grants */
	struct torus_ask counted;
	uint32_t granted;
};

/* Count the free nodes of a state by cause. Pending jobs start at `job`, linked
 * by `next`, in queue order. No node is out of service. */
void torus_idle_causes(struct torus_state *state, const struct torus_job *job,
		       int64_t now_us, struct torus_idle_answers *answers,
		       uint32_t nodes[TORUS_IDLE_CAUSES]);

#endif
