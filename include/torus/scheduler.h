/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's interface for its host: queue, machine state and plan, driven
 * by events. A host is the replay engine, or slurmctld through sched/torus. The
 * disciplines that decide inside it are in torus/discipline.h.
 *
 * At each instant the host reports all ends, then the submits in order, then
 * calls one pass. The pass starts jobs, commits their regions to the state at
 * once, and returns them as decisions. No clock, no I/O, no locks.
 */
#ifndef TORUS_SCHEDULER_H
#define TORUS_SCHEDULER_H

#include "torus/job.h"
#include "torus/plan.h"

struct torus_discipline; /* torus/discipline.h */
struct torus_slurm;      /* torus/slurm.h */
struct torus_scheduler;

struct torus_policy_host; /* torus/discipline.h */

struct torus_queue {
	struct torus_job *head, *tail;
	uint32_t length;
};

/* Settings of torus.yaml's scheduler: block and replay's options. */
struct torus_scheduler_settings {
	const struct torus_discipline *discipline;
	/* whom the discipline `pipe` asks; it outlives the scheduler */
	const struct torus_policy_host *policy;
	int64_t wait_limit_us; /* TORUS_NO_TIME: none; 0: as FCFS */
	bool order_by_priority;
	/* torus.yaml says nothing: torus_scheduler_complete() */
	bool order_open, reservations_open;
	uint32_t backfill_places; /* places tried per candidate, >= 1 */
	uint32_t reservations;    /* easy: for that many blocked jobs, and the
				     first of each set of nodes; 0: for the
				     head only, as journals without the
				     setting */
	/* easy: every pass offers refused jobs a place again, even if only the
	 * time changed: job ends, which a strategy may use to choose among
	 * places, change with it */
	bool offer_again;
	uint32_t index_at;      /* queue length from which on the queue is
				   indexed; 0: the default */
	int64_t mean_hold_us;   /* if the discipline defers; <= 0: not set */
	bool no_preemption;     /* the host cannot preempt */
	bool reserve_nodes;     /* conservative reserves nodes, not counts, on
				   flat machines, too */
	bool as_live;           /* a replay decides as a live scheduler: it sets
				   reserve_nodes, else clears it */
	uint32_t windows;       /* per pass, if the discipline answers
				   batches; the next pass answers the
				   others; 0: no limit. The discipline's
				   own option overrides it */
	int64_t pass_budget_us; /* live: longest pass; then the next pass
				   continues; 0: no limit */
	const struct torus_slurm *slurm; /* slurm-backfill: what it does;
					    outlives the scheduler */
	struct torus_options options;    /* the discipline's other options */
};

/* Default settings: EASY, one place, no limits. */
void torus_scheduler_defaults(struct torus_scheduler_settings *settings);

/* Set what torus.yaml leaves open, in a live host: the queue is in the order of
 * priority, unless the discipline sorts it: Slurm's priorities differ from job to
 * job, and would leave it nothing to sort. (In a replay the queue is in the order of
 * arrival, unless a journal says otherwise.) */
void torus_scheduler_live(struct torus_scheduler_settings *settings);

/* Create a scheduler. `state` and the discipline of `settings` must outlive it.
 * NULL with ENOMEM, or with EINVAL and lines in err. */
struct torus_scheduler *
torus_scheduler_create(struct torus_state *state,
		       const struct torus_scheduler_settings *settings,
		       struct torus_error *err);
void torus_scheduler_destroy(struct torus_scheduler *s);

/*
 * Events. submit() queues a job (TORUS_FITS) or rejects it at once (TORUS_NEVER,
 * with the reason in why). end() releases the region of a running job that ended,
 * end_overdue() those of all holds whose expected end has come (simulations).
 * readmit() gives a queued job other allowed nodes or outages that its
 * reservation satisfies. remove() withdraws a queued job, which is NEW again.
 * change() follows other changes of the state: torus_state_out(), _set_end().
 */
enum torus_answer torus_scheduler_submit(struct torus_scheduler *s,
					 struct torus_job *job, int64_t now_us,
					 struct torus_error *why);
void torus_scheduler_end(struct torus_scheduler *s, struct torus_job *job,
			 int64_t now_us);
