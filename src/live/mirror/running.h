/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs that the cycle (cycle.h) has not started, or that have other nodes now: jobs that the host started, and all jobs after a restart (running.c). */
#ifndef LIVE_RUNNING_H
#define LIVE_RUNNING_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* Make entries for new running jobs of this snapshot; or drop the notes
 * of it. */
void cycle_running_update(struct cycle *c);
void cycle_running_reset(struct cycle *c);
int cycle_add_running(struct cycle *c, const struct cycle_running_job *use);

#endif
