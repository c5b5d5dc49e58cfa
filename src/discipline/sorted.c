/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue sorting (Aida, Kasahara, Narita 1998, sections 3.2 and 3.5): the queue
 * is in the order of what the jobs ask for, the head starts when it has a
 * place, and no job overtakes it. mpfs puts most nodes first, lpfs least nodes,
 * sjf the shortest time limit, lpt the longest. A job that has waited as long
 * as WaitLimit is no longer passed by new ones.
 *
 * Nodes are those of the first alternative: a ladder is sorted as what its user
 * would like best.
 *
 * Cost: a pass as fcfs; a submission as queue.c.
 */
#include "discipline/disciplines.h"

int64_t torus_rank_least_nodes(const struct torus_job *job)
{
	return (int64_t)torus_ask_nodes(&job->request.alternative[0].ask);
}

int64_t torus_rank_most_nodes(const struct torus_job *job)
{
	return -torus_rank_least_nodes(job);
}

static int64_t sorted_shortest(const struct torus_job *job)
{
	return job->limit_us;
}

static int64_t sorted_longest(const struct torus_job *job)
{
	return -job->limit_us;
}

const struct torus_discipline torus_discipline_mpfs = {
	.name = "mpfs",
	.summary =
		"most processors first served: sorted by nodes, largest first; no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.2",
	.rank = torus_rank_most_nodes,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_lpfs = {
	.name = "lpfs",
	.summary =
		"least processors first served: sorted by nodes, smallest first; no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.2",
	.rank = torus_rank_least_nodes,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_sjf = {
	.name = "sjf",
	.summary =
		"shortest job first: sorted by time limit; no job overtakes the head",
	.source = "own (queue sorting by time)",
	.rank = sorted_shortest,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_lpt = {
	.name = "lpt",
	.summary =
		"longest processing time first: sorted by time limit; no job overtakes the head",
	.source = "own (queue sorting by time)",
	.rank = sorted_longest,
	.limits_waiting = true,
};
