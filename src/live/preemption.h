/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes to clear for a job that may preempt others: those where the jobs cost
 * least together. A job is lost as a whole, however few of its nodes are wanted.
 */
#ifndef LIVE_PREEMPTION_H
#define LIVE_PREEMPTION_H

#include "torus/state.h"

struct preemption {
	uint32_t words;
	uint64_t *usable; /* the caller's to fill and to narrow: free nodes;
			     victims' are added */
	uint32_t *job_of; /* per node: its victim from 1 on; 0: it is free */
	double *cost;     /* per victim, from 1 on */
	uint32_t *last_place; /* per victim: the latest place that it is in */
	uint32_t count, room;
	uint64_t visits; /* at nodes, in this search */
	uint64_t *map;

	/* the answer */
	bool possible;
	double least;                  /* what it costs */
	uint64_t *chosen;              /* the nodes */
	struct torus_placement place;  /* its `nodes` are NULL: see `chosen` */
	struct torus_regions *regions; /* of `place`, until the next choice */
};

/* For a machine of so many words, and at most so many victims. -1 with ENOMEM;
 * preemption_close() is needed all the same. */
int preemption_open(struct preemption *v, uint32_t words, uint32_t room);
void preemption_close(struct preemption *v);

/* One more, of that cost >= 0; a node of the latest one. */
void preemption_add_job(struct preemption *v, double cost);
void preemption_add_node(struct preemption *v, uint32_t bit);

/* So many nodes, wherever they are: the required ones (NULL: none), then free
 * ones, the lightest first (weights NULL: all are alike). */
void preemption_choose_nodes(struct preemption *v, uint32_t want,
			     const uint64_t *required,
			     const struct torus_weights *weights);

/*
 * The cheapest place of the ask on a machine with nobody on it; among equals
 * the lightest, by the weights of `empty`. Ends after PREEMPTION_MAX_VISITS looks at nodes, or by the ask's limit: the
 * host's locks are kept.
 */
#define PREEMPTION_MAX_VISITS UINT64_C(4000000)
void preemption_choose_place(struct preemption *v, struct torus_state *empty,
			     const struct torus_ask *ask);

#endif
