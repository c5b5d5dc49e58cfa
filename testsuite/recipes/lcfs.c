/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `lcfs`: last come, first served; no job overtakes the head. With the option
 * `patience` jobs that have waited longer come first, the longest wait before the
 * others. The discipline of HACKING.md's recipe; recipes.t adds it to a copy of the
 * tree.
 */
#include "discipline/disciplines.h"

static int64_t lcfs_rank(void *self, const struct torus_job *job, int64_t now_us)
{
	const struct torus_scheduler *s = self;
	int64_t patience_us = torus_options_duration(&s->settings.options,
						     "patience", TORUS_NO_TIME);

	return now_us - job->submit_us > patience_us ?
		       job->submit_us :
		       TORUS_NO_TIME - job->submit_us;
}

const struct torus_discipline torus_discipline_lcfs = {
	.name = "lcfs",
	.summary = "last come, first served: no job overtakes the head",
	.source = "HACKING.md",
	.options =
		(const struct torus_option_help[]){
			{ "patience", "none|DURATION", "none",
			  "jobs that have waited longer come first" },
			{ 0 },
		},
	.rank = lcfs_rank,
};
