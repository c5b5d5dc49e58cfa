/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY, or aggressive, backfilling (Mao, Chen, Watson 2005, section 2.2; Aida,
 * Kasahara, Narita 1998, section 3.4), with topology. Jobs start in queue order
 * while each of them fits. The first that does not is the head; its shadow time is
 * the first expected end after which the strategy finds a place for it. Then each
 * later job, in queue order and once per pass, is offered the place that the
 * strategy gives it now, and starts if the head's shadow time, computed again with
 * the job running, is not later. The head's place may move; its time may not.
 *
 * With backfill_places above 1, a refused job is offered other places: they avoid
 * the nodes that both the head's place and the refused place use; the last one
 * avoids all nodes of the head's place.
 *
 * A refusal holds until the state, the head or the shadow time changes, and for
 * every job of the same class that would end after the shadow time: the strategy
 * would offer the same place. (One that chooses by the job's end might not. Then
 * a pass would search once for each queued job, so the refusal holds all the same,
 * unless `offer_again` is set. Strategies with memory are asked in every pass.)
 *
 * `queue_order` sorts the queue, and so chooses the head; `backfill_order` is the order
 * in which later jobs are offered places. Where the two differ, a pass picks the
 * candidates (picks.h). Reservations follow the queue's order. `bound` puts jobs that
 * have waited longer first in both. With `overtake: before-start` only jobs that end by
 * the head's shadow time overtake it; with `before-count` only those that end by the
 * time at which enough nodes are free, wherever they are.
 *
 * For a head with several alternatives, only the acceptable one that can start
 * first is protected.
 *
 * Cost: finding the next candidate (queue.c, lanes.h) among all queued jobs, or
 * among those submitted since the last pass if nothing else changed. One search
 * (torus/plan.h) per job that starts, and one per class that has enough free nodes
 * and is not refused by number. With two orders, or `wfp3` or `fairshare` as the
 * queue's, as picks.h says; jobs that may get reservations behind the head are picked, too,
 * without those of classes that get none. `fairshare`: a lane for each user and request.
 */
#include <string.h>

#include "torus/plan.h"
#include "discipline/class.h"
#include "discipline/easy_promised.h"
#include "torus/alloc.h"

#define EASY_HALF_LIFE_US (INT64_C(7) * 24 * 3600 * 1000000)

enum easy_order {
	EASY_FCFS,
	EASY_SJF,  /* least limit */
	EASY_SAF,  /* least limit x nodes */
	EASY_LQF,  /* most nodes */
	EASY_WFP3, /* most (wait / limit)^3 x nodes; changes with the time */
	EASY_FAIRSHARE, /* least usage of its user; the same */
};

static const char *const easy_orders[] = { "fcfs", "sjf",       "saf", "lqf",
					   "wfp3", "fairshare", NULL };

struct easy {
	struct torus_scheduler *s;
	bool again; /* every pass asks anew about refused jobs */
	enum easy_order queue_order, backfill_order;
	bool before_start; /* only jobs that end by the head's start overtake */
	bool by_count;     /* and that start is by counts of nodes */

	bool picks;    /* candidates by the scheduler's picks (picks.h) */
	uint64_t walk; /* number of the latest walk, in job->walk */

	/* the situation in which jobs were refused with `stamp` */
	uint64_t stamp;
	uint64_t generation;
	uint64_t head; /* its sequence */
	int64_t shadow_us;
	uint64_t freed; /* the scheduler's stamp; nodes may come back */

	/* jobs that the next pass offers a place: from `fresh` to the tail, or
	 * all; halfway: the last pass was cut before `fresh`, so the next one
	 * begins there and then, if `all`, takes the jobs before it (or, where the
	 * orders differ, takes the jobs of that walk last) */
	struct torus_job *fresh;
	bool all, halfway;

	struct easy_promised promised;      /* further reservations */
	uint64_t *allowed, *clash, *wanted; /* machine bitmaps */
};

/* The blocked head. */
struct easy_head {
	struct torus_job *job;
	uint32_t alternative;
	int64_t shadow_us;
	uint32_t spare; /* torus_plan_spare() */
};

