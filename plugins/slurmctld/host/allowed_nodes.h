/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that a pending job may use, idle or not: its partition, its reservation, -x, features, owners (allowed_nodes.c). */
#ifndef SLURMCTLD_HOST_ALLOWED_NODES_H
#define SLURMCTLD_HOST_ALLOWED_NODES_H

#include "slurmctld/host/host.h"

/* The class of the job in that partition; NULL with ENOMEM. */
const struct allowed_class *
allowed_nodes_class(struct host *h, job_record_t *job, part_record_t *part);

/* Ask Slurm how many of them the job would get (node_count.h), once. */
void allowed_nodes_ask_count(job_record_t *job, part_record_t *part);

#endif
