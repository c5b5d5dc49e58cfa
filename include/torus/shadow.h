/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shadow times (torus/plan.h): the first known end after which the strategy finds a place for the request, and whether a job that starts now delays it (shadow.c). */
#ifndef TORUS_SHADOW_H
#define TORUS_SHADOW_H

#include "torus/plan.h"

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

#endif
