/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of a place by node weights (state_weights.c). */
#ifndef TORUS_STATE_WEIGHTS_H
#define TORUS_STATE_WEIGHTS_H

#include "torus/state.h"

/*
 * Replace the node weights (torus/weights.h), of which a copy is made; NULL: all nodes
 * are alike. Searches that choose a place (not ask->any_place) then prefer light
 * nodes. A change makes a new generation. -1 with ENOMEM and the state unchanged.
 */
int torus_state_set_weights(struct torus_state *s,
			    const struct torus_weights *weights);
const struct torus_weights *torus_state_weights(const struct torus_state *s);

/* Keep those of the nodes that Slurm would not take later than the last of `than`;
 * both are machine bitmaps. */
void torus_state_keep_lighter(struct torus_state *s, const uint64_t *than,
			      uint64_t *nodes);

#endif
