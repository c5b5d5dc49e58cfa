/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Query the strategies of a machine state (torus/state.h): the pods in order, the first that has a place (state_find.c). */
#ifndef TORUS_STATE_FIND_H
#define TORUS_STATE_FIND_H

#include "torus/state.h"

/*
 * Search the pods in order; if none has a place and ask->anywhere is set, search
 * all of them together (src/placement/state/anywhere.c). Pods that do not allow the
 * ask's strategy are skipped. FITS: *out is filled. NEVER: why (may be NULL) gets
 * a line.
 */
enum torus_answer torus_state_find(struct torus_state *s,
				   const struct torus_ask *ask,
				   struct torus_placement *out,
				   struct torus_error *why);

/*
 * As torus_state_find(), with `usable` (a machine bitmap) as the usable nodes,
 * busy or not, and without the ask's allowed nodes. Only if all strategies of
 * the machine are occupancy_only (torus_state_timeless()).
 */
enum torus_answer torus_state_find_in(struct torus_state *s,
				      const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out);
bool torus_state_timeless(const struct torus_state *s);

/* Search with every present node free and allowed: FITS or NEVER. NOT_NOW: the
 * ask's limit ended the search before an answer. */
enum torus_answer torus_state_possible(struct torus_state *s,
				       const struct torus_ask *ask,
				       struct torus_placement *out,
				       struct torus_error *why);

/* Return the toruses that can hold the ask when empty, a bit each. All bits are
 * set where it does not matter: one torus, more than 64, nodes of several. */
uint64_t torus_state_possible_pods(struct torus_state *s,
				   const struct torus_ask *ask);

/*
 * Call each() for every place now, in lexicographic order of (orientation, base)
 * within each pod, until it returns false. -1 with ENOSYS if the strategy does
 * not list places.
 */
int torus_state_find_all(struct torus_state *s, const struct torus_ask *ask,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

#endif
