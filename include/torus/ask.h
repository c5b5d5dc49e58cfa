/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a strategy is asked (one alternative of a request), the placement it
 * answers with, and the three answers.
 */
#ifndef TORUS_ASK_H
#define TORUS_ASK_H

#include "torus/outage.h"
#include "torus/region.h"

/* Three domain answers, and a failure where a function says that it can fail. */
enum torus_answer {
	TORUS_FITS,    /* here is a place */
	TORUS_NOT_NOW, /* the machine could, were it emptier */
	TORUS_NEVER,   /* not even the empty machine could */
	TORUS_FAILED,  /* not answered: errno says why */
};

struct torus_free_boxes;
struct torus_link_map;

/* What an axis needs, or all of them. */
enum torus_connection {
	TORUS_CONN_NAV,   /* N: a closed ring if one can be had, else open */
	TORUS_CONN_TORUS, /* T: must be a closed ring */
	TORUS_CONN_MESH,  /* M: an open line is fine */
};

/*
 * Ends searches that take too long: over() is asked now and then. A search that
 * it ends sets `cut`, and answers with the best place that it has seen, or with
 * NOT_NOW, which is no more than "not found in that time" then.
 */
struct torus_search_limit {
	bool (*over)(void *arg);
	void *arg;
	uint32_t spent; /* nodes looked at since over() was asked */
	bool cut;
};

#define TORUS_LIMIT_NODES 8192       /* between two looks at the clock */
#define TORUS_SEARCH_LIMIT_STEP 1024 /* of them are as long as a step */

/* So many nodes have been looked at, or other work of that length is done.
 * Return true if the search is to end; NULL never ends. */
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

/* One step further. */
static inline bool torus_search_limit_over(struct torus_search_limit *l)
{
	return torus_search_limit_spend(l, TORUS_SEARCH_LIMIT_STEP);
}

static inline bool torus_search_limit_cut(const struct torus_search_limit *l)
{
	return l && l->cut;
}

/*
 * A complete question: a shape or a node count, where and when it may be. With
 * a count, connection[0] holds for every axis of whatever box is chosen.
 */
struct torus_ask {
	bool by_count;
	bool anywhere; /* by_count, and the strategy scatters: where
				     no torus can, nodes of several will do */
	bool rotate;   /* false: axis i lies along dimension i */
	bool weak;     /* links that are weak will do (torus/links.h) */
	bool any_link; /* so will those that are down: is there a place
			  while all are up? */
	uint8_t connection[TORUS_MAX_DIMS]; /* enum torus_connection per axis */
	uint32_t count;                     /* by_count: nodes wanted, >= 1 */
	uint32_t granted;         /* by_count: only places of exactly so many
				     nodes (settled at submission); 0: any */
	struct torus_shape shape; /* else: as typed; 1s dropped if rotate */
	uint32_t shape_nodes;     /* nodes that the shape takes at least
				 (torus_machine_settle()); 0: its volume */
	uint32_t regions; /* number of disjoint regions of the shape, together or
			     not at all; 0 and 1: one */
	int64_t now_us;   /* when it would start: like end_us a hint */
	int64_t end_us;   /* expected end if it starts now, or
				     INT64_MAX: a hint for the choice among
				     places, never for the answer; but plans
				     go by it where there are outages */
	/* A name of the registry that the pods allow; NULL: each pod's default.
	 * Equal pointers mean equal names. */
	const char *strategy;
	/* Machine bitmap of the nodes that it may hold; NULL: all. States and
	 * plans apply it, strategies do not read it. */
	const uint64_t *allowed;
	/* Nodes that it must not hold at certain times; NULL: none. Plans apply
	 * them, states and strategies do not read them. */
	const struct torus_outages *outages;
	/* Nodes that the place must hold: a machine bitmap, to a strategy its
	 * own torus's; NULL: none. Such an ask is the same as no other. */
	const uint64_t *required;
	struct torus_search_limit *limit; /* NULL: a search takes the time it takes */
	/* Boxes that hold every box of usable nodes of the strategy's torus
	 * (placement/free_boxes.h); NULL: unknown. The state fills it in. */
	const struct torus_free_boxes *boxes;
	bool boxes_exact; /* all nodes of these boxes are usable */
	/* The links of the strategy's torus, some of which are dead for this
	 * ask (placement/link_map.h); NULL: none is. The state fills it in. */
	struct torus_link_map *links;
};

/* Return true if it asks for several regions of its shape. */
static inline bool torus_ask_several(const struct torus_ask *ask)
{
	return ask->regions > 1;
}

/* Nodes wanted: the count, or what the shape takes, in all regions. */
static inline uint64_t torus_ask_nodes(const struct torus_ask *ask)
{
	uint64_t nodes;

	if (ask->by_count)
		return ask->count;
	nodes = ask->shape_nodes ? ask->shape_nodes :
				   torus_shape_volume(&ask->shape);
	return torus_ask_several(ask) ? nodes * ask->regions : nodes;
}

/* The same question, restricted to other nodes. */
static inline struct torus_ask torus_ask_among(const struct torus_ask *ask,
					       const uint64_t *allowed)
{
	struct torus_ask among = *ask;

	among.allowed = allowed;
	return among;
}

/* Return true if it is the same question, the hints now_us and end_us aside.
 * Equal pointers mean equal nodes, and equal outages. */
bool torus_ask_same(const struct torus_ask *a, const struct torus_ask *b);

/* As torus_ask_same(), but compares `words` words of the allowed nodes: for an
 * answer that is kept beyond the life of the question's bitmap. */
bool torus_ask_same_nodes(const struct torus_ask *a, const struct torus_ask *b,
			  uint32_t words);

/* One of several regions of a shape, in its order of TORUS_SLICE. */
struct torus_region_item {
	uint32_t pod;
	uint8_t ring; /* as of torus_placement */
	struct torus_region region;
	struct torus_orientation orientation;
};

#define TORUS_MAX_REGIONS 64

struct torus_regions {
	uint32_t count;
	struct torus_region_item item[TORUS_MAX_REGIONS];
};

/* Copy those that there are; both may be the same. */
static inline void torus_regions_copy(struct torus_regions *to,
				      const struct torus_regions *from)
{
	to->count = from->count;
	memmove(to->item, from->item, from->count * sizeof(*from->item));
}

/*
 * A place for a job: a region, or scattered nodes where there is no topology;
 * these may be spread over several toruses. Several regions of one shape are
 * scattered nodes too, with `regions`.
 * The bitmap `nodes` and `regions` belong to whoever found the placement and
 * stay valid until its next find(); torus_state_commit() keeps a copy.
 */
struct torus_placement {
	uint32_t pod;     /* which torus of the machine; spread: 0 */
	uint8_t strategy; /* which of the pod's strategies found it */
	uint8_t ring;     /* bit a: axis a of the granted shape is closed */
	bool scattered;
	bool spread;      /* scattered, and in several toruses */
	uint32_t granted; /* nodes */
	uint32_t axes;    /* of the granted shape */
	int64_t end_us;   /* expected end, set by torus_state_commit() and
			      torus_state_set_end() for the strategy: a hint */
	struct torus_region region;           /* unless scattered */
	struct torus_orientation orientation; /* unless scattered */
	const uint64_t *nodes; /* if scattered: torus-local; if spread, a
				  bitmap of the whole machine */
	const struct torus_regions *regions; /* NULL: not several regions */
	/* if scattered: the first word of `nodes` that has any, and the end of
	 * those that do; to_word 0: not known */
	uint32_t from_word, to_word;
};

#endif
