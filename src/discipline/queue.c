/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue: a doubly linked list through the jobs.
 *
 * A queue is sorted by insertion (Aida, Kasahara, Narita 1998, figure 10). A new
 * job moves from the tail past every job of lower rank, but past no job that has
 * waited as long as WaitLimit. Jobs already queued are never sorted again. Jobs
 * of equal rank keep the order of their turns, or of arrival without turns.
 *
 * Where ranks depend on the time (`ages`), a new job goes to the tail. If the discipline
 * `leads` a long queue, a pass finds the first job (picks.h), which becomes the head, and
 * the others stay where they are. Else each pass sorts the queue by the ranks of its time;
 * jobs that have waited as long as WaitLimit then come first, by arrival. Neighbours are
 * exchanged, which leaves the index as it is unless they share a lane: between two passes
 * each job overtakes few. Where that is not enough, the jobs that stand before a neighbour
 * ahead of them are taken out, sorted and put back.
 * A bound on waits (`bound_us`) moves each job once, when it crosses the bound.
 *
 * Jobs carry positions along the queue, with gaps. A new job gets a position
 * between its neighbours'; if the gap is used up, all positions are assigned
 * anew.
 *
 * A short queue is walked job by job, unless all of its jobs need more nodes than
 * a candidate may. A long one is indexed: by lanes (lanes.h) if the discipline
 * searches behind the head, and by a tree (class.h) if it sorts, to find a new
 * job's position.
 *
 * Cost: O(1) for the list; a short sorted queue O(jobs passed from the tail);
 * an indexed one O(log jobs). A pass with ranks that depend on the time: that of picks.h;
 * with a sort O(jobs), and O(log jobs) for each that moves; with a bound only the latter.
 */
#include "discipline/disciplines.h"
#include "discipline/class.h"

#define MIDDLE (UINT64_C(1) << 63)
#define STEP (UINT64_C(1) << 40)
#define SWAPS 4 /* of neighbours, for each queued job in a pass */

/* Return when the job is due: its own WaitLimit, if the discipline has one, comes
 * before the scheduler's. */
static int64_t queue_due(const struct torus_scheduler *s,
			 const struct torus_job *job)
{
	if (job->wait_limited && s->discipline->limits_waiting)
		return torus_time_after(job->submit_us, job->wait_limit_us);
	if (s->bound_us != TORUS_NO_TIME)
		return torus_time_after(job->submit_us, s->bound_us + 1);
	return s->wait_limit_us == TORUS_NO_TIME ?
		       TORUS_NO_TIME :
		       torus_time_after(job->submit_us, s->wait_limit_us);
}

static void queue_stand(const struct torus_scheduler *s, struct torus_job *job,
			int64_t now_us)
{
	struct torus_standing own = { .priority = job->priority,
				      .turn = job->turn };

	if (s->ranked)
		own.rank = s->discipline->rank(s->self, job, now_us);
	torus_job_index(job)->standing =
		torus_picks_standing(s, own, job->due_us, now_us);
}

/* Return true if `a` comes before `b` in a queue that is sorted anew. */
static bool queue_precedes(const struct torus_job *a, const struct torus_job *b)
{
	const struct torus_standing *x = &torus_job_index(a)->standing;
	const struct torus_standing *y = &torus_job_index(b)->standing;

	return torus_stands_before(x, y) ||
	       (!torus_stands_before(y, x) && a->sequence < b->sequence);
}

/* Return true if a new job goes behind a queued one. */
static bool queue_is_sorted(const struct torus_job *queued,
			    const struct torus_job *new, int64_t now_us)
{
	if (torus_job_index(new)->standing.priority == TORUS_PRIORITY_FIRST)
		return queue_precedes(queued, new);
	return !torus_stands_before(&torus_job_index(new)->standing,
				    &torus_job_index(queued)->standing) ||
	       (queued->due_us <= now_us && queued->turn <= new->turn);
}

