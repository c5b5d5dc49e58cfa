/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choose the nodes to clear for a job that may preempt others: those whose jobs
 * cost least in total. A preempted job counts in full, even if only one of its nodes
 * is needed.
 */
#ifndef LIVE_PREEMPTION_H
#define LIVE_PREEMPTION_H

#include "torus/state.h"

struct preemption {
	uint32_t words;
	uint64_t *usable;     /* the caller sets the free nodes and may clear
				 nodes; preemption_add_node() adds those of victims */
	uint32_t *job_of;     /* per node: its victim, from 1; 0: it is free */
	double *cost;         /* per victim, from 1 */
	uint32_t *last_place; /* per victim: the latest place that it is in */
	uint32_t count, room; /* victims; room for them */
	uint64_t visits;      /* nodes that this search has looked at */
	uint64_t *map;        /* scratch */

	/* The answer. */
	bool possible;
	double least;                 /* the cost */
	uint64_t *chosen;             /* the nodes */
	struct torus_placement place; /* its `nodes` are NULL: see `chosen` */
	struct torus_regions *regions; /* of `place`, valid until the next choice */
};

/* Open for a machine of `words` words and at most `room` victims. Return 0, or -1
 * with ENOMEM; call preemption_close() in either case. */
int preemption_open(struct preemption *v, uint32_t words, uint32_t room);
void preemption_close(struct preemption *v);

/* Add a victim with its cost >= 0; add a node to the latest victim. */
void preemption_add_job(struct preemption *v, double cost);
void preemption_add_node(struct preemption *v, uint32_t bit);

/* Choose `want` nodes anywhere: the required ones (NULL: none), then free ones, the
 * lightest first (weights NULL: all weigh the same), then those of the cheapest
 * victims. */
void preemption_choose_nodes(struct preemption *v, uint32_t want,
			     const uint64_t *required,
			     const struct torus_weights *weights);

/*
 * Choose the cheapest place for the ask, found in `empty`, the state of the machine
 * without jobs; of equally cheap ones the lightest, by the weights of `empty`. The
 * caller holds the host's locks: the search ends after PREEMPTION_MAX_VISITS visits
 * of nodes, or by the ask's limit.
 */
#define PREEMPTION_MAX_VISITS UINT64_C(4000000)
void preemption_choose_place(struct preemption *v, struct torus_state *empty,
			     const struct torus_ask *ask);

#endif
