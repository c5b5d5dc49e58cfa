/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question to a strategy (one alternative of a request), the placement in
 * its answer, and the possible answers.
 */
#ifndef TORUS_ASK_H
#define TORUS_ASK_H

#include "torus/region.h"

#include <stdbool.h>
#include <stdint.h>

/* Times are microseconds. */
#define TORUS_NO_TIME INT64_MAX

/* Return an expected end; the instant after now if it has passed. */
static inline int64_t torus_end_after(int64_t end_us, int64_t now_us)
{
	return end_us > now_us ? end_us : now_us + 1;
}

/* Return at_us + us for us >= 0; TORUS_NO_TIME on overflow. */
static inline int64_t torus_time_after(int64_t at_us, int64_t us)
{
	return at_us > TORUS_NO_TIME - us ? TORUS_NO_TIME : at_us + us;
}

/* Three domain answers, and a failure. */
enum torus_answer {
	TORUS_FITS,    /* there is a place */
	TORUS_NOT_NOW, /* a place exists on a machine with fewer busy nodes */
	TORUS_NEVER,   /* no place exists even on the empty machine */
	TORUS_FAILED,  /* no answer; errno has the cause */
};

struct torus_free_boxes;
struct torus_link_map;

/* Required connection of an axis, or of all axes. */
enum torus_connection {
	TORUS_CONN_NAV,   /* N: a closed ring if possible, else open */
	TORUS_CONN_TORUS, /* T: must be a closed ring */
	TORUS_CONN_MESH,  /* M: may be open */
};

/*
 * A limit that ends long searches. A search calls over() from time to time and
 * ends when it returns true. The search then sets `cut` and answers with the
 * best place found so far, or with NOT_NOW, which then means "not found in
 * time".
 */
struct torus_search_limit {
	bool (*over)(void *arg);
	void *arg;
	uint32_t spent; /* nodes examined since the last call of over() */
	bool cut;
};

#define TORUS_LIMIT_NODES 8192       /* examined between two calls of over() */
#define TORUS_SEARCH_LIMIT_STEP 1024 /* nodes that cost as much as one step */

/* Count `nodes` examined nodes, or other work of that cost. Return true if the
 * search must end. With l NULL it never ends. */
static inline bool torus_search_limit_spend(struct torus_search_limit *l,
					    uint32_t nodes)
{
	if (!l)
		return false;
	l->spent += nodes;
	if (l->cut || l->spent < TORUS_LIMIT_NODES)
		return l->cut;
	l->spent = 0;
	l->cut = l->over(l->arg);
	return l->cut;
}

/* Count one step. Return true if the search must end. */
static inline bool torus_search_limit_over(struct torus_search_limit *l)
{
	return torus_search_limit_spend(l, TORUS_SEARCH_LIMIT_STEP);
}

static inline bool torus_search_limit_cut(const struct torus_search_limit *l)
{
	return l && l->cut;
}

/*
 * What the box of a node count must be; zeroed: any. The aspect is the longest side by
 * the shortest, in vertices, over the dimensions that have more than one: 4x4 in three
 * dimensions has 4. The bisection is the least number of links between two halves, with
 * all links up.
 */
struct torus_box_limits {
	uint32_t aspect;    /* at most, in thousandths; 0: any */
	uint32_t bisection; /* at least */
};

/*
 * A question: a shape or a node count, the allowed nodes and the time. With a
 * count, connection[0] applies to every axis of the chosen box.
 */
