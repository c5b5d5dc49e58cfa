/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of queued jobs in queue order, linked through the jobs themselves. They
 * are treaps; a job's weight is a hash of its sequence number, so that the same
 * events give the same trees. Each job has the least values of its subtree, by
 * which a search skips whole subtrees.
 *
 * Cost, expected: O(log jobs) to add; O(1) to remove, and O(log jobs) if the job
 * had a least value. No memory but the jobs'.
 */
#ifndef DISCIPLINE_TREE_H
#define DISCIPLINE_TREE_H

#include "discipline/class.h"

/* Return true if `a` comes before `b` in a sorted queue; false if equal. */
static inline bool torus_stands_before(const struct torus_standing *a,
				       const struct torus_standing *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->turn < b->turn;
}

/* Add a job, whose position is set, to a tree, or remove it; `which`:
 * TORUS_TREE_.. */
void torus_tree_add(struct torus_job **root, struct torus_job *job, int which);
void torus_tree_remove(struct torus_job **root, struct torus_job *job,
		       int which);

/* Check order, weights and least values. */
bool torus_tree_check(const struct torus_job *root, int which);

#endif
