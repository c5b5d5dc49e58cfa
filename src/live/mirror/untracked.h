/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untracked nodes: in use, but not held by a job of the mirror (shared nodes, epilogs, boots) (untracked.c). */
#ifndef LIVE_MIRROR_UNTRACKED_H
#define LIVE_MIRROR_UNTRACKED_H

#include "live/mirror/mirror.h"

/* Paint the nodes of running entries; hold in the state the nodes of
 * until_us[] that no entry holds; or release all these holds. */
void untracked_paint_held(const struct cycle *c, uint64_t *held);
int untracked_update(struct cycle *c);
void untracked_drop(struct cycle *c);

/* Report nodes of a snapshot that are busy until then; one node. */
void untracked_add(struct cycle *c, const uint64_t *nodes, int64_t end_us);
void untracked_add_node(struct cycle *c, uint32_t bit, int64_t end_us);

#endif
