/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that the searches of one submission have together (submission.c). */
#ifndef SLURMCTLD_SUBMIT_SUBMISSION_H
#define SLURMCTLD_SUBMIT_SUBMISSION_H

#include <stdint.h>
#include <time.h>

/* The thread begins to check a submission (job 0) or an update of a job. */
void submission_begin(uint32_t job);
/* The submission is refused: its job gets no id. */
void submission_refused(void);

/* The time that the searches of the thread's submission have taken, in
 * microseconds. */
int64_t *submission_spent_us(void);

/* The same for a search for this job; NULL: the thread does not check it. The
 * first job after submission_begin(0) that was not submitted before is the submitted
 * one. */
int64_t *submission_spent_us_of(uint32_t job, time_t submitted_at);

#endif
