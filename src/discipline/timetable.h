/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timetable: the jobs that a state holds, and bookings, which are regions
 * promised to further jobs for times to come.
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
 * others to try things out.
 */
#ifndef DISCIPLINE_TIMETABLE_H
#define DISCIPLINE_TIMETABLE_H

#include "discipline/disciplines.h"

#define TORUS_NO_BOOKING UINT32_MAX

/* Which of the places that would do in time. */
enum torus_choice {
	TORUS_CHOICE_EARLIEST,  /* the strategy's, at the earliest start */
	TORUS_CHOICE_FIRST_FIT, /* the sub-cube of the lowest index */
	TORUS_CHOICE_STACKING,  /* the sub-cube with least levels split or
				   coalesced, then earliest, then lowest */
};

struct torus_booking {
	struct torus_job *job;
	uint32_t alternative;
	uint32_t reservation; /* of the timetable's plan */
	int64_t start_us, end_us;
};

/* When and where. The place's scattered nodes are the timetable's own. */
struct torus_window {
	uint32_t alternative;
	int64_t when_us;
	struct torus_placement place;
};

/* What is wanted: a start not before `from`, not after `latest`, for so long
 * (more than 0). */
struct torus_query {
	struct torus_job *job;
	int64_t now_us, from_us, latest_us, length_us;
	enum torus_choice choice;
	bool eat;
};

/*
 * Aligned sub-cubes of a hypercube that subcube-buddy alone serves. level[i]:
 * the dimension of the piece that node i is in. Pieces are what the jobs that
 * were given places so far have cut and joined, as in the buddy scheme.
 */
struct torus_cubes {
	uint8_t *level;
	uint32_t nodes;
	struct torus_cube_use *use; /* scratch: what is taken when */
	uint32_t uses, room;
};

struct torus_timetable {
	struct torus_state *state;
	struct torus_plan *plan;
	uint32_t which;
	struct torus_booking *booking;
	uint32_t bookings, room;
	uint64_t *memory; /* the machine bitmaps */
	uint64_t *nodes, *brush, *other;
	struct torus_regions regions; /* of a window found */
	bool cubic;                   /* cubes are kept */
	struct torus_cubes cubes;
	struct torus_undo *undo; /* scratch of the rehearsal */
	uint32_t *order;
	uint32_t undo_room;
};

/* Zeroed = empty. State and plan must outlive it. which: of the plans of which
 * classes know something, or TORUS_PLANS: none. 0, or -1 with ENOMEM. */
int torus_timetable_init(struct torus_timetable *t, struct torus_state *state,
			 struct torus_plan *plan, uint32_t which);
void torus_timetable_free(struct torus_timetable *t);

/*
 * Book the window that the query finds, of the job's alternatives the earliest
 * (the first written of equals), each not before it is acceptable. With
 * strategies that remember, a window whose place could not be had when the
 * time comes is passed over. FITS: *booking is the new booking; NOT_NOW: there
 * is none; FAILED with ENOMEM.
 */
enum torus_answer torus_timetable_place(struct torus_timetable *t,
					const struct torus_query *q,
					uint32_t *booking);
/* Book this window for this long. TORUS_NO_BOOKING with ENOMEM. */
uint32_t torus_timetable_book(struct torus_timetable *t, struct torus_job *job,
			      const struct torus_window *w, int64_t length_us);
/* The last booking takes the number of the one that is cancelled. */
void torus_timetable_cancel(struct torus_timetable *t, uint32_t booking);
void torus_timetable_clear(struct torus_timetable *t);

/* The booking's place, with nodes as of torus_plan_reservation(). */
static inline const struct torus_placement *
torus_timetable_where(const struct torus_timetable *t, uint32_t booking)
{
	return &torus_plan_reservation(t->plan, t->booking[booking].reservation)
			->place;
}

/* Try whether all bookings could begin as planned, with the strategies'
 * memories as they will be then. FITS, NOT_NOW, or FAILED with ENOMEM. */
enum torus_answer torus_timetable_rehearse(struct torus_timetable *t,
					   int64_t now_us);

/* Return true if the machine consists of sub-cubes. */
bool torus_cubes_suit(const struct torus_machine *m);
int torus_cubes_init(struct torus_cubes *c, const struct torus_machine *m);
void torus_cubes_free(struct torus_cubes *c);
/* The window for alternative k of q's job from `from` to `latest`. FITS,
 * NOT_NOW, or FAILED with ENOMEM. */
enum torus_answer torus_cubes_find(struct torus_timetable *t,
				   const struct torus_query *q, uint32_t k,
				   int64_t from_us, int64_t latest_us,
				   struct torus_window *w);
/* A job is given this place: cut or join the pieces. */
void torus_cubes_take(struct torus_cubes *c, const struct torus *t,
		      const struct torus_placement *place);

#endif