/* Return the last job of a tree that the new job goes behind, or NULL. */
static struct torus_job *last_ahead_of(struct torus_job *root,
				       const struct torus_job *new,
				       int64_t now_us)
{
	const struct torus_branch *b;
	struct torus_job *found;

	if (!root)
		return NULL;
	b = &torus_job_index(root)->branch[TORUS_TREE_QUEUE];
	if (torus_stands_before(&torus_job_index(new)->standing, &b->standing) &&
	    b->due_us > now_us)
		return NULL;
	found = last_ahead_of(b->right, new, now_us);
	if (found)
		return found;
	return queue_is_sorted(root, new, now_us) ?
		       root :
		       last_ahead_of(b->left, new, now_us);
}

/* Return the job after which a new job goes; NULL: it becomes the head. */
static struct torus_job *queue_insert(const struct torus_scheduler *s,
				      const struct torus_job *job,
				      int64_t now_us)
{
	/* only WaitLimit keeps new jobs behind: the bound moves the job itself */
	int64_t due_us = s->bound_us == TORUS_NO_TIME ? now_us : INT64_MIN;
	struct torus_job *after = s->queue.tail;

	if (s->ages)
		return after;
	if (s->sorted)
		return last_ahead_of(s->sorted, job, due_us);
	while (after && !queue_is_sorted(after, job, due_us))
		after = after->prev;
	return after;
}

static void link_after(struct torus_queue *q, struct torus_job *job,
		       struct torus_job *after)
{
	job->prev = after;
	job->next = after ? after->next : q->head;
	*(job->prev ? &job->prev->next : &q->head) = job;
	*(job->next ? &job->next->prev : &q->tail) = job;
	q->length++;
}

/* Take little of a gap rather than half: many jobs of equal rank may follow. */
static void queue_renumber(struct torus_queue *q, struct torus_job *job)
{
	uint64_t low = job->prev ? job->prev->position : 0;
	uint64_t high = job->next ? job->next->position : UINT64_MAX;

	if (!job->prev && !job->next)
		job->position = MIDDLE;
	else if (high - low < 2) {
		uint64_t step = (MIDDLE >> 1) / q->length;
		uint64_t position;

		if (step > STEP)
			step = STEP;
		position = MIDDLE - q->length / 2 * step;
		for (struct torus_job *each = q->head; each; each = each->next) {
			each->position = position;
			position += step;
		}
	} else if (!job->prev)
		job->position = high - (high / 2 < STEP ? high / 2 : STEP);
	else if (!job->next)
		job->position =
			low + (high - low < 2 * STEP ? (high - low) / 2 : STEP);
	else
		job->position = low + ((high - low) / 2 < STEP / 65536 ?
					       (high - low) / 2 :
					       STEP / 65536);
}

static void sizes_count(struct torus_queue_sizes *sizes, uint32_t nodes,
			bool enters)
{
	uint32_t size = torus_lane_size(nodes);
	uint64_t *some = &sizes->some[size / 64], bit = UINT64_C(1) << size % 64;

	sizes->jobs[size] += enters ? 1 : UINT32_MAX;
	*some = sizes->jobs[size] ? *some | bit : *some & ~bit;
}

/* Return true if every queued job needs more nodes. */
static bool sizes_above(const struct torus_queue_sizes *sizes, uint32_t nodes)
{
	uint32_t size = torus_lane_size(nodes);

	for (uint32_t w = 0; w < size / 64; w++)
		if (sizes->some[w])
			return false;
	return !(sizes->some[size / 64] << (63 - size % 64));
}

void torus_queue_enter_lane(struct torus_scheduler *s, struct torus_job *job)
{
	if (!s->discipline->searches)
		return;
	sizes_count(&s->sizes, job->nodes, true);
	if (s->indexed)
		torus_lanes_add(&s->lanes, job);
}

void torus_queue_leave_lane(struct torus_scheduler *s, struct torus_job *job)
{
	if (!s->discipline->searches)
		return;
	sizes_count(&s->sizes, job->nodes, false);
	if (s->indexed)
		torus_lanes_remove(&s->lanes, job);
}

