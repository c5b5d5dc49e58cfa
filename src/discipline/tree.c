/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of queued jobs (class.h): treaps with a split and a join. A job of larger
 * weight is nearer to the root.
 */
#include "discipline/class.h"

static uint64_t tree_weight(const struct torus_job *job)
{
	return job->sequence * UINT64_C(0x9e3779b97f4a7c15);
}

static void least_of_job(struct torus_branch *b, const struct torus_job *job,
			 int which)
{
	b->submit_us = job->submit_us;
	b->due_us = job->due_us;
	if (which == TORUS_TREE_LANE) {
		b->limit_us = job->limit_us;
		b->nodes = job->nodes;
		b->most = torus_rank_nodes(job);
		b->priority = job->priority;
		b->rank = torus_job_index(job)->rank;
		b->turn = job->turn;
		b->sequence = job->sequence;
		b->cube = torus_job_index(job)->cube;
		return;
	}
	b->standing = torus_job_index(job)->standing;
	if (isinf(b->standing.priority)) /* it has crossed the bound on waits */
		b->due_us = INT64_MAX;
}

/* Lower a value to another, or leave it. Return true if it was lowered. */
static bool lower_time(int64_t *value, int64_t other)
{
	bool less = other < *value;

	*value = less ? other : *value;
	return less;
}

/* Lower b's values to c's, raise `most` and `priority`. Return false if b had them. */
static bool take_least(struct torus_branch *b, const struct torus_branch *c,
		       int which)
{
	bool less = lower_time(&b->submit_us, c->submit_us);

	less |= lower_time(&b->due_us, c->due_us);
	if (which == TORUS_TREE_QUEUE) {
		if (!torus_stands_before(&c->standing, &b->standing))
			return less;
		b->standing = c->standing;
		return true;
	}
	less |= lower_time(&b->limit_us, c->limit_us);
	less |= lower_time(&b->rank, c->rank);
	less |= lower_time(&b->turn, c->turn);
	if (c->nodes < b->nodes) {
		b->nodes = c->nodes;
		less = true;
	}
	if (c->most > b->most) {
		b->most = c->most;
		less = true;
	}
	if (c->priority > b->priority) {
		b->priority = c->priority;
		less = true;
	}
	if (c->cube < b->cube) {
		b->cube = c->cube;
		less = true;
	}
	if (c->sequence < b->sequence) {
		b->sequence = c->sequence;
		less = true;
	}
	return less;
}

void torus_branch_lower(struct torus_branch *b, const struct torus_branch *other)
{
	take_least(b, other, TORUS_TREE_LANE);
}

static bool same_least(const struct torus_branch *b,
		       const struct torus_branch *c, int which)
{
	struct torus_branch x = *b, y = *c;

	return !take_least(&x, c, which) && !take_least(&y, b, which);
}

static void take_child(struct torus_job *job, struct torus_job *child, int which)
{
	if (!child)
		return;
	torus_job_index(child)->branch[which].up = job;
	take_least(&torus_job_index(job)->branch[which],
		   &torus_job_index(child)->branch[which], which);
}

/* Compute a job's least values again after its children changed. */
static void tree_update(struct torus_job *job, int which)
{
	struct torus_branch *b = &torus_job_index(job)->branch[which];

	least_of_job(b, job, which);
	take_child(job, b->left, which);
	take_child(job, b->right, which);
}

/* Split a tree at a position that no job of it has. */
static void tree_split(struct torus_job *root, uint64_t position, int which,
		       struct torus_job **before, struct torus_job **after)
{
	struct torus_branch *b;

	if (!root) {
		*before = *after = NULL;
		return;
	}
	b = &torus_job_index(root)->branch[which];
	if (root->position < position) {
		tree_split(b->right, position, which, &b->right, after);
		*before = root;
	} else {
		tree_split(b->left, position, which, before, &b->left);
		*after = root;
	}
	tree_update(root, which);
}

/* Join two trees; all jobs of the first come before those of the second. */
static struct torus_job *tree_join(struct torus_job *before,
				   struct torus_job *after, int which)
{
	struct torus_job *root;
	struct torus_branch *b;

	if (!before || !after)
		return before ? before : after;
	root = tree_weight(before) > tree_weight(after) ? before : after;
	b = &torus_job_index(root)->branch[which];
	if (root == before)
		b->right = tree_join(b->right, after, which);
	else
		b->left = tree_join(before, b->left, which);
	tree_update(root, which);
	return root;
}

static void tree_add(struct torus_job **root, struct torus_job *job, int which)
{
	struct torus_branch *b = &torus_job_index(job)->branch[which];

	if (*root && tree_weight(*root) > tree_weight(job)) {
		struct torus_branch *up = &torus_job_index((*root))->branch[which],
				    own = { 0 };
		struct torus_job **side = job->position < (*root)->position ?
						  &up->left :
						  &up->right;

		tree_add(side, job, which);
		torus_job_index((*side))->branch[which].up = *root;
		least_of_job(&own, job, which);
		take_least(up, &own, which);
		return;
	}
	tree_split(*root, job->position, which, &b->left, &b->right);
	tree_update(job, which);
	*root = job;
}

void torus_tree_add(struct torus_job **root, struct torus_job *job, int which)
{
	tree_add(root, job, which);
	torus_job_index((*root))->branch[which].up = NULL;
}

void torus_tree_remove(struct torus_job **root, struct torus_job *job, int which)
{
	struct torus_branch *b = &torus_job_index(job)->branch[which], *above,
			    old;
	struct torus_job *below = tree_join(b->left, b->right, which);
	struct torus_job *up = b->up;

	if (below)
		torus_job_index(below)->branch[which].up = up;
	above = up ? &torus_job_index(up)->branch[which] : NULL;
	*(!up                ? root :
	  above->left == job ? &above->left :
			       &above->right) = below;
	for (; up; up = above->up) {
		above = &torus_job_index(up)->branch[which];
		old = *above;
		tree_update(up, which);
		if (same_least(above, &old, which))
			break; /* nor do the values further up change */
	}
	*b = (struct torus_branch){ 0 };
}

static bool tree_check(const struct torus_job *job, const struct torus_job *up,
		       int which, uint64_t from, uint64_t to)
{
	struct torus_branch least = { 0 };
	const struct torus_branch *b;

	if (!job)
		return true;
	b = &torus_job_index(job)->branch[which];
	least_of_job(&least, job, which);
	if (b->left)
		take_least(&least, &torus_job_index(b->left)->branch[which],
			   which);
	if (b->right)
		take_least(&least, &torus_job_index(b->right)->branch[which],
			   which);
	return b->up == up && job->position >= from && job->position <= to &&
	       (!up || tree_weight(job) <= tree_weight(up)) &&
	       same_least(b, &least, which) &&
	       tree_check(b->left, job, which, from, job->position) &&
	       tree_check(b->right, job, which, job->position, to);
}

bool torus_tree_check(const struct torus_job *root, int which)
{
	return tree_check(root, NULL, which, 0, UINT64_MAX);
}