enum easy_offer {
	STARTED,
	NO_PLACE,
	REFUSED
};

static void easy_destroy(void *self)
{
	struct easy *e = self;

	easy_promised_free(&e->promised);
	torus_free(e->allowed);
	torus_free(e);
}

static enum easy_order easy_read_order(const struct torus_options *options,
				       const char *key)
{
	int n = 0;

	while (easy_orders[n] && !torus_options_is(options, key, easy_orders[n]))
		n++;
	return easy_orders[n] ? (enum easy_order)n : EASY_FCFS;
}

static bool easy_sorts(const struct torus_options *options)
{
	return easy_read_order(options, "queue_order") != EASY_FCFS ||
	       easy_read_order(options, "backfill_order") != EASY_FCFS;
}

/* Return the rank (wait / limit)^3 x nodes, the highest first. */
static int64_t easy_rank_aged(int64_t submit_us, int64_t limit_us,
			      int64_t nodes, int64_t now_us)
{
	double age = (double)(now_us - submit_us) /
		     (double)(limit_us > 0 ? limit_us : 1);
	int64_t bits; /* those of doubles from 0 on grow with them */

	age = age > 0 ? age * age * age * (double)nodes : 0;
	memcpy(&bits, &age, sizeof(bits));
	return -bits;
}

static bool easy_ages(enum easy_order order)
{
	return order == EASY_WFP3 || order == EASY_FAIRSHARE;
}

/* Return a rank that no job of the range is below in an order that ages.
 * easy_rank_aged() is monotone, in floating point, too. The least cube may give a later
 * bound; it gets a margin for rounding. */
static int64_t easy_least_in(const struct easy *e, enum easy_order order,
			     const struct torus_rank_range *range,
			     int64_t now_us)
{
	int64_t rank = easy_rank_aged(range->submit_us, range->limit_us,
				      range->most_nodes, now_us);
	double age = (double)(now_us - range->submit_us);
	int64_t bits;

	if (order == EASY_FAIRSHARE)
		return torus_shares_rank(&e->s->shares, range->share, now_us);
	age = age > 0 ? age * age * age / range->cube * (1 + 1e-12) : 0;
	memcpy(&bits, &age, sizeof(bits));
	return -bits > rank ? -bits : rank;
}

static int64_t easy_rank_least(void *self, const struct torus_rank_range *range,
			       int64_t now_us)
{
	const struct easy *e = self;

	return easy_least_in(e, e->queue_order, range, now_us);
}

static int64_t easy_backfill_least(void *self,
				   const struct torus_rank_range *range,
				   int64_t now_us)
{
	const struct easy *e = self;

	return easy_least_in(e, e->backfill_order, range, now_us);
}

/* Return the rank in an order. A product that is too large is the largest. */
static int64_t easy_rank_in(const struct easy *e, enum easy_order order,
			    const struct torus_job *job, int64_t now_us)
{
	int64_t nodes = torus_rank_nodes(job), area;

	switch (order) {
	case EASY_SJF:
		return job->limit_us;
	case EASY_SAF:
		return __builtin_mul_overflow(job->limit_us, nodes, &area) ?
			       INT64_MAX :
			       area;
	case EASY_LQF:
		return -nodes;
	case EASY_WFP3:
		return easy_rank_aged(job->submit_us, job->limit_us, nodes,
				      now_us);
	case EASY_FAIRSHARE:
		return torus_shares_rank(&e->s->shares, job->share, now_us);
	case EASY_FCFS:
		break;
	}
	return 0;
}

static int64_t easy_rank(void *self, const struct torus_job *job, int64_t now_us)
{
	const struct easy *e = self;

	return easy_rank_in(e, e->queue_order, job, now_us);
}

static int64_t easy_backfill_rank(void *self, const struct torus_job *job,
				  int64_t now_us)
{
	const struct easy *e = self;

	return easy_rank_in(e, e->backfill_order, job, now_us);
}

static int64_t easy_pick_rank(void *self, const struct torus_job *job)
{
	const struct easy *e = self;

	return easy_ages(e->backfill_order) ?
		       0 :
		       easy_rank_in(e, e->backfill_order, job, 0);
}

