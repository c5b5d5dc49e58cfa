/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler: queue, machine state and plan, driven by events of a host
 * (the replay engine, or slurmctld through sched/torus), and the queue
 * disciplines that decide in it.
 *
 * At one instant the host reports all ends, then the submits in order, then
 * asks for one pass. The pass starts jobs (their regions are committed to the
 * state at once) and lists them as decisions. No clock, no I/O, no locks.
 */
#ifndef TORUS_SCHEDULER_H
#define TORUS_SCHEDULER_H

#include <stdatomic.h>

#include "torus/plan.h"

struct torus_scheduler;

#define TORUS_PLAN_FILE 256

enum torus_job_state {
	TORUS_JOB_NEW,
	TORUS_JOB_QUEUED,
	TORUS_JOB_RUNNING,
	TORUS_JOB_DONE,
	TORUS_JOB_REJECTED,
};

/* Where a job goes in a sorted queue. */
struct torus_standing {
	double priority; /* highest first; 0 unless `order: priority` */
	int64_t rank;    /* least first: the discipline's rank() */
	int64_t turn;    /* least first: the job's */
};

/* A queued job's links in a tree of jobs, and the least values below and
 * including it (src/discipline/tree.h). */
struct torus_branch {
	struct torus_job *up, *left, *right;
	int64_t submit_us;
	union {
		struct { /* TORUS_TREE_LANE */
			int64_t limit_us;
			uint32_t nodes;
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

/* The host owns the memory; it fills the first part (zero the rest). */
struct torus_job {
	uint64_t id;
	struct torus_request request;
	int64_t submit_us;
	int64_t limit_us;    /* expected run time, >= 0 */
	int64_t deadline_us; /* absolute, or TORUS_NO_TIME */
	double priority;
	int64_t turn; /* among equals: least first, then by submission. A host
			 that submits a job again keeps its turn so */
	const uint64_t *allowed; /* machine bitmap of the nodes it may use, or
				    NULL for all. Equal pointers mean equal
				    nodes: they stay as they are while a queued
				    job has them */
	const struct torus_outages *outages; /* when it may not use which, or
				    NULL; as equal and as lasting */
	void *host;

	/* the scheduler's */
	enum torus_job_state state;
	uint32_t alternative; /* the one that was granted or promised */
	struct torus_job *prev, *next; /* in the queue */
	uint64_t tried;                /* nothing for it at this stamp */
	uint64_t sequence;             /* order of submission, from 1 */
	struct torus_standing standing;
	uint32_t nodes;    /* least that an alternative asks for */
	uint64_t position; /* grows along the queue */
	struct torus_branch branch[TORUS_TREES];
	struct torus_class *class[TORUS_MAX_ALTERNATIVES]; /* or NULL */
	bool admitted;             /* it was promised its deadline, or that it
				      will restart; no longer to be rejected */
	bool preempted;            /* it ran already: it keeps its alternative,
				      and limit_us is what is left */
	struct torus_job *decided; /* next decision of the same pass */
	int64_t start_us;          /* of the hold, or promised; TORUS_NO_TIME */
	uint32_t slot;             /* when running */
	uint32_t reservation;      /* index in the plan, or UINT32_MAX */
	const char *reason;        /* rejected: why (static text) */
};

struct torus_queue {
	struct torus_job *head, *tail;
	uint32_t length;
};

/* Settings of torus.yaml's scheduler: block and replay's options. */
struct torus_scheduler_settings {
	const struct torus_discipline *discipline;
	int64_t wait_limit_us; /* TORUS_NO_TIME: none; 0: as FCFS */
	bool order_by_priority;
	uint32_t backfill_places; /* places tried per candidate, >= 1 */
	bool offer_again;         /* easy: what was refused is offered again
				      though nothing changed but the time and
				      the job's end, which a strategy may look
				      at to choose among places */
	uint32_t index_at;        /* jobs waiting from which on their queue is
				      indexed; 0: where that begins to pay */
	int64_t mean_hold_us;     /* where it defers; <= 0: not given */
	bool no_preemption;       /* the host cannot preempt */
	uint32_t windows;         /* where it answers batches: looked for in a
				      pass, then the rest waits for the next;
				      0: no limit. Its option goes before */
	uint32_t tries;           /* live: places offered to a job whose nodes
				      the host finds unfit, >= 1 */
	char plan_file[TORUS_PLAN_FILE]; /* live: where the plan is written;
					    "": a place of the host's own */
	char journal[TORUS_PLAN_FILE];   /* live: where jobs that are over are
					  written down; "": nowhere */
	struct torus_options options;    /* discipline's further options */
};

/* Settings where nobody configured any: EASY, one place, no limits. */
void torus_scheduler_defaults(struct torus_scheduler_settings *settings);

/*
 * A discipline: who is next, and what may overtake. One file in
 * src/discipline/ and one line in its registry.c.
 */
struct torus_discipline {
	const char *name;
	const char *summary;                     /* one line */
	const char *source;                      /* paper and section */
	const struct torus_option_help *options; /* NULL: none */
	bool foresees; /* who cannot start now has a start in the plan: the
			  head of the queue, or all */
	bool defers;   /* answers late: settings.mean_hold_us is for it */

