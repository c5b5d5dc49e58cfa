/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of equal requests on the same nodes, with the facts that hold for all
 * jobs of a class. A class lives as long as a queued job is in it, and then for
 * some time among the unused ones, for the next equal request.
 *
 * Cost: O(1) expected to take one. Memory is allocated at submission only, for
 * at most as many classes as there were different requests in the queue at once.
 */
#ifndef DISCIPLINE_CLASS_H
#define DISCIPLINE_CLASS_H

#include <math.h>

#include "torus/discipline.h"
#include "torus/scheduler.h"

/*
 * A queued job's part of the scheduler's indexes, in the space that struct
 * torus_job reserves for it: links in trees, standing and classes.
 */

/* The priority of jobs that have waited longer than the bound. */
#define TORUS_PRIORITY_FIRST ((double)INFINITY)

/* The sort key of a job in a sorted queue. */
struct torus_standing {
	double priority; /* highest first; 0 unless `order: priority` */
	int64_t rank;    /* least first: the discipline's rank() */
	int64_t turn;    /* least first: the job's */
};

/* A queued job's links in a tree of jobs, and the least values below and
 * including it (class.h). */
struct torus_branch {
	struct torus_job *up, *left, *right;
	int64_t submit_us, due_us;
	union {
		struct { /* TORUS_TREE_LANE */
			int64_t limit_us;
			uint32_t nodes;
			uint32_t most;   /* the most nodes that a rank counts */
			double priority; /* the highest */
			int64_t rank;    /* job_index.rank */
			int64_t turn;
			uint64_t sequence;
			double cube; /* job_index.cube */
		};
		/* TORUS_TREE_QUEUE: of the one that comes first */
		struct torus_standing standing;
	};
};

enum {
	TORUS_TREE_LANE,
	TORUS_TREE_QUEUE,
	TORUS_TREES
};

/* (The room is an array of words: may_alias makes it a struct's memory.) */
struct __attribute__((may_alias)) torus_job_index {
	struct torus_class *class[TORUS_MAX_ALTERNATIVES]; /* or NULL */
	struct torus_branch branch[TORUS_TREES];
	struct torus_standing standing;
	int64_t rank; /* in the order of picks.c, if it does not age */
	double cube;  /* limit^3 / nodes, for torus_rank_aged_bound() */
};

_Static_assert(sizeof(struct torus_job_index) <=
		       sizeof(((struct torus_job *)0)->index),
	       "TORUS_JOB_INDEX");

static inline struct torus_job_index *torus_job_index(const struct torus_job *job)
{
	return (struct torus_job_index *)(uintptr_t)job->index;
}

#define TORUS_CLASS_BUCKETS 1024 /* a power of two */
#define TORUS_CLASSES_UNUSED 512

/* Jobs in queue order that are searched together (lanes.h). */
struct torus_lane {
	struct torus_job *root;
	struct torus_branch least; /* a copy of the root's, for fast access */
	struct torus_job *first;   /* in queue order */
	struct torus_job *next;    /* the candidate found last, or NULL */
	struct torus_class *class; /* class of all its jobs; NULL: several
				      classes */
	uint32_t at;               /* index in the list of lanes with jobs */
	/* of the same share, and the index in ask_facts.lane (lanes.h) */
	struct torus_lane *before, *after;
	uint32_t in_ask;
};

/* The plans in which windows are searched: the scheduler's, and the trial plan
 * of a real-time discipline. */
enum {
	TORUS_PLAN_REAL,
	TORUS_PLAN_TRIAL,
	TORUS_PLANS
};

/* Stamps at which something was found of all jobs of a class. */
struct torus_refusals {
	uint64_t failed;  /* no place */
	uint64_t refused; /* a discipline's: refused */
	uint64_t refused_long; /* the same, of jobs with limits of at least refused_us */
	int64_t refused_us;
	uint64_t covered; /* no further job gets a reservation (easy_promised.h) */
};

