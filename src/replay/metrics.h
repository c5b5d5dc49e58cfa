/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a replay adds up to. Everything is kept as running sums: a job is
 * looked at once, when it is over, and forgotten.
 *
 * Means are over the completed jobs. The queue's mean length over time is
 * the sum of all times spent in it over the whole time (Little 1961), and
 * the mean number of running jobs likewise.
 */
#ifndef REPLAY_METRICS_H
#define REPLAY_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/histogram.h"
#include "replay/idle.h"

/* Bounded slowdown (Feitelson 2001): shorter jobs count as this long. */
#define TORUS_SLOWDOWN_THRESHOLD_US INT64_C(10000000)

/* Mean and sum of squared deviations, in one pass (Welford 1962). */
struct torus_moments {
	uint64_t n;
	double mean, m2;
};

enum torus_outcome {
	TORUS_OUTCOME_COMPLETED,
	TORUS_OUTCOME_REJECTED, /* not admitted */
	TORUS_OUTCOME_MISSED,   /* ended after its deadline */
	TORUS_OUTCOME_FAILED,
	TORUS_OUTCOME_UNFINISHED, /* still there when all came to rest */
	TORUS_OUTCOMES,
};

extern const char *const torus_outcome_names[TORUS_OUTCOMES];

/* A job that is over. */
struct torus_account {
	enum torus_outcome outcome;
	bool deadline;      /* it had one */
	uint32_t requested; /* nodes */
	uint32_t granted;
	int64_t submit_us;
	int64_t start_us; /* if it started (granted > 0); of its last part */
	int64_t end_us;   /* or when it was rejected */
	int64_t ran_us;   /* before it was preempted */
	int64_t run_us;   /* what it asks of the machine, run or not */
};

/* What faults did (faults.h). */
struct torus_fault_sums {
	uint64_t nodes, links; /* faults of them */
	uint64_t hits;         /* runs that ended by one */
	uint64_t requeued;     /* of those, jobs that waited again */
	uint64_t over;         /* runs over a link when it went down */
	double lost_us;        /* node microseconds of the runs that ended */
};

struct torus_metrics {
	uint64_t jobs; /* kept ones, whatever became of them */
	uint64_t outcome[TORUS_OUTCOMES];
	uint64_t searches;   /* calls of a strategy */
	uint64_t cut;        /* passes, by their budget */
	int64_t pass_max_ns; /* the longest pass, if they have a budget */
	uint64_t given;      /* that had nodes when the journal begins */
	uint64_t taken;      /* of those, that have them here */
	int64_t first_submit_us;
	int64_t last_end_us;
	struct torus_moments wait, response, slowdown; /* s, s, 1 */
	double requested_us, granted_us;               /* node microseconds */
	double queued_us, running_us;                  /* job microseconds */
	uint64_t deadlines, deadlines_missed;
	double deadline_work, deadline_work_missed;
	struct torus_histogram placement_ns;
	struct torus_histogram wait_us, response_us; /* of completed jobs */
	struct torus_histogram slowdown_millionths;
	struct torus_fault_sums faults;
	struct torus_idle idle; /* by cause, where options.idle asked for it */
};

/* NULL with ENOMEM. */
struct torus_metrics *torus_metrics_create(void);
void torus_metrics_destroy(struct torus_metrics *m);

void torus_moments_add(struct torus_moments *moments, double value);
/* Sample variance; NAN below two values. */
double torus_moments_variance(const struct torus_moments *moments);

/* max(1, (wait + run) / max(run, threshold)). */
double torus_bounded_slowdown(int64_t wait_us, int64_t run_us);

/* If it started: how long it held nodes in all, and how long it waited: all
 * the rest of the time until its end. */
int64_t torus_account_held(const struct torus_account *job);
int64_t torus_account_wait(const struct torus_account *job);

void torus_metrics_submit(struct torus_metrics *m, int64_t submit_us);
void torus_metrics_add(struct torus_metrics *m, const struct torus_account *job);

/* Seconds from the first submit to the last end; NAN if nothing ended. */
double torus_metrics_span(const struct torus_metrics *m);

/* Shares and means over that span; NAN where there is none. */
double torus_metrics_utilization(const struct torus_metrics *m, uint32_t nodes,
				 bool granted);
double torus_metrics_queue(const struct torus_metrics *m);
double torus_metrics_running(const struct torus_metrics *m);

/* (rejected + missed) over all jobs with a deadline, by number or by work
 * (requested nodes x run time); NAN if no job has one. */
double torus_metrics_miss(const struct torus_metrics *m, bool by_work);

#endif
