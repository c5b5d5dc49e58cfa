/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queued jobs in another order than the queue's, best first: the candidates of EASY's
 * backfill_order, and the head where ranks age, without a sort of the queue.
 *
 *     heap                     lanes (lanes.h), each a tree with least values
 *     [lane A: bound 3]         A: submit >= 5, limit >= 60, nodes <= 4, ...
 *     [lane B: bound 7]
 *     [job 12: standing 9]
 *
 * The heap holds trees with a bound, the standing that none of their jobs is before, and
 * jobs with their standing. The first of the heap is taken: a job is the next one; of a
 * tree the root and both branches go back. Where usage counts (shares.h), a search among
 * all jobs begins with a bound for each share, whose lanes take its place. A bound comes from the least values of a branch:
 * the least rank, or rank_least() of ranks that depend on the time. So the jobs come exactly
 * as a sort by standing and sequence would put them. A tree whose jobs are refused by their
 * limits is put aside until that holds no longer, without the jobs whose turn is over then.
 *
 * Cost: the begin takes O(lanes), as in lanes.h, where usage counts O(shares) or O(lanes of
 * the asks with few enough nodes); a job O(log jobs) if the rank of an
 * order grows with one least value (sjf, saf, lqf, fcfs), or expected if it ages, as old
 * jobs of a lane stand together. A queue without index is put into the heap: O(jobs).
 */
#ifndef DISCIPLINE_PICKS_H
#define DISCIPLINE_PICKS_H

#include "discipline/lanes.h"

struct torus_pick {
	bool again;
	bool tree;    /* of jobs, `job` its root, NULL: all lanes of the share;
			      else the job alone */
	bool refused; /* only jobs by the filter's limit_us */
	uint32_t share; /* of all jobs of the tree; 0: unknown */
	const struct torus_class *class; /* the same; NULL: several */
	uint64_t sequence;               /* the least */
	uint64_t from,
		to; /* positions; a tree grows when a job between two is removed */
	struct torus_standing standing;
	struct torus_job *job;
};

struct torus_picks {
	bool open; /* between a begin and the caller's end: the index stays */
	/* ranks, and what none of a range is below; NULL: by the index's rank */
	int64_t (*rank)(void *self, const struct torus_job *job, int64_t now_us);
	int64_t (*rank_least)(void *self, const struct torus_rank_range *range,
			      int64_t now_us);
	int64_t now_us;
	struct torus_candidate_filter filter; /* of the begin */
	uint64_t walk; /* jobs with this walk come last; 0: none */
	struct torus_pick
		*heap; /* and at the end of its room trees whose class refuses
				    them at refused_long */
	uint32_t count, parked, room;
	uint64_t refused_long;
	struct torus_pick last; /* the job that was taken last; none: zero */
};

/* Make room for a queue of that length. -1 with ENOMEM. */
int torus_picks_reserve(struct torus_picks *p, uint32_t jobs);
void torus_picks_free(struct torus_picks *p);

/*
 * Begin with the candidates from `from` on (NULL: none); the caller has set the ranks, now_us,
 * filter and walk, and clears `open` in the end. False: too little room for the queue;
 * the jobs that found no room are left out.
 */
bool torus_picks_begin(struct torus_scheduler *s, const struct torus_job *from);

/*
 * Take the next job, or return NULL. It passed the filter of the begin; `filter`, which is
 * no wider, is that of now; NULL: all jobs. In between no job may enter the queue, and only
 * jobs that were taken may leave it.
 */
struct torus_job *torus_picks_next(struct torus_scheduler *s,
				   const struct torus_candidate_filter *filter);

/* Return the standing at now_us of a job with this priority, rank and turn that is due
 * then (torus_job.due_us). */
struct torus_standing torus_picks_standing(const struct torus_scheduler *s,
					   struct torus_standing own,
					   int64_t due_us, int64_t now_us);
/* Return limit^3 / nodes, for torus_rank_range. */
double torus_rank_cube(const struct torus_job *job);

#endif
