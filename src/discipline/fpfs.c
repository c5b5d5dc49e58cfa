/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fit processors first served (Aida, Kasahara, Narita 1998, sections 3.3 and
 * 3.5): a pass walks the queue in order, and every job that fits starts. fpmpfs
 * and fplpfs do the same in a queue sorted by nodes. Later jobs overtake a job
 * that does not fit, unless it has waited as long as WaitLimit. So with a limit
 * of 0 this is fcfs.
 *
 * If the occupancy alone decides, one walk is enough: a start leaves fewer nodes
 * for the jobs before it. With strategies that remember, a start may split a
 * partition tree into pieces that fit an earlier job; then the walk is repeated.
 *
 * Cost: finding the next candidate (queue.c, lanes.h), one search for each job
 * that starts, and one for each class that has enough free nodes and may fit
 * since it was last tried.
 */
#include "discipline/disciplines.h"

/* Walk the queue once. Return true if anything started. */
static bool fpfs_walk(struct torus_scheduler *s, int64_t now_us)
{
	struct torus_candidate_filter filter = {
		.due_us = now_us,
		.limit_us = TORUS_NO_TIME,
	};
	struct torus_job *job = s->queue.head, *next;
	bool started = false;

	torus_queue_search(s);
	for (;; job = next) {
		filter.failed = s->freed;
		filter.nodes = torus_state_free_nodes(s->state);
		job = torus_queue_next(s, &filter, job);
		if (!job || torus_scheduler_stops(s, job))
			break;
		next = job->next;
		if (torus_scheduler_try(s, job, now_us)) {
			started = true;
			if (!s->timeless)
				torus_queue_search(s);
		} else if (job->due_us <= now_us) {
			break;
		}
	}
	return started;
}

static int64_t fpfs_pass(void *self, int64_t now_us)
{
	struct torus_scheduler *s = self;

	while (fpfs_walk(s, now_us) && !s->timeless)
		;
	return torus_scheduler_next_alternative(s, now_us);
}

const struct torus_discipline torus_discipline_fpfs = {
	.name = "fpfs",
	.summary =
		"fit processors first served: any job that has a place starts, in order of arrival",
	.source = "Aida, Kasahara, Narita 1998, section 3.3",
	.searches = TORUS_SEARCHES_NODES,
	.limits_waiting = true,
	.pass = fpfs_pass,
};

const struct torus_discipline torus_discipline_fpmpfs = {
	.name = "fpmpfs",
	.summary =
		"fit processors most processors first served: as fpfs, largest first",
	.source = "Aida, Kasahara, Narita 1998, section 3.3",
	.rank = torus_rank_most_nodes,
	.rank_stays = true,
	.searches = TORUS_SEARCHES_NODES,
	.limits_waiting = true,
	.pass = fpfs_pass,
};

const struct torus_discipline torus_discipline_fplpfs = {
	.name = "fplpfs",
	.summary =
		"fit processors least processors first served: as fpfs, smallest first",
	.source = "Aida, Kasahara, Narita 1998, section 3.3",
	.rank = torus_rank_least_nodes,
	.rank_stays = true,
	.searches = TORUS_SEARCHES_NODES,
	.limits_waiting = true,
	.pass = fpfs_pass,
};
