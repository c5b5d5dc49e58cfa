/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conservative backfilling: every queued job has a reservation, a region in time,
 * and starts when it begins. A new job gets the earliest window that delays no
 * earlier job, so a promised start never moves later while the estimates hold.
 *
 * Compression: if a job ended at another time than planned, a queued job was
 * withdrawn or a reservation moved, the next pass visits the jobs in queue order.
 * Each gets the earliest window before its reservation, with its own nodes counted
 * as free; without one the reservation stays. The nodes that a job gives up are
 * available at once to the jobs behind it, and in the next pass to those before it.
 *
 * If a reservation cannot be kept (a job runs longer than planned, nodes go out of
 * service), or if a strategy with memory cannot grant a reserved region at its
 * time, all reservations are made anew in queue order. The head then gets the
 * first one, so that no job waits forever. The same happens when a change of the machine
 * gives a window to a job that had none, while jobs behind it have reservations. Any
 * other change, which leaves every reservation its nodes, is followed by a compression.
 *
 * Where nodes are alike (one flat torus, no job confined to some of them) only their number
 * is reserved, as in the literature: a level per instant says how many are free. An early
 * end is followed by one walk in the order of arrival, or with `compression: start` in that
 * of the reserved starts. Once a job is confined, or runs
 * longer than planned, or passes are bounded, nodes are reserved from then on; a live
 * scheduler always reserves nodes, which its users see.
 *
 * Cost: a window (torus/plan.h) per new job. A compression compares, per queued
 * job, node counts with each span of the profile up to the job's start; it
 * searches another window only where the counts suffice and the spans gained
 * nodes since the job's last search. Memory: the plan's reservations and profile. With
 * counts O(levels) per new job, and per queued job of a compression.
 */
#include "torus/plan.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "discipline/disciplines.h"

#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

/* Nodes that are free from then on, to the next level. */
struct conservative_level {
	int64_t from_us;
	int64_t free;
};

/* A queued job in the order of starts. */
struct conservative_turn {
	struct torus_job *job;
	int64_t start_us;
	uint64_t arrival;
};

struct conservative {
	struct torus_scheduler *s;
	bool counts;   /* only numbers of nodes are reserved */
	bool by_start; /* earlier windows are searched in the order of starts */
	struct conservative_turn *turn;
	uint32_t turn_room;
	bool levelled; /* the levels are those of the state and of the reservations */
	struct conservative_level *level;
	uint32_t levels, level_room;
	/* nodes were given back up to this time that not every job has looked at, and
	 * by moves of this walk */
	int64_t gained_until_us, moved_until_us;
	bool compress;   /* nodes are free earlier than planned */
	uint64_t walk;   /* number of the current walk through the queue; a
			    walk may take several passes if passes are cut */
	bool halfway;    /* the walk was cut; the next pass continues it */
	bool compresses; /* the walk searches earlier windows */
	bool changed; /* the machine: reservations may have lost their nodes */
	bool anew;    /* all reservations must be made anew */
	uint64_t *nodes; /* machine bitmap: scratch of conservative_keep() */
	int64_t passed;  /* time of the latest pass */
	uint64_t gained; /* torus_plan_gain_stamp() after that pass */
};

/* A window of an alternative. */
#define CONSERVATIVE_LACKING 16 /* jobs without a window, after a change */

struct conservative_window {
	uint32_t alternative;
	int64_t when_us;
	struct torus_placement place;
};

static bool conservative_counts(const struct torus_machine *m,
				const struct torus_scheduler_settings *settings)
{
	return !settings->reserve_nodes && m->pods == 1 &&
	       m->pod[0].torus.flat && m->pod[0].strategies == 1 &&
	       !m->pod[0].links;
}

static bool conservative_by_start(const struct torus_scheduler_settings *settings)
{
	return torus_options_is(&settings->options, "compression", "start");
}

static int conservative_supports(const struct torus_machine *m,
				 const struct torus_scheduler_settings *settings,
				 struct torus_error *why)
{
	if (!conservative_by_start(settings) || conservative_counts(m, settings))
		return 0;
	return torus_error_add(
		why,
		"compression: start is for replays on a flat machine, where only numbers of nodes are reserved");
}