static bool is_sorted(const struct torus_scheduler *s)
{
	return !s->ages && (s->ranked || s->settings.order_by_priority);
}

static void index_add(struct torus_scheduler *s, struct torus_job *job)
{
	if (s->discipline->searches)
		torus_lanes_add(&s->lanes, job);
	if (is_sorted(s))
		torus_tree_add(&s->sorted, job, TORUS_TREE_QUEUE);
}

/* Put a job behind another; NULL: it becomes the head. */
static void queue_put(struct torus_scheduler *s, struct torus_job *job,
		      struct torus_job *after)
{
	struct torus_queue *q = &s->queue;

	link_after(q, job, after);
	queue_renumber(q, job);
	memset(torus_job_index(job)->branch, 0,
	       sizeof(torus_job_index(job)->branch));
	torus_job_index(job)->rank = s->pick_rank ? s->pick_rank(s->self, job) :
						    0;
	torus_job_index(job)->cube = torus_rank_cube(job);
	if (s->discipline->searches)
		sizes_count(&s->sizes, job->nodes, true);
	if (s->indexed) {
		index_add(s, job);
	} else if (q->length >= s->index_at) {
		s->indexed = true;
		for (job = q->head; job; job = job->next)
			index_add(s, job);
	}
}

void torus_queue_add(struct torus_scheduler *s, struct torus_job *job,
		     int64_t now_us)
{
	job->due_us = queue_due(s, job);
	queue_stand(s, job, now_us);
	queue_put(s, job, queue_insert(s, job, now_us));
}

void torus_queue_remove(struct torus_scheduler *s, struct torus_job *job)
{
	struct torus_queue *q = &s->queue;

	torus_queue_leave_lane(s, job);
	if (s->sorted)
		torus_tree_remove(&s->sorted, job, TORUS_TREE_QUEUE);
	*(job->prev ? &job->prev->next : &q->head) = job->next;
	*(job->next ? &job->next->prev : &q->tail) = job->prev;
	job->prev = job->next = NULL;
	q->length--;
	if (s->indexed && q->length < s->index_at / 4 && !s->picks.open) {
		/* The queue is a quarter of the length at which the index is built, so
		 * that a queue about that length does not build it again and again. */
		torus_lanes_clear(&s->lanes);
		s->sorted = NULL;
		s->indexed = false;
		for (struct torus_job *each = s->queue.head; each;
		     each = each->next)
			memset(torus_job_index(each)->branch, 0,
			       sizeof(torus_job_index(each)->branch));
	}
}

/* Sort jobs that are linked by `next`. */
static struct torus_job *queue_sort(struct torus_job *list)
{
	struct torus_job *half = list, *rest, *sorted = NULL, **end = &sorted;

	if (!list || !list->next)
		return list;
	for (rest = list->next; rest && rest->next; rest = rest->next->next)
		half = half->next;
	rest = half->next;
	half->next = NULL;
	list = queue_sort(list);
	rest = queue_sort(rest);
	while (list && rest) {
		struct torus_job **first = queue_precedes(rest, list) ? &rest :
									&list;

		*end = *first;
		*first = (*first)->next;
		end = &(*end)->next;
	}
	*end = list ? list : rest;
	return sorted;
}

/* Exchange a job and the one before it. */
static void queue_swap(struct torus_scheduler *s, struct torus_job *job)
{
	struct torus_queue *q = &s->queue;
	struct torus_job *before = job->prev;
	uint64_t position = job->position;

	before->next = job->next;
	job->prev = before->prev;
	job->next = before;
	before->prev = job;
	*(job->prev ? &job->prev->next : &q->head) = job;
	*(before->next ? &before->next->prev : &q->tail) = before;
	if (s->indexed && s->discipline->searches) {
		torus_lanes_swap(&s->lanes, job, before);
		return;
	}
	job->position = before->position;
	before->position = position;
}

