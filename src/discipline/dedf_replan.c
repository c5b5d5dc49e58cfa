/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own variant of dedf: a job without a window may move the bookings of jobs
 * that have not started. All of them are planned anew with the job, earliest
 * deadline first. The new plan is adopted if every job still ends by its
 * deadline. This is the paper's second phase without preemption: it has no
 * overhead and may be tried for each job.
 *
 * Answers come earlier than dedf's: `lead` mean hold times before the latest
 * start. With lead 1, as under dedf, large jobs find the machine taken by jobs
 * that were answered while they waited. A longer wait lets the discipline know
 * more jobs before it answers; replanning has the same effect later, so a large
 * lead, which answers at once, misses as few deadlines or fewer. The lead keeps
 * this a deferred discipline. testsuite/bench/bench_deadline.c measures it; see
 * doc/decisions.md.
 */
#include "discipline/deadline.h"

static const struct torus_option_help options[] = {
	TORUS_DEADLINE_ARRIVALS,
	TORUS_DEADLINE_BEST_EFFORT,
	TORUS_DEADLINE_CHOICE,
	{ "lead", "0.0..1000.0", "1.5",
	  "mean hold times from the answer to the latest start" },
	TORUS_DEADLINE_PHASE2,
	{ NULL, NULL, NULL, NULL },
};

static int64_t lead_us(const struct torus_scheduler_settings *settings)
{
	int64_t lead = torus_options_millionths(&settings->options, "lead",
						1500000);
	double us = (double)settings->mean_hold_us * ((double)lead * 1e-6);

	if (settings->mean_hold_us <= 0)
		return 0;
	return us < 1e18 ? (int64_t)us : INT64_C(1000000000000000000);
}

static void *dedf_replan_create(struct torus_scheduler *s)
{
	const struct torus_deadline_rules rules = {
		.defers = true,
		.replans = true,
		.lead_us = lead_us(&s->settings),
	};

	return torus_deadline_create(s, &rules);
}

const struct torus_discipline torus_discipline_dedf_replan = {
	.name = "dedf-replan",
	.summary = "dedf, where bookings move as long as every promise is kept",
	.source = "own, after Mohapatra, section 3",
	.options = options,
	.defers = true,
	.supports = torus_deadline_supports,
	.why_no_limit =
		"a job with a deadline starts in time or is rejected; the other jobs use the remaining nodes",
	.create = dedf_replan_create,
	TORUS_DEADLINE_FUNCTIONS,
};
