/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that a pending job may use, idle or not: its partition, its reservation, -x, features, owners (allowed_nodes.c). */
#ifndef SLURMCTLD_HOST_ALLOWED_NODES_H
#define SLURMCTLD_HOST_ALLOWED_NODES_H

#include "slurmctld/host/host.h"

/* The class of the job in that partition; NULL with ENOMEM. */
const struct allowed_class *
allowed_nodes_class(struct host *h, job_record_t *job, part_record_t *part);

/* Ask Slurm how many of them the job would get (job_class.h), once. */
void allowed_nodes_ask_count(job_record_t *job, part_record_t *part);

/* limits.c: limits of associations and QOS on what a running job holds: nodes, CPUs
 * and other counted resources. */

/* Return the alternatives, a bit each, that limits of associations and QOS do not allow
 * now; LIMITS_BEYOND_ALL: none is allowed, and the record gets the reason. */
#define LIMITS_BEYOND_ALL UINT32_MAX
uint32_t limits_beyond(struct host *h, job_record_t *job,
		       const struct allowed_class *class);

/* Remove these alternatives from the request. */
void limits_leave_out(struct torus_request *request, uint32_t beyond);

/* Return what each of the nodes has at least. */
struct node_minimum limits_node_minimum(const bitstr_t *nodes);

/* Wake the thread again soon if the job waits for such a limit. */
void limits_recheck(struct host *h, const job_record_t *job);

/* Return the longest run time of the job in that partition. */
int64_t limits_time_us(const job_record_t *job, const part_record_t *part);

#endif
