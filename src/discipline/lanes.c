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
	return (by == TORUS_LANES_SIZE && !l->size) ? -1 :
						      torus_lanes_reserve(l, 0);
}

void torus_lanes_free(struct torus_lanes *l)
{
	torus_free(l->lane);
	torus_free(l->heap);
	torus_free(l->size);
}

int torus_lanes_reserve(struct torus_lanes *l, uint32_t classes)
{
	uint32_t want = classes + TORUS_LANE_SIZES + 2;
	uint32_t room = want + classes;

	if (want <= l->room)
		return 0;
	if (TORUS_RESIZE(l->lane, room) || TORUS_RESIZE(l->heap, room))
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

void torus_lanes_add(struct torus_lanes *l, struct torus_job *job)
{
	struct torus_lane *lane = lane_of(l, job);

	if (!lane->root) {
		lane->at = l->count;
		lane->first = job;
		l->lane[l->count++] = lane;
	}
	if (job->position < lane->first->position)
		lane->first = job;
	l->fresh = true;
	torus_tree_add(&lane->root, job, TORUS_TREE_LANE);
	lane->least = torus_job_index(lane->root)->branch[TORUS_TREE_LANE];
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
		return;
	}
	lane->least = torus_job_index(lane->root)->branch[TORUS_TREE_LANE];
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
	l->count = l->heaped = 0;
	l->fresh = true;
}

static bool lanes_failed(const struct torus_candidate_filter *s,
			 const struct torus_class *c)
{
	return c && c->failed == s->failed;
}

/* Return true if jobs that end after the shadow time are candidates, too. */
static bool late_too(const struct torus_candidate_filter *s,
		     const struct torus_class *c, uint32_t nodes)
{
	return nodes <= s->spare &&
	       !(c && s->refused && c->refused == s->refused);
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
	    (s->refused && job->tried == s->refused) || lanes_failed(s, c))
		return false;
	return job->limit_us <= s->limit_us || late_too(s, c, job->nodes);
}

/* Return true if a branch may hold a candidate. All jobs of the branch
 * are of class c; NULL: of several. */
static bool lanes_promising(const struct torus_candidate_filter *s,
			    const struct torus_class *c,
			    const struct torus_branch *b)
{
	if (b->due_us <= s->due_us)
		return true;
	if (b->nodes > s->nodes || lanes_failed(s, c))
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
	if (!lanes_promising(s, c, b))
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
	if (lane->root && lanes_promising(s, lane->class, &lane->least))
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
		if (lanes_promising(s, lane->class, &lane->least))
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

bool torus_lanes_check(const struct torus_lanes *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->lane[i]->at != i || !l->lane[i]->root ||
		    l->lane[i]->first != first_of(l->lane[i]->root) ||
		    !torus_tree_check(l->lane[i]->root, TORUS_TREE_LANE))
			return false;
	}
	return true;
}