	/* 0, or -1 with the reason: machine or settings do not suit. NULL:
	 * all do. */
	int (*supports)(const struct torus_machine *m,
			const struct torus_scheduler_settings *settings,
			struct torus_error *why);

	/* Queued jobs' reservations (job->reservation) are all that it
	 * remembers: a scheduler that replaces this one may take them over. */
	bool reserves;

	/* Its memory, the `self` of the functions below. NULL with ENOMEM.
	 * create NULL: it has none, and self is the scheduler. */
	void *(*create)(struct torus_scheduler *s);
	void (*destroy)(void *self); /* NULL: nothing to free */

	/* Where in the queue: least rank first, equals by turn. NULL:
	 * all are equal. With `order: priority` the priority comes first. */
	int64_t (*rank)(const struct torus_job *job);

	/* Do its passes look for jobs behind the head (torus_queue_next()),
	 * and what by: nodes and classes, or the time limit as well? */
	enum torus_searches {
		TORUS_SEARCHES_NOT,
		TORUS_SEARCHES_NODES,
		TORUS_SEARCHES_TIME,
	} searches;

	/* Does WaitLimit concern it? It then puts no job before one that is
	 * over the limit. */
	bool limits_waiting;

	/* Events, after the scheduler's own bookkeeping; each may be NULL.
	 * submitted(): the job has been put where rank() said. left(): a
	 * queued job was withdrawn (its links are gone already). changed():
	 * nodes went out of service or came back, or expected ends changed. */
	void (*submitted)(void *self, struct torus_job *job, int64_t now);
	void (*ended)(void *self, struct torus_job *job, int64_t now);
	void (*left)(void *self, struct torus_job *job, int64_t now);
	void (*changed)(void *self, int64_t now);
	/* A queued job may use other nodes, or at other times; its reservation
	 * suits them and stays. */
	void (*readmitted)(void *self, struct torus_job *job, int64_t now);