static void *easy_create(struct torus_scheduler *s)
{
	struct easy *e = torus_alloc(1, sizeof(*e));
	uint32_t words = torus_state_machine(s->state)->words;
	const struct torus_options *o;

	if (!e)
		return NULL;
	e->s = s;
	e->again = !s->timeless || s->settings.offer_again;
	e->all = true;
	e->walk = 1;
	o = &e->s->settings.options;
	e->queue_order = easy_read_order(o, "queue_order");
	e->backfill_order = easy_read_order(o, "backfill_order");
	e->by_count = torus_options_is(o, "overtake", "before-count");
	e->before_start = e->by_count ||
			  torus_options_is(o, "overtake", "before-start");
	e->s->ranked = e->queue_order != EASY_FCFS;
	e->s->ages = easy_ages(e->queue_order);
	if (e->s->discipline->rank != easy_rank) { /* another order (policy.c) */
		e->s->ranked = true;
		e->s->ages = !e->s->discipline->rank_stays;
	}
	e->s->leads = e->s->ages && e->s->discipline->rank_least;
	e->picks = e->s->leads || e->queue_order != e->backfill_order;
	if (e->picks)
		e->s->pick_rank = easy_pick_rank;
	e->s->bound_us = torus_options_duration(o, "bound", TORUS_NO_TIME);
	e->s->shares.on = e->queue_order == EASY_FAIRSHARE ||
			  e->backfill_order == EASY_FAIRSHARE;
	e->s->shares.half_life_us =
		torus_options_is(o, "half_life", "none") ?
			TORUS_NO_TIME :
			torus_options_duration(o, "half_life",
					       EASY_HALF_LIFE_US);
	/* a bound on ranks needs jobs of one share; refusals by limit one class */
	if (e->s->shares.on || e->s->settings.reservations > 1)
		e->s->lanes.by = TORUS_LANES_CLASS;
	e->allowed = torus_alloc(3 * (size_t)words, sizeof(*e->allowed));
	if (easy_promised_init(&e->promised, s) || !e->allowed) {
		easy_destroy(e);
		return NULL;
	}
	e->clash = e->allowed + words;
	e->wanted = e->clash + words;
	return e;
}

static void easy_submitted(void *self, struct torus_job *job, int64_t now_us)
{
	struct easy *e = self;

	(void)now_us;
	if (e->picks)
		e->s->lacked_memory |=
			torus_picks_reserve(&e->s->picks, e->s->queue.length) !=
			0;
	if (job->next)
		e->all = true;
	else if (!e->fresh)
		e->fresh = job;
}

/* Return true if the orders of queue and backfilling differ: then a walk that was cut
 * goes on by job->walk, not from `fresh`. */
static bool easy_is_sorted(const struct easy *e)
{
	return e->s->unsorted || e->queue_order != e->backfill_order;
}

/* The job that `fresh` points at leaves the queue. */
static void easy_forget_fresh(struct easy *e)
{
	e->fresh = NULL;
	e->all = true;
	e->halfway &= easy_is_sorted(e);
}

static void easy_left(void *self, struct torus_job *job, int64_t now_us)
{
	struct easy *e = self;

	(void)now_us;
	e->all = true;
	easy_promised_drop(&e->promised, job);
	if (e->fresh == job)
		easy_forget_fresh(e);
}

static enum torus_answer easy_shadow_of(struct easy *e, struct torus_job *job,
					uint32_t k, int64_t now_us,
					int64_t *when_us,
					struct torus_placement *now)
{
	enum torus_answer answer =
		torus_plan_shadow_time(e->s->plan, torus_job_ask(job, k, now_us),
				       now_us, when_us, now);

	e->s->lacked_memory |= answer == TORUS_FAILED;
	return answer;
}

