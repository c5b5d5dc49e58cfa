/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why nodes are idle at an instant (idle.h). */
#ifndef REPLAY_IDLE_CAUSE_H
#define REPLAY_IDLE_CAUSE_H

#include "replay/idle.h"
#include "torus/job.h"
#include "torus/plan.h"

#define TORUS_IDLE_ANSWERS 32

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