static void *conservative_create(struct torus_scheduler *s)
{
	const struct torus_machine *m = torus_state_machine(s->state);
	struct conservative *c = torus_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->s = s;
	c->passed = INT64_MIN;
	c->counts = conservative_counts(m, &s->settings);
	c->by_start = conservative_by_start(&s->settings);
	c->nodes = torus_alloc(m->words, sizeof(*c->nodes));
	if (c->nodes)
		return c;
	torus_free(c);
	return NULL;
}

static void conservative_destroy(void *self)
{
	struct conservative *c = self;

	torus_free(c->nodes);
	torus_free(c->level);
	torus_free(c->turn);
	torus_free(c);
}

/* Levels of free nodes */

static int64_t levels_length(const struct torus_job *job)
{
	return job->limit_us > 1 ? job->limit_us : 1;
}

/* Return the level that begins at that time, which is not before the first; a new one if
 * need be. UINT32_MAX without memory. */
static uint32_t levels_cut(struct conservative *c, int64_t at_us)
{
	uint32_t low = 0, high = c->levels;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (c->level[middle].from_us <= at_us)
			low = middle;
		else
			high = middle;
	}
	if (c->level[low].from_us == at_us)
		return low;
	if (TORUS_GROW(c->level, c->level_room, c->levels + 1))
		return UINT32_MAX;
	memmove(&c->level[low + 2], &c->level[low + 1],
		(c->levels - low - 1) * sizeof(*c->level));
	c->levels++;
	c->level[low + 1] = (struct conservative_level){ at_us,
							 c->level[low].free };
	return low + 1;
}

/* Give nodes from..to back (below 0: take them). Without memory the levels are lost. */
static void levels_give(struct conservative *c, int64_t from_us, int64_t to_us,
			int64_t nodes)
{
	uint32_t first, last;

	if (!c->levelled || to_us <= from_us)
		return;
	if (from_us < c->level[0].from_us)
		from_us = c->level[0].from_us;
	first = levels_cut(c, from_us);
	last = first == UINT32_MAX ? first : levels_cut(c, to_us);
	if (last == UINT32_MAX) {
		c->levelled = false;
		c->anew = true;
		c->s->lacked_memory = true;
		return;
	}
	for (uint32_t i = first; i < last; i++)
		c->level[i].free += nodes;
}

static void levels_gain(struct conservative *c, int64_t until_us)
{
	if (until_us > c->gained_until_us)
		c->gained_until_us = until_us;
	if (until_us > c->moved_until_us)
		c->moved_until_us = until_us;
}

static void levels_release(struct conservative *c, struct torus_job *job)
{
	int64_t end_us;

	if (job->start_us != TORUS_NO_TIME) {
		end_us = torus_time_after(job->start_us, levels_length(job));
		levels_give(c, job->start_us, end_us, job->nodes);
		levels_gain(c, end_us);
	}
	job->start_us = TORUS_NO_TIME;
}

/*
 * Return the earliest start of the job from the first level on, its own reservation, if it has
 * one, counted as free; TORUS_NO_TIME: none. A window that begins before the reservation ends
 * before it does, and one that begins where no node was given back is no news. The loop moves
 * the start without a branch on the count, which nobody could predict.
 */
static int64_t levels_earliest(const struct conservative *c,
			       const struct torus_job *job)
{
	const struct conservative_level *l = c->level, *last = l + c->levels - 1;
	uint64_t length = (uint64_t)levels_length(job);
	int64_t own = job->start_us, nodes = job->nodes, start_us = l->from_us;
	int64_t until_us = own == TORUS_NO_TIME || own < c->gained_until_us ?
				   own :
				   c->gained_until_us;

	for (; l < last; l++) {
		int64_t free = l->free + (l->from_us >= own ? nodes : 0);

		start_us = free < nodes ? l[1].from_us : start_us;
		if (start_us >= until_us)
			return own;
		if ((uint64_t)l[1].from_us - (uint64_t)start_us >= length)
			return start_us;
	}
	return last->free < nodes ? own : start_us;
}

