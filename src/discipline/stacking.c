/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacking (Babbar and Krueger, as Mohapatra, section 2.2, tells it): as
 * Buddy/RT, but of the sub-cubes that are free for good by the latest start it
 * takes one with the least levels split or coalesced (cubes.c), of these the
 * earliest, of these the lowest. Jobs of equal size are stacked upon each
 * other so that large pieces stay whole.
 */
#include "discipline/deadline.h"

static const struct torus_option_help options[] = {
	TORUS_DEADLINE_PHASE2,
	{ NULL, NULL, NULL, NULL },
};

static void *stacking_create(struct torus_scheduler *s)
{
	struct torus_deadline_rules rules = {
		.eat = true,
		.choice = TORUS_CHOICE_STACKING,
	};

	torus_deadline_read(&rules, s);
	return torus_deadline_create(s, &rules);
}

const struct torus_discipline torus_discipline_stacking = {
	.name = "stacking",
	.summary =
		"deadlines answered at once: the sub-cube least split or coalesced",
	.source = "Mohapatra, section 2.2",
	.options = options,
	.supports = torus_deadline_supports_cubes,
	.create = stacking_create,
	TORUS_DEADLINE_FUNCTIONS,
};
