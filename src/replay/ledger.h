/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every job of a replay that is over, kept: for measures that a running sum
 * cannot give. Some 70 bytes per job; only on request.
 *
 * Trimming leaves a warm-up and a cool-down out: with the first and the last
 * submit as ends of the trace, and the window in between that is kept,
 *
 *	first submit    from                      to    last submit
 *	     |  warm-up  |######## the window ######|  cool-down |   ... ends
 *
 * means, outcomes and miss ratios are over the jobs that were submitted in
 * the window (both ends included); utilization, queue length and running jobs
 * are time averages over the window, of all jobs, each with the part of its
 * time that lies in it.
 */
#ifndef REPLAY_LEDGER_H
#define REPLAY_LEDGER_H

#include "replay/metrics.h"
#include "torus/error.h"
#include "trace/trace.h"

/* How much to leave out at the beginning and at the end: microseconds, or a
 * share of the time between the first and the last submit. */
struct torus_trim {
	bool share[2];
	double amount[2];
};

/* What one user's jobs come to. */
struct torus_ledger_user {
	char name[TORUS_TRACE_USER_SIZE]; /* "": not known */
	uint64_t jobs, completed;
	double node_s; /* requested nodes x run time */
	struct torus_moments wait, response, slowdown; /* of completed ones */
};

struct torus_ledger;

struct torus_ledger *torus_ledger_create(void); /* NULL with ENOMEM */
void torus_ledger_destroy(struct torus_ledger *ledger);

/* 0, or -1 with ENOMEM. */
int torus_ledger_add(struct torus_ledger *ledger,
		     const struct torus_account *account, const char *user);

/*
 * The measures of the window into new metrics, whose first submit and last
 * end are the window's ends. 0, or -1 with EINVAL and a line in err: nothing
 * is left.
 */
int torus_ledger_trim(const struct torus_ledger *ledger,
		      const struct torus_trim *trim,
		      struct torus_metrics *metrics, struct torus_error *err);

/*
 * Users in the order of their names, of the jobs submitted from..to; those
 * without one are left out. *users
 * is the ledger's, valid until the next call. 0, or -1 with ENOMEM.
 */
int torus_ledger_users(struct torus_ledger *ledger, int64_t from_us,
		       int64_t to_us, const struct torus_ledger_user **users,
		       size_t *count);

#endif
