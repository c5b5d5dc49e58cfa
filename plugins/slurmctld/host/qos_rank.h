/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of the QOS of waiting jobs under PreemptType=preempt/qos (qos_rank.c). */
#ifndef SLURMCTLD_HOST_QOS_RANK_H
#define SLURMCTLD_HOST_QOS_RANK_H

#include "slurmctld/slurm_compat.h"

#define QOS_RANKED 16    /* QOS of waiting jobs that are ranked, at most */
#define QOS_RANK_MOST 15 /* the highest rank */

struct qos_ranks {
	uint32_t count; /* 0: no order */
	bool unordered; /* there are more, or they preempt by priority */
	struct qos_rank {
		uint32_t qos;      /* its number in Slurm */
		job_record_t *job; /* a waiting job of it, while they are noted */
		uint32_t rank;
	} of[QOS_RANKED];
};

/* Forget all; note the QOS of a waiting job; rank the noted ones. Under the locks of one
 * snapshot, from qos_rank_begin() to qos_rank_settle(). */
void qos_rank_begin(struct qos_ranks *r);
void qos_rank_note(struct qos_ranks *r, job_record_t *job);
void qos_rank_settle(struct qos_ranks *r);

/* Return the rank of the job's QOS: 0 to QOS_RANK_MOST, the highest first. */
uint32_t qos_rank_of(const struct qos_ranks *r, const job_record_t *job);

#endif