struct torus_ask {
	bool by_count;
	bool anywhere;   /* by_count, and the strategy scatters: if no single
			   torus has a place, use nodes of several */
	bool rotate;     /* false: axis i lies along dimension i */
	bool weak;       /* weak links are allowed (torus/links.h) */
	bool any_link;   /* links that are down are allowed too: would there
			   be a place if all links were up? */
	bool any_weight; /* node weights do not count: which place would the
			    strategy choose? */
	bool any_place;  /* only the answer counts: the strategy need not
			   choose the best place */
	uint8_t ones;    /* !by_count: bit i: axis i as typed has extent 1 and
			    was dropped from `shape` (torus_ask_drop_ones()) */
	uint8_t connection[TORUS_MAX_DIMS]; /* enum torus_connection per axis */
	uint32_t count;                     /* by_count: nodes wanted, >= 1 */
	struct torus_box_limits limits;     /* by_count */
	uint32_t granted;         /* by_count: accept only places of exactly
				     this many nodes (set at submission); 0:
				     any */
	struct torus_shape shape; /* !by_count: extents as typed; extents of
				     1 are dropped if rotate (see `ones`) */
	uint32_t shape_nodes;     /* least number of nodes for the shape
				     (torus_machine_settle()); 0: its volume */
	uint32_t regions; /* number of disjoint regions of the shape, all or
			     none, near each other (torus_ask_several()); 0
			     and 1: one */
	int64_t now_us;   /* start time; a hint, as end_us */
	int64_t end_us;   /* expected end if it starts now, or INT64_MAX. A
			     hint for the choice among places; it never
			     changes the answer. Plans also compare it with
			     outages */
	/* Name of a registered strategy that the pods allow; NULL: each pod's
	 * default. Equal pointers mean equal names. */
	const char *strategy;
	/* Machine bitmap of the nodes that the job may hold; NULL: all. States
	 * and plans apply it; strategies do not read it. */
	const uint64_t *allowed;
	/* Nodes that the job must not hold at certain times; NULL: none. Plans
	 * apply it; states and strategies do not read it. */
	const struct torus_outages *outages;
	/* Nodes that the place must contain: a machine bitmap, or in a call of
	 * a strategy a bitmap of its torus; NULL: none. torus_ask_same() never
	 * finds two such asks equal. */
	const uint64_t *required;
	struct torus_search_limit *limit; /* NULL: no limit */
	/* Boxes that together contain every box of usable nodes of the
	 * strategy's torus (placement/state/free_boxes.h); NULL: unknown. The state
	 * sets it. */
	const struct torus_free_boxes *boxes;
	bool boxes_exact; /* every node of these boxes is usable */
	/* No usable node of the strategy's torus lies in the words before this
	 * one. The state sets it. */
	uint32_t first_word;
	/* For reasons: the nodes of a cell of the strategy's torus (0: one), and a
	 * count in nodes where `count` is in cells. The state sets them. */
	uint32_t cell_nodes, node_count;
	/* Links of the strategy's torus and which of them are dead for this ask
	 * (placement/state/link_map.h); NULL: none is dead. The state sets it. */
	struct torus_link_map *links;
};

/*
 * Return true if the ask is for several regions of its shape: on one torus where
 * one has room for all, and near each other. They are chosen one by one, among the
 * places that leave room for the rest: first the strategy's own choice, then the
 * region with most rings on axes that prefer one, of these the one with the least
 * sum of distances to those before. (The distance of two regions is that of their
 * centres: vertices along each dimension, the shorter way where it wraps, summed.)
 * With required nodes, the regions that hold most of them come first instead. A
 * search that ends at its bound (placement/several/several.h) may give others.
 */
static inline bool torus_ask_several(const struct torus_ask *ask)
{
	return ask->regions > 1;
}

/* Return true if only some boxes of the count will do. */
static inline bool torus_ask_limited(const struct torus_ask *ask)
{
	return ask->by_count && (ask->limits.aspect || ask->limits.bisection);
}

/* Return the number of nodes wanted: the count, or the nodes of the shape in
 * all regions. */
static inline uint64_t torus_ask_nodes(const struct torus_ask *ask)
{
	uint64_t nodes;

	if (ask->by_count)
		return ask->count;
	nodes = ask->shape_nodes ? ask->shape_nodes :
				   torus_shape_volume(&ask->shape);
	return torus_ask_several(ask) ? nodes * ask->regions : nodes;
}

/* Return the number of axes as typed, and for each of them its axis in ask->shape;
 * -1: an axis of 1 that was dropped. */
static inline uint32_t torus_ask_typed(const struct torus_ask *ask,
				       int8_t axis[TORUS_MAX_DIMS])
{
	uint32_t typed = 0;

	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		for (; ask->ones >> typed & 1; typed++)
			axis[typed] = -1;
		axis[typed++] = (int8_t)a;
	}
	for (; ask->ones >> typed & 1; typed++)
		axis[typed] = -1;
	return typed;
}

/* Drop axes of 1 with their connections and remember them in ask->ones. One node
 * keeps its first axis, and has two if one was typed. */
void torus_ask_drop_ones(struct torus_ask *ask);

/* For reasons: return the nodes of so many cells of the strategy's torus; the number
 * of nodes that an ask by count wants. */
static inline uint64_t torus_ask_cell_nodes(const struct torus_ask *ask,
					    uint64_t cells)
{
	return ask->cell_nodes ? cells * ask->cell_nodes : cells;
}

static inline uint32_t torus_ask_count(const struct torus_ask *ask)
{
	return ask->cell_nodes ? ask->node_count : ask->count;
}

/* Return a copy of the ask with other allowed nodes. */
static inline struct torus_ask torus_ask_among(const struct torus_ask *ask,
					       const uint64_t *allowed)
{
	struct torus_ask among = *ask;

	among.allowed = allowed;
	return among;
}