/* Facts about an ask, shared by its classes, which differ in their limits or shares. */
struct torus_ask_facts {
	struct torus_ask ask;
	struct torus_window_cache cache[TORUS_PLANS];
	struct torus_refusals refusals; /* not with outages */
	/* lanes of its classes with jobs, where shares count (lanes.h) */
	struct torus_ask_lane {
		struct torus_lane *lane;
		int64_t limit_us; /* the least */
	} * lane;
	uint32_t lanes, room, at;
	uint32_t classes;
	uint32_t jobs;                /* in the queue, or being submitted */
	struct torus_ask_facts *next; /* with the same hash */
};

struct torus_class {
	struct torus_ask ask;
	uint64_t extents; /* torus_ask_extents() */
	uint32_t share;   /* of all its jobs; 0: shares do not count */
	int64_t limit_us; /* limit of all its jobs, if there are
				       outages */
	uint32_t jobs;    /* in the queue, or being submitted */
	enum torus_answer possible; /* on the empty machine */
	uint64_t pods;              /* torus_state_possible_pods() */
	struct torus_ask_facts *facts;
	struct torus_refusals *refusals; /* of facts; with outages: `own` */
	struct torus_refusals own;
	struct torus_lane lane;
	struct torus_class *next;          /* next class with the same hash */
	struct torus_class *older, *newer; /* unused ones */
};

/* NULL for a job without a class. */
static inline struct torus_window_cache *torus_class_cache(struct torus_class *c,
							   uint32_t plan)
{
	return c ? &c->facts->cache[plan] : NULL;
}

/* Zeroed = empty. */
struct torus_classes {
	struct torus_class *bucket[TORUS_CLASS_BUCKETS];
	struct torus_ask_facts *facts[TORUS_CLASS_BUCKETS];
	struct torus_class *oldest, *newest; /* unused */
	uint32_t count, unused;
};

/* Enter a job into the class of its k-th alternative, and create the class if
 * there is none. NULL with ENOMEM; torus_class_drop() accepts NULL. */
struct torus_class *torus_class_take(struct torus_classes *all,
				     struct torus_state *state,
				     const struct torus_job *job, uint32_t k);
void torus_class_drop(struct torus_classes *all, struct torus_class *c);
void torus_classes_free(struct torus_classes *all);

/* Return the extents of the shape, the largest first, in 8 bits each (more than
 * 127 as 127); 0 for a count. */
uint64_t torus_ask_extents(const struct torus_ask *ask);

/* Return false if one of the small extents is larger than the large one: then
 * torus_ask_contains() is false, too. */
static inline bool torus_extents_within(uint64_t small, uint64_t large)
{
	const uint64_t high = UINT64_C(0x8080808080808080);

	return (((large | high) - small) & high) == high;
}

/*
 * Return true if every place for `large` contains a place for `small`, under
 * strategies that recognize every place (torus_strategy.complete). `turned`: all
 * pods turn shapes where the asks allow it; false: some pod turns none.
 */
bool torus_ask_contains(const struct torus_ask *large,
			const struct torus_ask *small, bool turned);

/* Return the nodes that ranks count: those of the first alternative. */
static inline uint32_t torus_rank_nodes(const struct torus_job *job)
{
	return (uint32_t)torus_ask_nodes(&job->request.alternative[0].ask);
}

/*
 * Trees of queued jobs in queue order, linked through the jobs themselves. They
 * are treaps; a job's weight is a hash of its sequence number, so that the same
 * events give the same trees. Each job has the least values of its subtree, by
 * which a search skips whole subtrees.
 *
 * Cost, expected: O(log jobs) to add; O(1) to remove, and O(log jobs) if the job
 * had a least value. No memory but the jobs'.
 */

/* Return true if `a` comes before `b` in a sorted queue; false if equal. */
static inline bool torus_stands_before(const struct torus_standing *a,
				       const struct torus_standing *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->turn < b->turn;
}

/* Add a job, whose position is set, to a tree, or remove it; `which`:
 * TORUS_TREE_.. */
void torus_tree_add(struct torus_job **root, struct torus_job *job, int which);
void torus_tree_remove(struct torus_job **root, struct torus_job *job,
		       int which);

/* Lower the least values of a lane's branch to those of another. */
void torus_branch_lower(struct torus_branch *b,
			const struct torus_branch *other);

/* Check order, weights and least values. */
bool torus_tree_check(const struct torus_job *root, int which);

#endif
