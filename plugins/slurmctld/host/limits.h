/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of associations and QOS on what a running job holds: nodes, CPUs and other counted resources (limits.c). */
#ifndef SLURMCTLD_HOST_LIMITS_H
#define SLURMCTLD_HOST_LIMITS_H

#include "slurmctld/host/host.h"
uint32_t limits_beyond(struct host *h, job_record_t *job,
		       const struct allowed_class *class);
void limits_leave_out(struct torus_request *request, uint32_t beyond);
struct node_minimum limits_node_minimum(const bitstr_t *nodes);

/* Wake the thread again soon if the job waits for such a limit. */
void limits_recheck(struct host *h, const job_record_t *job);

#endif
