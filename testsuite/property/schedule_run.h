/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A little host of a scheduler, and beside it its own map of who holds which
 * node and its own queue (prop_schedule.c). What a discipline should decide is
 * in schedule_naive.c, what must hold after each pass in schedule_snapshot.c.
 */
#ifndef TESTSUITE_SCHEDULE_RUN_H
#define TESTSUITE_SCHEDULE_RUN_H

#include "discipline/disciplines.h"
#include "workload.h"

#define JOBS 40

struct world {
	struct random r;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_scheduler *scheduler;
	struct torus_scheduler_settings settings;
	bool estimates_hold; /* no job runs longer than it said */
	bool exact;          /* nor shorter */
	bool outages;  /* nodes fail, limits change; until all are submitted */
	bool promises; /* a start that was told must be kept */
	bool ladders;
	bool withdrawals;
	bool own_limits; /* some jobs have a WaitLimit of their own */
	bool deadlines;  /* most jobs have one */
	bool confined;   /* some jobs may use some nodes only */
	uint64_t allowed[2][WORKLOAD_WORDS];
	struct torus_job job[JOBS];
	struct torus_alternative alternative[JOBS][3];
	int64_t run[JOBS];
	int64_t end[JOBS];      /* of running jobs, else TORUS_NO_TIME */
	int64_t promised[JOBS]; /* latest start told so far */
	uint64_t nodes[JOBS][WORKLOAD_WORDS];
	uint64_t busy[WORKLOAD_WORDS];
	uint64_t out[WORKLOAD_WORDS];
	uint32_t submitted, ended, rejected, withdrawn;
	struct torus_job *order[JOBS]; /* the queue as it should be */
	uint32_t waiting;
	uint64_t version; /* of the machine's state */
	struct refusals {
		uint64_t version;
		int64_t shadow;
		const struct torus_job *head;
		struct torus_ask ask[JOBS];
		uint32_t length;
	} refusals;    /* what the naive easy refused, in that situation */
	uint64_t hash; /* of the schedule */
};

/* How a discipline without reservations works. */
struct plain {
	const char *name;
	int most, longest; /* sorted by nodes, by limit: 1 or -1 */
	bool urgent;       /* sorted by the latest start in time */
	bool searches;
};

/* A decision of the naive disciplines. */
struct decision {
	struct torus_job *job;
	uint64_t nodes[WORKLOAD_WORDS];
};

struct naive {
	struct world *w;
	struct torus_state *s;
	int64_t now;
	struct torus_job *queue[JOBS];
	uint32_t length;
	struct decision decision[JOBS];
	uint32_t decisions;
	uint64_t version;
	bool again;
};

/* May the job start as its alternative k by now? */
bool job_accepts(const struct torus_job *job, uint32_t k, int64_t now);

/* How the world's discipline works, NULL if it makes reservations. */
const struct plain *world_plain(const struct world *w);

/* Waited as long as WaitLimit, where the discipline minds. */
bool world_overdue(const struct world *w, const struct torus_job *job,
		   int64_t now);

/* Is there a naive version of the discipline as it is configured? */
bool naive_exists(const struct world *w);

/* What a naive version of the discipline would decide now; nothing if there
 * is none. */
void naive_foresee(struct world *w, int64_t now, struct naive *n);

/* A job was submitted: into the queue as it should be. */
void mirror_insert(struct world *w, struct torus_job *job, int64_t now);

/* The queue and its reservations after a pass. */
void look_queue(struct world *w, int64_t now);

/* Are these the decisions, and their nodes, that the naive one came to? */
void look_same(const struct world *w, const struct naive *n,
	       const struct torus_job *decided);

#endif
