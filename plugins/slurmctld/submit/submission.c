/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of a submission's searches. slurmctld checks a job or its update several
 * times in one thread, which handles one after another: job_submit's check, then
 * TEST_ONLY in each of the job's partitions, on the nodes that are up and, if that
 * fails, on all. Together they get the time of one search under Slurm's locks.
 */
#include "slurmctld/submit/submission.h"

#include <stdbool.h>
#include <stddef.h>

/* A thread of slurmctld's pool handles other requests later: what a refused submission
 * has spent is not the time of the next job that the thread tests. */
static _Thread_local struct {
	bool begun;
	uint32_t job;    /* 0: the job has no id yet */
	time_t began_at; /* a job without an id is not submitted before */
	int64_t spent_us;
} submission;

void submission_begin(uint32_t job)
{
	submission.begun = true;
	submission.job = job;
	submission.began_at = time(NULL);
	submission.spent_us = 0;
}

void submission_refused(void)
{
	submission.begun = false;
}

int64_t *submission_spent_us(void)
{
	return &submission.spent_us;
}

int64_t *submission_spent_us_of(uint32_t job, time_t submitted_at)
{
	if (!submission.begun ||
	    (submission.job == 0 && submitted_at < submission.began_at))
		return NULL;
	if (submission.job == 0)
		submission.job = job;
	return submission.job == job ? &submission.spent_us : NULL;
}
