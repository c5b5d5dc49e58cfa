/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot in which waiting jobs have the nodes and times of the forecast: what a
 * reservation would get in the way of.
 */
#ifndef STORUS_RESERVE_PLAN_H
#define STORUS_RESERVE_PLAN_H

#include "questions/forward.h"

/* Zeroed = none. */
struct reserve_plan {
	struct snapshot with; /* all but its jobs is the snapshot's */
	struct forward forward;
};

/* The snapshot must outlive it. -1 with ENOMEM. */
int reserve_plan_make(struct reserve_plan *plan, const struct snapshot *s);
void reserve_plan_free(struct reserve_plan *plan);

#endif
