/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why nodes are idle now, for `storus metrics`. */
#ifndef STORUS_METRICS_IDLE_H
#define STORUS_METRICS_IDLE_H

#include "format/snapshot.h"
#include "replay/idle.h"

/*
 * Idle nodes by cause. `cause` is replay/idle.h's, asked on the nodes that jobs may
 * have now: in service, held by no job, not in a reservation that is on. Jobs that
 * Slurm holds back for other reasons than nodes wait for none.
 */
struct metrics_idle {
	uint32_t cause[TORUS_IDLE_CAUSES];
	uint32_t held_back; /* that such jobs would take, of the remaining ones */
};

/* Machine bitmaps: the nodes that jobs may have now; the nodes that exist. Call
 * occupancy_prepare() first. -1 with ENOMEM. */
int metrics_idle_find(const struct snapshot *s, const uint64_t *idle,
		      const uint64_t *present, struct metrics_idle *count);

#endif
