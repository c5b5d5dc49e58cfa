/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a dry run of sched/torus (torus.yaml, scheduler: dry_run) would have done
 * with the jobs that the cluster's own scheduler started.
 */
#ifndef STORUS_PARITY_DRY_H
#define STORUS_PARITY_DRY_H

#include "storus/base/table.h"
#include "trace/trace.h"

enum dry_job_verdict {
	DRY_JOB_SAME, /* it would have started at that time on these nodes */
	DRY_JOB_ELSEWHERE, /* at that time, on other nodes */
	DRY_JOB_EARLIER,   /* it would have started earlier */
	DRY_JOB_LATER,     /* it would not have started by then */
	DRY_JOB_REJECTED,  /* it would have been rejected */
	DRY_JOB_WAITS,     /* it waits, and would run */
	DRY_JOB_OPEN,      /* it waits in both, or left the queue */
	DRY_JOB_UNSEEN,    /* it ran before the dry run saw it wait */
	DRY_JOB_VERDICTS
};

/* A stay of a job in the queue, and how it ended. */
struct dry_job {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t live_us;  /* start in the cluster, or TORUS_NO_TIME */
	int64_t would_us; /* first start in the dry run, or TORUS_NO_TIME */
	bool seen;        /* the dry run saw it wait */
	bool left;        /* it left the queue without a start */
	bool rejected;    /* the dry run would have rejected it */
	char live[TORUS_TRACE_PLACE_SIZE];  /* region in the cluster */
	char would[TORUS_TRACE_PLACE_SIZE]; /* latest region in the dry run */
	enum dry_job_verdict verdict;
};

struct dry_run {
	struct dry_job *job; /* in the order of the journal */
	size_t jobs;
	uint32_t room;
	bool any;      /* the journal has lines of a dry run */
	uint64_t lost; /* lines that the journal lost */
	uint64_t count[DRY_JOB_VERDICTS];
	double earlier_s, most_earlier_s; /* of earlier starts: sum, largest */
};

/* parity_dry_read.c: read the journal at `path`. Return STORUS_DONE, or another
 * status after a line on stderr. */
int dry_run_read(struct dry_run *d, const char *path);
void dry_run_free(struct dry_run *d);

/* parity_dry.c: read, judge and report. Starts at most within_us apart are the
 * same. `table` is the one of storus parity. Return an exit status; STORUS_NO: a job
 * would have started differently. */
int storus_parity_dry(const char *path, int64_t within_us,
		      struct storus_table *table, const char *command);

/* parity.c: return a job that differs as a row; a region may be "". */
json_t *parity_row(const char *job, int64_t live_us, int64_t other_us,
		   const char *live, const char *other);

#endif