/* Sort by exchanging neighbours, a few for each job of the queue: between two passes
 * each job overtakes few. Return how many; above `most` the queue is not sorted. */
static uint64_t queue_sort_few(struct torus_scheduler *s, uint64_t most)
{
	uint64_t swaps = 0;
	struct torus_job *next;

	for (struct torus_job *job = s->queue.head; job; job = next) {
		next = job->next;
		while (job->prev && queue_precedes(job, job->prev)) {
			if (++swaps > most)
				return swaps;
			queue_swap(s, job);
		}
	}
	return swaps;
}

/* Sort the rest: of two neighbours in the wrong order both are taken out, at most twice
 * as many as must move. */
static void queue_sort_many(struct torus_scheduler *s)
{
	struct torus_job *out = NULL, *next, *at;

	for (struct torus_job *job = s->queue.head; job; job = next) {
		struct torus_job *before = job->prev;

		next = job->next;
		if (!before || !queue_precedes(job, before))
			continue;
		torus_queue_remove(s, before);
		torus_queue_remove(s, job);
		before->next = out;
		job->next = before;
		out = job;
	}
	at = s->queue.head;
	for (struct torus_job *job = queue_sort(out); job; job = next) {
		next = job->next;
		while (at && queue_precedes(at, job))
			at = at->next;
		queue_put(s, job, at ? at->prev : s->queue.tail);
	}
}

/* Sort the queue by the ranks of now_us. Return true if a job moved. Ranks of a site's
 * own may take long: the pass is cut before the first job if its time ends before. */
static bool queue_sort_anew(struct torus_scheduler *s, int64_t now_us)
{
	uint64_t most = (uint64_t)SWAPS * s->queue.length, swaps;

	for (struct torus_job *job = s->queue.head; job; job = job->next) {
		if (s->discipline->own && torus_scheduler_ranks_late(s))
			return false;
		queue_stand(s, job, now_us);
	}
	swaps = queue_sort_few(s, most);
	if (swaps > most)
		queue_sort_many(s);
	return swaps > 0;
}

/* Move the first job by its rank at now_us to the head. Return true if it moved. */
static bool queue_lead(struct torus_scheduler *s, int64_t now_us)
{
	struct torus_queue *q = &s->queue;
	struct torus_picks *p = &s->picks;
	struct torus_job *job;

	p->rank = s->discipline->rank;
	p->rank_least = s->discipline->rank_least;
	p->now_us = now_us;
	p->walk = 0;
	p->filter = (struct torus_candidate_filter){ .failed = UINT64_MAX,
						     .nodes = UINT32_MAX,
						     .limit_us = INT64_MAX };
	s->unsorted = true;
	job = torus_picks_begin(s, q->head) ? torus_picks_next(s, NULL) : NULL;
	p->open = false;
	if (!job)
		return torus_queue_order(s, now_us, true);
	if (job == q->head)
		return false;
	torus_queue_leave_lane(s, job);
	job->prev->next = job->next;
	*(job->next ? &job->next->prev : &q->tail) = job->prev;
	q->length--;
	link_after(q, job, NULL);
	queue_renumber(q, job);
	torus_queue_enter_lane(s, job);
	return true;
}

/* Return a job of a tree that has waited longer than the bound, but does not stand
 * first yet, or NULL. */
static struct torus_job *queue_overdue(struct torus_job *root, int64_t now_us)
{
	const struct torus_branch *b;
	struct torus_job *found;

	if (!root)
		return NULL;
	b = &torus_job_index(root)->branch[TORUS_TREE_QUEUE];
	if (b->due_us > now_us)
		return NULL;
	if (root->due_us <= now_us &&
	    torus_job_index(root)->standing.priority != TORUS_PRIORITY_FIRST)
		return root;
	found = queue_overdue(b->left, now_us);
	return found ? found : queue_overdue(b->right, now_us);
}

