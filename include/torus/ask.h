/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a strategy is asked (one alternative of a request), the placement it
 * answers with, and the three answers.
 */
#ifndef TORUS_ASK_H
#define TORUS_ASK_H

#include "torus/outage.h"
#include "torus/region.h"

enum torus_answer {
	TORUS_FITS,    /* here is a place */
	TORUS_NOT_NOW, /* the machine could, were it emptier */
	TORUS_NEVER,   /* not even the empty machine could */
};

/* What an axis needs, or all of them. */
enum torus_connection {
	TORUS_CONN_NAV,   /* N: a closed ring if one can be had, else open */
	TORUS_CONN_TORUS, /* T: must be a closed ring */
	TORUS_CONN_MESH,  /* M: an open line is fine */
};

/* A shape or a node count. With a count, connection[0] holds for every axis
 * of whatever box is chosen. */
struct torus_ask {
	bool by_count;
	bool anywhere; /* by_count, and the strategy scatters: where
				     no torus can, nodes of several will do */
	bool rotate;   /* false: axis i lies along dimension i */
	uint8_t connection[TORUS_MAX_DIMS]; /* enum torus_connection per axis */
	uint32_t count;                     /* by_count: nodes wanted, >= 1 */
	uint32_t granted;         /* by_count: only places of exactly so many
				     nodes (settled at submission); 0: any */
	struct torus_shape shape; /* else: as typed; 1s dropped if rotate */
	int64_t now_us;           /* when it would start: like end_us a hint */
	int64_t end_us;           /* expected end if it starts now, or
				     INT64_MAX: a hint for the choice among
				     places, never for the answer; but plans
				     go by it where there are outages */
	/* Nodes that it must not hold at certain times; NULL: none. Plans see
	 * to it, strategies do not know. */
	const struct torus_outages *outages;
};

/* Nodes wanted: the count, or the shape's volume. */
static inline uint64_t torus_ask_nodes(const struct torus_ask *ask)
{
	return ask->by_count ? ask->count : torus_shape_volume(&ask->shape);
}

/*
 * A place for a job: a region, or scattered nodes where there is no topology;
 * these may be spread over several toruses.
 * The bitmap `nodes` belongs to the strategy that found the placement and
 * stays valid until its next find(); torus_state_commit() keeps a copy.
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
};

#endif
