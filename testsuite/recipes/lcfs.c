/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `lcfs`: last come, first served; no job overtakes the head. The discipline of
 * HACKING.md's recipe; recipes.t adds it to a copy of the tree.
 */
#include "discipline/disciplines.h"

static int64_t lcfs_rank(const struct torus_job *job)
{
	return -job->submit_us;
}

const struct torus_discipline torus_discipline_lcfs = {
	.name = "lcfs",
	.summary = "last come, first served: no job overtakes the head",
	.source = "HACKING.md",
	.rank = lcfs_rank,
};
