/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Record of every finished job of a replay, for measures that running sums
 * cannot give. About 70 bytes per job; only on request.
 *
 * Trimming excludes a warm-up and a cool-down. The first and the last
 * submission are the ends of the trace:
 *
 *	first submit    from                      to    last submit
 *	     |  warm-up  |######## the window ######|  cool-down |   ... ends
 *
 * Means, outcomes and miss ratios cover the jobs submitted in the window (both
 * ends included). Utilization, queue length and running jobs are time averages
 * over the window, of all jobs, each with the part of its time inside the
 * window.
 */
#ifndef REPLAY_LEDGER_H
#define REPLAY_LEDGER_H

#include "replay/metrics.h"
#include "torus/text.h"
#include "trace/trace.h"

/* How much to exclude at the beginning and at the end: microseconds, or a share
 * of the time between the first and the last submission. */
struct torus_trim {
	bool share[2];
	double amount[2];
};

/* Read "3600", "0,3600", "10%" or "10%,0"; a missing end is as the begin. */
bool torus_trim_parse(const char *text, struct torus_trim *trim);

/* The ends of the window between the first and the last submission. */
void torus_trim_window(const struct torus_trim *trim, int64_t first_us,
		       int64_t last_us, int64_t *from_us, int64_t *to_us);

/* Totals of one user's jobs. */
struct torus_ledger_user {
	char name[TORUS_TRACE_USER_SIZE]; /* "": unknown */
	uint64_t jobs, completed;
	double node_s; /* requested nodes x run time */
	struct torus_moments wait, response, slowdown; /* of completed jobs */
};

struct torus_ledger;

struct torus_ledger *torus_ledger_create(void); /* NULL with ENOMEM */
void torus_ledger_destroy(struct torus_ledger *ledger);

/* Add a finished job. Return 0, or -1 with ENOMEM. */
int torus_ledger_add(struct torus_ledger *ledger,
		     const struct torus_account *account, const char *user);

/*
 * Compute the measures of the window into new metrics, whose first submission
 * and last end are the window's ends. Return 0, or -1 with EINVAL and a line in
 * err if no job is left.
 */
int torus_ledger_trim(const struct torus_ledger *ledger,
		      const struct torus_trim *trim,
		      struct torus_metrics *metrics, struct torus_error *err);

/*
 * List users by name, for the jobs submitted from..to; jobs without a user are
 * ignored. *users belongs to the ledger and is valid until the next call.
 * Return 0, or -1 with ENOMEM.
 */
int torus_ledger_users(struct torus_ledger *ledger, int64_t from_us,
		       int64_t to_us, const struct torus_ledger_user **users,
		       size_t *count);

/* Sums over the completed jobs that were submitted in a piece of time. */
#define TORUS_LEDGER_BATCHES 100000 /* more: none */
struct torus_ledger_batch {
	uint64_t jobs;
	double wait_s, response_s, slowdown;
};

/* Cut the time from..to into whole batches of a length; a rest is left out. *batches is
 * freed with torus_free(). Return 0, or -1 with ENOMEM. O(jobs). */
int torus_ledger_batches(const struct torus_ledger *ledger, int64_t from_us,
			 int64_t to_us, int64_t length_us,
			 struct torus_ledger_batch **batches, uint32_t *count);

#endif
