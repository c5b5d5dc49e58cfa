/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queued jobs in another order than the queue's (picks.h). */
#include "discipline/disciplines.h"
#include "torus/alloc.h"

int torus_picks_reserve(struct torus_picks *p, uint32_t jobs)
{
	return TORUS_GROW(p->heap, p->room, jobs);
}

void torus_picks_free(struct torus_picks *p)
{
	torus_free(p->heap);
}

double torus_rank_cube(const struct torus_job *job)
{
	double limit = (double)(job->limit_us > 0 ? job->limit_us : 1);

	return limit * limit * limit / (double)torus_rank_nodes(job);
}

struct torus_standing torus_picks_standing(const struct torus_scheduler *s,
					   struct torus_standing own,
					   int64_t due_us, int64_t now_us)
{
	if ((s->ages || s->bound_us != TORUS_NO_TIME) && due_us <= now_us)
		return (struct torus_standing){ .priority = TORUS_PRIORITY_FIRST,
						.turn = own.turn };
	if (!s->settings.order_by_priority)
		own.priority = 0;
	return own;
}

static bool picks_before(const struct torus_pick *a, const struct torus_pick *b)
{
	if (a->again != b->again)
		return b->again;
	if (torus_stands_before(&a->standing, &b->standing))
		return true;
	return !torus_stands_before(&b->standing, &a->standing) &&
	       a->sequence < b->sequence;
}

/* Move the entry at i down to where those below it come after it. */
static void picks_sink(struct torus_picks *p, uint32_t i)
{
	struct torus_pick moved = p->heap[i];

	for (uint32_t below; (below = 2 * i + 1) < p->count; i = below) {
		below += below + 1 < p->count &&
			 picks_before(&p->heap[below + 1], &p->heap[below]);
		if (!picks_before(&p->heap[below], &moved))
			break;
		p->heap[i] = p->heap[below];
	}
	p->heap[i] = moved;
}

/* Enter a job or a tree. False: no room. */
static bool picks_enter(struct torus_picks *p, const struct torus_pick *pick)
{
	uint32_t i = p->count, up;

	if (i == p->room)
		return false;
	p->count++;
	for (; i > 0 && picks_before(pick, &p->heap[(up = (i - 1) / 2)]); i = up)
		p->heap[i] = p->heap[up];
	p->heap[i] = *pick;
	return true;
}

/* Return true if jobs with these least values may pass the filter. */
static bool picks_pass(const struct torus_candidate_filter *f, bool refused,
		       int64_t limit_us, uint32_t nodes)
{
	return nodes <= f->nodes &&
	       (limit_us <= f->limit_us || (!refused && nodes <= f->spare));
}

static bool picks_enter_job(struct torus_scheduler *s, struct torus_job *job,
			    bool refused)
{
	struct torus_picks *p = &s->picks;
	const struct torus_candidate_filter *f = &p->filter;
	struct torus_pick pick = { .job = job, .sequence = job->sequence };
	struct torus_standing own = { job->priority, torus_job_index(job)->rank,
				      job->turn };

	if (!picks_pass(f, refused, job->limit_us, job->nodes) ||
	    job->tried == f->failed || (f->refused && job->tried == f->refused))
		return true;
	if (p->rank)
		own.rank = p->rank(s->self, job, p->now_us);
	pick.again = p->walk && job->walk == p->walk;
	pick.standing = torus_picks_standing(s, own, job->due_us, p->now_us);
	return picks_enter(p, &pick);
}

/* Enter the jobs of `tree` between the positions of `part`, which it is a part of. */
static bool picks_enter_tree(struct torus_scheduler *s, struct torus_job *tree,
			     const struct torus_pick *part)
{
	struct torus_picks *p = &s->picks;
	const struct torus_branch *b;
	struct torus_pick pick = *part;
	struct torus_standing first;

	for (; tree; tree = tree->position < part->from ? b->right : b->left) {
		b = &torus_job_index(tree)->branch[TORUS_TREE_LANE];
		if (tree->position >= part->from && tree->position <= part->to)
			break;
	}
	if (!tree ||
	    !picks_pass(&p->filter, part->refused, b->limit_us, b->nodes))
		return true;
	first = (struct torus_standing){ b->priority, b->rank, b->turn };
	if (p->rank)
		first.rank = p->rank_least(s->self,
					   &(struct torus_rank_range){
						   .share = part->share,
						   .submit_us = b->submit_us,
						   .limit_us = b->limit_us,
						   .nodes = b->nodes,
						   .most_nodes = b->most,
						   .cube = b->cube,
					   },
					   p->now_us);
	pick.tree = true;
	pick.job = tree;
	pick.sequence = b->sequence;
	pick.standing = torus_picks_standing(s, first, b->due_us, p->now_us);
	return picks_enter(p, &pick);
}

/* Enter a lane from a position on, unless its class has no place. */
static bool picks_enter_lane(struct torus_scheduler *s,
			     const struct torus_lane *lane, uint64_t position)
{
	const struct torus_candidate_filter *f = &s->picks.filter;
	const struct torus_class *c = lane->class;
	struct torus_pick all = { .from = position, .to = UINT64_MAX };

	if (c && c->failed == f->failed)
		return true;
	all.share = c ? c->share : 0;
	all.refused = c && f->refused && c->refused == f->refused;
	return picks_enter_tree(s, lane->root, &all);
}

bool torus_picks_begin(struct torus_scheduler *s, const struct torus_job *from)
{
	struct torus_picks *p = &s->picks;
	bool room = true;

	p->open = true;
	p->count = 0;
	if (from && s->indexed) {
		for (uint32_t i = 0; i < s->lanes.count; i++)
			room &= picks_enter_lane(s, s->lanes.lane[i],
						 from->position);
		return room;
	}
	for (; from; from = from->next)
		room &= !torus_job_is_candidate(&p->filter, from) ||
			picks_enter_job(s, (struct torus_job *)(uintptr_t)from,
					false);
	return room;
}

/* Enter the root of a tree and both branches. */
static void picks_open_tree(struct torus_scheduler *s,
			    const struct torus_pick *tree)
{
	const struct torus_branch *b =
		&torus_job_index(tree->job)->branch[TORUS_TREE_LANE];
	struct torus_pick part = *tree;

	picks_enter_job(s, tree->job, tree->refused);
	part.to = tree->job->position - 1;
	picks_enter_tree(s, b->left, &part);
	part.from = tree->job->position + 1;
	part.to = tree->to;
	picks_enter_tree(s, b->right, &part);
}

struct torus_job *torus_picks_next(struct torus_scheduler *s,
				   const struct torus_candidate_filter *filter)
{
	struct torus_picks *p = &s->picks;

	while (p->count) {
		struct torus_pick first = p->heap[0];
		const struct torus_branch *b =
			&torus_job_index(first.job)->branch[TORUS_TREE_LANE];

		p->heap[0] = p->heap[--p->count];
		picks_sink(p, 0);
		if (!first.tree) {
			if (!filter || torus_job_is_candidate(filter, first.job))
				return first.job;
		} else if (!filter || picks_pass(filter, first.refused,
						 b->limit_us, b->nodes)) {
			picks_open_tree(s, &first);
		}
	}
	return NULL;
}
