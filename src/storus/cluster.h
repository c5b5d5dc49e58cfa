/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs and nodes of the live cluster, read from squeue and sinfo. Only fields
 * that no user can write are asked for, in fixed positions; a job's name or
 * comment never reaches the reader.
 */
#ifndef STORUS_CLUSTER_H
#define STORUS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/error.h"

/* A job that holds nodes. */
struct storus_cluster_job {
	uint32_t id;
	const char *name; /* as squeue shows it: 12, 12_3 */
	const char *user;
	const char *state;  /* RUNNING */
	const char *end;    /* 2026-01-31T12:00:00, or another word: no end */
	const char *nodes;  /* Slurm's node list */
	const char *region; /* of AdminComment; "": none there */
};

/* A node, once for each partition that it is in. */
struct storus_cluster_node {
	const char *name;
	const char *state; /* sinfo's short form: idle, alloc, drain* */
	uint32_t allocated_cpus;
};

/*
 * Hand each job that holds nodes, or each node, on; both return STORUS_DONE to
 * go on. Returns an exit status, lines in err. Under PrivateData the caller
 * gets what Slurm shows to its user.
 */
int storus_cluster_jobs(struct torus_error *err,
			int (*job_fn)(void *arg,
				      const struct storus_cluster_job *job),
			void *arg);
int storus_cluster_nodes(struct torus_error *err,
			 int (*node_fn)(void *arg,
					const struct storus_cluster_node *node),
			 void *arg);

/* May no job start on a node of this state? */
bool storus_cluster_out(const char *state);

/* Does a job hold the node, as far as the node's own record tells? */
bool storus_cluster_in_use(const struct storus_cluster_node *node);

#endif
