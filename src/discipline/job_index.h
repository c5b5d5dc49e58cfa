/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queued job's part of the scheduler's indexes, in the space that struct
 * torus_job reserves for it: links in trees, standing and classes.
 */
#ifndef DISCIPLINE_JOB_INDEX_H
#define DISCIPLINE_JOB_INDEX_H

#include "torus/scheduler.h"

/* The sort key of a job in a sorted queue. */
struct torus_standing {
	double priority; /* highest first; 0 unless `order: priority` */
	int64_t rank;    /* least first: the discipline's rank() */
	int64_t turn;    /* least first: the job's */
};

/* A queued job's links in a tree of jobs, and the least values below and
 * including it (src/discipline/tree.h). */
struct torus_branch {
	struct torus_job *up, *left, *right;
	int64_t submit_us;
	union {
		struct { /* TORUS_TREE_LANE */
			int64_t limit_us;
			uint32_t nodes;
		};
		/* TORUS_TREE_QUEUE: of the one that comes first */
		struct torus_standing standing;
	};
};

enum {
	TORUS_TREE_LANE,
	TORUS_TREE_QUEUE,
	TORUS_TREES
};

/* (The room is an array of words: may_alias makes it a struct's memory.) */
struct __attribute__((may_alias)) torus_job_index {
	struct torus_class *class[TORUS_MAX_ALTERNATIVES]; /* or NULL */
	struct torus_branch branch[TORUS_TREES];
	struct torus_standing standing;
};

_Static_assert(sizeof(struct torus_job_index) <=
		       sizeof(((struct torus_job *)0)->index),
	       "TORUS_JOB_INDEX");

static inline struct torus_job_index *torus_job_index(const struct torus_job *job)
{
	return (struct torus_job_index *)(uintptr_t)job->index;
}

#endif
