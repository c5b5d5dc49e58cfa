/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --constraint with alternatives in brackets, of which all nodes of the job must have the same one: [fast|slow], ib&[fast|slow]. Slurm tries one after the other when the job starts (one_feature.c). */
#ifndef SLURMCTLD_HOST_ONE_FEATURE_H
#define SLURMCTLD_HOST_ONE_FEATURE_H

#include "slurmctld/host/host.h"

/* Choose one of [fast|slow] in --constraint, one with enough nodes
 * (`want`); keep only its nodes. */
void one_feature_keep(const job_record_t *job, uint32_t want, bitstr_t *nodes);

#endif
