/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repair of bookings (deadline.h) when the machine differs from the plan.
 *
 * A job runs longer than its limit, a node goes out of service, a link fails, or a
 * strategy's tree is split in another way: broken bookings are made anew, earliest
 * deadline first, jobs that can still meet their deadlines before jobs that cannot.
 * All other bookings stay. An admitted job is never rejected; it runs late instead.
 *
 * A job ends early: bookings move to earlier starts where they can, in the order
 * of their starts. With strategies that remember they stay, since each move
 * would need a rehearsal of all the others. But pieces that return early may
 * split a tree in another way than planned, so the bookings are rehearsed and,
 * if they fail, made anew. A promise may break then.
 *
 * Cost: repair O(bookings x (running jobs x words + dead links)), and a window per
 * booking that moves; compressing a window per booking.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "discipline/deadline.h"
#include "discipline/deadline_repair.h"

/* Return true if the booking is broken: its start has passed, a node of it is
 * out of service, a link of it is dead, or a job will still run there. */
static bool deadline_repair_broken(struct torus_timetable *t, uint32_t booking,
				   int64_t now_us)
{
	const struct torus_machine *m = torus_state_machine(t->state);
	const struct torus_booking *b = &t->booking[booking];
	const struct torus_ask *ask =
		&b->job->request.alternative[b->alternative].ask;

	if (b->start_us < now_us ||
	    torus_state_has_dead_link(t->state,
				      torus_timetable_where(t, booking),
				      ask->weak))
		return true;
	torus_bits_zero(t->brush, m->words);
	torus_placement_paint(m, torus_timetable_where(t, booking), t->brush);
	if (torus_bits_meet(t->brush, torus_state_out_map(t->state), m->words))
		return true;
	for (uint32_t k = 0; k < torus_state_holds(t->state); k++) {
		const struct torus_hold *h = torus_state_ending(t->state, k);

		if (torus_end_after(h->end_us, now_us) <= b->start_us)
			continue;
		torus_bits_zero(t->other, m->words);
		torus_hold_paint(t->state, h, t->other);
		if (torus_bits_meet(t->brush, t->other, m->words))
			return true;
	}
	return false;
}

/* Return true if a booking is due and cannot begin as planned. */
bool torus_deadline_blocked(struct torus_deadline *d, int64_t now_us)
{
	for (uint32_t i = 0; i < d->real.bookings; i++) {
		if (d->real.booking[i].start_us <= now_us &&
		    deadline_repair_broken(&d->real, i, now_us))
			return true;
	}
	return false;
}

/* Book the admitted jobs without a booking; false if one has no window. */
static bool book_again(struct torus_deadline *d, int64_t now_us, bool in_time)
{
	struct torus_job *job = torus_deadline_binding(d, d->s->queue.head);
	bool good = true;

	for (; job; job = torus_deadline_binding(d, job->next)) {
		int64_t latest_us = torus_latest_start(job, job->limit_us);

		if (job->admitted && job->reservation == UINT32_MAX &&
		    !torus_deadline_book(d, job, now_us,
					 in_time ? latest_us : TORUS_NO_TIME))
			good = false;
	}
	return good;
}

/* Return true if all bookings can begin as planned. */
static bool deadline_repair_rehearses(struct torus_deadline *d, int64_t now_us)
{
	enum torus_answer answer = torus_timetable_rehearse(&d->real, now_us);

	d->s->lacked_memory |= answer == TORUS_FAILED;
	return answer == TORUS_FITS;
}

void torus_deadline_repair(struct torus_deadline *d, int64_t now_us)
{
	bool sound = torus_state_timeless(d->s->state);

	for (uint32_t i = d->real.bookings; i-- > 0;) {
		if (deadline_repair_broken(&d->real, i, now_us))
			torus_deadline_unbook(d, i);
	}
	if (!sound && !deadline_repair_rehearses(d, now_us)) {
		while (d->real.bookings > 0)
			torus_deadline_unbook(d, d->real.bookings - 1);
	}
	d->anew = d->compress = false;
	d->unplaced = !book_again(d, now_us, true) &&
		      !book_again(d, now_us, false);
}

/* Move a booking to an earlier window if there is one. */
static void deadline_repair_improve(struct torus_deadline *d, uint32_t booking,
				    int64_t now_us)
{
	struct torus_timetable *t = &d->real;
	struct torus_booking b = t->booking[booking];
	struct torus_window old = {
		.alternative = b.alternative,
		.when_us = b.start_us,
		/* a cancelled reservation is readable until the next is made */
		.place = *torus_timetable_where(t, booking),
	};

	torus_deadline_unbook(d, booking);
	if (torus_deadline_book(d, b.job, now_us, b.start_us - 1))
		return;
	booking = torus_timetable_book(t, b.job, &old, b.end_us - b.start_us);
	if (booking == TORUS_NO_BOOKING)
		d->unplaced = d->s->lacked_memory = true;
	else
		torus_deadline_note(d, booking);
}

/* Return the booking that begins first after (start, sequence). */
static uint32_t next_booking(const struct torus_timetable *t, int64_t start_us,
			     uint64_t sequence)
{
	const struct torus_booking *next = NULL;

	for (uint32_t i = 0; i < t->bookings; i++) {
		const struct torus_booking *b = &t->booking[i];

		if (b->start_us < start_us ||
		    (b->start_us == start_us && b->job->sequence <= sequence))
			continue;
		if (!next || b->start_us < next->start_us ||
		    (b->start_us == next->start_us &&
		     b->job->sequence < next->job->sequence))
			next = b;
	}
	return next ? (uint32_t)(next - t->booking) : TORUS_NO_BOOKING;
}

void torus_deadline_compress(struct torus_deadline *d, int64_t now_us)
{
	int64_t start_us = now_us;
	uint64_t sequence = 0;
	uint32_t i;

	d->compress = false;
	if (!torus_state_timeless(d->s->state)) {
		if (d->real.bookings > 0 &&
		    !deadline_repair_rehearses(d, now_us))
			torus_deadline_repair(d, now_us);
		return;
	}
	while ((i = next_booking(&d->real, start_us, sequence)) !=
	       TORUS_NO_BOOKING) {
		start_us = d->real.booking[i].start_us;
		sequence = d->real.booking[i].job->sequence;
		deadline_repair_improve(d, i, now_us);
	}
}
