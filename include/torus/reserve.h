/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations (torus/plan.h), and the profile of usable nodes over time: the free nodes, and running jobs' nodes from their expected ends on, minus the nodes of reservations while these last (reserve.c). */
#ifndef TORUS_RESERVE_H
#define TORUS_RESERVE_H

#include "torus/plan.h"

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
 */
void torus_plan_prepare(struct torus_plan *p, int64_t now_us);

/*
 * Return the gain stamp: a number that grows whenever nodes become usable at a
 * time at which the plan had them in use: a job ends early, a reservation is
 * cancelled, or the state changes without the plan.
 */
uint64_t torus_plan_gain_stamp(const struct torus_plan *p);

#endif
