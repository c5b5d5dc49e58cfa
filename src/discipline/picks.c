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

	if (i + p->parked == p->room)
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

/* Return true if the job passes by the filter's `covered`. */
static bool picks_wanted(const struct torus_candidate_filter *f,
			 const struct torus_job *job)
{
	const struct torus_class *c = torus_job_index(job)->class[0];

	return f->covered && (job->request.alternatives > 1 || !c ||
			      c->refusals->covered != f->covered);
}

static bool picks_enter_job(struct torus_scheduler *s, struct torus_job *job,
			    bool refused)
{
	struct torus_picks *p = &s->picks;
	const struct torus_candidate_filter *f = &p->filter;
	struct torus_pick pick = { .job = job, .sequence = job->sequence };
	struct torus_standing own = { job->priority, torus_job_index(job)->rank,
				      job->turn };

	if (!picks_wanted(f, job) &&
	    (!picks_pass(f, refused, job->limit_us, job->nodes) ||
	     job->tried == f->failed ||
	     (f->refused && job->tried == f->refused)))
		return true;
	if (p->rank)
		own.rank = p->rank(s->self, job, p->now_us);
	pick.again = p->walk && job->walk == p->walk;
	pick.standing = torus_picks_standing(s, own, job->due_us, p->now_us);
	return picks_enter(p, &pick);
}

/* Enter jobs, `pick`, with these least values, unless none of them passes the filter. */
static bool picks_enter_least(struct torus_scheduler *s, struct torus_pick *pick,
			      const struct torus_branch *b)
{
	struct torus_picks *p = &s->picks;
	struct torus_standing first = { b->priority, b->rank, b->turn };

	if (!picks_pass(&p->filter, pick->refused, b->limit_us, b->nodes) &&
	    !(pick->job ? picks_wanted(&p->filter, pick->job) :
			  p->filter.covered != 0))
		return true;
	if (p->rank)
		first.rank = p->rank_least(s->self,
					   &(struct torus_rank_range){
						   .share = pick->share,
						   .submit_us = b->submit_us,
						   .limit_us = b->limit_us,
						   .nodes = b->nodes,
						   .most_nodes = b->most,
						   .cube = b->cube,
					   },
					   p->now_us);
	pick->tree = true;
	pick->sequence = b->sequence;
	pick->standing = torus_picks_standing(s, first, b->due_us, p->now_us);
	return picks_enter(p, pick);
}

/* Enter the jobs of `tree` between the positions of `part`, which it is a part of. */
static bool picks_enter_tree(struct torus_scheduler *s, struct torus_job *tree,
			     const struct torus_pick *part)
{
	const struct torus_branch *b;
	struct torus_pick pick = *part;

	for (; tree; tree = tree->position < part->from ? b->right : b->left) {
		b = &torus_job_index(tree)->branch[TORUS_TREE_LANE];
		if (tree->position >= part->from && tree->position <= part->to)
			break;
	}
	pick.job = tree;
	return !tree || picks_enter_least(s, &pick, b);
}

/* Enter a lane from a position on, unless its class has no place. */
static bool picks_enter_lane(struct torus_scheduler *s,
			     const struct torus_lane *lane, uint64_t position)
{
	const struct torus_candidate_filter *f = &s->picks.filter;
	const struct torus_class *c = lane->class;
	struct torus_pick all = { .from = position, .to = UINT64_MAX };

	if (c && c->refusals->failed == f->failed &&
	    !picks_wanted(f, lane->root))
		return true;
	all.class = c;
	all.share = c ? c->share : 0;
	all.refused = c && f->refused && c->refusals->refused == f->refused;
	return picks_enter_tree(s, lane->root, &all);
}

/* Enter the lanes of a share. */
static bool picks_open_share(struct torus_scheduler *s, uint32_t number,
			     uint64_t position)
{
	struct torus_lane_share *share = &s->lanes.share[number];
	bool room = true;

	if (share->first)
		share->least = share->first->least;
	for (struct torus_lane *lane = share->first; lane; lane = lane->after) {
		torus_branch_lower(&share->least, &lane->least);
		room &= picks_enter_lane(s, lane, position);
	}
	return room;
}

/* Begin where usage counts: with the shares if all jobs may pass, else with the lanes of
 * the asks that may have a candidate. */
