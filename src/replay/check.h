/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check: invariants of every schedule, verified independently of the scheduler. */
#ifndef REPLAY_CHECK_H
#define REPLAY_CHECK_H

#include "replay/jobs.h"

/* Check a job started at `now`: not before its submission, only once, on a
 * place of its own that is large enough. */
bool torus_check_start(struct torus_scheduler *s,
		       const struct torus_replay_job *job, int64_t now_us,
		       struct torus_error *err);

/* Check an instant after all its events: the state is sound, `running` jobs
 * hold `granted` nodes, `queued` jobs wait in order. */
bool torus_check_instant(struct torus_scheduler *s, int64_t now_us,
			 size_t running, size_t queued, uint64_t granted,
			 struct torus_error *err);

#endif
