/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Best-effort jobs leave the windows of deadline jobs that wait for an answer (deadline_spare.c). */
#ifndef DISCIPLINE_DEADLINE_SPARE_H
#define DISCIPLINE_DEADLINE_SPARE_H

#include "discipline/deadline.h"

/* Return true if the arrival queue keeps its windows when a best-effort job
 * starts. If not, store the time of the answers in the job. */
bool torus_deadline_spares(struct torus_deadline *d, struct torus_job *job,
			   int64_t now_us);

/* Note when the arrival queue is answered, or TORUS_NO_TIME. */
void torus_deadline_note_answer(struct torus_deadline *d, int64_t at_us,
				int64_t now_us);

#endif
