/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: a trace's jobs through a machine and a queue discipline.
 *
 * The engine is a host of struct torus_scheduler: it reports events and
 * executes decisions. Place and time are decided by the same code as in a live
 * cluster. Memory grows with the queue and the running jobs, not with the
 * trace.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/metrics.h"
#include "torus/scheduler.h"
#include "trace/trace.h"

#include <stdint.h>
#include <time.h>

/* What happens to a job that runs longer than its limit. */
enum torus_overrun {
	TORUS_OVERRUN_RAISE, /* the limit is raised to the run time beforehand */
	TORUS_OVERRUN_KILL,  /* the job ends at its limit */
	TORUS_OVERRUN_EXTEND, /* the job continues, and may end at any moment */
};

enum torus_fault_kind {
	TORUS_FAULT_NODES,
	TORUS_FAULT_LINKS,
	TORUS_FAULT_KINDS,
};

/* Means of exponential times, per component; mtbf_us 0: none fails. */
struct torus_fault_rate {
	int64_t mtbf_us; /* time up before a failure */
	int64_t mttr_us; /* time out before the repair */
};

/* A job that loses a run to a fault is requeued at most this many times:
 * Slurm's default (max_batch_requeue). */
#define TORUS_FAULT_REQUEUES 5

/* Times at which nodes are out of service, as texts. */
#define TORUS_REPLAY_OUTAGES 8
#define TORUS_REPLAY_OUTAGE_TEXT 96

struct torus_replay_options {
	bool processors_used; /* else as requested; if missing, the other */
	bool estimate_run;    /* limits are the exact run times */
	enum torus_overrun overrun;
	double scale;       /* of sizes, rounded up; 1: none */
	bool round_up_pow2; /* sizes to the next power of two */
	double run_scale;   /* of run times and limits */
	double load_scale;  /* divides the gaps between submissions */
	double laxity;      /* deadline = submit + run x (1 + this); < 0: as
			       the trace has it */
	struct torus_fault_rate faults[TORUS_FAULT_KINDS];
	uint64_t seed;       /* of faults, and told to a policy */
	const char *confine; /* nodes of partitions, as torus_trace_choice; NULL */
	const char *pipe;    /* command of the discipline `pipe`, or NULL */
	bool contention;     /* jobs that share links run longer (engine.h) */
	int64_t pass_budget_us; /* processor time of a pass, which then ends;
				   0: as long as it takes */
	uint64_t pass_jobs;     /* jobs considered per pass; 0: all */
	bool idle;              /* idle node time by cause (idle.h) */
	int64_t limit_max_us;   /* jobs and limits end there; 0: none */
	uint32_t outages;       /* rules (outages.c) */
	char outage[TORUS_REPLAY_OUTAGES][TORUS_REPLAY_OUTAGE_TEXT];
	int64_t checkpoint_us; /* a requeued job goes on from the last multiple of
				   this run time; 0: from its begin */
	int64_t slowdown_bound_us; /* shorter jobs count as this long in their
				      slowdown; 0: TORUS_SLOWDOWN_BOUND_US */
	double deadline_share; /* of the jobs have the deadline of laxity; 0: all */
	double power_w[2];  /* of a busy and of an idle node; 0: not counted */
	bool check;         /* check every invariant after every instant */
	bool other_machine; /* the journal may be of another machine:
				   take over the parts of its initial state
				   that exist here */
	int64_t until_us;   /* ignore later events; TORUS_NO_TIME:
				   process all events */
};

/* No transform, limits raised. */
#define TORUS_REPLAY_OPTIONS                                                   \
	{                                                                      \
		.scale = 1, .run_scale = 1, .load_scale = 1, .laxity = -1,     \
		.until_us = TORUS_NO_TIME                                      \
	}
void torus_replay_options_init(struct torus_replay_options *options);
/* Add a notice for each option that has no effect without another. */
void torus_replay_options_notice(const struct torus_replay_options *options,
				 struct torus_error *notices);

/* Set limit_max, checkpoint, slowdown_bound, deadline_share, node_power or pass_budget
 * from a text, or add an outage. Return 0, or -1 with EINVAL and a line in err, without
 * the name. */
int torus_replay_option_set(struct torus_replay_options *options,
			    const char *name, const char *text,
			    struct torus_error *err);

/* A finished job. Pointers are valid only during the call. */
struct torus_replay_row {
	const char *id, *user;
	uint64_t number; /* among the jobs of the trace, from 1 */
	struct torus_account account;
	const struct torus_placement *place; /* NULL: it never had one */
	const char *region;   /* without a place: the region that the trace has,
			       or NULL */
	const char *strategy; /* strategy that found the place, or NULL */
	const char *reason;   /* or NULL */
};

/* Both functions may be NULL. */
struct torus_replay_hooks {
	void *arg;
	/* Called in the order in which jobs finish. Return 0, or -1 with errno
	 * or a line in the error of torus_replay_run() to stop. */
	int (*row)(void *arg, const struct torus_machine *m,
		   const struct torus_replay_row *row);
	/* Called regularly, at most a few times per millisecond of work. */
	void (*tick)(void *arg, uint64_t jobs);
};

enum torus_replay_answer {
	TORUS_REPLAY_DONE,
	TORUS_REPLAY_REFUSED,   /* invalid input */
	TORUS_REPLAY_FAILED,    /* memory, I/O: errno */
	TORUS_REPLAY_VIOLATION, /* options.check found something */
};

/*
 * Run the replay. The machine must outlive the call; metrics must be new.
 * Answers other than DONE come with lines in err.
 */
enum torus_replay_answer
torus_replay_run(struct torus_trace *trace, const struct torus_machine *m,
		 const struct torus_scheduler_settings *settings,
		 const struct torus_replay_options *options,
		 const struct torus_replay_hooks *hooks,
		 struct torus_metrics *metrics, struct torus_error *err);

/*
 * recorded.c: the policy `recorded`: the starts and ends of the trace. No discipline of
 * a cluster, so not in the registry; torus_replay_run() takes it as settings->discipline.
 * policy_find(): one of the registry, or this one. refuses(): the first option that
 * contradicts it, with the name of a campaign's option, or NULL.
 */
extern const struct torus_discipline torus_discipline_recorded;
const struct torus_discipline *torus_policy_find(const char *name);
const char *torus_recorded_refuses(const struct torus_replay_options *options);
enum torus_replay_answer
torus_recorded_run(struct torus_trace *trace, const struct torus_machine *m,
		   const struct torus_replay_options *options,
		   const struct torus_replay_hooks *hooks,
		   struct torus_metrics *metrics, struct torus_error *err);

/*
 * Identifies the build of the deciding code: the first 16 digits of the SHA-256
 * of the sources of libtorus, src/replay and src/trace, computed by the build.
 * Two builds with the same hash give the same answer to the same input. Code
 * that only displays results does not change the hash.
 */

extern const char torus_build[];

/* Monotonic clock, for measuring our own work. */

static inline int64_t torus_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Processor time of this thread; other processes do not count. */
static inline int64_t torus_clock_processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
