/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's internals, for the disciplines, and their registry.
 */
#ifndef DISCIPLINE_DISCIPLINES_H
#define DISCIPLINE_DISCIPLINES_H

#include "discipline/picks.h"
#include "discipline/shares.h"

/* Queue length from which on an index is faster. */
#define TORUS_INDEX_AT 256

/* Budgets of a pass that the search for its first job may take. */
#define TORUS_FIRST_BUDGETS 2

/* The queued jobs by the number of nodes that they need (torus_lane_size()). */
struct torus_queue_sizes {
	uint32_t jobs[TORUS_LANE_SIZES];
	uint64_t some[TORUS_LANE_SIZES / 64]; /* which are above 0 */
};

/*
 * Stamps are numbers that are used once. `freed` becomes a new one whenever a
 * failed search may succeed: when nodes become free or return from an outage;
 * with strategies that remember, at each change of the state. Passes skip a job
 * or class with the current stamp. A discipline may take stamps of its own.
 */
struct torus_scheduler {
	struct torus_state *state;
	struct torus_plan *plan;
	struct torus_scheduler_settings settings;
	const struct torus_discipline *discipline;
	void *self;
	int64_t wait_limit_us; /* TORUS_NO_TIME also if the discipline
				  ignores it */
	bool ranked;           /* rank() sorts the queue */
	bool ages;             /* ranks depend on the time: each pass sorts */
	bool leads; /* an indexed queue is not sorted then: only its head is the
		       first by its rank */
	bool unsorted; /* the head is the only job in its place */
	/* the rank in the order of `picks`, if it does not age; NULL: 0 */
	int64_t (*pick_rank)(void *self, const struct torus_job *job);
	struct torus_picks picks;
	struct torus_shares shares; /* on: a class has jobs of one share */
	int64_t bound_us; /* jobs that have waited longer come first, by
				  arrival; TORUS_NO_TIME: none */
	bool reordered;   /* this pass found queued jobs in another order */
	bool timeless;    /* the occupancy alone decides */
	bool recognizes;  /* all strategies are complete */
	bool turned;      /* no pod forbids turning */
	struct torus_queue queue;
	uint32_t index_at;        /* queue length from which on the queue is
				     indexed */
	bool indexed;             /* the lanes and `sorted` hold the queue */
	struct torus_lanes lanes; /* discipline->searches */
	struct torus_queue_sizes sizes; /* discipline->searches */
	struct torus_job *sorted;       /* tree of a sorted queue */
	uint32_t ladders;    /* queued jobs with several alternatives */
	uint32_t restricted; /* queued jobs with outages */
	int64_t back_us;     /* next end of an outage of a restricted
				     job */
	uint64_t sequence;   /* sequence number of the latest job */
	uint64_t stamp;      /* the latest stamp in use */
	uint64_t freed;
	uint64_t generation; /* generation of the state after the scheduler's
				last change */
	struct torus_job *first, *last; /* decisions of this pass */
	struct torus_scheduler_stats stats;
	struct torus_classes *classes;
	bool lacked_memory; /* an allocation failed in the latest submission
			       or pass */
	struct torus_pass_limit limit;
	struct torus_pass_cut cut;              /* of this pass */
	struct torus_search_limit search_limit; /* limit of a job's search, which
					      ends with the pass */
	uint32_t patience; /* budgets of the search for a pass's first job */
	uint64_t windows;  /* torus_plan_searches() when the pass began */
};

/* Return true if the pass is cut before `job`, and so before all later ones. */
bool torus_scheduler_stops(struct torus_scheduler *s,
			   const struct torus_job *job);

/* Return true if the time in which the queue is sorted has ended: the pass is cut before
 * all jobs, and the next one has twice the time. */
bool torus_scheduler_ranks_late(struct torus_scheduler *s);

/*
 * Return the limit for the ask of the job's search, or NULL. The search ends
 * with the pass; the search for the first job of a pass ends later
 * (torus_scheduler_pass_limit()). After the search,
 * torus_scheduler_interrupted() returns true if the limit ended it: the pass is
 * then cut before the job, which must be left unchanged.
 */
