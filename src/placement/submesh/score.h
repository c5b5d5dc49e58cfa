/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a place to future jobs: the score by which `submesh` chooses
 * among the places that fit. Three terms, each with an option:
 *
 * contact  the surface that a box shares with other jobs' boxes and with open
 *          edges. Contact keeps the free nodes in one piece.
 *
 *              . . . . . .      b at its place shares 2 nodes of surface
 *              a a b b . .      with a and 2 with the edge; one step to the
 *              a a b b . .      right it would only have the edge's 2
 *
 * ends     contact with a job counts in full if both end together. It counts
 *          less if the neighbour ends earlier, and slightly less if it ends
 *          later. So regions become free together. Edges then count half, as
 *          a neighbour does on average. Only for shapes: traces have 100,000s
 *          of equal node counts, and their answer is cached until the state
 *          changes.
 *
 * look     the delay that the next request, of unknown shape, may expect, in
 *          node hours: at each coming release, the nodes of all shapes that
 *          still find no place, times the length of that interval. All shapes
 *          that the machine holds in some orientation are equally likely
 *          (Bani-Mohammad et al., section VI). Shapes of less than a fifth of
 *          the machine are ignored, because they nearly always fit.
 *
 * In one orientation, the base with the most contact wins. Among the
 * TORUS_SCORE_CANDIDATES orientations with the most contact, the least delay
 * wins. Ties go to the first, so without holds the choice is that of the plain
 * search. A question that asks for any place is not scored.
 *
 * The score uses the state's holds as they are now. It never changes whether a
 * place is found. With more than TORUS_SCORE_HOLDS holds, or without a state,
 * nothing is scored.
 *
 * Cost: nothing in a search that fails. A search that succeeds walks all
 * orientations instead of stopping at the first. Contact: some passes over the
 * bitmap per orientation and O(corners x holds), up to a fixed number. look: a
 * cut of a list of boxes per hold, and O(orientations x ends x large free
 * boxes), for shapes on machines of at most TORUS_SCORE_LOOKAHEAD nodes.
 * (doc/strategies.md has figures.) No allocation after create. Memory: the
 * list of holds, 4 bitmaps, a node's coordinates on small machines, and
 * look's (lookahead.h).
 */
#ifndef PLACEMENT_SCORE_H
#define PLACEMENT_SCORE_H

#include "placement/submesh/erode.h"
#include "torus/state.h"
#include "torus/region.h"

#define TORUS_SCORE_HOLDS 256
#define TORUS_SCORE_LOOKAHEAD 32768
#define TORUS_SCORE_CANDIDATES 6

extern const struct torus_option_help torus_score_options[];

struct torus_score;

/* The options must have passed torus_options_check(). t must outlive the score.
 * Return NULL with ENOMEM. */
struct torus_score *torus_score_create(const struct torus *t,
				       const struct torus_options *options);
void torus_score_destroy(struct torus_score *s);

/* Set the state whose holds of pod are used until the next call. */
void torus_score_see(struct torus_score *s, const struct torus_state *state,
		     uint32_t pod);

/*
 * Begin a search. Return true if there is anything to score by; only then may
 * the next two functions be called. Holds whose nodes are usable count as
 * ended.
 */
bool torus_score_begin(struct torus_score *s, const struct torus_ask *ask,
		       const uint64_t *usable);

/* A candidate place, the best of its orientation. */
struct torus_score_place {
	int64_t contact;
	struct torus_region region;
	struct torus_orientation orientation;
};

/* Return the base with the most contact among the set bits of `bases` for a box
 * with these extents. *contact gets the contact. */
uint32_t torus_score_base(struct torus_score *s, const uint64_t *bases,
			  const uint32_t *extent, int64_t *contact);

/* Return true if the search has spent its tests of contact. Then the first
 * remaining place is taken. */
bool torus_score_spent(const struct torus_score *s);

/* Return the index of the place, among n > 0 by contact, that delays the next
 * request least. */
uint32_t torus_score_choose(struct torus_score *s,
			    const struct torus_score_place *place, uint32_t n);

/*
 * The surface that a box shares with each of a list of boxes, eight of them at
 * once.
 *
 * The surface is separable. Per dimension, let o be the overlap of the two arcs
 * and f how many of the first box's two faces lie flush against the other; then
 * the shared surface is the sum over the dimensions of f times the overlaps in
 * all others:
 *
 *     overlap' = overlap x o        surface' = surface x o + overlap x f
 *
 * The loop is compiled twice, for AVX2 and for any processor. create() chooses.
 *
 * Cost: O(boxes x dimensions). Memory: 2 numbers per box and dimension.
 */

#define TORUS_CONTACT_MOST 256 /* boxes; a multiple of 8 */

struct torus_contact;

/* NULL with ENOMEM. t must outlive it. The list starts empty. */
struct torus_contact *torus_contact_create(const struct torus *t);
void torus_contact_destroy(struct torus_contact *c);

/* Use the processor's wide vectors if available (the default after create), or
 * not, for comparison. */
void torus_contact_wide(struct torus_contact *c, bool wide);

void torus_contact_clear(struct torus_contact *c);
/* Append a box without strides to a list of fewer than TORUS_CONTACT_MOST. */
void torus_contact_add(struct torus_contact *c, const struct torus_region *r);

/* Return the surface in nodes that the box at x shares with each of the list, in
 * their order. Valid until the next call. */
const int32_t *torus_contact_of(struct torus_contact *c, const uint32_t *x,
				const uint32_t *extent);

#endif
