/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several disjoint regions of one shape (AxBxC*k), placed together or not at all.
 * Any strategy that keeps no state and lists its places can place them. Code that
 * only counts nodes sees the regions as scattered nodes.
 *
 *     4x2*3      1 1 1 1 . .      the first region is the strategy's own
 *                1 1 1 1 . .      choice; each further one has most rings,
 *                2 2 2 2 3 3      then lies nearest to those before it
 *                2 2 2 2 3 3      (centre to centre, over the wrap); each
 *                . . . . 3 3      among the places that leave room for
 *                . . . . 3 3      the rest
 *
 * One torus with room for all regions is preferred; then those with room for most.
 * torus/ask.h defines "near" for users of the library.
 *
 * 1. Greedy: every region as above, whether it leaves room or not. If this finds
 *    all regions, each left room. (98 of 100 sets of prop_several.)
 * 2. Otherwise all places are listed in the order of their lowest nodes, and sets
 *    of them are searched depth first. The number of nodes still covered by places
 *    bounds how many may follow. Sets that failed are cached (up to 704 nodes).
 * 3. If there is a set, the regions are chosen again one by one, in the order of
 *    nearness: the first with which the search of 2 finds the others.
 *
 * 2 and 3 are exact if a torus has at most SEVERAL_LISTED places and they end
 * within SEVERAL_STEPS places each and within the ask's limit. (Of 33,000 random
 * problems on up to 216 vertices 91 end at the bound of 2, of their 8,217 sets on
 * one torus 6 at that of 3. To choose disjoint boxes is set packing, for which no
 * fast exact search is known.) A torus with more places gets two more greedy orders
 * in place of 2; "not now" then only means that these found nothing, and what they
 * find need not be the nearest (not_nearest). If 3 ends at its bound, the regions
 * chosen so far are the nearest and the others those of the last set found.
 *
 * Where any place does (any_place, the empty machine) the two orders come first: they
 * take the first disjoint places of one listing.
 *
 * Every question ends after SEVERAL_WORK of counted work, which is the same on every
 * machine and in every replay, whatever the ask's own limit: a list of 22 million
 * places (4x3x2 on eight dimensions) is not searched to its end. If 1 ends so, the
 * regions are searched within growing boxes around the first one, then in the two
 * orders. All questions of a pass share SEVERAL_POOL; after that each has a quarter of
 * SEVERAL_QUICK.
 *
 * Cost: k listings of the strategy's places; the search O(SEVERAL_STEPS x rows); all
 * within SEVERAL_WORK, about 20 ms.
 * Memory: 24 bytes per listed place, three machine bitmaps and 96 kB for failed
 * sets, all allocated at the start.
 */
#ifndef PLACEMENT_SEVERAL_H
#define PLACEMENT_SEVERAL_H

#include "placement/state/state.h"

#define SEVERAL_LISTED 4096
#define SEVERAL_STEPS 200000

/* Counted work, in calls of torus_search_limit.over(): of a question, of the greedy
 * choice in it, of what comes after that, and of all questions of a pass. */
#define SEVERAL_WORK 768
#define SEVERAL_NEAR 256
#define SEVERAL_QUICK 384
#define SEVERAL_POOL 1536

/* A packed place of one torus. */
struct several_place {
	uint32_t low;  /* index of its lowest node */
	uint32_t base; /* index of its base */
	uint32_t axes; /* four bits per dimension: axis + 1, or 0 */
	uint32_t ring;
	uint64_t cost; /* of taking it next (several_near.c) */
};

/* A set of nodes that has no `need` disjoint places; 0: unused entry. */
#define SEVERAL_EVER 8
#define SEVERAL_FAILED 1024
#define SEVERAL_FAILED_WORDS 11
struct several_failed {
	uint64_t left[SEVERAL_FAILED_WORDS];
	uint32_t need;
};

struct several {
	struct torus_regions answer;   /* latest answer */
	struct torus_regions complete; /* scratch: a complete set */
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
	/* The search's limit: its counted work, and the limit of the ask */
	struct torus_search_limit limit, *outer;
	uint32_t work;      /* left for the question */
	uint32_t work_stop; /* left at which this part of the search ends */
	uint32_t work_pool; /* left for the pass; UINT32_MAX: there is none */
	bool over;          /* more places than fit in the list */
	bool bounded;       /* a search has ended at a bound */
	bool not_nearest; /* the answer is complete, but a nearer one may exist */
};

/* One torus's part of a question. */
struct several_search {
	struct several *v;
	const struct state_question *q; /* for one region, among v->left */
	bool any;                       /* only whether there is room counts */
	uint32_t pod, strategy;
	const uint64_t *required; /* required nodes of the pod, or NULL */
	uint32_t want;            /* number of regions */
	uint32_t from;  /* index in v->answer of this search's first region */
	uint32_t nodes; /* nodes per region */
	struct torus_region_item own; /* the strategy's first choice */
	uint32_t steps;
};

const struct torus_pod *several_pod(const struct several_search *x);

/* Count the work of looking at a place. Return true if the part must end. */
static inline bool several_spend(const struct several_search *x, uint32_t more)
{
	return torus_search_limit_spend(&x->v->limit, 8 + x->nodes / 64 + more);
}

/* List the places of a region among the nodes, within the work. */
void several_each(struct several_search *x, const uint64_t *usable,
		  bool (*each)(void *arg, const struct torus_placement *place),
		  void *arg);

/* Pack or unpack a place of the search's torus. */
struct several_place several_pack(const struct several_search *x,
				  const struct torus_placement *place);
struct torus_region_item several_unpack(const struct several_search *x,
					const struct several_place *place);

struct torus_region_item several_item(const struct torus_placement *place);

/* Take a region: append it to v->answer and remove its nodes from v->left.
 * Return the regions that this search has taken, from the n-th on. */
void several_take(struct several_search *x,
		  const struct torus_region_item *item);
void several_undo(struct several_search *x, uint32_t n);

/* Return true if v->answer has x->want regions from `from` on that hold all
 * required nodes. */
bool several_complete(const struct several_search *x);

/* Append a place to the list: for several_each(). */
bool several_list(void *x, const struct torus_placement *place);

/* Take as many regions as the greedy choice finds; false if fewer than
 * wanted. */
bool several_near(struct several_search *x);

/* The same among the places within a box around the first region (or required
 * node), then within larger boxes. */
bool several_near_boxes(struct several_search *x);

/* Pack boxes side by side; false if fewer than wanted. */
bool several_grid(struct several_search *x);

/* Return a number of disjoint regions that the torus certainly does not exceed. */
uint64_t several_bound(const struct several_search *x);

/*
 * Search all sets of the listed places for x->want regions among v->left. On
 * success v->answer has them and they are erased from v->left. Return false if
 * there are none, or if the search ended at a bound (v->bounded).
 */
bool several_exact(struct several_search *x);

/* Replace the set that several_exact() found by the nearest one. Sets
 * v->not_nearest if a bound ended this. */
void several_nearest(struct several_search *x);

/* As several_exact(), with this region and those taken before among them;
 * between begin and end, which take the nodes outside all places out of v->left
 * and put them back. */
void several_exact_begin(struct several_search *x);
bool several_exact_with(struct several_search *x,
			const struct torus_region_item *item);
void several_exact_end(struct several_search *x);

/* The room of a state (several_place.c). */
struct several *state_several_create(const struct torus_machine *m);
void state_several_destroy(struct several *v);

#endif
