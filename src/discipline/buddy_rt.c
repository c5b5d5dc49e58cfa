/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedulers of Babbar and Krueger, as described by Mohapatra, section 2.2: a
 * job is answered on arrival. It gets an aligned sub-cube whose nodes stay free
 * from the latest start on: Buddy/RT the one of the lowest index; Stacking the one
 * with the least levels split or coalesced (cubes.c), then the earliest, then the
 * lowest. So with Stacking jobs of equal size follow each other on the same nodes,
 * and large pieces stay whole. (Of jobs that arrive at the same instant, the
 * earliest deadline is first, as in section 3.1.)
 */
#include "discipline/deadline.h"

static void *buddy_rt_create(struct torus_scheduler *s)
{
	static const struct torus_deadline_rules rules = {
		.eat = true,
		.choice = TORUS_CHOICE_FIRST_FIT,
	};

	return torus_deadline_create(s, &rules);
}

static void *stacking_create(struct torus_scheduler *s)
{
	static const struct torus_deadline_rules rules = {
		.eat = true,
		.choice = TORUS_CHOICE_STACKING,
	};

	return torus_deadline_create(s, &rules);
}

const struct torus_discipline torus_discipline_buddy_rt = {
	.name = "buddy-rt",
	.summary = "deadlines answered at once: the first sub-cube free in time",
	.source = "Mohapatra, section 2.2",
	.options = torus_deadline_phase2,
	.supports = torus_deadline_supports_cubes,
	.why_no_limit =
		"a job with a deadline starts in time or is rejected; the other jobs use the remaining nodes",
	.create = buddy_rt_create,
	TORUS_DEADLINE_FUNCTIONS,
};

const struct torus_discipline torus_discipline_stacking = {
	.name = "stacking",
	.summary =
		"deadlines answered at once: the sub-cube least split or coalesced",
	.source = "Mohapatra, section 2.2",
	.options = torus_deadline_phase2,
	.supports = torus_deadline_supports_cubes,
	.why_no_limit =
		"a job with a deadline starts in time or is rejected; the other jobs use the remaining nodes",
	.create = stacking_create,
	TORUS_DEADLINE_FUNCTIONS,
};
