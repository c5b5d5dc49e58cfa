/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Query the strategies of a machine state (torus/state.h): the pods in order, the first
 * that has a place (state_find.c).
 */
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

/* explain.c: explain why a request that fits the empty machine has no place now
 * (torus_state_explain()). */

/* Name the links that the ask must avoid: "link pod0:2,0,4 1 (down)", or "links A
 * (down), B (weak) and 3 more"; as many as fit. False: there are none. */
bool torus_links_name(const struct torus_state *s, const struct torus_ask *ask,
		      char *text, size_t size);

/* Write one sentence on what blocks an ask that got NOT_NOW: jobs, nodes out of
 * service, or fragmentation. Return true if it waits for its shape: as many nodes are
 * free as it needs. */
bool torus_state_explain(const struct torus_state *s,
			 const struct torus_ask *ask, struct torus_error *why);

/* state_weights.c: the choice of a place by node weights. */

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

/* several.c: several regions of a shape (state_find.h). */

/* The searches for several regions from now on belong to one pass, which bounds
 * their work together; or no longer. */
void torus_state_pass(struct torus_state *s, bool begins);

/* Return what is wrong with the place of a strategy of a file, on its own torus, or NULL. */
const char *torus_place_wrong(const struct torus *t, const struct torus_ask *ask,
			      const uint64_t *usable,
			      const struct torus_placement *place);

/* Return true, with a line in why, if a strategy of a file (torus/policy.h) gave a place
 * that was refused: its answer counts as NOT_NOW. */
bool torus_state_wrong(const struct torus_state *s, struct torus_error *why);

#endif
