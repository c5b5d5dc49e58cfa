/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Planning: who releases what when, when a request can start, and regions
 * reserved in time.
 *
 * A plan looks at a state and leaves it as it found it (it releases and
 * commits with undo, or works on occupancy bitmaps where the strategies are
 * occupancy_only). Expected ends that have passed count as "any moment now":
 * the instant after `now`. So does the end of a job of length 0.
 *
 * Shadow time: the first expected end after which the strategy finds the
 * request a place, nothing else starting (EASY, DESIGN.md; Mao, Chen, Watson
 * 2005, section 2.2, in its topological reading). Where strategies go by the
 * occupancy alone, availability only grows with releases, and it is found by
 * bisection: O(running) region paints plus O(log ends) searches. What was worked out is kept until the state changes;
 * starts and ends through the plan bring it up to date instead.
 *
 * Outages of an ask (torus/outage.h): no place is found that it would hold
 * while its nodes are out. It is taken to last from ask.now_us to ask.end_us,
 * in a window as long as the window. A shadow time is the earliest window
 * then, and may be the end of an outage.
 */
#ifndef TORUS_PLAN_H
#define TORUS_PLAN_H

#include "torus/request.h"
#include "torus/state.h"

#define TORUS_NO_TIME INT64_MAX

struct torus_plan;

/* An expected end; one that has passed is the instant after now. */
static inline int64_t torus_end_after(int64_t end_us, int64_t now_us)
{
	return end_us > now_us ? end_us : now_us + 1;
}

/* t + us for us >= 0; TORUS_NO_TIME where that lies beyond all times. */
static inline int64_t torus_time_after(int64_t at_us, int64_t us)
{
	return at_us > TORUS_NO_TIME - us ? TORUS_NO_TIME : at_us + us;
}

/* The state must outlive the plan. NULL with ENOMEM. */
struct torus_plan *torus_plan_create(struct torus_state *s);
void torus_plan_destroy(struct torus_plan *p);

/* Strategy calls so far. */
uint64_t torus_plan_searches(const struct torus_plan *p);

/*
 * torus_state_find(), counted. With fewer free nodes than the ask
 * wants it is NOT_NOW without a search. The place's nodes are the plan's own
 * and stay until the next torus_plan_find() or torus_plan_window().
 */
enum torus_answer torus_plan_find(struct torus_plan *p,
				  const struct torus_ask *ask,
				  struct torus_placement *out,
				  struct torus_error *why);

/* torus_state_commit() and torus_state_release(); what was worked out is
 * brought up to date where that is cheaper than working it out again. */
uint32_t torus_plan_commit(struct torus_plan *p,
			   const struct torus_placement *place, uint64_t job,
			   void *owner, int64_t now_us, int64_t end_us);
void torus_plan_release(struct torus_plan *p, uint32_t slot, int64_t now_us);

/*
 * When could `ask` start if no job were started any more? *when is `now` if
 * it fits at once; TORUS_NO_TIME with NOT_NOW means: not even after every
 * known end (nodes out of service, unknown ends). TORUS_FAILED with ENOMEM.
 * *out (may be NULL): the place it would get then; its nodes are the plan's
 * own and stay until the next shadow time or commit. Reservations are not
 * looked at, but for an ask with outages.
 */
enum torus_answer torus_plan_shadow(struct torus_plan *p,
				    const struct torus_ask *ask, int64_t now_us,
				    int64_t *when_us,
				    struct torus_placement *out,
				    struct torus_error *why);

/*
 * Nodes usable at the latest shadow time beyond those its ask wants: a job
 * that holds more of them then delays it for certain. UINT32_MAX: not known.
 */
uint32_t torus_plan_spare(const struct torus_plan *p);

/*
 * Return true if a start in `place` now until end_us makes the shadow time of
 * `head` later. It is shadow_us now, by the call before on the same state. True
 * also if memory is short.
 */
bool torus_plan_delays(struct torus_plan *p, const struct torus_ask *head,
		       int64_t now_us, int64_t shadow_us,
		       const struct torus_placement *place, int64_t end_us);

/* Reservations: regions in time, kept in the plan. */
struct torus_reservation {
	uint64_t job;
	void *owner;
	int64_t start_us, end_us;
	struct torus_placement place; /* nodes: the plan's own copy */
};

/* Index, or UINT32_MAX with ENOMEM. Indices stay valid until cancelled. A
 * cancelled one stays readable until the next torus_plan_reserve(). */
uint32_t torus_plan_reserve(struct torus_plan *p,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us);
void torus_plan_cancel(struct torus_plan *p, uint32_t reservation);
void torus_plan_clear(struct torus_plan *p);
const struct torus_reservation *
torus_plan_reservation(const struct torus_plan *p, uint32_t reservation);

/*
 * Cached answers to one question (a torus_ask) for windows in one plan: no
 * window of this length or longer begins before that time, as of that
 * torus_plan_gain_stamp(). The next call for the same question uses them, and
 * searches only what may have changed since.
 *
 * Zeroed = empty. The caller zeroes it when the question's allowed nodes change;
 * changes of the plan and its state are taken care of.
 */
#define TORUS_WINDOW_FACTS 32

struct torus_window_fact {
	int64_t length_us, until_us;
	uint64_t stamp;
};

struct torus_window_cache {
	uint32_t facts; /* shortest first */
	struct torus_window_fact fact[TORUS_WINDOW_FACTS];
};

/* Which windows are asked for. */
struct torus_window_bounds {
	int64_t now_us;
	int64_t from_us, latest_us; /* of the start, both inclusive */
	int64_t length_us;
	/* A torus_plan_gain_stamp() at which the same question had no answer
	 * within these bounds: only nodes gained since are searched. 0: none. */
	uint64_t since;
};

/*
 * The earliest start within the bounds at which the request has a region for
 * length_us that no running job holds then (by its expected end) and no
 * reservation overlaps in time. NOT_NOW: none is known. FAILED with ENOMEM.
 * The place's nodes are as of torus_plan_find(). cache: read and added to; or
 * NULL.
 */
enum torus_answer
torus_plan_window(struct torus_plan *p, const struct torus_ask *ask,
		  const struct torus_window_bounds *bounds,
		  struct torus_window_cache *cache, int64_t *when_us,
		  struct torus_placement *out, struct torus_error *why);

/*
 * A number that grows when nodes come to be usable at some time at which they
 * were not thought to be: when a job ends early, a reservation is cancelled,
 * or the state was changed otherwise than through the plan.
 */
uint64_t torus_plan_gain_stamp(const struct torus_plan *p);

/* Self check, between two calls. */
bool torus_plan_check(const struct torus_plan *p);

/*
 * Can a reservation come earlier? As torus_plan_window() for as long as it
 * lasts, with its own nodes counting as free: a start before its own, from
 * now_us to latest_us (from_us and length_us are not read). It stays as it is.
 * `since` is also valid from when the job was without a reservation and
 * torus_plan_window() had no such answer.
 */
enum torus_answer torus_plan_earlier(struct torus_plan *p, uint32_t reservation,
				     const struct torus_ask *ask,
				     const struct torus_window_bounds *bounds,
				     struct torus_window_cache *cache,
				     int64_t *when_us,
				     struct torus_placement *out);

#endif