/* Set the levels to those of the running jobs. 0, or -1 without memory. */
static int levels_begin(struct conservative *c, int64_t now_us)
{
	struct torus_state *state = c->s->state;

	c->levelled = false;
	if (TORUS_GROW(c->level, c->level_room, 1))
		return -1;
	c->levels = 1;
	c->level[0] = (struct conservative_level){
		now_us, torus_state_free_nodes(state)
	};
	c->levelled = true;
	for (uint32_t k = 0; c->levelled && k < torus_state_holds(state); k++) {
		const struct torus_hold *hold = torus_state_ending(state, k);

		levels_give(c, torus_end_after(hold->end_us, now_us),
			    TORUS_NO_TIME, hold->place.granted);
	}
	return c->levelled ? 0 : -1;
}

/* Return true if only the number of nodes matters to the job. */
static bool levels_suit(const struct torus_job *job)
{
	return !job->allowed && !job->outages &&
	       job->request.alternatives == 1 &&
	       job->request.alternative[0].ask.by_count &&
	       !torus_ask_several(&job->request.alternative[0].ask);
}

/* Return the queued job that starts first of those that have a start and no nodes. */
static struct torus_job *levels_next(const struct conservative *c)
{
	struct torus_job *first = NULL;

	for (struct torus_job *job = c->s->queue.head; job; job = job->next)
		if (job->start_us != TORUS_NO_TIME &&
		    job->reservation == UINT32_MAX &&
		    (!first || job->start_us < first->start_us))
			first = job;
	return first;
}

/*
 * Reserve nodes from now on, at the starts that the jobs have: in the order of their starts
 * each finds enough nodes that nobody uses from then on, so no promise is broken.
 */
static void levels_leave(struct conservative *c, int64_t now_us)
{
	struct conservative_window w;
	struct torus_job *job;

	c->counts = c->levelled = false;
	while (!c->anew && (job = levels_next(c))) {
		int64_t start_us = job->start_us;
		const struct torus_window_bounds bounds = {
			.now_us = now_us,
			.from_us = start_us,
			.latest_us = start_us,
			.length_us = job->limit_us,
		};

		if (torus_plan_window(c->s->plan,
				      torus_job_ask(job, 0, start_us), &bounds,
				      NULL, &w.when_us, &w.place) == TORUS_FITS)
			job->reservation =
				torus_plan_reserve(c->s->plan, &w.place,
						   job->id, job, start_us,
						   torus_time_after(start_us,
								    job->limit_us));
		c->anew = job->reservation == UINT32_MAX;
	}
}

/* Let the levels begin now. */
static void levels_forward(struct conservative *c, int64_t now_us)
{
	uint32_t i = 0;

	while (i + 1 < c->levels && c->level[i + 1].from_us <= now_us)
		i++;
	memmove(c->level, c->level + i, (c->levels - i) * sizeof(*c->level));
	c->levels -= i;
	c->level[0].from_us = now_us;
}

/* Give the job its earliest window. */
static void levels_move(struct conservative *c, struct torus_job *job)
{
	int64_t when_us = levels_earliest(c, job);

	if (when_us == job->start_us)
		return;
	levels_release(c, job);
	if (when_us != TORUS_NO_TIME) {
		job->start_us = when_us;
		job->alternative = 0;
		levels_give(c, when_us,
			    torus_time_after(when_us, levels_length(job)),
			    -(int64_t)job->nodes);
	}
}

