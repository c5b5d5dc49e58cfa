/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs, nodes and reservations of the live cluster, read from squeue, sinfo and
 * scontrol. Only fields that no user can write are asked for, in fixed positions;
 * a job's name or comment never reaches the reader.
 */
#ifndef STORUS_CLUSTER_H
#define STORUS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/text.h"

/* A job that waits or holds nodes, tasks of an array one by one. Times as Slurm
 * writes them: 2026-01-31T12:00:00, or another word: none. */
struct storus_cluster_job {
	uint32_t id;
	const char *name; /* as squeue shows it: 12, 12_3 */
	const char *user;
	const char *state;     /* RUNNING */
	const char *partition; /* main, or a,b while it waits */
	const char *submit, *start, *end;
	const char *limit;       /* 1-00:00:00 */
	const char *priority;    /* a number */
	const char *count;       /* nodes that it has or asks for */
	const char *reservation; /* asked for; "(null)": none */
	const char *nodes;       /* Slurm's node list; "": none */
	const char *reason;      /* why it waits, in Slurm's words */
	const char *region;      /* of AdminComment; "": none there */
	const char *orientation; /* beside the region; "": none there */
	const char *ring;        /* letters of its axes; "": none there */
	const char *ask; /* "4x4;conn-type=TM;no-rotate" of AdminComment; "":
			    none there */
};

/* A node, once for each partition that it is in. */
struct storus_cluster_node {
	const char *name;
	const char *state; /* sinfo's short form: idle, alloc, drain* */
	bool in_use;       /* a job holds it, by the node's own record */
	const char *out;   /* why no job may start there; NULL: one may */
	bool reserved;     /* a reservation has begun there */
	bool asleep;       /* power saving has switched it off */
	uint32_t weight;
	const char *partition;
	const char *reason; /* "none" */
};

struct storus_cluster_reservation {
	const char *name, *start, *end, *nodes, *flags;
};

/*
 * Call the function for each job, node or reservation until it does not return
 * STORUS_DONE. Return an exit status, with lines in err. Under PrivateData the caller
 * gets what Slurm shows to its user.
 */
int storus_cluster_jobs(struct torus_error *err,
			int (*job_fn)(void *arg,
				      const struct storus_cluster_job *job),
			void *arg);
/* The nodes that a pending job must have and must not have (Slurm's lists, "": none), in the
 * order of storus_cluster_jobs(). Others are not there. */
struct storus_cluster_lists {
	const char *name, *required, *excluded, *planned;
};
int storus_cluster_lists(
	struct torus_error *err,
	int (*lists_fn)(void *arg, const struct storus_cluster_lists *lists),
	void *arg);
int storus_cluster_nodes(struct torus_error *err,
			 int (*node_fn)(void *arg,
					const struct storus_cluster_node *node),
			 void *arg);

/* What a job may ask of nodes. */
struct storus_cluster_hardware {
	const char *name;
	const char *features; /* "big,fast"; "": none */
	uint32_t cpus;
};

/* The same for each node, once for each partition. */
int storus_cluster_hardware(
	struct torus_error *err,
	int (*hardware_fn)(void *arg,
			   const struct storus_cluster_hardware *node),
	void *arg);
int storus_cluster_reservations(
	struct torus_error *err,
	int (*reservation_fn)(void *arg,
			      const struct storus_cluster_reservation *r),
	void *arg);

/* 2026-01-31T12:00:00 (local time) and 1-02:03:04 in microseconds; TORUS_NO_TIME:
 * none. */
int64_t storus_cluster_time(const char *text);
int64_t storus_cluster_duration(const char *text);

#endif
