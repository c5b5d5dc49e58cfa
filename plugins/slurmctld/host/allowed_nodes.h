/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes that a pending job may use, idle or not: its partition, its reservation, -x,
 * features, owners (allowed_nodes.c).
 */
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

/* node_use.c: the nodes of a snapshot, each in one of three ways for the cycle. */

/* Report the nodes that are busy without a job of the cycle, or out of
 * service; -1 with ENOMEM. Return true if the node does not answer. */
int node_use_note(struct host *h);
bool node_use_is_silent(const node_record_t *node);

/* leaks.c: leaked nodes: Slurm still counts a job on them that has ended. */

/* leaks_find(): after Slurm refused to start the job on these
 * idle nodes, keep the nodes that it refuses to any job; false: there are none.
 * leaks_add(): add the leaked nodes to those out of service. */
bool leaks_find(struct host *h, job_record_t *job, bitstr_t *nodes);
void leaks_add(struct host *h, bitstr_t *out);
void leaks_forget(struct host *h);

#endif
