/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue disciplines: their descriptor, and the scheduler's functions for them.
 * Hosts need only torus/scheduler.h.
 */
#ifndef TORUS_DISCIPLINE_H
#define TORUS_DISCIPLINE_H

#include "torus/scheduler.h"

/* The least values of some queued jobs, and the most nodes. */
struct torus_rank_range {
	uint32_t share; /* all have this torus_job.share; 0: several, or unknown */
	int64_t submit_us, limit_us;
	uint32_t nodes, most_nodes;
	double cube; /* limit^3 / nodes; 0: unknown */
};

/*
 * A discipline decides which job is next and which jobs may overtake. Each has
 * one file in src/discipline/ and one line in disciplines.h.
 */
struct torus_discipline {
	const char *name;
	const char *summary;                     /* one line */
	const char *source;                      /* paper and section */
	const struct torus_option_help *options; /* NULL: none */
	bool own;      /* of a file (torus/policy.h) */
	bool foresees; /* queued jobs have a start_us: the head, or all jobs */
	bool defers;   /* it uses settings.mean_hold_us */
	bool reserves; /* it uses settings.reservations */

	/* Return 0, or -1 with the reason why machine or settings are not
	 * supported. NULL: all are. */
	int (*supports)(const struct torus_machine *m,
			const struct torus_scheduler_settings *settings,
			struct torus_error *why);

	/* Create the discipline's memory, the `self` of the functions below.
	 * NULL with ENOMEM. create NULL: self is the scheduler. */
	void *(*create)(struct torus_scheduler *s);
	void (*destroy)(void *self); /* NULL: nothing to free */

	/* Return the sort key at now_us: least first, equal ones by turn, then by
	 * arrival. NULL: all are equal. With `order: priority` the priority comes
	 * first. Each pass asks again for all jobs, unless rank_stays. */
	int64_t (*rank)(void *self, const struct torus_job *job, int64_t now_us);
	bool rank_stays; /* a job keeps the rank of its submission */
	/* easy: return a rank that no job of the range is below at now_us. A long
	 * queue is searched by it. NULL: each pass sorts the queue. */
	int64_t (*rank_least)(void *self, const struct torus_rank_range *range,
			      int64_t now_us);
	/* Return true if rank() sorts with these options. NULL: it always does. */
	bool (*sorts)(const struct torus_options *options);

	/* The searches of a pass behind the head (torus_queue_next()): none, by
	 * nodes and classes, or also by the time limit. */
	enum torus_searches {
		TORUS_SEARCHES_NOT,
		TORUS_SEARCHES_NODES,
		TORUS_SEARCHES_TIME,
	} searches;

	/* True: no new job is inserted before one that has waited as long as
	 * WaitLimit, and none overtakes it. */
	bool limits_waiting;
	const char *why_no_limit; /* otherwise: what bounds a wait instead */

	/* Events, after the scheduler's own bookkeeping; each may be NULL.
	 * submitted(): the job is in the queue. left(): a queued job was
	 * withdrawn and is no longer linked. changed(): nodes went out of
	 * service or came back, or expected ends changed. */
	void (*submitted)(void *self, struct torus_job *job, int64_t now_us);
	void (*ended)(void *self, struct torus_job *job, int64_t now_us);
	void (*left)(void *self, struct torus_job *job, int64_t now_us);
	void (*changed)(void *self, int64_t now_us);
	/* A queued job has other allowed nodes or outages, which its
	 * reservation satisfies; the reservation stays. */
	void (*readmitted)(void *self, struct torus_job *job, int64_t now_us);
	/* Take over an earlier scheduler's reservation for a queued job, before
	 * the first pass. False with ENOMEM. NULL: no reservation outlives a
	 * scheduler (a reconfigure or a restart of slurmctld). */
	bool (*resumed)(void *self, struct torus_job *job,
			const struct torus_promise *promise);

	/* Run one pass. Return the next time at which a pass is needed without
	 * an event, or TORUS_NO_TIME. NULL: the head starts when it fits, and
	 * no job overtakes it. */
	int64_t (*pass)(void *self, int64_t now_us);
};

const struct torus_discipline *const *torus_disciplines(void);
const struct torus_discipline *torus_discipline_find(const char *name);

/* Return true if the discipline sorts the queue, with its options. */
static inline bool
torus_discipline_sorts(const struct torus_scheduler_settings *settings)
{
	const struct torus_discipline *d = settings->discipline;

	return d->rank && (!d->sorts || d->sorts(&settings->options));
}

/*
 * A policy that the host of the scheduler asks, for the discipline
 * torus_discipline_policy, which is not in the registry.
 */
struct torus_policy_answer {
	bool start; /* start the named jobs; else they come first in the queue */
	struct torus_job **named; /* the policy's memory, until the next ask() */
	uint32_t count;
	int64_t wake_us; /* TORUS_NO_TIME: not before the next event */
};

struct torus_policy_host {
	void *arg;
	/* Answer for a queue in the order of arrival; each job is named at most
	 * once. False: it cannot; nothing starts, and the host knows why. */
	bool (*ask)(void *arg, struct torus_job *const *queue, uint32_t jobs,
		    int64_t now_us, struct torus_policy_answer *answer);
};

extern const struct torus_discipline torus_discipline_policy;

/* Return a discipline that is easy in the order of own->rank(), in *slot. self of
 * rank() has no meaning. */
const struct torus_discipline *
torus_policy_easy(const struct torus_discipline *own,
		  struct torus_discipline *slot);

/*
 * Try to start a queued job now, on the strategy's place for its first acceptable
 * alternative that fits. Return true if it started. If no node was freed since
 * the last try, there is no search.
 */
bool torus_scheduler_try(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now_us);
/* Start a job on a given place; false if the place cannot be committed. */
bool torus_scheduler_start(struct torus_scheduler *s, struct torus_job *job,
			   uint32_t alternative,
			   const struct torus_placement *place, int64_t now_us);
void torus_scheduler_reject(struct torus_scheduler *s, struct torus_job *job,
			    const char *reason);
/* Preempt a running job that was not started in this pass: release its nodes and
 * queue it again with its remaining time. */
void torus_scheduler_preempt(struct torus_scheduler *s, struct torus_job *job,
			     int64_t now_us);

#endif
