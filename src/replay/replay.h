/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: a trace's jobs through a machine and a queue discipline.
 *
 * The engine is a host of struct torus_scheduler: it reports what happens
 * and does what it is told; where and when are decided by the same code as
 * in a live cluster. Memory grows with the queue and the running jobs, not
 * with the trace.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/metrics.h"
#include "torus/scheduler.h"
#include "trace/trace.h"

/* What happens where a job runs longer than its limit says. */
enum torus_overrun {
	TORUS_OVERRUN_RAISE,  /* the limit is raised to the run time before */
	TORUS_OVERRUN_KILL,   /* the job ends at its limit */
	TORUS_OVERRUN_EXTEND, /* it runs on, and may end any moment */
};

enum torus_fault_kind {
	TORUS_FAULT_NODES,
	TORUS_FAULT_LINKS,
	TORUS_FAULT_KINDS,
};

/* Means of exponential times, for each component; mtbf_us 0: none fails. */
struct torus_fault_rate {
	int64_t mtbf_us; /* up, before it fails */
	int64_t mttr_us; /* out, before it is repaired */
};

/* A job that has lost so many runs to faults is not started again: as many as
 * Slurm requeues a job before it holds it (max_batch_requeue). */
#define TORUS_FAULT_REQUEUES 5

struct torus_replay_options {
	bool processors_used; /* else as requested; the other if missing */
	bool estimate_run;    /* limits are the run times */
	enum torus_overrun overrun;
	double scale;       /* of sizes, rounded up; 1: none */
	bool round_up_pow2; /* sizes to the next power of two */
	double run_scale;   /* of run times and limits */
	double load_scale;  /* gaps between submits are divided by it */
	double laxity;      /* deadline = submit + run x (1 + this); < 0: as
				 the trace has it */
	struct torus_fault_rate faults[TORUS_FAULT_KINDS];
	uint64_t seed;   /* of faults */
	bool contention; /* jobs that share links take longer (dilate.h) */
	int64_t pass_budget_us; /* processor time of a pass, which then ends;
				     0: as long as it takes */
	uint64_t pass_jobs; /* jobs that a pass looks at; 0: as many as there are */
	bool idle;          /* idle node time by cause (idle.h) */
	bool check;         /* every invariant, after every instant */
	bool other_machine; /* what a journal begins with may be of another
			       machine: of it is taken over what there is here */
	int64_t until_us;   /* what comes later does not happen;
				 TORUS_NO_TIME: everything happens */
};

/* No transform, limits raised. */
void torus_replay_options_init(struct torus_replay_options *options);

/* A job that is over. What is pointed to is valid during the call only. */
struct torus_replay_row {
	const char *id, *user;
	uint64_t number; /* among the jobs of the trace, from 1 */
	struct torus_account account;
	const struct torus_placement *place; /* NULL: never had one */
	const char *strategy;                /* that found it, or NULL */
	const char *reason;                  /* or NULL */
};

/* Both may be NULL. */
struct torus_replay_hooks {
	void *arg;
	/* In the order in which jobs are over. 0, or -1 with errno: stop. */
	int (*row)(void *arg, const struct torus_machine *m,
		   const struct torus_replay_row *row);
	/* Every now and then, a few times per millisecond of work at most. */
	void (*tick)(void *arg, uint64_t jobs);
};

enum torus_replay_answer {
	TORUS_REPLAY_DONE,
	TORUS_REPLAY_REFUSED,   /* wrong input */
	TORUS_REPLAY_FAILED,    /* memory, I/O: errno */
	TORUS_REPLAY_VIOLATION, /* options.check found something */
};

/*
 * Run it. The machine must outlive the call; metrics must be new. Other
 * answers than DONE come with lines in err.
 */
enum torus_replay_answer
torus_replay_run(struct torus_trace *trace, const struct torus_machine *m,
		 const struct torus_scheduler_settings *settings,
		 const struct torus_replay_options *options,
		 const struct torus_replay_hooks *hooks,
		 struct torus_metrics *metrics, struct torus_error *err);

#endif
