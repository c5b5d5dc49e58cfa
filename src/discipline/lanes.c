/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of queued jobs (lanes.h). */
#include "discipline/lanes.h"

#include "discipline/class.h"
#include "torus/alloc.h"

int torus_lanes_init(struct torus_lanes *l, enum torus_lanes_by by)
{
	*l = (struct torus_lanes){ .by = by, .fresh = true };
	if (by == TORUS_LANES_SIZE)
		l->size = torus_alloc(TORUS_LANE_SIZES, sizeof(*l->size));
	return (by == TORUS_LANES_SIZE && !l->size) ?
		       -1 :
		       torus_lanes_reserve(l, 0, 0);
}

void torus_lanes_free(struct torus_lanes *l)
{
	torus_free(l->lane);
	torus_free(l->heap);
	torus_free(l->size);
	torus_free(l->share);
	torus_free(l->ask);
}

int torus_lanes_reserve(struct torus_lanes *l, uint32_t classes, uint32_t shares)
{
	uint32_t want = classes + TORUS_LANE_SIZES + 2;
	uint32_t room = want + classes;

	if (TORUS_GROW(l->share, l->share_room, shares))
		return -1;
	for (; l->shares < shares; l->shares++)
		l->share[l->shares] = (struct torus_lane_share){ 0 };
	if (want <= l->room)
		return 0;
	if (TORUS_RESIZE(l->lane, room) || TORUS_RESIZE(l->heap, room) ||
	    TORUS_RESIZE(l->ask, room))
		return -1;
	l->room = room;
	return 0;
}

static struct torus_lane *lane_of(struct torus_lanes *l,
				  const struct torus_job *job)
{
	if (job->request.alternatives > 1 || !torus_job_index(job)->class[0])
		return &l->classless;
	if (l->by == TORUS_LANES_CLASS || job->allowed || job->outages)
		return &torus_job_index(job)->class[0]->lane;
	return l->by == TORUS_LANES_ONE ? &l->one :
					  &l->size[torus_lane_size(job->nodes)];
}

/* Return the lanes of the same share. */
static struct torus_lane_share *lane_share(struct torus_lanes *l,
					   const struct torus_lane *lane)
{
	return &l->share[lane->class ? lane->class->share : 0];
}

/* The lane, which has jobs now, joins those of its share and ask. */
static void lane_join(struct torus_lanes *l, struct torus_lane *lane)
{
	struct torus_lane_share *share = lane_share(l, lane);
	struct torus_ask_facts *ask = lane->class ? lane->class->facts : NULL;

	lane->before = NULL;
	lane->after = share->first;
	if (lane->after)
		lane->after->before = lane;
	else
		share->least = lane->least;
	share->first = lane;
	if (!ask)
		return;
	if (!ask->lanes) {
		ask->at = l->asks;
		l->ask[l->asks++] = ask;
	}
	lane->in_ask = ask->lanes;
	ask->lane[ask->lanes++].lane = lane;
}

static void lane_part(struct torus_lanes *l, struct torus_lane *lane)
{
	struct torus_lane_share *share = lane_share(l, lane);
	struct torus_ask_facts *ask = lane->class ? lane->class->facts : NULL;
	struct torus_ask_lane last;

	*(lane->before ? &lane->before->after : &share->first) = lane->after;
	if (lane->after)
		lane->after->before = lane->before;
	if (!ask)
		return;
	last = ask->lane[--ask->lanes];
	last.lane->in_ask = lane->in_ask;
	ask->lane[lane->in_ask] = last;
	if (ask->lanes)
		return;
	l->ask[ask->at] = l->ask[--l->asks];
	l->ask[ask->at]->at = ask->at;
}

/* Take over the least values of a lane with jobs. */
static void lane_settle(struct torus_lanes *l, struct torus_lane *lane)
{
	lane->least = torus_job_index(lane->root)->branch[TORUS_TREE_LANE];
	if (!l->shares)
		return;
	torus_branch_lower(&lane_share(l, lane)->least, &lane->least);
	if (lane->class)
		lane->class->facts->lane[lane->in_ask].limit_us =
			lane->least.limit_us;
}

void torus_lanes_add(struct torus_lanes *l, struct torus_job *job)
{
	struct torus_lane *lane = lane_of(l, job);
	bool fresh = !lane->root;

	if (fresh) {
		lane->at = l->count;
		lane->first = job;
		l->lane[l->count++] = lane;
	}
	if (job->position < lane->first->position)
		lane->first = job;
	l->fresh = true;
	torus_tree_add(&lane->root, job, TORUS_TREE_LANE);
	lane->least = torus_job_index(lane->root)->branch[TORUS_TREE_LANE];
	if (fresh && l->shares)
		lane_join(l, lane);
	lane_settle(l, lane);
}

static struct torus_job *first_of(struct torus_job *root)
{
	struct torus_job *left;

	while ((left = torus_job_index(root)->branch[TORUS_TREE_LANE].left))
		root = left;
	return root;
}

void torus_lanes_remove(struct torus_lanes *l, struct torus_job *job)
{
	struct torus_lane *lane = lane_of(l, job);

	if (lane->next == job)
		lane->next = NULL;
	torus_tree_remove(&lane->root, job, TORUS_TREE_LANE);
	if (!lane->root) {
		struct torus_lane *last = l->lane[--l->count];

		l->lane[lane->at] = last;
		last->at = lane->at;
		if (l->shares)
			lane_part(l, lane);
		return;
	}
	lane_settle(l, lane);
	if (lane->first == job)
		lane->first = first_of(lane->root);
}

void torus_lanes_swap(struct torus_lanes *l, struct torus_job *job,
		      struct torus_job *other)
{
	bool same = lane_of(l, job) == lane_of(l, other);
	uint64_t position = job->position;

