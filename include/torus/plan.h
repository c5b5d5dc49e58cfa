/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Planning: future releases, the earliest start of a request, and regions
 * reserved in time. A plan reads a state and leaves it unchanged. An expected end
 * that has passed, and the end of a job of length 0, count as the instant after
 * `now`.
 *
 * Shadow time: the first expected end after which the strategy finds a place for
 * the request if no other job starts (EASY; Mao, Chen, Watson 2005, section 2.2,
 * with places instead of node counts). src/planning/shadow.c has the cost.
 *
 * Outages of an ask (torus/ask.h): a search finds no place that the job would
 * hold while its nodes are out. The job lasts from ask.now_us to ask.end_us; in
 * a window, as long as the window. Its shadow time is then its earliest window,
 * and may be the end of an outage.
 */
#ifndef TORUS_PLAN_H
#define TORUS_PLAN_H

#include "torus/request.h"
#include "torus/state.h"

struct torus_plan;

/* The state must outlive the plan. NULL with ENOMEM. */
struct torus_plan *torus_plan_create(struct torus_state *s);
void torus_plan_destroy(struct torus_plan *p);

/* Return the number of strategy calls so far, and in *windows (or NULL) that of windows
 * examined. */
uint64_t torus_plan_searches(const struct torus_plan *p, uint64_t *windows);

/*
 * As torus_state_find(), but counted, and NOT_NOW without a search if too few
 * nodes are free. The plan owns the place's nodes; they are valid until the next
 * torus_plan_find() or torus_plan_window().
 */
enum torus_answer torus_plan_find(struct torus_plan *p,
				  const struct torus_ask *ask,
				  struct torus_placement *out);

/* As torus_state_commit() and torus_state_release(); they update what the plan has
 * cached of the state. */
uint32_t torus_plan_commit(struct torus_plan *p,
			   const struct torus_placement *place, uint64_t job,
			   void *owner, int64_t now_us, int64_t end_us);
void torus_plan_release(struct torus_plan *p, uint32_t slot, int64_t now_us);

/* Reservations: regions in time, kept in the plan. */
struct torus_reservation {
	uint64_t job;
	void *owner;
	int64_t start_us, end_us;
	struct torus_placement place; /* nodes: the plan's own copy */
};

/*
 * Cached facts about the windows of one ask in one plan. A fact: at the gain
 * stamp `stamp` (torus_plan_gain_stamp()), no window of `length_us` or longer
 * began before `until_us`. The next search for the same ask examines only nodes
 * gained since.
 *
 * Zeroed = empty. The caller zeroes it when the allowed nodes of the ask change;
 * changes of the plan and its state need no action.
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

/* Bounds of a window. */
struct torus_window_bounds {
	int64_t now_us;
	int64_t from_us, latest_us; /* of the start, both inclusive */
	int64_t length_us;
	/* A gain stamp at which the same ask had no window within these
	 * bounds: the search examines only nodes gained since. 0: none. */
	uint64_t since;
};

/*
 * Find the earliest start within the bounds at which the ask has a region for
 * length_us that overlaps no running job (by its expected end) and no
 * reservation. NOT_NOW: there is none. FAILED with ENOMEM. The place's nodes are
 * valid as those of torus_plan_find(). cache: read and extended; may be NULL. If
 * the ask's limit ends the search, the answer is NOT_NOW with limit->cut, which
 * means unknown; the cache keeps the facts found until then.
 */
enum torus_answer torus_plan_window(struct torus_plan *p,
				    const struct torus_ask *ask,
				    const struct torus_window_bounds *bounds,
				    struct torus_window_cache *cache,
				    int64_t *when_us,
				    struct torus_placement *out);

/* Check the invariants. Valid between two calls. */
bool torus_plan_check(const struct torus_plan *p);

/*
 * Find an earlier window for a reservation, which stays as it is. As
 * torus_plan_window() for the reservation's length, with its own nodes free: a
 * start before its own, from now_us to latest_us (from_us and length_us are not
 * read). `since` may also be from a torus_plan_window() without an answer, before
 * the job had a reservation.
 */
enum torus_answer torus_plan_earlier(struct torus_plan *p, uint32_t reservation,
				     const struct torus_ask *ask,
				     const struct torus_window_bounds *bounds,
				     struct torus_window_cache *cache,
				     int64_t *when_us,
				     struct torus_placement *out);

/* shadow.c: shadow times (torus/plan.h). */

/*
 * Find the shadow time of `ask`. *when_us is now_us if it fits at once. NOT_NOW
 * with TORUS_NO_TIME: it does not fit even after every known end (nodes out of
 * service, unknown ends). TORUS_FAILED with ENOMEM. *out (may be NULL): the place
 * at that time; the plan owns its nodes, which are valid until the next shadow
 * time or commit. Reservations count only for an ask with outages.
 */
enum torus_answer torus_plan_shadow(struct torus_plan *p,
				    const struct torus_ask *ask, int64_t now_us,
				    int64_t *when_us,
				    struct torus_placement *out);

/* As torus_plan_shadow(), but *now (may be NULL) gets the place only if the shadow
 * time is now. Cheaper where only the place depends on a strategy's memory. */
enum torus_answer torus_plan_shadow_time(struct torus_plan *p,
					 const struct torus_ask *ask,
					 int64_t now_us, int64_t *when_us,
					 struct torus_placement *now);

/*
 * Return the number of usable nodes at the latest shadow time beyond those of its
 * ask: a job that still holds more of them delays it. UINT32_MAX: unknown.
 */
uint32_t torus_plan_spare(const struct torus_plan *p);

/*
 * Return true if a start in `place` from now_us to end_us makes the shadow time
 * of `head` later than shadow_us, the result of the last torus_plan_shadow() on
 * this state. True also if an allocation fails.
 */
bool torus_plan_delays(struct torus_plan *p, const struct torus_ask *head,
		       int64_t now_us, int64_t shadow_us,
		       const struct torus_placement *place, int64_t end_us);

/*
 * Return true if the last torus_plan_shadow() shows that `ask` has no place in
 * the present state. False: unknown. No search.
 */
bool torus_plan_waits(struct torus_plan *p, const struct torus_ask *ask,
		      int64_t now_us);

/* reserve.c: reservations (torus/plan.h), and the profile of usable nodes over time. */

/* Return an index, or UINT32_MAX with ENOMEM. An index is valid until the
 * reservation is cancelled, and readable until the next torus_plan_reserve(). */
uint32_t torus_plan_reserve(struct torus_plan *p,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us);
void torus_plan_cancel(struct torus_plan *p, uint32_t reservation);
void torus_plan_clear(struct torus_plan *p);
const struct torus_reservation *
torus_plan_reservation(const struct torus_plan *p, uint32_t reservation);

/*
 * Update the profile for now_us, as the next search for a window does. A caller
 * that may skip that search calls this, so that the plan is the same either way.
 * Return true if no reserved node is in use then, by a running job or another
 * reservation; false also without memory.
 */
bool torus_plan_prepare(struct torus_plan *p, int64_t now_us);

/*
 * Return the gain stamp: a number that grows whenever nodes become usable at a
 * time at which the plan had them in use: a job ends early, a reservation is
 * cancelled, or the state changes without the plan.
 */
uint64_t torus_plan_gain_stamp(const struct torus_plan *p);

#endif