static int turn_compare(const void *a, const void *b)
{
	const struct conservative_turn *x = a, *y = b;

	return x->start_us != y->start_us ?
		       (x->start_us > y->start_us) -
			       (x->start_us < y->start_us) :
		       (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

/* Move the jobs earlier in the order of their starts. Return false without memory. */
static bool levels_compress(struct conservative *c, int64_t now_us)
{
	uint32_t n = 0;

	if (TORUS_GROW(c->turn, c->turn_room, (uint32_t)c->s->queue.length))
		return false;
	for (struct torus_job *job = c->s->queue.head; job; job = job->next)
		if (job->start_us != TORUS_NO_TIME && job->start_us > now_us) {
			c->turn[n] = (struct conservative_turn){ job,
								 job->start_us,
								 n };
			n++;
		}
	if (n)
		qsort(c->turn, n, sizeof(*c->turn), turn_compare);
	for (uint32_t i = 0; i < n; i++)
		levels_move(c, c->turn[i].job);
	return true;
}

/*
 * A pass with counts: reserve new jobs, move the others earlier after an early end, start those
 * that are due. Return false if nodes must be reserved after all.
 */
static bool conservative_count(struct conservative *c, int64_t now_us,
			       int64_t *wake_us)
{
	struct torus_job *job, *next;
	struct torus_placement place;
	bool compress = c->compress;

	if (c->s->limit.over || c->s->limit.limited ||
	    torus_state_overdue(c->s->state, now_us))
		return false;
	if (c->anew || c->changed || !c->levelled) {
		for (job = c->s->queue.head; job; job = job->next)
			job->start_us = TORUS_NO_TIME;
		c->anew = c->changed = false;
		if (levels_begin(c, now_us))
			return false;
	}
	levels_forward(c, now_us);
	c->compress = false;
	c->moved_until_us = INT64_MIN;
	if (compress && c->by_start && !levels_compress(c, now_us))
		return false;
	*wake_us = TORUS_NO_TIME;
	for (job = c->s->queue.head; job; job = next) {
		next = job->next;
		if (!levels_suit(job))
			return false;
		if (job->start_us == TORUS_NO_TIME ||
		    (compress && !c->by_start && job->start_us > now_us))
			levels_move(c, job);
		if (!c->levelled || job->start_us < now_us)
			return false;
		if (job->start_us == now_us &&
		    (!torus_scheduler_find(c->s, job, 0, now_us, &place) ||
		     !torus_scheduler_start(c->s, job, 0, &place, now_us)))
			return false;
		if (job->state == TORUS_JOB_QUEUED && job->start_us < *wake_us)
			*wake_us = job->start_us;
	}
	if (compress)
		c->gained_until_us = c->moved_until_us;
	return true;
}

/* Set `compress` unless the job ended as planned. (A job that ran during a pass
 * at this same instant was planned to end after the instant. Its expected end
 * may also have been moved.) */
static void conservative_ended(void *self, struct torus_job *job, int64_t now_us)
{
	struct conservative *c = self;
	int64_t end_us = torus_time_after(job->start_us, levels_length(job));

	if (c->counts) {
		/* (a preempted or changed job is followed by a change) */
		c->compress |= now_us < end_us;
		levels_give(c, now_us, end_us, job->nodes);
		levels_gain(c, end_us);
		return;
	}
	if (c->passed == now_us ||
	    torus_plan_gain_stamp(c->s->plan) != c->gained ||
	    now_us != torus_time_after(job->start_us, job->limit_us))
		c->compress = true;
}

static void conservative_unreserve(struct conservative *c, struct torus_job *job)
{
	if (job->reservation == UINT32_MAX)
		return;
	torus_plan_cancel(c->s->plan, job->reservation);
	job->reservation = UINT32_MAX;
	job->start_us = TORUS_NO_TIME;
}

/* A job that no pass has reserved for leaves nothing behind: the journal may not even
 * have it. */
static void conservative_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct conservative *c = self;

	(void)now_us;
	c->compress |= job->start_us != TORUS_NO_TIME;
	if (c->counts)
		levels_release(c, job);
	else
		conservative_unreserve(c, job);
}

/* (With an empty queue there are no reservations. Then `changed` stays false,
 * because the host may resume the promises of an earlier scheduler.) */
static void conservative_changed(void *self, int64_t now_us)
{
	struct conservative *c = self;

	(void)now_us;
	c->levelled = false;
	c->changed |= c->s->queue.length > 0;
}

/* Reserve the job's nodes again, as the region that avoids the dead links: an open line
 * for a ring, another base. False if there is none, or without memory. */
static bool conservative_relabel(struct conservative *c, struct torus_job *job,
				 int64_t now_us)
{
	int64_t start_us = job->start_us;
	struct torus_placement place;

	if (torus_state_find_in(c->s->state,
				torus_job_ask(job, job->alternative, now_us),
				c->nodes, &place) != TORUS_FITS)
		return false;
	torus_plan_cancel(c->s->plan, job->reservation);
	job->reservation =
		torus_plan_reserve(c->s->plan, &place, job->id, job, start_us,
				   torus_time_after(start_us, job->limit_us));
	return job->reservation != UINT32_MAX;
}

/* Keep the job's reservation if its nodes are in service, and linked as it asks. */
static bool conservative_keep(struct conservative *c, struct torus_job *job,
			      int64_t now_us)
{
	const struct torus_reservation *r =
		torus_plan_reservation(c->s->plan, job->reservation);
	struct torus_state *state = c->s->state;
	const struct torus_machine *m = torus_state_machine(state);
	bool weak = job->request.alternative[job->alternative].ask.weak;

	torus_bits_zero(c->nodes, m->words);
	torus_placement_paint(m, &r->place, c->nodes);
	return !torus_bits_meet(c->nodes, torus_state_out_map(state),
				m->words) &&
	       (!torus_state_has_dead_link(state, &r->place, weak) ||
		conservative_relabel(c, job, now_us));
}

static bool conservative_has_window(struct conservative *c,
				    struct torus_job *job, int64_t now_us)
{
	const struct torus_window_bounds bounds = { .now_us = now_us,
						    .from_us = now_us,
						    .latest_us = TORUS_NO_TIME,
						    .length_us = job->limit_us };
	struct conservative_window w;
	bool has = false;

	for (uint32_t k = 0; k < job->request.alternatives && !has; k++)
		has = torus_job_accepts(job, k, now_us) &&
		      torus_plan_window(c->s->plan,
					torus_job_ask(job, k, now_us), &bounds,
					NULL, &w.when_us,
					&w.place) == TORUS_FITS;
	return has;
}

/* After a change: keep the reservations if each can be kept, and if none of them is behind
 * a job that had no window and has one now. So many are searched for, since a pass that is
 * cut does not cut this; any more count as if they had one. (With a strategy
 * that remembers it is unknown what it will grant.) */
static void conservative_settle(struct conservative *c, int64_t now_us)
{
	bool keeps = torus_state_timeless(c->s->state) &&
		     torus_plan_prepare(c->s->plan, now_us);
	uint32_t searches = 0;
	bool lacked = false;

	for (struct torus_job *job = c->s->queue.head; job && keeps;
	     job = job->next) {
		if (job->reservation != UINT32_MAX)
			keeps = !lacked && conservative_keep(c, job, now_us);
		else if (job->walk > 0 && !lacked)
			lacked = ++searches > CONSERVATIVE_LACKING ||
				 conservative_has_window(c, job, now_us);
	}
	c->anew |= !keeps;
	c->compress |= keeps;
	c->changed = false;
}

static bool conservative_resumed(void *self, struct torus_job *job,
				 const struct torus_promise *promise)
{
	struct conservative *c = self;

	if (c->counts) /* the promise has nodes */
		c->counts = false;
	job->reservation = torus_plan_reserve(c->s->plan, promise->place,
					      job->id, job, promise->start_us,
					      promise->end_us);
	if (job->reservation == UINT32_MAX)
		return false;
	job->start_us = promise->start_us;
	job->alternative = promise->alternative;
	c->compress = true; /* an earlier start may be possible */
	return true;
}

/* An earlier start may be possible with the new nodes. */
static void conservative_readmitted(void *self, struct torus_job *job,
				    int64_t now_us)
{
	struct conservative *c = self;

	(void)job;
	(void)now_us;
	c->compress = true;
}

/* Find the earliest window of alternative k from now to `latest`; if the job
 * has a reservation, only a window earlier than it. */
static enum torus_answer conservative_find_window(struct conservative *c,
						  struct torus_job *job,
						  uint32_t k, int64_t now_us,
						  int64_t latest_us,
						  struct conservative_window *w)
{
	struct torus_ask ask = *torus_job_ask(job, k, now_us);
	struct torus_plan *plan = c->s->plan;
	struct torus_window_cache *cache =
		torus_class_cache(torus_job_index(job)->class[k],
				  TORUS_PLAN_REAL);
	struct torus_window_bounds bounds = {
		.now_us = now_us,
		.from_us = now_us,
		.latest_us = latest_us,
		.length_us = job->limit_us,
	};

	w->alternative = k;
	ask.limit = torus_scheduler_search_limit(c->s);
	if (job->reservation == UINT32_MAX)
		return torus_plan_window(plan, &ask, &bounds, cache,
					 &w->when_us, &w->place);
	bounds.since = job->tried;
	return torus_plan_earlier(plan, job->reservation, &ask, &bounds, cache,
				  &w->when_us, &w->place);
}

/* Find the earliest window of the acceptable alternatives; ties go to the
 * first. Return false if there is none, or if the pass is cut. (A search
 * without a result leaves *w unchanged.) */
static bool conservative_earliest(struct conservative *c, struct torus_job *job,
				  int64_t now_us, struct conservative_window *w)
{
	int64_t latest_us = TORUS_NO_TIME;
	enum torus_answer answer;
	struct conservative_window other;
	bool found = false;

	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now_us) || latest_us < now_us)
			continue;
		answer = conservative_find_window(c, job, k, now_us, latest_us,
						  found ? &other : w);
		if (torus_scheduler_interrupted(c->s, job))
			return false;
		c->s->lacked_memory |= answer == TORUS_FAILED;
		if (answer != TORUS_FITS)
			continue;
		if (found)
			*w = other;
		latest_us = w->when_us - 1;
		found = true;
	}
	return found;
}

