/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timetable: the running jobs of a state, and bookings, which promise regions
 * to queued jobs at later times.
 *
 *   node 3  |running####|      |booking####|
 *   node 2  |running####|..ATW.|booking####|  open ..
 *   node 1  |...... ATW .......|booking####|  open ..
 *           now                                       -> time
 *
 * Available time windows (ATW; Mohapatra, section 3.1) are the gaps. By the
 * earliest available time (EAT, section 2.2) only the open ones count.
 *
 * A real-time discipline has a timetable over the scheduler's own plan, and
 * others for trials.
 */
#ifndef DISCIPLINE_TIMETABLE_H
#define DISCIPLINE_TIMETABLE_H

#include "torus/plan.h"
#include "discipline/disciplines.h"

#define TORUS_NO_BOOKING UINT32_MAX

/* The choice among possible places. */
enum torus_choice {
	TORUS_CHOICE_EARLIEST,  /* the strategy's, at the earliest start */
	TORUS_CHOICE_FIRST_FIT, /* the sub-cube of the lowest index */
	TORUS_CHOICE_STACKING,  /* the sub-cube with least levels split or
				   coalesced, then earliest, then lowest */
};

struct torus_booking {
	struct torus_job *job;
	uint32_t alternative;
	uint32_t reservation; /* reservation in the timetable's plan */
	int64_t start_us, end_us;
};

/* A window: when and where. The timetable owns the place's scattered nodes. */
struct torus_window {
	uint32_t alternative;
	int64_t when_us;
	struct torus_placement place;
};

/* A query: a start from `from` to `latest`, for a length above 0. */
struct torus_query {
	struct torus_job *job;
	int64_t now_us, from_us, latest_us, length_us;
	enum torus_choice choice;
	bool eat;
};

/*
 * The pieces of a hypercube that only subcube-buddy serves, as in the buddy
 * scheme: each booking splits or joins pieces. level[i] is the dimension of the
 * piece that contains node i.
 */
struct torus_cubes {
	uint8_t *level;
	uint32_t nodes;
	struct torus_cube_use *use; /* scratch: uses of nodes in time */
	uint32_t uses, room;
	uint64_t searches; /* questions, which no plan counts */
};

struct torus_timetable {
	struct torus_state *state;
	struct torus_plan *plan;
	uint32_t which;
	struct torus_booking *booking;
	uint32_t bookings, room;
	uint64_t *memory; /* the machine bitmaps */
	uint64_t *nodes, *brush, *other;
	struct torus_regions regions; /* memory of the regions of a found
					 window */
	bool cubic;                   /* `cubes` is in use */
	struct torus_cubes cubes;
	struct torus_undo *undo; /* scratch of the rehearsal */
	uint32_t *order;
	uint32_t undo_room;
};

/* Zeroed = empty. State and plan must outlive it. `which`: the plan whose facts
 * classes cache, or TORUS_PLANS: none. 0, or -1 with ENOMEM. */
int torus_timetable_init(struct torus_timetable *t, struct torus_state *state,
			 struct torus_plan *plan, uint32_t which);
void torus_timetable_free(struct torus_timetable *t);

/*
 * Book the earliest window of the job's alternatives (of equals the first
 * written), each not before it is acceptable. With strategies that remember, a
 * window is skipped if a rehearsal shows that its place cannot be granted then.
 * FITS: *booking is the new booking; NOT_NOW: no window; FAILED with ENOMEM.
 */
enum torus_answer torus_timetable_place(struct torus_timetable *t,
					const struct torus_query *q,
					uint32_t *booking);
/* Book a given window. Return TORUS_NO_BOOKING with ENOMEM. */
uint32_t torus_timetable_book(struct torus_timetable *t, struct torus_job *job,
			      const struct torus_window *w, int64_t length_us);
/* Cancel a booking; the last booking takes its number. */
void torus_timetable_cancel(struct torus_timetable *t, uint32_t booking);
void torus_timetable_clear(struct torus_timetable *t);

/* Return the booking's place, its nodes as in torus_plan_reservation(). */
static inline const struct torus_placement *
torus_timetable_where(const struct torus_timetable *t, uint32_t booking)
{
	return &torus_plan_reservation(t->plan, t->booking[booking].reservation)
			->place;
}

/* Rehearse whether all bookings can begin as planned, with the strategies'
 * memories of that time. FITS, NOT_NOW, or FAILED with ENOMEM. */
enum torus_answer torus_timetable_rehearse(struct torus_timetable *t,
					   int64_t now_us);

/* Return true if the machine consists of sub-cubes. */
bool torus_cubes_suit(const struct torus_machine *m);
int torus_cubes_init(struct torus_cubes *c, const struct torus_machine *m);
void torus_cubes_free(struct torus_cubes *c);
/* Find the window for alternative k of q's job from `from` to `latest`. FITS,
 * NOT_NOW, or FAILED with ENOMEM. */
enum torus_answer torus_cubes_find(struct torus_timetable *t,
				   const struct torus_query *q, uint32_t k,
				   int64_t from_us, int64_t latest_us,
				   struct torus_window *w);
/* Split or join the pieces for a booked place. */
void torus_cubes_take(struct torus_cubes *c, const struct torus *t,
		      const struct torus_placement *place);

#endif
