/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untracked busy nodes: scattered holds of job 0, one per torus that has some (hold_nodes.c). */
#ifndef TORUS_HOLD_NODES_H
#define TORUS_HOLD_NODES_H

#include "torus/state.h"

/*
 * Hold nodes (a machine bitmap) without a job: one hold of job 0 per torus with
 * such nodes. Append the slots, at most one per torus, to slots[*count], unless
 * slots is NULL. -1 with errno as torus_state_commit(); holds made before the
 * error stay.
 */
int torus_state_hold_nodes(struct torus_state *s, const uint64_t *nodes,
			   int64_t end_us, uint32_t *slots, uint32_t *count);

/* Hold those of the nodes that are free, one hold per torus and end. -1 with
 * errno; holds made before the error stay. */
int torus_state_hold_until(struct torus_state *s,
			   const struct torus_untracked *u);

#endif