/* Return true if the asks are equal, apart from the hints now_us and end_us.
 * Equal pointers mean equal nodes and equal outages. */
bool torus_ask_same(const struct torus_ask *a, const struct torus_ask *b);

/* As torus_ask_same(), but compare `words` words of the allowed nodes. For
 * cached answers that outlive the bitmap of the ask. */
bool torus_ask_same_nodes(const struct torus_ask *a, const struct torus_ask *b,
			  uint32_t words);

/* One of several regions of a shape. Regions are in the order of
 * TORUS_SLICE. */
struct torus_region_item {
	uint32_t pod;
	uint8_t ring; /* as in torus_placement */
	struct torus_region region;
	struct torus_orientation orientation;
};

#define TORUS_MAX_REGIONS 64

struct torus_regions {
	uint32_t count;
	struct torus_region_item item[TORUS_MAX_REGIONS];
};

/* Copy the `count` used items. `to` may be `from`. */
static inline void torus_regions_copy(struct torus_regions *to,
				      const struct torus_regions *from)
{
	to->count = from->count;
	memmove(to->item, from->item, from->count * sizeof(*from->item));
}

/*
 * A place for a job: a region, or scattered nodes where there is no topology.
 * Scattered nodes may be in several toruses. Several regions of one shape are
 * scattered nodes with `regions`.
 *
 * The bitmap `nodes` and `regions` belong to the strategy, state or plan that
 * returned the placement. They are valid until its next find().
 * torus_state_commit() makes a copy.
 */
struct torus_placement {
	uint32_t pod;     /* index of the torus in the machine; spread: 0 */
	uint8_t strategy; /* index of the pod's strategy that found it */
	uint8_t ring;     /* bit a: axis a of the granted shape is closed */
	bool scattered;
	bool spread;      /* scattered, with nodes in several toruses */
	uint32_t granted; /* nodes */
	uint32_t axes;    /* axes of the granted shape */
	int64_t end_us;   /* expected end, set by torus_state_commit() and
			     torus_state_set_end() for the strategy: a hint */
	struct torus_region region;           /* unless scattered */
	struct torus_orientation orientation; /* unless scattered */
	const uint64_t *nodes; /* if scattered: torus-local; if spread, a
				  bitmap of the whole machine */
	const struct torus_regions *regions; /* NULL: not several regions */
	/* if scattered: `nodes` has bits only in the words from_word .. to_word
	 * - 1; to_word 0: unknown */
	uint32_t from_word, to_word;
};

/*
 * Outages: nodes that some jobs must not hold from a time to a time, such as a
 * window for maintenance, or a Slurm reservation of other jobs. Jobs that may
 * use the nodes then have other outages, or none.
 *
 *     node 3  |        |#outage#|
 *     node 2  |        |#outage#|
 *     node 1  |  job that must not run into it may be here
 *             now    from      to                      -> time
 */

/* Nodes that are out in [from_us, to_us). INT64_MIN and INT64_MAX: no bound. */
struct torus_outage {
	int64_t from_us, to_us; /* from < to */
	const uint64_t *nodes;  /* machine bitmap */
	const char *name;       /* name for messages, such as a
				   reservation's; or NULL */
	int64_t longest_us;     /* for messages, of an outage that always
				   begins so long after now (from_us is
				   INT64_MIN): longer jobs are never allowed */
};

/* A list of outages. The host owns it and does not change it while a queued job
 * refers to it. */
struct torus_outages {
	uint64_t number;       /* unique number of these outages, > 0 */
	int64_t last_start_us; /* latest possible start, or INT64_MAX */
	bool sorted;           /* by from_us: searches end early */
	uint32_t count;
	const struct torus_outage *outage;
};

/* Clear in a machine bitmap the nodes that are out at some time in [from, to).
 * Return false if `from` is later than last_start_us. */
bool torus_outages_clear(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, uint64_t *map, uint32_t words);

/* Return true if these nodes may be held from from_us to to_us. */
bool torus_outages_allow(const struct torus_outages *o, int64_t from_us,
			 int64_t to_us, const uint64_t *map, uint32_t words);

/* Return the first time after at_us at which an outage ends; INT64_MAX:
 * none. */
int64_t torus_outages_next(const struct torus_outages *o, int64_t at_us);

/* Return the first start after at_us at which a run of this length meets other
 * outages than at at_us; INT64_MAX: none. */
int64_t torus_outages_step(const struct torus_outages *o, int64_t at_us,
			   int64_t length_us);

#endif