/* Start the job now, or reserve the window. Return false without memory, or if
 * the strategy does not grant the place; the job then has no reservation. */
static bool conservative_reserve_place(struct conservative *c,
				       struct torus_job *job, int64_t now_us,
				       const struct conservative_window *w)
{
	int64_t end_us = torus_time_after(w->when_us, job->limit_us);

	if (w->when_us == now_us)
		return torus_scheduler_start(c->s, job, w->alternative,
					     &w->place, now_us);
	job->reservation = torus_plan_reserve(c->s->plan, &w->place, job->id,
					      job, w->when_us, end_us);
	if (job->reservation == UINT32_MAX) {
		c->s->lacked_memory = true;
		return false;
	}
	job->alternative = w->alternative;
	job->start_us = w->when_us;
	return true;
}

/*
 * Search a window for the job; an earlier one if it has a reservation. The next
 * search examines only nodes gained since this one, unless another alternative
 * becomes acceptable. If the search is cut, the job is as before the search.
 */
static void conservative_search(struct conservative *c, struct torus_job *job,
				int64_t now_us)
{
	bool reserved = job->reservation != UINT32_MAX;
	struct conservative_window w;

	if (conservative_earliest(c, job, now_us, &w)) {
		conservative_unreserve(c, job);
		if (!conservative_reserve_place(c, job, now_us, &w))
			c->anew |= reserved;
		else
			c->compress |= reserved;
	}
	c->halfway = c->s->cut.cut;
	if (c->halfway)
		return;
	job->walk = c->walk;
	if (job->request.alternatives == 1 && !c->s->lacked_memory)
		job->tried = torus_plan_gain_stamp(c->s->plan);
}

