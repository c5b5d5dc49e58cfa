/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that a pending job may use, idle or not: its partition, its reservation, -x, features, owners (allowed_nodes.c). */
#ifndef SLURMCTLD_HOST_ALLOWED_NODES_H
#define SLURMCTLD_HOST_ALLOWED_NODES_H

#include "slurmctld/host/host.h"

/* The class of the job in that partition; NULL with ENOMEM. */
const struct allowed_class *
allowed_nodes_class(struct host *h, job_record_t *job, part_record_t *part);

/* Those of the partition that its constraints leave, idle or not, for
 * bit_free(); NULL: none. */
bitstr_t *allowed_nodes_filter(job_record_t *job, const part_record_t *part);

/* The hash of these constraints; add what decides how many nodes it needs. */
uint64_t job_class_key(const job_record_t *job, const part_record_t *part);
void job_class_hash(uint64_t *hash, const job_record_t *job);

#endif