void torus_scheduler_end_overdue(struct torus_scheduler *s, int64_t now_us);
void torus_scheduler_readmit(struct torus_scheduler *s, struct torus_job *job,
			     const uint64_t *allowed,
			     const struct torus_outages *outages,
			     int64_t now_us);
void torus_scheduler_remove(struct torus_scheduler *s, struct torus_job *job,
			    int64_t now_us);
void torus_scheduler_change(struct torus_scheduler *s, int64_t now_us);

/* An earlier scheduler's promise to a job: admission (torus/job.h), or a start. */
struct torus_promise {
	bool admitted;
	const struct torus_placement *place; /* NULL: no start */
	uint32_t alternative;
	int64_t start_us, end_us;
};

/* Keep the promise of the scheduler that this one replaces. Call it after all
 * submits of the instant, in queue order, before the first pass. */
void torus_scheduler_resume(struct torus_scheduler *s, struct torus_job *job,
			    const struct torus_promise *promise);

/*
 * Run one pass. Return the decided jobs, linked by `decided`, in the order of
 * decision. A job is RUNNING (start_us = now, slot), REJECTED, or QUEUED if it
 * was preempted: its region is released and limit_us is the remaining time. A
 * pass decides each job at most once. After a preemption the host calls another
 * pass at once. *wake_us: when to call a pass without an event, or
 * TORUS_NO_TIME.
 */
struct torus_job *torus_scheduler_pass(struct torus_scheduler *s,
				       int64_t now_us, int64_t *wake_us);

/*
 * Return true if an allocation failed in the latest submit(), readmit(), resume()
 * or pass. Its decisions hold. The next pass considers the jobs that a pass left
 * out; submit() and readmit() left out caches that make later passes fast;
 * resume() lost the promise.
 */
bool torus_scheduler_lacked_memory(const struct torus_scheduler *s);

/*
 * Set the limit of a pass. A pass considers one job after the other and is cut
 * before a job, but not before the first, when over(arg, 1) returns true (over
 * NULL: never). Its decisions and promises hold, and the next pass, at most
 * TORUS_GO_ON_US later, continues with the other jobs.
 *
 * The limit may also end the search for a job; the pass is then cut before that
 * job. The search for the first job has twice the time, over(arg, 2). If it needs
 * more, it continues in the next pass from what it found; if it found nothing, its
 * time is doubled.
 *
 * Ranks of a policy of one's own that depend on the time are asked for first. If that
 * takes longer than the search for the first job may, the pass considers no job, and the
 * next one has twice the time.
 *
 * With `limited` the pass considers exactly `steps` jobs instead, which repeats
 * a pass that was cut.
 */
#define TORUS_GO_ON_US INT64_C(1000000)

struct torus_pass_limit {
	bool (*over)(void *arg, uint32_t budgets);
	void *arg;
	bool limited;
	uint64_t steps;
};
void torus_scheduler_pass_limit(struct torus_scheduler *s,
				const struct torus_pass_limit *limit);

/* The place where the latest pass was cut. */
struct torus_pass_cut {
	bool cut;
	uint64_t steps; /* jobs considered */
	uint32_t left;  /* jobs from the first one not considered to the tail */
};
const struct torus_pass_cut *torus_scheduler_cut(const struct torus_scheduler *s);

/* For the host to read: the queued jobs, the machine, the reservations. */
struct torus_queue *torus_scheduler_queue(struct torus_scheduler *s);
struct torus_state *torus_scheduler_state(struct torus_scheduler *s);
struct torus_plan *torus_scheduler_plan(struct torus_scheduler *s);

/* Counters for the summary. */
struct torus_scheduler_stats {
	uint64_t searches; /* strategy calls */
	uint64_t aside;   /* of those, in sub-cubes or trials of a discipline */
	uint64_t batches; /* batches of deadline jobs answered */
	uint64_t answered; /* jobs in these batches */
	/* slurm-backfill: jobs of partitions that are not in slurm.conf; beside
	 * MaxJobCount others; that had all CPUs of nodes for fewer, in a partition
	 * of nodes that differ; that had different numbers of GPUs on their nodes */
	uint64_t strangers, crowded, wholes, unequal;
};
const struct torus_scheduler_stats *
torus_scheduler_stats(const struct torus_scheduler *s);

#endif