/* Return when the head's nodes are free by their number, without regard to places. */
static int64_t easy_count_us(const struct easy *e, const struct easy_head *h,
			     int64_t now_us)
{
	const struct torus_state *s = e->s->state;
	uint64_t need = torus_ask_nodes(
		torus_job_ask(h->job, h->alternative, now_us));
	uint64_t free = torus_state_free_nodes(s);
	int64_t when_us = now_us;

	for (uint32_t i = 0; free < need && i < torus_state_holds(s); i++) {
		const struct torus_hold *hold = torus_state_ending(s, i);

		free += hold->place.granted;
		when_us = torus_end_after(hold->end_us, now_us);
	}
	return free < need ? h->shadow_us : when_us;
}

/* Fill in what a later job must not exceed, when the shadow time is known. */
static void easy_bound_head(const struct easy *e, struct easy_head *h,
			    int64_t now_us)
{
	h->spare = e->before_start ? 0 : torus_plan_spare(e->s->plan);
	if (e->by_count)
		h->shadow_us = easy_count_us(e, h, now_us);
}

/*
 * Start the head now, or fill h with its shadow time. Return true if it
 * started. (False with h->shadow_us == now_us: it fits, but memory ran out.)
 */
static bool easy_start_head(struct easy *e, struct torus_job *job,
			    int64_t now_us, struct easy_head *h)
{
	struct torus_placement place;
	int64_t when_us;
	uint32_t last = 0;

	*h = (struct easy_head){ .job = job, .shadow_us = TORUS_NO_TIME };
	for (uint32_t k = 0; k < job->request.alternatives; k++) {
		if (!torus_job_accepts(job, k, now_us))
			continue;
		if (easy_shadow_of(e, job, k, now_us, &when_us, &place) ==
			    TORUS_FITS &&
		    when_us == now_us) {
			h->shadow_us = now_us;
			return torus_scheduler_start(e->s, job, k, &place,
						     now_us);
		}
		last = k;
		if (when_us < h->shadow_us) {
			h->shadow_us = when_us;
			h->alternative = k;
		}
	}
	if (last != h->alternative)
		easy_shadow_of(e, job, h->alternative, now_us, &when_us, NULL);
	job->start_us = h->shadow_us;
	job->alternative = h->alternative;
	easy_bound_head(e, h, now_us);
	return false;
}

/* Return true if reservations in the plan change the answer to a question of the
 * head that must not count them (torus_plan_shadow()). */
static bool easy_must_suspend(const struct easy *e, const struct easy_head *h)
{
	return e->promised.count && h->job->outages;
}

/* Return true if a job in `place` delays the head, so that it must wait. */
static bool easy_delays_head(struct easy *e, const struct easy_head *h,
			     int64_t now_us,
			     const struct torus_placement *place, int64_t end_us)
{
	bool suspend = easy_must_suspend(e, h) && !e->s->timeless, delays;

	if (e->before_start && end_us > h->shadow_us)
		return true;
	if (e->by_count) /* the head gets its place no earlier than this count */
		return false;
	if (suspend)
		easy_promised_suspend(&e->promised);
	delays = torus_plan_delays(e->s->plan,
				   torus_job_ask(h->job, h->alternative, now_us),
				   now_us, h->shadow_us, place, end_us);
	if (suspend)
		easy_promised_resume(&e->promised);
	return delays;
}

/* Return true if it delays the head or a job with a further reservation. */
static bool easy_delays(struct easy *e, const struct easy_head *h,
			int64_t now_us, struct torus_placement *place,
			int64_t end_us)
{
	return easy_delays_head(e, h, now_us, place, end_us) ||
	       !easy_promised_allows(&e->promised, place, now_us, end_us);
}

/* Remove nodes of the head's place from the allowed ones: all of them, or those
 * that a refused place shares. Return false if none of them was allowed. */
static bool easy_avoid_head(struct easy *e, const struct torus_placement *head,
			    const struct torus_placement *place)
{
	const struct torus_machine *m = torus_state_machine(e->s->state);
	uint32_t words = m->words;

	torus_bits_zero(e->wanted, words);
	torus_placement_paint(m, head, e->wanted);
	if (place) {
		torus_bits_zero(e->clash, words);
		torus_placement_paint(m, place, e->clash);
		torus_bits_and(e->wanted, e->wanted, e->clash, words);
	}
	if (!torus_bits_meet(e->allowed, e->wanted, words))
		return false;
	torus_bits_andnot(e->allowed, e->wanted, words);
	return true;
}

