/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred earliest deadline first (Mohapatra, section 3.1; deadline.c): the
 * answer to a job with a deadline waits until a waiting job has only the mean
 * hold time left before its latest start, or the arrival queue is full. Then all
 * of them get windows, earliest deadline first, or are rejected.
 *
 * The mean hold time is configured: a running mean would contradict the
 * paper's Table 1, where J3 is not answered at its arrival. Without one, the
 * answers come at the latest start.
 */
#include "discipline/deadline.h"

static const struct torus_option_help options[] = {
	TORUS_DEADLINE_ARRIVALS,
	TORUS_DEADLINE_BEST_EFFORT,
	TORUS_DEADLINE_CHOICE,
	{ "eat", "true|false", "false",
	  "use only nodes that stay free, not the gaps between bookings" },
	TORUS_DEADLINE_PHASE2,
	{ NULL, NULL, NULL, NULL },
};

static void *dedf_create(struct torus_scheduler *s)
{
	const struct torus_deadline_rules rules = {
		.defers = true,
		.lead_us = s->settings.mean_hold_us > 0 ?
				   s->settings.mean_hold_us :
				   0,
	};

	return torus_deadline_create(s, &rules);
}

const struct torus_discipline torus_discipline_dedf = {
	.name = "dedf",
	.summary =
		"deferred earliest deadline first: jobs are admitted in batches, in windows",
	.source = "Mohapatra, section 3",
	.options = options,
	.defers = true,
	.supports = torus_deadline_supports,
	.why_no_limit =
		"a job with a deadline starts in time or is rejected; the other jobs use the remaining nodes",
	.create = dedf_create,
	TORUS_DEADLINE_FUNCTIONS,
};
