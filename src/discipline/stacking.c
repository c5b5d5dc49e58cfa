/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacking (Babbar and Krueger, as described by Mohapatra, section 2.2): like
 * Buddy/RT, but among the sub-cubes that stay free from the latest start on, it
 * takes the one with the least levels split or coalesced (cubes.c), then the
 * earliest, then the lowest. Jobs of equal size follow each other on the same
 * nodes, so that large pieces stay whole.
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