/* Offer other places after a refusal, backfill_places in all. */
static enum easy_offer easy_offer_others(struct easy *e,
					 const struct easy_head *h,
					 struct torus_job *job, uint32_t k,
					 int64_t now_us,
					 struct torus_placement *place)
{
	struct torus_scheduler *s = e->s;
	const struct torus_ask *ask = torus_job_ask(job, k, now_us);
	uint32_t words = torus_state_machine(s->state)->words;
	struct torus_ask among = torus_ask_among(ask, e->allowed);
	struct torus_placement wanted;
	int64_t when_us;

	torus_bits_copy(e->allowed, torus_state_free_map(s->state), words);
	if (job->allowed)
		torus_bits_and(e->allowed, e->allowed, job->allowed, words);
	for (uint32_t i = 1; i < s->settings.backfill_places; i++) {
		bool last = i + 1 == s->settings.backfill_places;

		if (torus_plan_shadow(s->plan,
				      torus_job_ask(h->job, h->alternative,
						    now_us),
				      now_us, &when_us, &wanted) != TORUS_FITS ||
		    !easy_avoid_head(e, &wanted, last ? NULL : place) ||
		    torus_plan_find(s->plan, &among, place) != TORUS_FITS)
			return REFUSED;
		if (!easy_delays(e, h, now_us, place, ask->end_us))
			return torus_scheduler_start(s, job, k, place, now_us) ?
				       STARTED :
				       REFUSED;
	}
	return REFUSED;
}

static enum easy_offer easy_offer(struct easy *e, const struct easy_head *h,
				  struct torus_job *job, uint32_t k,
				  int64_t now_us)
{
	struct torus_scheduler *s = e->s;
	const struct torus_ask *ask = torus_job_ask(job, k, now_us);
	bool late = ask->end_us > h->shadow_us;
	struct torus_class *c = torus_job_index(job)->class[k];
	struct torus_placement place;
	enum easy_offer o;

	if (late && torus_ask_nodes(ask) > h->spare)
		return REFUSED;
	if (late && !e->again && c && c->refusals->refused == e->stamp)
		return REFUSED;
	if (c && c->refusals->refused_long == e->stamp &&
	    job->limit_us >= c->refusals->refused_us)
		return REFUSED;
	if (!torus_scheduler_find(s, job, k, now_us, &place))
		return NO_PLACE;
	if (!easy_delays(e, h, now_us, &place, ask->end_us))
		return torus_scheduler_start(s, job, k, &place, now_us) ?
			       STARTED :
			       REFUSED;
	o = easy_offer_others(e, h, job, k, now_us, &place);
	if (o != REFUSED || !c)
		return o;
	if (e->promised.count) {
		c->refusals->refused_long = e->stamp;
		c->refusals->refused_us = job->limit_us;
	} else if (late) {
		c->refusals->refused = e->stamp;
	}
	return o;
}

/* Reserve the first window of a blocked job. Return true if it starts instead,
 * in a place that the strategy did not offer. */
static bool easy_promise(struct easy *e, const struct easy_head *h,
			 struct torus_job *job, int64_t now_us)
{
	struct torus_placement place;
	uint32_t k;

	return easy_promised_add(&e->promised, h->job, job, now_us, &k,
				 &place) &&
	       !easy_delays_head(e, h, now_us, &place,
				 torus_job_ask(job, k, now_us)->end_us) &&
	       torus_scheduler_start(e->s, job, k, &place, now_us);
}

/* Begin a new situation: earlier refusals no longer hold. */
static void easy_new_situation(struct easy *e, const struct easy_head *h)
{
	e->stamp = ++e->s->stamp;
	e->generation = torus_state_generation(e->s->state);
	e->head = h->job->sequence;
	e->shadow_us = h->shadow_us;
	e->freed = e->s->freed;
}

