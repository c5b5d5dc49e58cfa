/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of freeing.h. */
#ifndef QUESTIONS_FREEING_SEARCH_H
#define QUESTIONS_FREEING_SEARCH_H

#include "questions/freeing.h"

struct freeing_search {
	const struct freeing_question *q;
	struct freeing *f;
	const struct torus_machine *m;
	bool latest; /* the cost of a set is its most expensive job's */
	/* jobs of each node: holder[first[bit]] .. */
	uint32_t *first, *holder;
	uint32_t *seen, stamp; /* per job: stamp of the latest set with it */
	uint32_t *set;         /* jobs of the current place */
	uint64_t *nodes;       /* machine bitmap */
	struct torus_regions *regions; /* regions of the place found last */
};

/* Return the cost of a set after adding a job of cost b. */
uint64_t freeing_cost_sum(const struct freeing_search *s, uint64_t a,
			  uint64_t b);

/* Make the place independent of the state that found it: without nodes, its
 * regions in s->regions. */
void freeing_own(struct freeing_search *s, struct torus_placement *place);

/* Record s->set as the best so far. Return -1 with ENOMEM. */
int freeing_keep(struct freeing_search *s, uint32_t count, uint64_t cost,
		 const struct torus_placement *place);

/* Search if any nodes suffice; available: machine bitmap. */
int freeing_nodes(struct freeing_search *s, const uint64_t *available);

/* A box that a partition tree could give, with the cost of its jobs. */
struct freeing_box {
	uint64_t cost;
	uint32_t held; /* nodes held by these jobs */
	uint32_t pod;
	struct torus_region region;
};

struct freeing_boxes {
	struct freeing_box *box; /* the cheapest first; freed by the caller */
	uint32_t count;
	bool complete; /* no torus has another strategy */
};

int freeing_list_boxes(struct freeing_search *s, const uint64_t *available,
		       struct freeing_boxes *list);

/* Set the box's cost and held nodes. */
void freeing_price(struct freeing_search *s, struct freeing_box *box);
/* Write its jobs to s->set; return their number. Only before there is a best
 * set. */
uint32_t freeing_box_jobs(struct freeing_search *s,
			  const struct freeing_box *box);

/* Search by querying a strategy with internal state. */
int freeing_try(struct freeing_search *s, const uint64_t *available);

#endif
