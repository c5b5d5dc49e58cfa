/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several disjoint regions of one shape (AxBxC*k), placed together or not at
 * all. Any strategy that remembers nothing and lists its places can do it; the
 * regions are scattered nodes to everything that counts nodes.
 *
 *     4x2*3      1 1 1 1 . .      the first region is the strategy's own
 *                1 1 1 1 . .      choice; each further one has most rings,
 *                2 2 2 2 3 3      then lies nearest to those before it
 *                2 2 2 2 3 3      (centre to centre, over the wrap)
 *                . . . . 3 3
 *                . . . . 3 3
 *
 * One torus that has room for all is preferred; then those with room for most.
 *
 * Where that choice ends too early, all places are listed in the order of their
 * lowest nodes, and sets of them are searched depth first: what is left of the
 * covered nodes bounds how many may still follow; sets that failed before are
 * remembered (up to 256 nodes). The search is exact where a
 * torus has at most SEVERAL_LISTED places and it ends within SEVERAL_STEPS
 * places looked at (or before the ask's limit does). Elsewhere two further
 * greedy orders are tried, and the answer "not now" means no more than that
 * these found nothing. On machines of up to 216 vertices 2 of 1,000 random
 * problems end at the bound (prop_several counts them).
 *
 * Cost: k listings of the strategy's places; the search O(SEVERAL_STEPS x rows).
 * Memory: 16 bytes per listed place and three machine bitmaps, all from the
 * start.
 */
#ifndef PLACEMENT_SEVERAL_H
#define PLACEMENT_SEVERAL_H

#include "placement/state.h"

#define SEVERAL_LISTED 4096
#define SEVERAL_STEPS 200000

/* A place of one torus, packed. */
struct several_place {
	uint32_t low;  /* index of its lowest node */
	uint32_t base; /* index of its base */
	uint32_t axes; /* four bits per dimension: axis + 1, or 0 */
	uint32_t ring;
};

/* A set of nodes in which no `need` disjoint places are; 0: unused. */
#define SEVERAL_EVER 8
#define SEVERAL_FAILED 1024
#define SEVERAL_FAILED_WORDS 4
struct several_failed {
	uint64_t left[SEVERAL_FAILED_WORDS];
	uint32_t need;
};

struct several {
	struct torus_regions found; /* of the latest answer */
	uint64_t *usable;           /* the question's; scratch of the walk */
	uint64_t *left;             /* what no region has taken yet */
	uint64_t *cover;            /* nodes that some place has */
	uint64_t *memory;
	struct several_place *place;
	uint32_t room, places;
	struct several_failed failed[SEVERAL_FAILED];
	/* Latest asks that found no place: does the empty machine have one? */
	struct several_ever {
		bool known, possible;
		struct torus_ask ask;
	} ever[SEVERAL_EVER];
	uint32_t next_ever;
	bool over;    /* more places than there is room for */
	bool bounded; /* some search has ended at a bound */
};

/* One torus's part of a question. */
struct several_search {
	struct several *v;
	const struct state_question *q; /* for one region, among v->left */
	uint32_t pod, strategy;
	const uint64_t *required; /* nodes of the pod to be held; or NULL */
	uint32_t want;            /* regions */
	uint32_t from;            /* of v->found: those before are others' */
	uint32_t nodes;           /* of a region */
	uint32_t steps;
};

/* Pack and unpack a place of the search's torus. */
struct several_place several_pack(const struct several_search *x,
				  const struct torus_placement *place);
struct torus_region_item several_unpack(const struct several_search *x,
					const struct several_place *place);

/* Return true if v->found holds want regions from `from` on that hold all
 * required nodes. */
bool several_complete(const struct several_search *x);

/*
 * Search all sets of the listed places for x->want regions among v->left; then
 * v->found has them and they are erased from v->left. false: there are none, or
 * (v->bounded) the search has ended before it knew.
 */
bool several_exact(struct several_search *x);

#endif
