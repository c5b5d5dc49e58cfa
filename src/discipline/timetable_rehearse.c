/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rehearsal of a timetable (timetable.h), for strategies that remember. A
 * region is granted or not by the split of their trees at that time, which a map
 * of free nodes does not show. So the rehearsal plays the future on the state
 * itself: expected ends release, bookings commit, in order of time. Then it
 * undoes all steps, latest first.
 *
 * The result holds while jobs end as expected. A piece that returns early may
 * change the split; then the rehearsal is repeated.
 *
 * Cost: a commit and a release with undo per running job and booking.
 */
#include <errno.h>

#include "discipline/timetable.h"
#include "torus/alloc.h"

static bool timetable_rehearse_before(const struct torus_booking *a,
				      const struct torus_booking *b)
{
	if (a->start_us != b->start_us)
		return a->start_us < b->start_us;
	return a->job->sequence < b->job->sequence;
}

/* Release the jobs that end by `until`. Return the number of steps so far. */
static uint32_t timetable_rehearse_release(struct torus_timetable *t,
					   int64_t now_us, int64_t until_us,
					   uint32_t steps)
{
	while (torus_state_holds(t->state) > 0) {
		uint32_t slot = torus_state_by_end(t->state, 0);
		int64_t end_us = torus_state_hold(t->state, slot)->end_us;

		if (torus_end_after(end_us, now_us) > until_us)
			break;
		torus_state_release(t->state, slot, &t->undo[steps++]);
	}
	return steps;
}

enum torus_answer torus_timetable_rehearse(struct torus_timetable *t,
					   int64_t now_us)
{
	enum torus_answer answer = TORUS_FITS;
	uint32_t steps = 0;

	if (TORUS_GROW_PAIR(t->undo, t->order, t->undo_room,
			    torus_state_holds(t->state) + 2 * t->bookings))
		return TORUS_FAILED;
	/* by start (insertion sort: there are few) */
	for (uint32_t i = 0; i < t->bookings; i++) {
		uint32_t j = i;

		for (; j > 0 &&
		       timetable_rehearse_before(&t->booking[i],
						 &t->booking[t->order[j - 1]]);
		     j--)
			t->order[j] = t->order[j - 1];
		t->order[j] = i;
	}
	for (uint32_t i = 0; i < t->bookings; i++) {
		const struct torus_booking *b = &t->booking[t->order[i]];

		steps = timetable_rehearse_release(t, now_us, b->start_us,
						   steps);
		if (torus_state_commit(t->state,
				       torus_timetable_where(t, t->order[i]),
				       b->job->id, b->job, b->start_us,
				       b->end_us,
				       &t->undo[steps]) == TORUS_NO_SLOT) {
			answer = errno == ENOMEM ? TORUS_FAILED : TORUS_NOT_NOW;
			break;
		}
		steps++;
	}
	while (steps > 0)
		torus_state_undo(t->state, &t->undo[--steps]);
	return answer;
}