/* A job overtook the head: compute the head's shadow time again. */
static void easy_renew_head(struct easy *e, struct easy_head *h, int64_t now_us)
{
	bool suspend = easy_must_suspend(e, h);

	if (suspend)
		easy_promised_suspend(&e->promised);
	easy_shadow_of(e, h->job, h->alternative, now_us, &h->shadow_us, NULL);
	easy_bound_head(e, h, now_us);
	if (suspend)
		easy_promised_resume(&e->promised);
	easy_new_situation(e, h);
}

/* Return true if the situation is the one in which jobs were refused. */
static bool easy_unchanged(const struct easy *e, const struct easy_head *h)
{
	return !e->again &&
	       e->generation == torus_state_generation(e->s->state) &&
	       e->head == h->job->sequence && e->shadow_us == h->shadow_us &&
	       e->freed == e->s->freed;
}

/* Candidates: jobs with enough free nodes that end by the shadow time or leave
 * the head enough nodes, and that were not tried in this situation. */
static struct torus_candidate_filter
easy_filter(const struct easy *e, const struct easy_head *h, int64_t now_us)
{
	const struct torus_scheduler *s = e->s;

	return (struct torus_candidate_filter){
		.due_us = INT64_MIN,
		.failed = s->freed,
		.nodes = torus_state_free_nodes(s->state),
		.limit_us = h->shadow_us == TORUS_NO_TIME ?
				    TORUS_NO_TIME :
				    h->shadow_us - now_us,
		.spare = h->spare,
		.refused = e->again ? 0 : e->stamp,
		.refused_long = e->stamp,
	};
}

/*
 * Return the next job to offer a place from `from` on; NULL: none. Until all
 * reservations are made, that may be one that only gets a reservation, *only. With
 * `resumed` all jobs before `fresh` are of that kind.
 */
static struct torus_job *easy_next(struct easy *e, const struct easy_head *h,
				   const struct torus_candidate_filter *filter,
				   struct torus_job *from, bool resumed,
				   int64_t now_us, bool *only)
{
	for (; from && !e->promised.complete; from = from->next) {
		bool before = resumed && (!e->fresh ||
					  from->position < e->fresh->position);

		*only = before || !torus_job_is_candidate(filter, from);
		if (from != h->job && from->reservation == UINT32_MAX &&
		    (!*only || easy_promised_wants(&e->promised, from, now_us)))
			return from;
	}
	*only = false;
	if (from && resumed && e->fresh && from->position < e->fresh->position)
		from = e->fresh;
	while ((from = torus_queue_next(e->s, filter, from)) &&
	       (from == h->job || from->reservation != UINT32_MAX))
		from = from->next;
	return from;
}

/* Offer the job a place; if it remains blocked, it may get a reservation. Return
 * true if it started. */
static bool easy_consider(struct easy *e, const struct easy_head *h,
			  struct torus_job *job, bool only, int64_t now_us)
{
	if (!only) {
		uint64_t stamp = e->s->freed;
		bool all = true;

		/* Offer a later job a place for each acceptable alternative, in order. */
		for (uint32_t k = 0; k < job->request.alternatives; k++) {
			enum easy_offer o;

			if (!torus_job_accepts(job, k, now_us)) {
				all = false;
				continue;
			}
			o = easy_offer(e, h, job, k, now_us);
			if (o == STARTED)
				return true;
			if (o == REFUSED)
				stamp = e->stamp;
		}
		if (all)
			job->tried = stamp;
	}
	return easy_promised_wants(&e->promised, job, now_us) &&
	       easy_promise(e, h, job, now_us);
}

/* Begin to pick jobs from `from` on, in the order of backfilling or the queue's; those of
 * `walk` come last. Without memory the next pass takes those that are left. */
static void easy_begin_picks(struct easy *e,
			     const struct torus_candidate_filter *filter,
			     const struct torus_job *from, bool by_queue,
			     uint64_t walk, int64_t now_us)
{
	struct torus_picks *p = &e->s->picks;

	p->rank = NULL;
	if (by_queue)
		p->rank = e->s->discipline->rank;
	else if (easy_ages(e->backfill_order))
		p->rank = easy_backfill_rank;
	p->rank_least = by_queue ? e->s->discipline->rank_least :
				   easy_backfill_least;
	p->now_us = now_us;
	p->filter = *filter;
	p->walk = walk;
	if (!torus_picks_begin(e->s, from))
		e->s->lacked_memory = e->all = true;
}