/* Start the job if its reservation is due, else search a window if the walk has
 * not visited the job yet. Reservations that are due start even after the pass
 * is cut. Return false if a reservation cannot be kept. */
static bool conservative_start_due(struct conservative *c,
				   struct torus_job *job, int64_t now_us)
{
	bool reserved = job->reservation != UINT32_MAX;

	if (reserved && job->start_us < now_us)
		return false;
	if (reserved && job->start_us == now_us) {
		const struct torus_reservation *r =
			torus_plan_reservation(c->s->plan, job->reservation);

		/* its place stays readable after the cancellation */
		conservative_unreserve(c, job);
		return torus_scheduler_start(c->s, job, job->alternative,
					     &r->place, now_us);
	}
	if (job->walk == c->walk ||
	    (reserved && !c->compresses && job->request.alternatives == 1))
		return true;
	if (!c->s->cut.cut)
		torus_plan_prepare(c->s->plan, now_us);
	if (torus_scheduler_stops(c->s, job))
		c->halfway = true;
	else
		conservative_search(c, job, now_us);
	return true;
}

static void conservative_start_anew(struct conservative *c)
{
	torus_plan_clear(c->s->plan);
	for (struct torus_job *job = c->s->queue.head; job; job = job->next) {
		job->reservation = UINT32_MAX;
		job->start_us = TORUS_NO_TIME;
	}
	c->anew = c->changed = c->halfway = false;
}