	/* One scheduling pass. Returns the next time it wants to be woken
	 * though nothing happens, or TORUS_NO_TIME. NULL: the head starts when
	 * it has a place, and nobody overtakes it. */
	int64_t (*pass)(void *self, int64_t now);
};

const struct torus_discipline *const *torus_disciplines(void);
const struct torus_discipline *torus_discipline_find(const char *name);

/* State and settings' discipline must outlive it. NULL with ENOMEM, or EINVAL
 * and lines in err. */
struct torus_scheduler *
torus_scheduler_create(struct torus_state *state,
		       const struct torus_scheduler_settings *settings,
		       struct torus_error *err);
void torus_scheduler_destroy(struct torus_scheduler *s);

/*
 * Events. submit(): TORUS_FITS, the job is queued; or TORUS_NEVER, it is
 * rejected at once (reason in why). readmit(): a queued job that has a
 * reservation may use other nodes, or at other times, and the reservation suits
 * them. end(): a running job ended; its region is released. remove(): a queued
 * job is withdrawn (it is NEW again). change(): the host changed the state
 * otherwise: torus_state_out(), _set_end().
 */
enum torus_answer torus_scheduler_submit(struct torus_scheduler *s,
					 struct torus_job *job, int64_t now,
					 struct torus_error *why);
void torus_scheduler_end(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now);
void torus_scheduler_readmit(struct torus_scheduler *s, struct torus_job *job,
			     const uint64_t *allowed,
			     const struct torus_outages *outages, int64_t now);
void torus_scheduler_remove(struct torus_scheduler *s, struct torus_job *job,
			    int64_t now);
void torus_scheduler_change(struct torus_scheduler *s, int64_t now);

/*
 * One pass. Returns the jobs decided on, linked by `decided`, in the order of
 * decision: state RUNNING (start_us = now, slot), REJECTED, or QUEUED: it was
 * running and has been preempted; its region is released and limit_us is what
 * was left of it. No job is decided on twice in a pass. After a pass that
 * preempted, the host asks for another one at once. *wake: when to call again
 * though nothing happens, or TORUS_NO_TIME.
 */
struct torus_job *torus_scheduler_pass(struct torus_scheduler *s, int64_t now,
				       int64_t *wake);

/*
 * Did the latest submission or pass lack memory? What it decided holds; a pass
 * may have left out jobs, which the next one looks at again, and a submission
 * what makes later passes quick.
 */
bool torus_scheduler_lacked_memory(const struct torus_scheduler *s);

/*
 * While *stop is true (another thread may set it; NULL: never), a long pass
 * may end before it has gone through the queue. The next one makes up for it.
 */
void torus_scheduler_stop_by(struct torus_scheduler *s, const atomic_bool *stop);

/* For disciplines (and hosts that look on). */
struct torus_queue *torus_scheduler_queue(struct torus_scheduler *s);
struct torus_state *torus_scheduler_state(struct torus_scheduler *s);
struct torus_plan *torus_scheduler_plan(struct torus_scheduler *s);

/*
 * For disciplines: try to start a queued job now, on the place that the
 * strategy gives for its acceptable alternatives in the order written. Returns
 * true when it started. A job for which nothing has become free since the last
 * try costs no search.
 */
bool torus_scheduler_try(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now);
/* Start on a place found before; false if it cannot be committed. */
bool torus_scheduler_start(struct torus_scheduler *s, struct torus_job *job,
			   uint32_t alternative,
			   const struct torus_placement *place, int64_t now);
void torus_scheduler_reject(struct torus_scheduler *s, struct torus_job *job,
			    const char *reason);
/* Take a running job, which was not started in this pass, off its nodes; it is
 * queued again with the rest of its limit. */
void torus_scheduler_preempt(struct torus_scheduler *s, struct torus_job *job,
			     int64_t now);

/* Is the job's k-th alternative acceptable, having waited until now? */
static inline bool torus_job_accepts(const struct torus_job *job, uint32_t k,
				     int64_t now)
{
	return now - job->submit_us >= job->request.alternative[k].after_us;
}

/* When its next alternative becomes acceptable, or TORUS_NO_TIME. */
int64_t torus_job_next_alternative(const struct torus_job *job, int64_t now);

/* Counters for the summary. */
struct torus_scheduler_stats {
	uint64_t searches; /* strategy calls */
	uint64_t batches;  /* times at which deadlines were answered, and */
	uint64_t answered; /* the jobs that were */
};
const struct torus_scheduler_stats *
torus_scheduler_stats(const struct torus_scheduler *s);

#endif
