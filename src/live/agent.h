/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that goes round the cycle (cycle.h), and how long it keeps the
 * host's locks: never longer than a lock hold. What it does with the locks is
 * the host's, a table of functions; a test brings another host than slurmctld.
 *
 * The thread wakes on agent_wake(), when the discipline wants
 * to plan again, and a few times a second to ask the host whether anything has
 * changed (which takes no lock).
 */
#ifndef LIVE_AGENT_H
#define LIVE_AGENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/cycle.h"
#include "live/lock_hold.h"

#define AGENT_LOCK_HOLD_US INT64_C(5000)      /* locks are yielded after this */
#define AGENT_LOCK_HOLD_MAX_US INT64_C(50000) /* longer ones are counted */
#define AGENT_ROUNDS 4 /* passes per cycle while orders fail */
#define AGENT_GUESTS                                                           \
	64 /* waiting jobs asked about per pass if they can share */

struct agent;
struct agent_counts;

struct agent_host {
	/* Microseconds since the epoch. */
	int64_t (*now)(void *arg);
	void (*lock)(void *arg);
	void (*unlock)(void *arg);
	/* Has anything changed since the latest snapshot? Is anything about to
	 * (jobs that end), so that it is worth asking soon? Without locks. */
	bool (*changed)(void *arg, bool *soon);
	/* With the locks, which agent_yield_locks() may lend back. The cycle to
	 * use, filled with a snapshot; NULL: none now. It stays until the next
	 * snapshot. */
	struct cycle *(*snapshot)(void *arg, struct agent *a);
	/* Without them: the snapshot is complete, a pass comes next. */
	void (*updated)(void *arg, struct cycle *c);
	/* With the locks: carry out an order. *job: the job's number; unfit:
	 * a machine bitmap, all 0, for the nodes that are not fit (left so:
	 * all of the order's). NULL: a dry run (cycle_take_back()). */
	enum cycle_result (*commit)(void *arg, const struct cycle_order *o,
				    uint32_t *job, const uint64_t **unfit);
	/* The same: start a job beside others, if that can be. NULL: nobody
	 * shares nodes here. */
	bool (*join)(void *arg, struct cycle_guest *g);
	/* After the orders: find out what the queued jobs may expect, without
	 * the locks; then tell it, with them. NULL, both: nobody is told. */
	void (*forecast)(void *arg, struct cycle *c);
	void (*publish)(void *arg, struct agent *a);
	/* Without them, after everything. */
	void (*ended)(void *arg, struct cycle *c,
		      const struct agent_counts *counts);
};

/* Where the time of a cycle went. Microseconds. */
struct agent_cycle {
	int64_t us;
	int64_t plan_us;     /* without locks: update, passes, look() */
	int64_t snapshot_us; /* with: snapshot() */
	int64_t commit_us;   /* with: commit() */
	int64_t publish_us;  /* with: tell() */
	int64_t wait_us;     /* for them, and in pauses between stretches */
	int64_t locked_us;   /* had them */
	uint64_t orders;
};

/* What it took. Times in microseconds. */
struct agent_counts {
	uint64_t cycles, orders, started, unfit, later, joined;
	struct agent_cycle latest, longest;
	int64_t plan_max_us, commit_max_us; /* of any cycle */
	uint64_t lock_holds, long_lock_holds;
	struct lock_hold lock_hold_max; /* the longest */
	int64_t wait_max_us;            /* the longest wait for locks */
	int64_t locked_us;
	int64_t at_us; /* the latest cycle began */
	uint64_t cut; /* passes that their budget ended, and how many jobs the */
	uint32_t left; /* latest pass left to the next */
};

/* NULL with errno. The thread starts asleep. */
struct agent *agent_create(const struct agent_host *host, void *arg);
/* End the thread, after at most one lock hold. */
void agent_destroy(struct agent *a);

/* Wake the thread: something happened. From any thread; takes no lock of the
 * host's. */
void agent_wake(struct agent *a);

/*
 * In snapshot() and publish(): yield the locks if they have been held for
 * AGENT_LOCK_HOLD_US. Return true if they were yielded: pointers to the host's
 * records are void then.
 */
bool agent_yield_locks(struct agent *a);
/* Name what the host does from now on with its locks, for the report of the
 * longest lock hold. The text must stay. */
void agent_step(struct agent *a, const char *step);
/* Return when this cycle began, the one time of all that it does. In
 * snapshot(). */
int64_t agent_now(const struct agent *a);
/* Return true if the agent is to end: the caller returns soon. */
bool agent_stopping(struct agent *a);
/* Wake the thread at that time at the latest. In snapshot(). */
void agent_wake_at(struct agent *a, int64_t at_us);

#endif
