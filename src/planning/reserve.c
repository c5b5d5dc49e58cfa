/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reservations (torus/plan.h), and the profile of usable nodes over time: the
 * free nodes, and running jobs' nodes from their expected ends on, minus the
 * nodes of reservations while these last.
 *
 * The profile lives from call to call. Reservations, cancellations, and starts
 * and ends through the plan update it. It is built anew after any other change
 * of the state, when an expected end has passed, and when a node was taken
 * twice: O((running + reservations) x spans x words).
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "planning/planning.h"
#include "torus/alloc.h"

/* Add the nodes of a placement to the profile, or remove them. -1 with ENOMEM. */
static int reserve_change(struct torus_plan *p,
			  const struct torus_placement *place, int64_t from_us,
			  int64_t until_us, bool taken)
{
	uint64_t *nodes = torus_scratch_take(&p->scratch);
	int rc;

	plan_paint(p, place, nodes);
	rc = taken ? torus_profile_take(&p->profile, from_us, until_us, nodes,
					&p->tangled) :
		     torus_profile_give(&p->profile, from_us, until_us, nodes);
	torus_scratch_return(&p->scratch, nodes);
	return rc;
}

static int reserve_build(struct torus_plan *p, int64_t now_us)
{
	if (plan_list_ends(p, now_us) ||
	    torus_profile_begin(&p->profile, p->words, now_us,
				torus_state_free_map(p->state)))
		return -1;
	for (uint32_t k = 0; k < p->ends; k++) {
		const struct torus_hold *h = torus_state_hold(p->state,
							      p->end[k].slot);

		if (reserve_change(p, &h->place, p->end[k].end_us,
				   TORUS_NO_TIME, false))
			return -1;
	}
	p->tangled = false;
	for (uint32_t i = 0; i < p->reservations; i++) {
		const struct torus_reservation *r = &p->reservation[i].r;

		if (p->reservation[i].used &&
		    reserve_change(p, &r->place, r->start_us,
				   plan_reserved_until(r), true))
			return -1;
	}
	p->profile_now_us = p->profile_seen_us = now_us;
	p->profile_generation = torus_state_generation(p->state);
	return 0;
}

int plan_profile_renew(struct torus_plan *p, int64_t now_us)
{
	uint32_t parts = torus_state_holds(p->state) + 2 * p->reservations;

	if (plan_profile_current(p) &&
	    (now_us == p->profile_now_us ||
	     !torus_state_overdue(p->state, now_us)) &&
	    p->profile.span[0].from_us <= now_us &&
	    p->profile.spans < 64 + 4 * parts) {
		torus_profile_forward(&p->profile, now_us);
		p->profile_seen_us = now_us;
		return 0;
	}
	p->profile_valid = reserve_build(p, now_us) == 0;
	return p->profile_valid ? 0 : -1;
}

/* (After a failed allocation the next window search fails.) */
bool torus_plan_prepare(struct torus_plan *p, int64_t now_us)
{
	return plan_profile_ready(p, now_us) == 0 && !p->tangled;
}

void plan_profile_moved(struct torus_plan *p, const struct plan_change *c,
			bool taken)
{
	int rc;

	if (!p->profile_valid || p->profile_generation != c->before)
		return;
	p->profile_generation = torus_state_generation(p->state);
	if (taken)
		rc = torus_profile_take(&p->profile, c->now_us, c->end_us,
					c->nodes, &p->tangled);
	else if (p->tangled)
		rc = -1;
	else
		rc = torus_profile_give(&p->profile, c->now_us, c->end_us,
					c->nodes);
	if (rc)
		p->profile_valid = false;
}

uint64_t torus_plan_gain_stamp(const struct torus_plan *p)
{
	return p->profile.stamp;
}

static void reserve_put_back(struct torus_plan *p, uint32_t i)
{
	p->reservation[i].used = false;
	p->reservation[i].next_unused = p->first_unused;
	p->first_unused = i;
}

/* Return an entry of the list of unused ones, or UINT32_MAX with ENOMEM. */
static uint32_t reserve_entry(struct torus_plan *p)
{
	if (p->first_unused == UINT32_MAX) {
		if (TORUS_GROW(p->reservation, p->reservation_room,
			       p->reservations + 1))
			return UINT32_MAX;
		p->reservation[p->reservations] = (struct plan_reservation){ 0 };
		reserve_put_back(p, p->reservations++);
	}
	return p->first_unused;
}

uint32_t torus_plan_reserve(struct torus_plan *p,
			    const struct torus_placement *place, uint64_t job,
			    void *owner, int64_t start_us, int64_t end_us)
{
	uint32_t i = reserve_entry(p);
	struct plan_reservation *e;

	if (i == UINT32_MAX)
		return i;
	e = &p->reservation[i];
	if (torus_placement_keep(p->machine, &e->r.place, place, &e->room))
		return UINT32_MAX;
	p->first_unused = e->next_unused;
	e->r.job = job;
	e->r.owner = owner;
	e->r.start_us = start_us;
	e->r.end_us = end_us;
	e->used = true;
	plan_shadow_reserved(p);
	if (plan_profile_current(p) &&
	    reserve_change(p, &e->r.place, start_us, plan_reserved_until(&e->r),
			   true))
		p->profile_valid = false;
	return i;
}

void torus_plan_cancel(struct torus_plan *p, uint32_t reservation)
{
	struct plan_reservation *e = &p->reservation[reservation];

	reserve_put_back(p, reservation);
	plan_shadow_reserved(p);
	if (!plan_profile_current(p))
		return;
	if (p->tangled || reserve_change(p, &e->r.place, e->r.start_us,
					 plan_reserved_until(&e->r), false))
		p->profile_valid = false;
}

void torus_plan_clear(struct torus_plan *p)
{
	for (uint32_t i = p->reservations; i-- > 0;) {
		if (p->reservation[i].used)
			reserve_put_back(p, i);
	}
	p->profile_valid = false;
	plan_shadow_reserved(p);
}

const struct torus_reservation *
torus_plan_reservation(const struct torus_plan *p, uint32_t reservation)
{
	return &p->reservation[reservation].r;
}

void plan_reservations_free(struct torus_plan *p)
{
	for (uint32_t i = 0; i < p->reservations; i++)
		torus_placement_room_free(&p->reservation[i].room);
	torus_free(p->reservation);
}
