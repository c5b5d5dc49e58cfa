/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cheapest set of running jobs whose end would let a shape fit.
 *
 * If a strategy lists its places (packing.h), every place on the machine without
 * jobs is examined: the jobs that hold its nodes must end, and the cheapest of
 * these sets is the exact answer. On a machine without topology any nodes
 * suffice, and a table of the least cost for each number of nodes gives the
 * set. A strategy with internal state is queried instead: jobs end, the
 * cheapest first, until it finds a place; then each is put back, the dearest
 * first, if there is still a place. Such a set is minimal (no job of it can
 * stay), and its cost is within the reported bound.
 *
 * Cost: O(places x nodes per place) for the first method, O(jobs x nodes) for
 * the second, O(jobs) states for the third.
 */
#ifndef QUESTIONS_FREEING_H
#define QUESTIONS_FREEING_H

#include "questions/occupancy.h"
#include "format/snapshot.h"

struct freeing_question {
	const struct snapshot *s;
	const struct torus_ask *ask;
	const uint64_t *allowed; /* machine bitmap of possible nodes; NULL: all */
	/* per job of s: cost of ending it, in millionths of a node second; only
	 * for running jobs */
	const uint64_t *cost;
	const bool *keep; /* per job: must not be ended */
	/* Compare every place, including places without jobs now; pending jobs
	 * of s may then have nodes and a cost. No effect for strategies with
	 * internal state. */
	bool every;
};

struct freeing {
	enum torus_answer answer; /* FITS now or by ending; NOT_NOW; NEVER */
	struct torus_placement place;  /* scattered nodes are not in it, several
					  regions are */
	struct torus_regions *regions; /* of place; freeing_free() frees them */
	uint32_t *job; /* indices into s->job, ascending; the caller's to free */
	uint32_t jobs;
	uint64_t cost;
	uint64_t at_least; /* no set is cheaper; equals cost if the answer is exact */
	struct torus_error why;
};

/* Return 0, or -1 with ENOMEM or E2BIG. */
int freeing_find(const struct freeing_question *q, struct freeing *f);
void freeing_free(struct freeing *f);

/* As freeing_find(), but find the place whose jobs have all ended first: with
 * expected ends as costs, the cost of a set is its latest end. */
int freeing_earliest(const struct freeing_question *q, struct freeing *f);

enum costs_kind {
	COSTS_ELAPSED,   /* nodes x time since the start */
	COSTS_REMAINING, /* nodes x time to the expected end */
	COSTS_NODES,     /* nodes x 1 s */
};

/* Return the cost; UINT64_MAX if it overflows, or without an expected end. */
uint64_t costs_of(const struct snapshot *s, const struct snapshot_job *job,
		  enum costs_kind kind);

#endif