static bool picks_begin_shares(struct torus_scheduler *s, uint64_t from)
{
	const struct torus_candidate_filter *f = &s->picks.filter;
	bool all = f->nodes == UINT32_MAX || f->covered, room = true;
	struct torus_lanes *l = &s->lanes;

	if (all)
		room = picks_open_share(s, 0, from);
	else if (l->classless.root)
		room = picks_enter_lane(s, &l->classless, from);
	for (uint32_t i = 1; all && i < l->shares; i++) {
		struct torus_pick share = { .share = i, .from = from };

		if (l->share[i].first)
			room &= picks_enter_least(s, &share, &l->share[i].least);
	}
	for (uint32_t i = 0; !all && i < l->asks; i++) {
		const struct torus_ask_facts *ask = l->ask[i];
		uint32_t nodes = ask->lane[0].lane->least.nodes;
		bool refused = f->refused && ask->refusals.refused == f->refused;

		if (nodes > f->nodes || ask->refusals.failed == f->failed)
			continue;
		for (uint32_t k = 0; k < ask->lanes; k++) {
			if (picks_pass(f, refused, ask->lane[k].limit_us, nodes))
				room &= picks_enter_lane(s, ask->lane[k].lane,
							 from);
		}
	}
	return room;
}

bool torus_picks_begin(struct torus_scheduler *s, const struct torus_job *from)
{
	struct torus_picks *p = &s->picks;
	bool room = true;

	p->open = true;
	p->count = p->parked = 0;
	p->refused_long = p->filter.refused_long;
	p->filter.refused_long = 0; /* that changes with each start */
	p->last.job = NULL;
	if (from && s->indexed && s->lanes.shares)
		return picks_begin_shares(s, from->position);
	if (from && s->indexed) {
		for (uint32_t i = 0; i < s->lanes.count; i++)
			room &= picks_enter_lane(s, s->lanes.lane[i],
						 from->position);
		return room;
	}
	for (; from; from = from->next)
		room &= (!torus_job_is_candidate(&p->filter, from) &&
			 !picks_wanted(&p->filter, from)) ||
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

/* Return true if no job of a tree passes now. One that is refused is put aside, as the refusal
 * ends with the next start; without a place there is none for the rest of the pass. */
static bool picks_skip(struct torus_picks *p,
		       const struct torus_candidate_filter *filter,
		       const struct torus_pick *tree,
		       const struct torus_branch *b)
{
	const struct torus_refusals *r = tree->class ? tree->class->refusals :
						       NULL;

	if (!filter || !r || picks_wanted(filter, tree->job))
		return false;
	if (r->failed == filter->failed)
		return true;
	if (!torus_refuses_long(filter, r, b->limit_us) &&
	    (!filter->refused || r->refused != filter->refused ||
	     picks_pass(filter, true, b->limit_us, b->nodes)))
		return false;
	p->heap[p->room - ++p->parked] = *tree;
	return true;
}

struct torus_job *torus_picks_next(struct torus_scheduler *s,
				   const struct torus_candidate_filter *filter)
{
	struct torus_picks *p = &s->picks;

	if (filter && filter->refused_long != p->refused_long) {
		/* The refusals hold no longer: enter what was put aside. */
		p->refused_long = filter->refused_long;
		while (p->parked) {
			struct torus_pick tree = p->heap[p->room - p->parked--];

			picks_enter(p, &tree);
		}
	}
	while (p->count) {
		struct torus_pick first = p->heap[0];
		const struct torus_branch *b;

		p->heap[0] = p->heap[--p->count];
		picks_sink(p, 0);
		if (!first.job) {
			picks_open_share(s, first.share, first.from);
			continue;
		}
		b = &torus_job_index(first.job)->branch[TORUS_TREE_LANE];
		if (!first.tree) {
			if ((p->last.job && picks_before(&first, &p->last)) ||
			    (filter &&
			     !torus_job_is_candidate(filter, first.job) &&
			     !picks_wanted(filter, first.job)))
				continue;
			p->last = first;
			return first.job;
		}
		if (picks_skip(p, filter, &first, b))
			continue;
		if (!filter ||
		    picks_pass(filter, first.refused, b->limit_us, b->nodes) ||
		    picks_wanted(filter, first.job))
			picks_open_tree(s, &first);
	}
	return NULL;
}
