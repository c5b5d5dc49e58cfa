/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untracked nodes: in use, but not held by a job of the mirror (shared nodes, epilogs, boots) (untracked.c). */
#ifndef LIVE_UNTRACKED_H
#define LIVE_UNTRACKED_H

#include "live/mirror/mirror.h"

/* Paint the nodes of running entries; hold in the state the nodes of
 * until_us[] that no entry holds; or release all these holds. */
void untracked_paint_held(const struct cycle *c, uint64_t *held);
int cycle_untracked_update(struct cycle *c);
void cycle_untracked_drop(struct cycle *c);

#endif
