/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several disjoint regions of one shape (AxBxC*k), placed together or not at
 * all. Any strategy that keeps no state and lists its places can place them.
 * Code that only counts nodes sees the regions as scattered nodes.
 *
 *     4x2*3      1 1 1 1 . .      the first region is the strategy's own
 *                1 1 1 1 . .      choice; each further one has most rings,
 *                2 2 2 2 3 3      then lies nearest to those before it
 *                2 2 2 2 3 3      (centre to centre, over the wrap)
 *                . . . . 3 3
 *                . . . . 3 3
 *
 * One torus with room for all regions is preferred; then those with room for
 * most.
 *
 * If that choice fails, all places are listed in the order of their lowest
 * nodes, and sets of them are searched depth first. The number of nodes still
 * covered by places bounds how many may follow. Sets that failed are cached (up
 * to 256 nodes). The search is exact if a torus has at most SEVERAL_LISTED
 * places and the search ends within SEVERAL_STEPS places and within the ask's
 * limit. Otherwise two more greedy orders are tried, and "not now" only means
 * that these found nothing. On machines of up to 216 vertices 2 of 1,000 random
 * problems end at the bound (prop_several counts them).
 *
 * Cost: k listings of the strategy's places; the search O(SEVERAL_STEPS x
 * rows). Memory: 16 bytes per listed place and three machine bitmaps, all
 * allocated at the start.
 */
#ifndef PLACEMENT_SEVERAL_H
#define PLACEMENT_SEVERAL_H

#include "placement/state.h"

#define SEVERAL_LISTED 4096
#define SEVERAL_STEPS 200000

/* A packed place of one torus. */
struct several_place {
	uint32_t low;  /* index of its lowest node */
	uint32_t base; /* index of its base */
	uint32_t axes; /* four bits per dimension: axis + 1, or 0 */
	uint32_t ring;
};

/* A set of nodes that has no `need` disjoint places; 0: unused entry. */
#define SEVERAL_EVER 8
#define SEVERAL_FAILED 1024
#define SEVERAL_FAILED_WORDS 4
struct several_failed {
	uint64_t left[SEVERAL_FAILED_WORDS];
	uint32_t need;
};

struct several {
	struct torus_regions answer; /* latest answer */
	uint64_t *usable; /* scratch of the walk: usable nodes of the question */
	uint64_t *left;   /* usable nodes that no region has taken yet */
	uint64_t *cover;  /* nodes covered by some place */
	uint64_t *memory;
	struct several_place *place;
	uint32_t room, places;
	struct several_failed failed[SEVERAL_FAILED];
	/* Cache of the latest asks without a place: does the empty machine have
	 * one? */
	struct several_ever {
		bool exact, possible;
		struct torus_ask ask;
	} ever[SEVERAL_EVER];
	uint32_t next_ever;
	bool over;    /* more places than fit in the list */
	bool bounded; /* a search has ended at a bound */
};

/* One torus's part of a question. */
struct several_search {
	struct several *v;
	const struct state_question *q; /* for one region, among v->left */
	uint32_t pod, strategy;
	const uint64_t *required; /* required nodes of the pod, or NULL */
	uint32_t want;            /* number of regions */
	uint32_t from;  /* index in v->answer of this search's first region */
	uint32_t nodes; /* nodes per region */
	uint32_t steps;
};

const struct torus_pod *several_pod(const struct several_search *x);

/* Pack or unpack a place of the search's torus. */
struct several_place several_pack(const struct several_search *x,
				  const struct torus_placement *place);
struct torus_region_item several_unpack(const struct several_search *x,
					const struct several_place *place);

/* Take a region: append it to v->answer and remove its nodes from v->left.
 * Return all regions that this search has taken. */
void several_take(struct several_search *x,
		  const struct torus_region_item *item);
void several_undo(struct several_search *x);

/* Return true if v->answer has x->want regions from `from` on that hold all
 * required nodes. */
bool several_complete(const struct several_search *x);

/*
 * Search all sets of the listed places for x->want regions among v->left. On
 * success v->answer has them and they are erased from v->left. Return false if
 * there are none, or if the search ended at a bound (v->bounded).
 */
bool several_exact(struct several_search *x);

#endif
