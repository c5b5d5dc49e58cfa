/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timetables (timetable.h): search and booking of windows. Bookings are
 * reservations in a plan, so that every search in the plan regards them.
 *
 * An earliest available time is a window without an end: nodes with no booking
 * at any later time. Hence windows accept every job that EAT accepts.
 *
 * Cost: a window (torus/plan.h), or for sub-cubes as cubes.c says; with
 * strategies that remember also a rehearsal each.
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "discipline/timetable.h"

#include "torus/alloc.h"

int torus_timetable_init(struct torus_timetable *t, struct torus_state *state,
			 struct torus_plan *plan, uint32_t which)
{
	const struct torus_machine *m = torus_state_machine(state);

	t->state = state;
	t->plan = plan;
	t->which = which;
	t->memory = torus_alloc(m->words, 3 * sizeof(*t->memory));
	if (!t->memory)
		return -1;
	t->nodes = t->memory;
	t->brush = t->nodes + m->words;
	t->other = t->brush + m->words;
	t->cubic = torus_cubes_suit(m);
	return t->cubic ? torus_cubes_init(&t->cubes, m) : 0;
}

void torus_timetable_free(struct torus_timetable *t)
{
	torus_cubes_free(&t->cubes);
	torus_free(t->booking);
	torus_free(t->memory);
	torus_free(t->undo);
	torus_free(t->order);
	*t = (struct torus_timetable){ 0 };
}

static enum torus_answer timetable_find(struct torus_timetable *t,
					const struct torus_query *q, uint32_t k,
					int64_t from_us, int64_t latest_us,
					struct torus_window *w)
{
	struct torus_job *job = q->job;
	struct torus_window_cache *cache = NULL;
	struct torus_window_bounds bounds = {
		.now_us = q->now_us,
		.from_us = from_us,
		.latest_us = latest_us,
		.length_us = q->eat ? INT64_MAX : q->length_us,
	};

	if (t->cubic && !torus_ask_several(&job->request.alternative[k].ask))
		return torus_cubes_find(t, q, k, from_us, latest_us, w);
	w->alternative = k;
	if (t->which < TORUS_PLANS)
		cache = torus_class_cache(torus_job_index(job)->class[k],
					  t -> which);
	return torus_plan_window(t->plan, torus_job_ask(job, k, from_us),
				 &bounds, cache, &w->when_us, &w->place);
}

/* A job that has run keeps its alternative. */
static bool timetable_pinned(const struct torus_job *job, uint32_t k)
{
	return (job->preempted || job->state == TORUS_JOB_RUNNING) &&
	       k != job->alternative;
}

/* Find the earliest of the alternatives' windows at or after `from`. */
static enum torus_answer timetable_window(struct torus_timetable *t,
					  const struct torus_query *q,
					  int64_t from_us,
					  struct torus_window *best)
{
	const struct torus_job_request *r = &q->job->request;
	int64_t latest_us = q->latest_us;
	struct torus_window w;
	enum torus_answer best_answer = TORUS_NOT_NOW, answer;

	for (uint32_t k = 0; k < r->alternatives; k++) {
		int64_t ready = torus_time_after(q->job->submit_us,
						 r->alternative[k].after_us);
		const struct torus_machine *m;
		struct torus_placement_room room;

		ready = ready > from_us ? ready : from_us;
		if (ready > latest_us || timetable_pinned(q->job, k))
			continue;
		answer = timetable_find(t, q, k, ready, latest_us, &w);
		if (answer == TORUS_FAILED)
			return answer;
		if (answer != TORUS_FITS)
			continue;
		/* a copy: the plan's next search overwrites the window's nodes */
		m = torus_state_machine(t->state);
		room = (struct torus_placement_room){ .nodes = t->nodes,
						      .regions = &t->regions };
		*best = w;
		torus_placement_copy(m, &best->place, &w.place, &room);
		best_answer = TORUS_FITS;
		latest_us = w.when_us - 1;
	}
	return best_answer;
}

uint32_t torus_timetable_book(struct torus_timetable *t, struct torus_job *job,
			      const struct torus_window *w, int64_t length_us)
{
	const struct torus_machine *m = torus_state_machine(t->state);
	struct torus_booking b = {
		.job = job,
		.alternative = w->alternative,
		.start_us = w->when_us,
		.end_us = torus_time_after(w->when_us, length_us),
	};

	if (TORUS_GROW(t->booking, t->room, t->bookings + 1))
		return TORUS_NO_BOOKING;
	b.reservation = torus_plan_reserve(t->plan, &w->place, job->id, job,
					   b.start_us, b.end_us);
	if (b.reservation == UINT32_MAX)
		return TORUS_NO_BOOKING;
	if (t->cubic)
		torus_cubes_take(&t->cubes, &m->pod[0].torus, &w->place);
	t->booking[t->bookings] = b;
	return t->bookings++;
}

void torus_timetable_cancel(struct torus_timetable *t, uint32_t booking)
{
	torus_plan_cancel(t->plan, t->booking[booking].reservation);
	t->booking[booking] = t->booking[--t->bookings];
}

void torus_timetable_clear(struct torus_timetable *t)
{
	torus_plan_clear(t->plan);
	t->bookings = 0;
}

/* Return the next end, of a running job or a booking, after time `after`. */
static int64_t next_end(const struct torus_timetable *t, int64_t now_us,
			int64_t after)
{
	int64_t next = TORUS_NO_TIME, end_us;

	for (uint32_t k = 0; k < torus_state_holds(t->state); k++) {
		end_us = torus_end_after(torus_state_ending(t->state, k)->end_us,
					 now_us);
		if (end_us > after && end_us < next)
			next = end_us;
	}
	for (uint32_t i = 0; i < t->bookings; i++) {
		end_us = t->booking[i].end_us;
		if (end_us > after && end_us < next)
			next = end_us;
	}
	return next;
}

static enum torus_answer timetable_place(struct torus_timetable *t,
					 const struct torus_query *q,
					 uint32_t *booking)
{
	bool timeless = torus_state_timeless(t->state);
	enum torus_answer answer = TORUS_NOT_NOW;
	int64_t from_us = q->from_us;
	struct torus_window w;

	while (from_us <= q->latest_us && from_us != TORUS_NO_TIME) {
		answer = timetable_window(t, q, from_us, &w);
		if (answer != TORUS_FITS)
			return answer;
		*booking = torus_timetable_book(t, q->job, &w, q->length_us);
		if (*booking == TORUS_NO_BOOKING)
			return TORUS_FAILED;
		if (timeless)
			return TORUS_FITS;
		answer = torus_timetable_rehearse(t, q->now_us);
		if (answer == TORUS_FITS)
			return answer;
		torus_timetable_cancel(t, *booking);
		if (answer == TORUS_FAILED)
			return answer;
		from_us = next_end(t, q->now_us, w.when_us);
	}
	return answer;
}

enum torus_answer torus_timetable_place(struct torus_timetable *t,
					const struct torus_query *q,
					uint32_t *booking)
{
	enum torus_answer answer = timetable_place(t, q, booking);
	struct torus_query open;

	if (answer != TORUS_NOT_NOW || q->eat || torus_state_timeless(t->state))
		return answer;
	/* A tree may refuse the place of every window, yet grant a place that
	 * stays free without end. */
	open = *q;
	open.eat = true;
	return timetable_place(t, &open, booking);
}
