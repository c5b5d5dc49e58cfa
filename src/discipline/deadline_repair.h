/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repair of bookings (deadline.h) when the machine differs from the plan
 * (deadline_repair.c).
 */
#ifndef DISCIPLINE_DEADLINE_REPAIR_H
#define DISCIPLINE_DEADLINE_REPAIR_H

#include "discipline/deadline.h"

/* Book a job in a timetable, as its last booking; false if it has no window. */
bool torus_deadline_plan(struct torus_deadline *d, struct torus_timetable *t,
			 struct torus_job *job, int64_t now_us, int64_t from_us,
			 int64_t latest_us, int64_t length_us);

/* Trials: begin one; make its bookings the real ones. */
void torus_deadline_try(struct torus_deadline *d, struct torus_timetable *t);
void torus_deadline_adopt(struct torus_deadline *d, struct torus_timetable *t);

/* Admit the job by making all bookings anew. While d->trying, it must come after
 * the jobs tried before. */
bool torus_deadline_replan(struct torus_deadline *d, struct torus_job *more,
			   int64_t now_us);

/* Make broken bookings anew; move bookings to earlier starts. */
bool torus_deadline_blocked(struct torus_deadline *d, int64_t now_us);
void torus_deadline_repair(struct torus_deadline *d, int64_t now_us);
void torus_deadline_compress(struct torus_deadline *d, int64_t now_us);

/* deadline_spare.c: best-effort jobs leave the windows of deadline jobs that wait for
 * an answer. */

/* Return true if the arrival queue keeps its windows when a best-effort job
 * starts. If not, store the time of the answers in the job. */
bool torus_deadline_spares(struct torus_deadline *d, struct torus_job *job,
			   int64_t now_us);

/* Note when the arrival queue is answered, or TORUS_NO_TIME. */
void torus_deadline_note_answer(struct torus_deadline *d, int64_t at_us,
				int64_t now_us);

#endif
