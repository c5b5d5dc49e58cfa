/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With PreemptType=preempt/qos Slurm sorts a job before every job that it could preempt,
 * whatever their partitions and priorities. The rank of a QOS is the length of the longest
 * chain of QOS below it, each of which may preempt the next:
 *
 *     urgent -> normal -> cheap       2, 1, 0
 *     a -> cheap, b -> cheap          1, 1, 0
 *
 * This is Slurm's order if of two ranks the higher always may preempt the lower. Otherwise
 * (a may preempt cheap, b and cheap are apart: is b before a?) Slurm's order depends on
 * how it happens to sort. Then there are no ranks: tier and priority decide. There are none
 * either where a QOS preempts only jobs of lower priority (PreemptMode=..,PRIORITY).
 *
 * Cost: O(waiting jobs x QOS) per snapshot, and QOS^2 questions to Slurm.
 */
#include "slurmctld/host/qos_rank.h"
#include "slurmctld/host/preempt.h"

static const struct qos_rank *qos_rank_find(const struct qos_ranks *r,
					    uint32_t qos)
{
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->of[i].qos == qos)
			return &r->of[i];
	}
	return NULL;
}

void qos_rank_begin(struct qos_ranks *r)
{
	r->count = 0;
	r->unordered = COMPAT_PREEMPTS_BY_PRIORITY(slurm_conf.preempt_mode);
}

void qos_rank_note(struct qos_ranks *r, job_record_t *job)
{
	if (!job->qos_ptr || qos_rank_find(r, job->qos_ptr->id))
		return;
	r->unordered |= r->count == QOS_RANKED ||
			COMPAT_PREEMPTS_BY_PRIORITY(job->qos_ptr->preempt_mode);
	if (r->count < QOS_RANKED)
		r->of[r->count++] = (struct qos_rank){ .qos = job->qos_ptr->id,
						       .job = job };
}

void qos_rank_settle(struct qos_ranks *r)
{
	bool above[QOS_RANKED][QOS_RANKED], order = !r->unordered;

	if (!slurm_preemption_enabled() ||
	    xstrcmp(slurm_conf.preempt_type, "preempt/qos") != 0)
		r->count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		for (uint32_t j = 0; j < r->count; j++)
			above[i][j] = i != j &&
				      preempt_may(r->of[i].job, r->of[j].job,
						  r->of[j].job->part_ptr);
	}
	for (uint32_t i = 0; i < r->count; i++)
		r->of[i].job = NULL;
	/* (a circle makes ranks grow for ever) */
	for (uint32_t round = 0; round < r->count; round++) {
		for (uint32_t i = 0; i < r->count; i++) {
			for (uint32_t j = 0; j < r->count; j++) {
				if (above[i][j] &&
				    r->of[i].rank <= r->of[j].rank)
					r->of[i].rank = r->of[j].rank + 1;
			}
		}
	}
	for (uint32_t i = 0; i < r->count; i++) {
		for (uint32_t j = 0; j < r->count; j++)
			order = order &&
				above[i][j] == (r->of[i].rank > r->of[j].rank);
	}
	if (!order)
		r->count = 0;
}

uint32_t qos_rank_of(const struct qos_ranks *r, const job_record_t *job)
{
	const struct qos_rank *of = job->qos_ptr ?
					    qos_rank_find(r, job->qos_ptr->id) :
					    NULL;

	return of ? of->rank : 0;
}
