/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of nodes, each stored once: most jobs of a partition may use the same nodes, and the scheduler compares sets by their pointers (node_sets.c). */
#ifndef LIVE_MIRROR_NODE_SETS_H
#define LIVE_MIRROR_NODE_SETS_H

#include "live/cycle.h"

#include "live/mirror/mirror.h"

/* Sweep after all jobs of a snapshot were submitted. */
void node_sets_sweep(struct cycle *c);
void node_sets_free(struct cycle *c);
int node_sets_add(struct cycle *c, const uint64_t *map, const uint64_t **out);

#endif
