/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of freeing.h. */
#ifndef QUESTIONS_FREEING_SEARCH_H
#define QUESTIONS_FREEING_SEARCH_H

#include "questions/freeing.h"

struct freeing_search {
	const struct freeing_question *q;
	struct freeing *f;
	const struct torus_machine *m;
	bool latest; /* the cost of a set is its dearest job's */
	/* of each node: its jobs, holder[first[bit]] .. */
	uint32_t *first, *holder;
	uint32_t *seen, stamp; /* per job: in the set of that stamp */
	uint32_t *set;         /* jobs of the place looked at */
	uint64_t *nodes;       /* machine bitmap */
};

/* The cost of a set to which a job of cost b is added. */
uint64_t freeing_cost_sum(const struct freeing_search *s, uint64_t a,
			  uint64_t b);

/* The set s->set is the best so far. -1 with ENOMEM. */
int freeing_keep(struct freeing_search *s, uint32_t count, uint64_t cost,
		 const struct torus_placement *place);

/* Any nodes will do; available: machine bitmap of those that can be had. */
int freeing_nodes(struct freeing_search *s, const uint64_t *available);

/* A box that a partition tree could give, and what the jobs in it cost. */
struct freeing_box {
	uint64_t cost;
	uint32_t held; /* nodes of these jobs */
	uint32_t pod;
	struct torus_region region;
};

struct freeing_boxes {
	struct freeing_box *box; /* the cheapest first; the caller's to free */
	uint32_t count;
	bool complete; /* no torus has another strategy */
};

int freeing_list_boxes(struct freeing_search *s, const uint64_t *available,
		       struct freeing_boxes *list);

/* Set the box's cost and held nodes. */
void freeing_price(struct freeing_search *s, struct freeing_box *box);
/* Write its jobs to s->set; how many. Only before there is a best set. */
uint32_t freeing_box_jobs(struct freeing_search *s,
			  const struct freeing_box *box);

/* A strategy with a memory is asked. */
int freeing_try(struct freeing_search *s, const uint64_t *available);

#endif
