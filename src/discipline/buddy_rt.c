/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buddy/RT (Babbar and Krueger, as described by Mohapatra, section 2.2): a job
 * is answered on arrival. It gets the aligned sub-cube of the lowest index whose
 * nodes stay free from its latest start on. (Of jobs that arrive at the same
 * instant, the earliest deadline is first, as in section 3.1.)
 */
#include "discipline/deadline.h"

static const struct torus_option_help options[] = {
	TORUS_DEADLINE_PHASE2,
	{ NULL, NULL, NULL, NULL },
};

static void *buddy_rt_create(struct torus_scheduler *s)
{
	struct torus_deadline_rules rules = {
		.eat = true,
		.choice = TORUS_CHOICE_FIRST_FIT,
	};

	torus_deadline_read(&rules, s);
	return torus_deadline_create(s, &rules);
}

const struct torus_discipline torus_discipline_buddy_rt = {
	.name = "buddy-rt",
	.summary = "deadlines answered at once: the first sub-cube free in time",
	.source = "Mohapatra, section 2.2",
	.options = options,
	.supports = torus_deadline_supports_cubes,
	.create = buddy_rt_create,
	TORUS_DEADLINE_FUNCTIONS,
};