/*
 * Return the time until which reservations only wait for overdue jobs: the
 * planned end of these jobs, plus one instant for each queued job of length 0,
 * since such jobs may be planned one after the other.
 */
static int64_t conservative_idle_until(const struct conservative *c,
				       int64_t now_us)
{
	const struct torus_job *job;
	int64_t until_us = now_us;

	if (!torus_state_overdue(c->s->state, now_us))
		return now_us;
	until_us++;
	for (job = c->s->queue.head; job; job = job->next)
		until_us += job->limit_us <= 1;
	return until_us;
}

/*
 * Walk through the queue until the pass is cut. Return false if all
 * reservations must be made anew. *wake gets the begin of the first reservation
 * that does not wait for overdue jobs; those that wait begin when the overdue
 * jobs end.
 *
 * A walk that was cut continues behind the jobs that it has visited, even if
 * nodes became free. Otherwise the tail of a long queue might never be visited.
 * The next walk uses these nodes.
 */
static bool conservative_serve_all(struct conservative *c, int64_t now_us,
				   int64_t *wake_us)
{
	int64_t idle = conservative_idle_until(c, now_us);
	struct torus_job *job, *next;

	if (!c->halfway) {
		c->walk++;
		c->compresses = c->compress;
		c->compress = false;
	}
	c->halfway = false;
	*wake_us = TORUS_NO_TIME;
	for (job = c->s->queue.head; job; job = next) {
		next = job->next;
		if (!conservative_start_due(c, job, now_us))
			return false;
		if (job->start_us > idle && job->start_us < *wake_us)
			*wake_us = job->start_us;
	}
	return true;
}

static int64_t conservative_pass(void *self, int64_t now_us)
{
	struct conservative *c = self;
	int64_t wake_us, next;

	c->passed = now_us;
	if (c->counts) {
		if (conservative_count(c, now_us, &wake_us))
			return wake_us;
		levels_leave(c, now_us);
	}
	if (c->changed)
		conservative_settle(c, now_us);
	if (c->anew)
		conservative_start_anew(c);
	if (!conservative_serve_all(c, now_us, &wake_us)) {
		conservative_start_anew(c);
		conservative_serve_all(c, now_us, &wake_us);
	}
	c->compress |= c->s->lacked_memory;
	c->gained = torus_plan_gain_stamp(c->s->plan);
	next = torus_scheduler_next_alternative(c->s, now_us);
	return next < wake_us ? next : wake_us;
}

const struct torus_discipline torus_discipline_conservative = {
	.name = "conservative",
	.summary =
		"every queued job has a reservation that no later job may push back",
	.source = "Mao, Chen, Watson 2005, section 2.2 (named there)",
	.options =
		(const struct torus_option_help[]){
			{ "compression", "arrival|start", "arrival",
			  "flat machines, in replays: after an early end jobs look for an earlier start in the order of arrival, or of their starts" },
			{ 0 },
		},
	.foresees = true,
	.supports = conservative_supports,
	.why_no_limit = "every queued job has a reservation",
	.create = conservative_create,
	.destroy = conservative_destroy,
	.ended = conservative_ended,
	.left = conservative_left,
	.changed = conservative_changed,
	.readmitted = conservative_readmitted,
	.resumed = conservative_resumed,
	.pass = conservative_pass,
};