/* Move the jobs that have waited longer than the bound to their places. */
static bool queue_promote(struct torus_scheduler *s, int64_t now_us)
{
	struct torus_job *job, *next;
	bool moved = false;

	while (s->sorted && (job = queue_overdue(s->sorted, now_us))) {
		torus_queue_remove(s, job);
		torus_queue_add(s, job, now_us);
		moved = true;
	}
	for (job = s->sorted ? NULL : s->queue.head; job; job = next) {
		next = job->next;
		if (job->due_us > now_us ||
		    torus_job_index(job)->standing.priority ==
			    TORUS_PRIORITY_FIRST)
			continue;
		torus_queue_remove(s, job);
		torus_queue_add(s, job, now_us);
		moved = true;
	}
	return moved;
}

bool torus_queue_order(struct torus_scheduler *s, int64_t now_us, bool all)
{
	if (s->leads && s->indexed && !all)
		return queue_lead(s, now_us);
	s->unsorted = false;
	if (s->ages)
		return queue_sort_anew(s, now_us);
	return s->bound_us != TORUS_NO_TIME && is_sorted(s) &&
	       queue_promote(s, now_us);
}

struct torus_job *torus_queue_next(struct torus_scheduler *s,
				   const struct torus_candidate_filter *filter,
				   struct torus_job *from)
{
	if (from && s->indexed)
		return torus_lanes_next(&s->lanes, filter, from->position);
	if (filter->due_us == INT64_MIN && sizes_above(&s->sizes, filter->nodes))
		return NULL;
	while (from && !torus_job_is_candidate(filter, from))
		from = from->next;
	return from;
}

/* Return the earliest time at which a job of a tree accepts another alternative. */
static int64_t next_among(const struct torus_job *job, int64_t now_us)
{
	const struct torus_branch *b;
	int64_t next, other;

	if (!job)
		return TORUS_NO_TIME;
	b = &torus_job_index(job)->branch[TORUS_TREE_LANE];
	next = torus_job_next_alternative(job, now_us);
	other = next_among(b->left, now_us);
	if (other < next)
		next = other;
	other = next_among(b->right, now_us);
	return other < next ? other : next;
}

int64_t torus_scheduler_next_alternative(const struct torus_scheduler *s,
					 int64_t now_us)
{
	int64_t next = TORUS_NO_TIME;
	const struct torus_job *job = s->ladders ? s->queue.head : NULL;

	if (s->indexed && s->discipline->searches)
		return next_among(s->lanes.classless.root, now_us);
	for (; job; job = job->next) {
		int64_t t = torus_job_next_alternative(job, now_us);

		if (t < next)
			next = t;
	}
	return next;
}

int64_t torus_scheduler_next_outage(const struct torus_scheduler *s,
				    int64_t now_us)
{
	const struct torus_outages *seen = NULL;
	int64_t next = TORUS_NO_TIME;

	if (!s->restricted)
		return next;
	for (const struct torus_job *job = s->queue.head; job; job = job->next) {
		int64_t t = next;

		if (job->outages && job->outages != seen)
			t = torus_outages_next(job->outages, now_us);
		seen = job->outages;
		if (t < next)
			next = t;
	}
	return next;
}

/* Return true if the jobs are counted by size. */
static bool sizes_check(const struct torus_scheduler *s)
{
	struct torus_queue_sizes sizes = { 0 };

	for (const struct torus_job *job = s->queue.head; job; job = job->next)
		sizes_count(&sizes, job->nodes, true);
	return !s->discipline->searches ||
	       memcmp(&sizes, &s->sizes, sizeof(sizes)) == 0;
}

bool torus_queue_check(const struct torus_scheduler *s)
{
	const struct torus_queue *q = &s->queue;

	for (const struct torus_job *job = q->head; job; job = job->next) {
		if (job->next && (job->next->prev != job ||
				  job->next->position <= job->position))
			return false;
	}
	return sizes_check(s) && torus_lanes_check(&s->lanes) &&
	       torus_tree_check(s->sorted, TORUS_TREE_QUEUE) &&
	       torus_plan_check(s->plan);
}
