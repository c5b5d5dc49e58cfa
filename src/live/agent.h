/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent: a thread that runs the cycle (cycle.h) of a live host. The host is a
 * table of functions: slurmctld (plugins/slurmctld/), a test, or a fault
 * simulator. This header is the whole interface.
 *
 *   agent's thread                     host                      its locks
 *   --------------                     ----                      ---------
 *   sleep until a wake, a timer    <-- agent_wake()              any thread
 *     or changed()                 --> changed()
 *   snapshot                       --> lock(), snapshot()        held
 *   update the cycle               --> unlock(), updated()
 *   pass: the discipline decides
 *   orders, one by one             --> lock(), join(), commit()  held
 *   forecast                       --> unlock(), forecast()
 *   publish reasons and starts     --> lock(), publish()         held
 *   end of the cycle               --> unlock(), ended()
 *
 * If an order fails, pass and orders are repeated, at most AGENT_ROUNDS times. Without
 * memory for the update there is no pass, and another cycle a second later.
 * No lock hold is longer than AGENT_LOCK_HOLD_US: snapshot() and publish() yield
 * the locks (agent_yield_locks()), and the agent yields them between orders.
 */
#ifndef LIVE_AGENT_H
#define LIVE_AGENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/cycle.h"
#include "live/orders.h"
#include "live/base/lock_hold.h"

#define AGENT_LOCK_HOLD_US INT64_C(5000)      /* locks are yielded after this */
#define AGENT_LOCK_HOLD_MAX_US INT64_C(50000) /* longer holds are counted */
#define AGENT_ROUNDS 4  /* most passes per cycle while orders fail */
#define AGENT_GUESTS 64 /* most waiting jobs per pass offered shared nodes */

struct agent;
struct agent_counts;

struct agent_host {
	/* Return the time in microseconds since the epoch. */
	int64_t (*now)(void *arg);
	void (*lock)(void *arg);
	void (*unlock)(void *arg);
	/* Without locks. Return true if anything has changed since the latest
	 * snapshot. *soon: a change is about to come (a job ends), so that the
	 * agent asks again soon. */
	bool (*changed)(void *arg, bool *soon);
	/* With the locks, which agent_yield_locks() may yield. Take a snapshot
	 * and return its cycle, valid until the next snapshot; NULL: no cycle
	 * now. */
	struct cycle *(*snapshot)(void *arg, struct agent *a);
	/* Without locks. The cycle has the snapshot; a pass follows. */
	void (*updated)(void *arg, struct cycle *c);
	/* With the locks. Carry out an order. *job: the job's number. *unfit: a
	 * machine bitmap of the nodes that are unfit (all 0: all of the
	 * order's). NULL function: a dry run (dry_run_take_back()). */
	enum cycle_result (*commit)(void *arg, const struct cycle_order *o,
				    uint32_t *job, const uint64_t **unfit);
	/* With the locks. Start a job beside others if possible. NULL function:
	 * jobs share no nodes. */
	bool (*join)(void *arg, struct cycle_guest *g);
	/* After the orders. forecast(), without locks, copies what queued jobs
	 * may expect; publish(), with them, writes it into the host's records.
	 * Both NULL: nothing is published. */
	void (*forecast)(void *arg, struct cycle *c);
	void (*publish)(void *arg, struct agent *a);
	/* Without locks. The cycle is complete. */
	void (*ended)(void *arg, struct cycle *c,
		      const struct agent_counts *counts);
};

/* The time that a cycle took, in microseconds. */
struct agent_cycle {
	int64_t us;
	int64_t cpu_us;      /* processor time of the thread */
	int64_t plan_us;     /* without locks: update, passes, forecast() */
	int64_t snapshot_us; /* in snapshot() */
	int64_t commit_us;   /* in commit() */
	int64_t publish_us;  /* in publish() */
	int64_t wait_us;     /* waits for locks, and pauses between holds */
	int64_t locked_us;   /* with the locks */
	uint64_t orders;
};

/* Totals of all cycles. Times in microseconds. */
struct agent_counts {
	uint64_t cycles, orders, started, unfit, later, joined;
	struct agent_cycle latest, longest;
	int64_t plan_max_us, commit_max_us; /* per cycle */
	uint64_t lock_holds, long_lock_holds;
	struct lock_hold lock_hold_max;  /* the longest */
	struct lock_hold lock_hold_work; /* the one with most processor time */
	int64_t wait_max_us;             /* the longest wait for locks */
	int64_t locked_us;
	int64_t at_us; /* begin of the latest cycle */
	uint64_t cut;  /* passes cut by their budget */
	uint32_t left; /* jobs that the latest pass left to the next */
};

/* NULL with errno. The thread starts asleep. */
struct agent *agent_create(const struct agent_host *host, void *arg);
/* An agent without a thread, for a simulation: the caller runs each cycle, at
 * agent_wakes_at() (the host's clock) at the latest. */
struct agent *agent_open(const struct agent_host *host, void *arg);
void agent_run_cycle(struct agent *a);
int64_t agent_wakes_at(const struct agent *a);
/* End the thread, after at most one lock hold. */
void agent_destroy(struct agent *a);

/* Start a thread whose timed waits for the condition, which this makes, use the
 * monotonic clock: one that is set back must not prolong them. 0, or an errno. */
int agent_thread_start(pthread_t *thread, pthread_cond_t *cond,
		       void *(*run)(void *), void *arg);
/* Return the time of that clock us microseconds from now. */
struct timespec agent_time_in(int64_t us);

/*
 * For now(): the wall clock, never in a second that time() has yet to reach. time()
 * follows it by up to a tick of the kernel, and a host that asks time() would still
 * refuse what may start in the new second.
 */
int64_t agent_wall_us(void);

/* Wake the thread after an event. From any thread; takes no lock of the host. */
void agent_wake(struct agent *a);

/*
 * For snapshot() and publish(): yield the locks if they have been held for
 * AGENT_LOCK_HOLD_US. Return true if they were yielded; pointers to the host's
 * records are then invalid.
 */
bool agent_yield_locks(struct agent *a);
/* Name the host's next step under its locks, for the report of the longest lock
 * hold. The text must be static. */
void agent_step(struct agent *a, const char *step);
/* For snapshot(): return the begin of this cycle, the time of all its events. */
int64_t agent_now(const struct agent *a);
/* Return true if the agent must end: the caller returns as soon as it can. */
bool agent_stopping(struct agent *a);
/* For snapshot(): wake the thread at at_us at the latest. */
void agent_wake_at(struct agent *a, int64_t at_us);

/* dry_run.c: a dry run of a cycle (cycle.h). */

/*
 * A dry run: call this instead of orders_done(). The journal gets the orders
 * of the latest pass, which are then taken back. The next snapshot shows what the
 * host itself has started.
 */
void dry_run_take_back(struct cycle *c);

#endif
