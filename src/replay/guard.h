/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy of a shared object that crashes or hangs ends the program with one line and
 * the status 3, instead of a core or for ever.
 */
#ifndef REPLAY_GUARD_H
#define REPLAY_GUARD_H

#include "torus/machine.h"
#include "torus/scheduler.h"

/* Guard a replay if its discipline or a strategy is of a file; end it. */
void torus_guard_begin(const struct torus_machine *m,
		       const struct torus_scheduler_settings *settings);
void torus_guard_end(void);

/* Count an instant. If none is counted for TORUS_GUARD_S, the policy hangs. */
#define TORUS_GUARD_S 10
void torus_guard_beat(void);

#endif
