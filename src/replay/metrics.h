/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The totals of a replay, as running sums: each job is counted once, when it is
 * finished, and not stored.
 *
 * Means cover the completed jobs. The mean queue length over time is the sum of
 * all waiting times over the whole time (Little 1961); the mean number of
 * running jobs likewise.
 */
#ifndef REPLAY_METRICS_H
#define REPLAY_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/idle.h"

#define TORUS_HISTOGRAM_SUB 512 /* buckets per power of two */
#define TORUS_HISTOGRAM_BUCKETS (56 * TORUS_HISTOGRAM_SUB)

/* Zeroed = empty; 450 KiB, but untouched pages cost nothing. */
struct torus_histogram {
	uint64_t total;
	uint64_t max;
	struct {
		uint64_t count;
		double sum;
	} bucket[TORUS_HISTOGRAM_BUCKETS];
};

/* Add `value` n times. O(1). */
void torus_histogram_add(struct torus_histogram *h, uint64_t value, uint64_t n);

/* Return the value that a share q (0..1) of all values do not exceed; 0 if
 * empty. */
double torus_histogram_quantile(const struct torus_histogram *h, double q);
/* Return the mean; NAN if empty. */
double torus_histogram_mean(const struct torus_histogram *h);

/* Bounded slowdown (Feitelson 2001): shorter jobs count as this long by default. */
#define TORUS_SLOWDOWN_BOUND_US INT64_C(10000000)

/* Mean and sum of squared deviations, in one pass (Welford 1962). */
struct torus_moments {
	uint64_t n;
	double mean, m2;
};

enum torus_outcome {
	TORUS_OUTCOME_COMPLETED,
	TORUS_OUTCOME_REJECTED, /* not admitted */
	TORUS_OUTCOME_MISSED,   /* ended after the deadline */
	TORUS_OUTCOME_FAILED,
	TORUS_OUTCOME_UNFINISHED, /* still pending or running when nothing more could happen */
	TORUS_OUTCOMES,
};

extern const char *const torus_outcome_names[TORUS_OUTCOMES];

/* A finished job. */
struct torus_account {
	enum torus_outcome outcome;
	bool deadline;      /* it had one */
	uint32_t requested; /* nodes */
	uint32_t granted;
	int64_t submit_us;
	int64_t held_us;  /* its submission was so much earlier */
	int64_t start_us; /* if it started (granted > 0); of its last part */
	int64_t end_us;   /* end, or time of rejection */
	int64_t ran_us;   /* before preemption */
	int64_t run_us;   /* requested run time, whether it ran or not */
	int64_t bound_us; /* of its slowdown; 0: TORUS_SLOWDOWN_BOUND_US */
};

/* Totals of faults (faults.h). */
struct torus_fault_sums {
	uint64_t nodes, links; /* number of faults */
	uint64_t hits;         /* runs ended by a fault */
	uint64_t requeued;     /* of those, jobs requeued */
	uint64_t over;         /* runs over a link when it failed */
	double lost_us;        /* node microseconds of the ended runs */
};

/*
 * Waiting work over time: node microseconds of queued jobs, in slices that double when
 * time goes beyond the last one. Zeroed = empty.
 */
#define TORUS_COURSE_SLICES 256
struct torus_course {
	int64_t from_us, slice_us;           /* slice_us 0: empty */
	double waiting[TORUS_COURSE_SLICES]; /* x microseconds */
};

struct torus_metrics {
	uint64_t jobs; /* all jobs, whatever their outcome */
	uint64_t outcome[TORUS_OUTCOMES];
	uint64_t searches; /* calls of a strategy */
	uint64_t preemptions;
	uint64_t strangers, crowded, wholes,
		unequal;     /* of struct torus_scheduler_stats */
	uint64_t cut;        /* passes cut by their budget */
	int64_t pass_max_ns; /* longest pass, if there is a budget */
	uint64_t begun;      /* jobs that ran when the journal begins */
	uint64_t taken;      /* of those, jobs taken over with their nodes */
	uint64_t untimed; /* policy recorded: jobs without a start in the trace */
	uint32_t outages_unmet; /* bits of options.outage: none between the first
				   submission and the last end */
	int64_t first_submit_us, last_submit_us;
	int64_t last_end_us;
	double beyond_us; /* of requested_us: after the last submission so far */
	struct torus_course course;
	struct torus_moments wait, response, slowdown; /* s, s, 1 */
	double requested_us, granted_us;               /* node microseconds */
	double queued_us, running_us;                  /* job microseconds */
	double offered_us; /* node microseconds of all jobs, run or not */
	uint64_t deadlines, deadlines_missed;
	double deadline_work, deadline_work_missed;
	struct torus_histogram placement_ns;
	struct torus_histogram wait_us, response_us; /* of completed jobs */
	struct torus_histogram slowdown_millionths;
	struct torus_fault_sums faults;
	struct torus_idle idle; /* by cause, if options.idle is set */
};

/* Return NULL with ENOMEM. */
struct torus_metrics *torus_metrics_create(void);
void torus_metrics_destroy(struct torus_metrics *m);

void torus_moments_add(struct torus_moments *moments, double value);
/* Sample variance; NAN below two values. */
double torus_moments_variance(const struct torus_moments *moments);

/* Return max(1, (wait + run) / max(run, bound)) of a job that started. */
double torus_account_slowdown(const struct torus_account *job);

/* For a started job: how long it held nodes in total, and how long it waited,
 * which is the remaining time until its end. */
int64_t torus_account_held(const struct torus_account *job);
int64_t torus_account_wait(const struct torus_account *job);

void torus_metrics_submit(struct torus_metrics *m, int64_t submit_us);
void torus_metrics_add(struct torus_metrics *m, const struct torus_account *job);

/* Return the seconds from the first submission to the last end; NAN if no job
 * ended. */
double torus_metrics_span(const struct torus_metrics *m);

/* Return shares and means over that span; NAN without one. */
double torus_metrics_utilization(const struct torus_metrics *m, uint32_t nodes,
				 bool granted);
/* Return the utilization, as requested, between the first and the last submission: without
 * the time in which the machine runs empty. Only if jobs were added in the order of time. */
double torus_metrics_utilization_submitting(const struct torus_metrics *m,
					    uint32_t nodes);

/*
 * Return true if the queue grows to the end of the trace: the waiting work is larger in each
 * quarter of the time between the first and the last submission than in the one before,
 * more than twice that of the first in the last, and in the last tenth of the time more than
 * the machine does in 3 % of it. Waits then depend on the trace's length.
 */
bool torus_metrics_growing(const struct torus_metrics *m, uint32_t nodes);

/* Return the load that the jobs offer while they are submitted: their nodes x run times
 * / (machine x time between the first and the last submission); NAN without one. */
double torus_metrics_offered(const struct torus_metrics *m, uint32_t nodes);
double torus_metrics_queue(const struct torus_metrics *m);
double torus_metrics_running(const struct torus_metrics *m);

/* Return (rejected + missed) over all jobs with a deadline, by number or by
 * work (requested nodes x run time); NAN if no job has one. */
double torus_metrics_miss(const struct torus_metrics *m, bool by_work);

/*
 * Quantiles of many numbers in little memory: a histogram whose buckets are
 * 1/512 of a power of two wide. A quantile is the mean of its bucket's values,
 * so its error is below 0.2 %, and it is exact if all values in the bucket are
 * equal. The largest value is exact.
 */

#endif
