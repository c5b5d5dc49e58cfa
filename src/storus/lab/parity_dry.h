/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a dry run of sched/torus (torus.yaml, scheduler: dry_run) would have done
 * with the jobs that the cluster's own scheduler started.
 */
#ifndef STORUS_PARITY_DRY_H
#define STORUS_PARITY_DRY_H

#include "trace/trace.h"

enum dry_job_verdict {
	DRY_JOB_SAME,      /* started then and there */
	DRY_JOB_ELSEWHERE, /* then, on other nodes */
	DRY_JOB_EARLIER,   /* it would have started before */
	DRY_JOB_LATER,     /* it would not have started by then */
	DRY_JOB_REJECTED,  /* it would have been rejected */
	DRY_JOB_WAITS,     /* it waits, and would run */
	DRY_JOB_OPEN,      /* it waits in both, or left the queue */
	DRY_JOB_UNSEEN,    /* it ran before the dry run saw it wait */
	DRY_JOB_VERDICTS
};

/* A wait of a job in the queue, and its end. */
struct dry_job {
	char id[TORUS_TRACE_ID_SIZE];
	int64_t live_us;  /* started, or TORUS_NO_TIME */
	int64_t would_us; /* would have started first, or TORUS_NO_TIME */
	bool seen;        /* waiting */
	bool left;        /* the queue, without a start */
	bool rejected;    /* would have been rejected, and later not */
	char live[TORUS_TRACE_PLACE_SIZE];
	char would[TORUS_TRACE_PLACE_SIZE]; /* the latest */
	enum dry_job_verdict verdict;
};

struct dry_run {
	struct dry_job *job; /* in the order of the journal */
	size_t jobs;
	uint32_t room;
	bool any; /* lines of a dry run */
	uint64_t lost;
	uint64_t count[DRY_JOB_VERDICTS];
	double earlier_s, most_earlier_s; /* sum, largest */
};

/* parity_dry_read.c: the journal at PATH. STORUS_DONE, or another status and the
 * reason said. */
int dry_run_read(struct dry_run *d, const char *path);
void dry_run_free(struct dry_run *d);

/* parity_dry.c: read, judge and report. `within_us`: starts so near each other
 * are the same. json: a file, "-", or NULL. An exit status; STORUS_NO: something would have been different. */
int storus_parity_dry(const char *path, int64_t within_us, const char *json,
		      const char *command);

#endif