	if (same)
		torus_lanes_remove(l, job);
	job->position = other->position;
	other->position = position;
	if (same)
		torus_lanes_add(l, job);
	l->fresh = true;
}

void torus_lanes_clear(struct torus_lanes *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->lane[i]->root = NULL;
	for (uint32_t i = 0; i < l->shares; i++)
		l->share[i].first = NULL;
	for (uint32_t i = 0; i < l->asks; i++)
		l->ask[i]->lanes = 0;
	l->asks = 0;
	l->count = l->heaped = 0;
	l->fresh = true;
}

static bool lanes_failed(const struct torus_candidate_filter *s,
			 const struct torus_class *c)
{
	return c && c->refusals->failed == s->failed;
}

/* Return true if jobs that end after the shadow time are candidates, too. */
static bool late_too(const struct torus_candidate_filter *s,
		     const struct torus_class *c, uint32_t nodes)
{
	return nodes <= s->spare &&
	       !(c && s->refused && c->refusals->refused == s->refused);
}

bool torus_job_is_candidate(const struct torus_candidate_filter *s,
			    const struct torus_job *job)
{
	const struct torus_class *c = job->request.alternatives > 1 ?
					      NULL :
					      torus_job_index(job)->class[0];

	if (job->due_us <= s->due_us)
		return true;
	if (job->nodes > s->nodes || job->tried == s->failed ||
	    (s->refused && job->tried == s->refused) || lanes_failed(s, c) ||
	    (c && torus_refuses_long(s, c->refusals, job->limit_us)))
		return false;
	return job->limit_us <= s->limit_us || late_too(s, c, job->nodes);
}

bool torus_branch_promises(const struct torus_candidate_filter *s,
			   const struct torus_class *c,
			   const struct torus_branch *b)
{
	if (b->due_us <= s->due_us)
		return true;
	if (b->nodes > s->nodes || lanes_failed(s, c) ||
	    (c && torus_refuses_long(s, c->refusals, b->limit_us)))
		return false;
	return b->limit_us <= s->limit_us || late_too(s, c, b->nodes);
}

static struct torus_job *lanes_first(const struct torus_candidate_filter *s,
				     const struct torus_class *c,
				     struct torus_job *job, uint64_t position)
{
	const struct torus_branch *b;
	struct torus_job *found;

	if (!job)
		return NULL;
	b = &torus_job_index(job)->branch[TORUS_TREE_LANE];
	if (!torus_branch_promises(s, c, b))
		return NULL;
	if (job->position >= position) {
		found = lanes_first(s, c, b->left, position);
		if (found)
			return found;
		if (torus_job_is_candidate(s, job))
			return job;
	}
	return lanes_first(s, c, b->right, position);
}

/* Search a lane: its first job, in lane->next; or NULL. */
static struct torus_job *lanes_search(const struct torus_candidate_filter *s,
				      struct torus_lane *lane, uint64_t position)
{
	lane->next = NULL;
	if (lane->root && torus_branch_promises(s, lane->class, &lane->least))
		lane->next = lanes_first(s, lane->class, lane->root, position);
	return lane->next;
}

/* Move the lane at i down to where those below it come after it. */
static void lanes_sink(struct torus_lanes *l, uint32_t i)
{
	struct torus_lane_first moved = l->heap[i];

	for (uint32_t below; (below = 2 * i + 1) < l->heaped; i = below) {
		below += below + 1 < l->heaped &&
			 l->heap[below + 1].position < l->heap[below].position;
		if (l->heap[below].position >= moved.position)
			break;
		l->heap[i] = l->heap[below];
	}
	l->heap[i] = moved;
}

/* The lanes that may have a candidate. */
static void lanes_begin(struct torus_lanes *l,
			const struct torus_candidate_filter *s)
{
	l->fresh = false;
	l->heaped = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		struct torus_lane *lane = l->lane[i];

		lane->next = NULL;
		if (torus_branch_promises(s, lane->class, &lane->least))
			l->heap[l->heaped++] = (struct torus_lane_first){
				.position = lane->first->position,
				.extents = lane->class ? lane->class->extents :
							 0,
				.lane = lane
			};
	}
	for (uint32_t i = l->heaped / 2; i-- > 0;)
		lanes_sink(l, i);
}

struct torus_job *torus_lanes_next(struct torus_lanes *l,
				   const struct torus_candidate_filter *s,
				   uint64_t position)
{
	if (l->fresh)
		lanes_begin(l, s);
	while (l->heaped) {
		struct torus_lane_first *top = &l->heap[0];
		struct torus_job *job = top->lane->next;

		if (job && job->position >= position &&
		    torus_job_is_candidate(s, job))
			return job;
		job = lanes_search(s, top->lane, position);
		if (job)
			top->position = job->position;
		else
			*top = l->heap[--l->heaped];
		lanes_sink(l, 0);
	}
	return NULL;
}

/* Return true if the lane is in the list of its ask. */
static bool lane_is_asked(const struct torus_lanes *l,
			  const struct torus_lane *lane)
{
	const struct torus_ask_facts *ask = lane->class ? lane->class->facts :
							  NULL;

	return !l->shares || !ask ||
	       (ask->lane[lane->in_ask].lane == lane &&
		ask->lane[lane->in_ask].limit_us == lane->least.limit_us &&
		l->ask[ask->at] == ask);
}

bool torus_lanes_check(const struct torus_lanes *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->lane[i]->at != i || !l->lane[i]->root ||
		    l->lane[i]->first != first_of(l->lane[i]->root) ||
		    !torus_tree_check(l->lane[i]->root, TORUS_TREE_LANE) ||
		    !lane_is_asked(l, l->lane[i]))
			return false;
	}
	return true;
}