struct torus_search_limit *
torus_scheduler_search_limit(struct torus_scheduler *s);
bool torus_scheduler_interrupted(struct torus_scheduler *s,
				 const struct torus_job *job);

/* Find the job's classes; without memory the job has none. */
void torus_scheduler_classify(struct torus_scheduler *s, struct torus_job *job);
/* Put the classified job into the queue; take it out with its classes. */
void torus_scheduler_enter(struct torus_scheduler *s, struct torus_job *job,
			   int64_t now_us);
void torus_scheduler_leave(struct torus_scheduler *s, struct torus_job *job);

/* Insert a new job by its rank, or by its priority and its rank; remove one. */
void torus_queue_add(struct torus_scheduler *s, struct torus_job *job,
		     int64_t now_us);
void torus_queue_remove(struct torus_scheduler *s, struct torus_job *job);
/* A queued job leaves its lane before its classes change, and then enters a lane
 * of the new ones. Its position in the queue stays. */
void torus_queue_leave_lane(struct torus_scheduler *s, struct torus_job *job);
void torus_queue_enter_lane(struct torus_scheduler *s, struct torus_job *job);

/*
 * Return the first candidate from `from` on (NULL: none). Only in a pass of a
 * discipline that searches. Call torus_queue_search() before the first call,
 * before a search from an earlier job, and before one whose filter passes jobs
 * which the last one did not.
 */
struct torus_job *torus_queue_next(struct torus_scheduler *s,
				   const struct torus_candidate_filter *filter,
				   struct torus_job *from);
static inline void torus_queue_search(struct torus_scheduler *s)
{
	torus_lanes_again(&s->lanes);
}

/* Bring the queue into its order at now_us, where ranks or waits have changed it: all of
 * it, or where the discipline `leads` only its head. Return true if a job moved. */
bool torus_queue_order(struct torus_scheduler *s, int64_t now_us, bool all);

/* Check the order, the positions and the index. For tests. */
bool torus_queue_check(const struct torus_scheduler *s);

/*
 * Find the place that the strategy gives alternative k now; false: none. Its
 * nodes are valid as those of torus_plan_find().
 */
bool torus_scheduler_find(struct torus_scheduler *s, struct torus_job *job,
			  uint32_t k, int64_t now_us,
			  struct torus_placement *place);

/* Return alternative k's ask with the expected end of a start now. */
const struct torus_ask *torus_job_ask(struct torus_job *job, uint32_t k,
				      int64_t now_us);

/* Return the next time at which an alternative of a queued job becomes
 * acceptable. */
int64_t torus_scheduler_next_alternative(const struct torus_scheduler *s,
					 int64_t now_us);

/* Return the next end of an outage of a queued job. */
int64_t torus_scheduler_next_outage(const struct torus_scheduler *s,
				    int64_t now_us);

/* Ranks that sort by nodes: most or least first. */
int64_t torus_rank_most_nodes(void *self, const struct torus_job *job,
			      int64_t now_us);
int64_t torus_rank_least_nodes(void *self, const struct torus_job *job,
			       int64_t now_us);

/*
 * The registry of queue disciplines, in the order of `storus list`. A new
 * discipline is its file and a line here: torus_discipline_NAME.
 */
#define TORUS_DISCIPLINES(X)                                                   \
	X(fcfs)                                                                \
	X(mpfs)                                                                \
	X(lpfs)                                                                \
	X(sjf)                                                                 \
	X(lpt)                                                                 \
	X(mlf)                                                                 \
	X(fpfs)                                                                \
	X(fpmpfs)                                                              \
	X(fplpfs)                                                              \
	X(easy)                                                                \
	X(conservative)                                                        \
	X(dedf)                                                                \
	X(dedf_replan)                                                         \
	X(buddy_rt)                                                            \
	X(stacking)                                                            \
	X(slurm_backfill)

#define TORUS_DISCIPLINE_DECLARE(name)                                         \
	extern const struct torus_discipline torus_discipline_##name;
TORUS_DISCIPLINES(TORUS_DISCIPLINE_DECLARE)

#endif
