/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs that the cycle (cycle.h) has not started, or that have other nodes now: jobs that the host started, and all jobs after a restart (running.c). */
#ifndef LIVE_RUNNING_H
#define LIVE_RUNNING_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* Make entries for new running jobs of this snapshot; or drop the notes
 * of it. */
void running_update(struct cycle *c);
void running_reset(struct cycle *c);
int running_add(struct cycle *c, const struct cycle_running_job *use);

/* Report a running job without changes, on `nodes` nodes (0: on all its first
 * ones). False: the mirror differs, or has it from a saved state; call
 * running_add(). */
bool running_unchanged(struct cycle *c, uint32_t job, uint32_t nodes,
		       int64_t start_us, int64_t end_us);
/* Report a job that ends but still has its nodes: it counts as running. False: the
 * mirror does not have it, and its nodes are untracked. */
bool running_completing(struct cycle *c, uint32_t job);

#endif
