/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer to `sbatch --test-only` (test_only.c). */
#ifndef SLURMCTLD_SELECT_TEST_ONLY_H
#define SLURMCTLD_SELECT_TEST_ONLY_H

#include "slurmctld/instance/instance.h"

/* The places that sched/torus expects its queued jobs to have: forget those of before,
 * and add one, in the order of the queue. firm: the number of first jobs that no job behind
 * them may delay; UINT32_MAX: all. */
void test_only_forget(uint32_t firm);
void test_only_expect(uint32_t job, int64_t start_us, bitstr_t *nodes);

/* Return true if this thread handles `--test-only` of the job. */
bool test_only_is(const job_record_t *job, uint16_t mode);

/* Find when the ask has a place beside the running jobs and the planned places of the
 * pending jobs that go before the job. As torus_plan_shadow(). */
enum torus_answer test_only_find(struct instance *in, const job_record_t *job,
				 const struct torus_ask *ask, int64_t now_us,
				 int64_t *when_us,
				 struct torus_placement *place);

/* The same for jobs without a shape, which the wrapped plugin places: clear the planned
 * nodes of those jobs that meet a run from `from` on. *next: when the first of them is
 * free again; 0: there are none. Return false if it is no `--test-only`. */
bool test_only_planned(const job_record_t *job, uint16_t mode, bitstr_t *nodes,
		       time_t from, time_t *next);

/* job_test() has answered: keep Slurm from adding to the start. */
void test_only_answered(job_record_t *job, uint16_t mode);

#endif