/* The pass is cut: the next one considers all jobs, those of this walk last. */
static bool easy_is_cut(struct easy *e, const struct torus_job *job)
{
	if (!torus_scheduler_stops(e->s, job))
		return false;
	e->all = e->halfway = true;
	return true;
}

/* Return the next blocked job in the queue's order that gets a reservation: from `from` on,
 * or picked where the queue is not sorted. */
static struct torus_job *
easy_next_promised(struct easy *e, struct torus_job *from, int64_t now_us)
{
	struct torus_scheduler *s = e->s;

	if (s->unsorted)
		from = torus_picks_next(s, &s->picks.filter);
	while (from && !e->promised.complete &&
	       !easy_promised_wants(&e->promised, from, now_us))
		from = s->unsorted ? torus_picks_next(s, &s->picks.filter) :
				     from->next;
	return e->promised.complete ? NULL : from;
}

/* Return the next candidate that was picked. */
static struct torus_job *
easy_next_picked(struct easy *e, const struct easy_head *h,
		 const struct torus_candidate_filter *filter)
{
	struct torus_job *job;

	do {
		job = torus_picks_next(e->s, filter);
	} while (job && (job == h->job || job->reservation != UINT32_MAX));
	return job;
}

/*
 * Offer places where the two orders differ: to the jobs that get reservations, in the
 * queue's order, then to the candidates in the order of backfilling; where only the head
 * is in its place, to both in the same order. Return true as easy_backfill_queue().
 */
static bool easy_backfill_sorted(struct easy *e, struct easy_head *h,
				 int64_t now_us)
{
	bool resumed = e->halfway, all = e->all || e->s->ladders;
	bool same = e->s->unsorted && e->queue_order == e->backfill_order;
	bool begun = false, promising = !same || resumed; /* else both at once */
	struct torus_candidate_filter filter, none = { .due_us = INT64_MIN };
	struct torus_job *job, *next = h->job->next;

	if (!easy_unchanged(e, h) || !e->promised.complete) {
		easy_new_situation(e, h);
		all = true;
	}
	e->walk += !resumed;
	e->all = e->halfway = false;
	filter = easy_filter(e, h, now_us);
	none.covered = e->promised.stamp;
	if (promising && e->s->unsorted && !e->promised.complete)
		easy_begin_picks(e, &none, next, true, 0, now_us);
	for (;;) {
		job = promising && !e->promised.complete ?
			      easy_next_promised(e, next, now_us) :
			      NULL;
		promising = job;
		filter.covered = !same || resumed || e->promised.complete ?
					 0 :
					 e->promised.stamp;
		if (!promising && !begun) {
			easy_begin_picks(e, &filter,
					 all ? h->job->next : e->fresh, same,
					 resumed ? e->walk : 0, now_us);
			begun = true;
		}
		if (promising)
			next = job->next;
		else
			job = easy_next_picked(e, h, &filter);
		if (!job || easy_is_cut(e, job))
			return false;
		job->walk = e->walk;
		if (!easy_consider(e, h, job,
				   !torus_job_is_candidate(&filter, job),
				   now_us))
			continue;
		easy_renew_head(e, h, now_us);
		e->all = true; /* others may get other places now */
		if (h->shadow_us == now_us)
			return true;
		filter = easy_filter(e, h, now_us);
	}
}

/*
 * Walk the queue once. Return true if the head can start now after all: a start
 * may split a partition tree into pieces that fit the head.
 */
