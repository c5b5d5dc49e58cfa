/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a place costs the jobs to come: the score by which `submesh` chooses
 * among the places that fit. Three terms, each with a switch:
 *
 * contact  the surface that a box shares with other jobs' boxes and with open
 *          edges. What lies against something leaves the free nodes in one
 *          piece.
 *
 *              . . . . . .      b at its place shares 2 nodes of surface
 *              a a b b . .      with a and 2 with the edge; one step to the
 *              a a b b . .      right it would only have the edge's 2
 *
 * ends     contact with a job counts in full if both end together, less the
 *          earlier it ends (no longer a neighbour then) and slightly less the
 *          later; so regions become free together. Edges count half then, as a
 *          neighbour does on average. (For shapes. Of node counts traces
 *          hold 100,000s that ask the same, and what is known of one then
 *          holds for all until the state changes.)
 *
 * look     the delay that a next request of unknown shape would expect, in
 *          node hours: at each coming release, the nodes of all shapes that
 *          would not yet find a place, times how long it stays so. (All
 *          shapes that the machine holds in some orientation: sides uniform,
 *          as Bani-Mohammad et al., section VI. Shapes of less than a fifth
 *          of the machine are left out; they fit nearly always.)
 *
 * In one orientation, the base with the most contact wins; among
 * the TORUS_SCORE_LOOKED orientations with the most contact, the least delay.
 * The first of equals wins, so that without holds the choice is the plain
 * search's.
 *
 * It is a hint from the state's holds as they are now; it never changes
 * whether a place is found. With more than TORUS_SCORE_HOLDS holds, or no
 * state to look at, nothing is scored.
 *
 * Cost: nothing in a search that fails. One that fits walks all orientations
 * instead of stopping at the first. Contact: some passes over the bitmap per
 * orientation and O(corners x holds), up to a fixed number; look: a cut of a
 * list of boxes per hold, and O(orientations x ends x large free boxes), for
 * shapes on machines of at most TORUS_SCORE_LOOKAHEAD nodes.
 * (doc/strategies.md has figures.) No allocation after create. Memory: the
 * list of holds, 4 bitmaps, a node's coordinates on small machines, and
 * look's (lookahead.h).
 */
#ifndef PLACEMENT_SCORE_H
#define PLACEMENT_SCORE_H

#include "placement/erode.h"
#include "torus/state.h"

#define TORUS_SCORE_HOLDS 256
#define TORUS_SCORE_LOOKAHEAD 32768
#define TORUS_SCORE_LOOKED 6

extern const struct torus_option_help torus_score_options[];

struct torus_score;

/* Options that torus_options_check() has passed. t must outlive it. NULL with
 * ENOMEM. */
struct torus_score *torus_score_create(const struct torus *t,
				       const struct torus_options *options);
void torus_score_destroy(struct torus_score *s);
/* Of the same torus, with the same switches. */

/* The state whose holds of pod may be looked at until the next call. */
void torus_score_see(struct torus_score *s, const struct torus_state *state,
		     uint32_t pod);

/*
 * Begin a search. Return true if there is anything to score by; only then may
 * the next two be called. Holds whose nodes are usable are gone in this
 * question.
 */
bool torus_score_begin(struct torus_score *s, const struct torus_ask *ask,
		       const uint64_t *usable);

/* A place to be judged, the best of its orientation. */
struct torus_score_place {
	int64_t contact;
	struct torus_region region;
	struct torus_orientation orientation;
};

/* The base with the most contact among the set bits of `bases` for a box with
 * these extents; *contact gets it. */
uint32_t torus_score_base(struct torus_score *s, const uint64_t *bases,
			  const uint32_t *extent, int64_t *contact);

/* Return true if the search has spent its tests of contact. Then the first of
 * the places that are left is taken. */
bool torus_score_spent(const struct torus_score *s);

/* The index of the place, of n > 0 by contact, that delays the next request
 * least. */
uint32_t torus_score_choose(struct torus_score *s,
			    const struct torus_score_place *place, uint32_t n);

#endif
