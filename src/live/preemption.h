/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes to clear for a job that may preempt others: of all that would be
 * free without those, the cheapest ones, where the jobs there cost least
 * together. A job is lost as a whole, however few of its nodes are wanted.
 */
#ifndef LIVE_PREEMPTION_H
#define LIVE_PREEMPTION_H

#include "torus/state.h"

struct victims {
	uint32_t words;
	uint64_t *usable; /* the caller's to fill and to narrow: free nodes;
			     victims' are added */
	uint32_t *of;     /* per node: its victim from 1 on; 0: it is free */
	double *cost;     /* per victim, from 1 on */
	uint32_t *looked; /* per victim: the latest place that it is in */
	uint32_t count, room;
	uint64_t looks; /* at nodes, in this search */
	uint64_t *map;

	/* the answer */
	bool found;
	double least;     /* what it costs */
	uint64_t *chosen; /* the nodes */
	struct torus_placement place;
};

/* For a machine of so many words, and at most so many victims. -1 with ENOMEM;
 * victims_close() is needed all the same. */
int victims_open(struct victims *v, uint32_t words, uint32_t room);
void victims_close(struct victims *v);

/* One more, of that cost >= 0; a node of the latest one. */
void victims_add(struct victims *v, double cost);
void victims_node(struct victims *v, uint32_t bit);

/* So many nodes, wherever they are: free ones first. */
void victims_take(struct victims *v, uint32_t want);

/*
 * The cheapest place of the ask on a machine with nobody on it; among equals
 * the first. Ends after VICTIMS_LOOKS looks at nodes, or by the ask's limit: the
 * host's locks are kept.
 */
#define VICTIMS_LOOKS UINT64_C(4000000)
void victims_place(struct victims *v, struct torus_state *empty,
		   const struct torus_ask *ask);

#endif
