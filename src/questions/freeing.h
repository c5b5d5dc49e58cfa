/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cheapest set of running jobs whose end would let a shape fit.
 *
 * Where a strategy lists its places (places.h), every place that the machine would
 * have without its jobs is looked at: the jobs that hold its nodes are the set that
 * must end for it, and the cheapest of these sets is the answer, exactly. On a
 * machine without topology any nodes will do, and the set is found by a table of the
 * least cost for each number of nodes. A strategy with a memory is asked instead:
 * jobs are ended, the cheapest first, until it finds a place, then each is put
 * back, the dearest first, if it still does. Such a set is minimal (no job of it may
 * stay), and its cost is within the bound that is told.
 *
 * Cost: O(places x nodes per place) for the first, O(jobs x nodes) for the second,
 * O(jobs) states for the third.
 */
#ifndef QUESTIONS_FREEING_H
#define QUESTIONS_FREEING_H

#include "questions/occupancy.h"

struct freeing_question {
	const struct snapshot *s;
	const struct torus_ask *ask;
	const uint64_t *allowed; /* machine bitmap: where it may be; NULL: all */
	/* per job of s: of its end, in millionths of a node second; only of
	 * running ones */
	const uint64_t *cost;
	const bool *keep; /* per job: not to be ended */
	/* Compare every place, also where one has no job now; pending jobs of s
	 * may have nodes then, and a cost. A strategy with a memory answers as
	 * without. */
	bool every;
};

struct freeing {
	enum torus_answer answer; /* FITS now or by ending; NOT_NOW; NEVER */
	struct torus_placement place; /* scattered ones have no nodes */
	uint32_t *job; /* indices into s->job, ascending; the caller's to free */
	uint32_t jobs;
	uint64_t cost;
	uint64_t at_least; /* no set is cheaper; cost where the answer is exact */
	struct torus_error why;
};

/* 0, or -1 with ENOMEM or E2BIG. */
int freeing_find(const struct freeing_question *q, struct freeing *f);
void freeing_free(struct freeing *f);

/* As freeing_find(), but the place all of whose jobs have ended first: with the
 * expected ends as costs, the latest counts. */
int freeing_earliest(const struct freeing_question *q, struct freeing *f);

#endif
