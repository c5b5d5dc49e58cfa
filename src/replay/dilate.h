/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --contention: jobs that share links take longer (torus/contention.h). */
#ifndef REPLAY_DILATE_H
#define REPLAY_DILATE_H

#include "replay/ends.h"
#include "replay/jobs.h"

/* Check that the model covers the machine's places, regions of a torus. Return
 * 0, or -1 with EINVAL and a line in err for each torus that it does not
 * cover. */
int torus_dilate_supports(const struct torus_machine *m,
			  struct torus_error *err);

/* Return true if places of this machine can share links (boxes cannot). */
bool torus_dilate_matters(const struct torus_machine *m);

/*
 * Start a job at `now`: move the future ends of the jobs that it slows, and all
 * expected ends in the state, including its own. *end_us: when the job will
 * end; *latest_us: the last end that moved, or the same. Return whether
 * anything moved. No time exceeds TORUS_NO_TIME. O(running x dimensions x
 * extent).
 */
bool torus_dilate_start(struct torus_ends *ends, struct torus_state *state,
			const struct torus_replay_job *job, int64_t now_us,
			int64_t *end_us, int64_t *latest_us);

#endif
