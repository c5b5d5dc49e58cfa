/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue sorting (Aida, Kasahara, Narita 1998, sections 3.2 and 3.5): the queue
 * is sorted by size or length, the head starts when it fits, and no job
 * overtakes it. mpfs puts most nodes first, lpfs least nodes, sjf the shortest
 * time limit, lpt the longest, mlf the least laxity (Mohapatra, section 2.1): the
 * laxity is the time that is left until the latest start, deadline - time limit. It
 * shrinks alike for all jobs, so the latest start sorts them. Jobs without a deadline
 * come last. New jobs do not pass a job that has waited as long as WaitLimit.
 *
 * The node count of a ladder is that of its first alternative, which its user
 * prefers.
 *
 * Cost: a pass as fcfs; a submission as queue.c.
 */
#include "discipline/disciplines.h"

int64_t torus_rank_least_nodes(void *self, const struct torus_job *job,
			       int64_t now_us)
{
	(void)self;
	(void)now_us;
	return torus_rank_nodes(job);
}

int64_t torus_rank_most_nodes(void *self, const struct torus_job *job,
			      int64_t now_us)
{
	return -torus_rank_least_nodes(self, job, now_us);
}

static int64_t sorted_shortest(void *self, const struct torus_job *job,
			       int64_t now_us)
{
	(void)self;
	(void)now_us;
	return job->limit_us;
}

static int64_t sorted_longest(void *self, const struct torus_job *job,
			      int64_t now_us)
{
	(void)self;
	(void)now_us;
	return -job->limit_us;
}

static int64_t sorted_least_laxity(void *self, const struct torus_job *job,
				   int64_t now_us)
{
	(void)self;
	(void)now_us;
	return job->deadline_us == TORUS_NO_TIME ?
		       TORUS_NO_TIME :
		       job->deadline_us - job->limit_us;
}

const struct torus_discipline torus_discipline_mpfs = {
	.name = "mpfs",
	.summary =
		"most processors first served: sorted by nodes, largest first; no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.2",
	.rank = torus_rank_most_nodes,
	.rank_stays = true,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_lpfs = {
	.name = "lpfs",
	.summary =
		"least processors first served: sorted by nodes, smallest first; no job overtakes the head",
	.source = "Aida, Kasahara, Narita 1998, section 3.2",
	.rank = torus_rank_least_nodes,
	.rank_stays = true,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_sjf = {
	.name = "sjf",
	.summary =
		"shortest job first: sorted by time limit; no job overtakes the head",
	.source = "Mao, Chen, Watson 2005, section 1",
	.rank = sorted_shortest,
	.rank_stays = true,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_lpt = {
	.name = "lpt",
	.summary =
		"longest processing time first: sorted by time limit; no job overtakes the head",
	.source = "Mao, Chen, Watson 2005, section 1",
	.rank = sorted_longest,
	.rank_stays = true,
	.limits_waiting = true,
};

const struct torus_discipline torus_discipline_mlf = {
	.name = "mlf",
	.summary =
		"minimum laxity first: sorted by the latest start in time; no job overtakes the head",
	.source = "Mohapatra, section 2.1",
	.rank = sorted_least_laxity,
	.rank_stays = true,
	.limits_waiting = true,
};