static bool easy_backfill_queue(struct easy *e, struct easy_head *h,
				int64_t now_us)
{
	bool all = e->all || e->s->ladders || !e->promised.complete;
	bool resumed = e->halfway; /* jobs before `fresh` come last */
	struct torus_candidate_filter filter;
	struct torus_job *job, *next;
	bool only;

	if (!easy_unchanged(e, h) || !e->promised.complete) {
		easy_new_situation(e, h);
		all = true;
	}
	e->all = e->halfway = false;
	filter = easy_filter(e, h, now_us);
	torus_queue_search(e->s);
	job = (all && !resumed) || !e->promised.complete ? h->job->next :
							   e->fresh;
	for (;; job = next) {
		job = easy_next(e, h, &filter, job, resumed, now_us, &only);
		if (!job && resumed && all) {
			resumed = false;
			next = h->job->next;
			torus_queue_search(e->s);
			continue;
		}
		if (!job)
			return false;
		next = job->next;
		if (torus_scheduler_stops(e->s, job)) {
			e->all |= resumed && all;
			e->fresh = job;
			e->halfway = true;
			return false;
		}
		if (!easy_consider(e, h, job, only, now_us))
			continue;
		easy_renew_head(e, h, now_us);
		e->all = true; /* earlier jobs may get other places now */
		if (h->shadow_us == now_us)
			return true;
		filter = easy_filter(e, h, now_us);
		torus_queue_search(e->s);
	}
}

/* Return the head, the first of the queue. */
static struct torus_job *easy_next_head(struct easy *e, int64_t now_us)
{
	if (e->s->unsorted)
		torus_queue_order(e->s, now_us, false);
	return e->s->queue.head;
}

static int64_t easy_pass(void *self, int64_t now_us)
{
	struct easy *e = self;
	struct torus_scheduler *s = e->s;
	struct torus_job *job;
	struct easy_head h;

	e->all |= s->reordered;
	if (s->reordered && !e->halfway)
		e->fresh = NULL;
	do {
		easy_promised_clear(&e->promised);
		h = (struct easy_head){ .shadow_us = TORUS_NO_TIME };
		while ((job = easy_next_head(e, now_us)) &&
		       !torus_scheduler_stops(s, job) &&
		       easy_start_head(e, job, now_us, &h)) {
			if (e->fresh == job)
				easy_forget_fresh(e);
		}
		if (!job || s->cut.cut || h.shadow_us == now_us) {
			e->all = true;
			break;
		}
		easy_promised_begin(&e->promised, job, now_us);
	} while (easy_is_sorted(e) ? easy_backfill_sorted(e, &h, now_us) :
				     easy_backfill_queue(e, &h, now_us));
	s->picks.open = false;
	if (!e->halfway)
		e->fresh = NULL;
	return torus_scheduler_next_alternative(s, now_us);
}

const struct torus_discipline torus_discipline_easy = {
	.name = "easy",
	.summary =
		"aggressive backfilling: a job may overtake if the head's shadow time stays",
	.source =
		"Mao, Chen, Watson 2005, section 2.2; Aida, Kasahara, Narita 1998, section 3.4",
	.options =
		(const struct torus_option_help[]){
			{ "reservations", "1..1000", "1",
			  "this many blocked jobs have a reservation, and so has the first of each set of nodes" },
			{ "queue_order", "fcfs|sjf|saf|lqf|wfp3|fairshare",
			  "fcfs",
			  "the order of the queue: by arrival, least limit, least limit x nodes, most nodes, most (wait / limit)^3 x nodes, least usage of its user" },
			{ "backfill_order", "fcfs|sjf|saf|lqf|wfp3|fairshare",
			  "fcfs", "which job may overtake first" },
			{ "bound", "none|DURATION", "none",
			  "jobs that have waited longer come first, by arrival, in both orders" },
			{ "overtake", "shadow|before-start|before-count",
			  "shadow",
			  "a job overtakes if the head's start stays, or only if it also ends by then, or by when enough nodes are free by count" },
			{ "half_life", "none|DURATION", "7d",
			  "fairshare: the time in which half of a user's usage is forgotten" },
			{ 0 },
		},
	.foresees = true,
	.rank = easy_rank,
	.rank_stays = true, /* but easy_ages(): easy_read_options() */
	.rank_least = easy_rank_least,
	.sorts = easy_sorts,
	.reserves = true,
	.why_no_limit =
		"the first blocked job of each set of nodes has a reservation",
	.searches = TORUS_SEARCHES_TIME,
	.create = easy_create,
	.destroy = easy_destroy,
	.submitted = easy_submitted,
	.left = easy_left,
	.pass = easy_pass,
};
