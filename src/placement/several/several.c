/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several regions of a shape (state_find.h): the search on one or more toruses, and
 * the explanation if there is no place. */
#include "torus/state_find.h"
#include "placement/several/several.h"

#include <stdio.h>

#include "torus/regions.h"

/* Work */

static bool several_over(void *arg)
{
	struct several *v = arg;

	if (v->outer && (v->outer->cut || v->outer->over(v->outer->arg))) {
		v->outer->cut = true;
		return true;
	}
	if (v->work <= v->work_stop)
		return true;
	v->work--;
	if (v->work_pool != UINT32_MAX && v->work_pool > 0)
		v->work_pool--;
	return false;
}

/* Begin a part of the search that takes at most this work and leaves `reserve`. */
static void several_part(struct several *v, uint32_t work, uint32_t reserve)
{
	v->work_stop = v->work > work ? v->work - work : 0;
	if (v->work_stop < reserve)
		v->work_stop = reserve;
	v->limit = (struct torus_search_limit){
		.over = several_over,
		.arg = v,
		.cut = v->work <= v->work_stop ||
		       torus_search_limit_cut(v->outer),
	};
}

void several_each(struct several_search *x, const uint64_t *usable,
		  bool (*each)(void *arg, const struct torus_placement *place),
		  void *arg)
{
	struct torus_ask ask = *x->q->ask;
	struct state_question q = *x->q;

	ask.limit = &x->v->limit;
	q.ask = &ask;
	q.usable = usable;
	state_list_pod(&q, x->pod, x->strategy, each, arg);
}

void torus_state_pass(struct torus_state *s, bool begins)
{
	s->several->work_pool = begins ? SEVERAL_POOL : UINT32_MAX;
}

/* All places */

bool several_list(void *arg, const struct torus_placement *place)
{
	struct several_search *x = arg;
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);

	v->over = v->places == v->room;
	if (v->over)
		return false;
	torus_region_paint(&place->region, &pod->torus,
			   v->cover + pod->first_word);
	v->place[v->places++] = several_pack(x, place);
	return !several_spend(x, 0);
}

/* Two more orders of greedy choice: as listed, or aligned places first. */
struct several_order {
	struct several_search *x;
	bool aligned;
};

static bool several_take_next(void *arg, const struct torus_placement *place)
{
	struct several_order *o = arg;
	struct several_search *x = o->x;
	const struct torus_pod *pod = several_pod(x);
	const struct torus_region *r = &place->region;
	struct torus_region_item item = several_item(place);
	bool aligned = true;

	for (uint32_t d = 0; d < pod->torus.dims; d++)
		aligned = aligned && r->base[d] % r->extent[d] == 0;
	if (!aligned && o->aligned)
		return !torus_search_limit_spend(&x->v->limit, 8);
	if (torus_region_inside(r, &pod->torus, x->v->left + pod->first_word))
		several_take(x, &item);
	return x->v->answer.count - x->from < x->want && !several_spend(x, 0);
}

/* Take the first disjoint places of a listing; false if fewer than wanted. The
 * places are listed as of v->usable, since v->left changes during the search. */
static bool several_orders(struct several_search *x)
{
	struct several *v = x->v;

	torus_bits_copy(v->usable, v->left, x->q->s->machine->words);
	for (int aligned = 0; aligned < 2; aligned++) {
		for (int all = !aligned; all < 2; all++) {
			struct several_order o = { x, all == 0 };

			several_each(x, v->usable, several_take_next, &o);
			if (several_complete(x))
				return true;
		}
		several_undo(x, 0);
	}
	return false;
}

/* The search of all sets. Without an answer, v->over is set if the list is not
 * complete. */
static bool several_search(struct several_search *x)
{
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);
	uint64_t *cover = v->cover + pod->first_word;

	v->places = 0;
	v->over = false;
	torus_bits_zero(cover, pod->words);
	several_each(x, x->q->usable, several_list, x);
	if (v->limit.cut) {
		v->bounded = true;
		return false;
	}
	if (!v->over &&
	    (torus_bits_count(cover, pod->words) / x->nodes < x->want ||
	     (x->required && !torus_bits_subset(x->required, cover, pod->words))))
		return false;
	if (!v->over)
		return several_exact(x);
	if (!x->any && several_orders(x))
		return true;
	if (x->any) {
		several_part(v, SEVERAL_NEAR, 0);
		if (several_near(x))
			return true;
		several_undo(x, 0);
	}
	v->bounded = true;
	return false;
}

/* The greedy choice. Without an answer, v->bounded tells whether the ask's limit
 * has ended it. */
static bool several_greedy(struct several_search *x)
{
	struct several *v = x->v;
	bool found;

	if (x->any) {
		several_part(v, SEVERAL_QUICK, 0);
		if (several_grid(x))
			return true;
		several_undo(x, 0);
		return several_orders(x);
	}
	several_part(v, SEVERAL_NEAR, SEVERAL_QUICK);
	if (several_near(x))
		return true;
	several_undo(x, 0);
	v->bounded = torus_search_limit_cut(v->outer);
	if (!v->limit.cut || v->bounded)
		return false;
	several_part(v, SEVERAL_QUICK, 0);
	found = several_near_boxes(x);
	if (!found) {
		several_part(v, SEVERAL_QUICK, 0);
		found = several_grid(x);
		if (!found) {
			several_undo(x, 0);
			found = several_orders(x);
		}
	}
	v->not_nearest |= found;
	return found;
}

static bool several_find(struct several_search *x)
{
	struct several *v = x->v;

	if (several_greedy(x))
		return true;
	several_undo(x, 0);
	if (v->bounded)
		return false;
	several_part(v, SEVERAL_WORK, 0);
	if (!several_search(x))
		return false;
	if (v->over)
		v->not_nearest = true;
	else if (!x->any)
		several_nearest(x);
	return true;
}

/* Return how many regions the torus has room for, at most x->want. */
static uint32_t several_most(struct several_search *x)
{
	uint32_t want = x->want, most;

	if (several_greedy(x)) {
		several_undo(x, 0);
		return want;
	}
	most = x->v->answer.count - x->from;
	several_undo(x, 0);
	while (most < want && !x->v->bounded) {
		x->want = most + 1;
		several_part(x->v, SEVERAL_WORK, 0);
		if (!several_search(x))
			break;
		several_undo(x, 0);
		most++;
	}
	x->want = want;
	return most;
}

/* The search over the toruses */

/* Begin the search of pod p; false if the pod is not asked or its strategy
 * cannot. */
static bool several_begin(const struct state_question *q,
			  const struct state_question *one, uint32_t p,
			  struct several_search *x)
{
	const struct torus_pod *pod = &q->s->machine->pod[p];
	int i = state_pod_strategy(q, p);

	if (i < 0 || !pod->strategy[i]->occupancy_only ||
	    !pod->strategy[i]->find_all || pod->strategy[i]->lists_only)
		return false;
	*x = (struct several_search){
		.v = q->s->several,
		.q = one,
		.pod = p,
		.strategy = (uint32_t)i,
		.want = q->ask->regions,
		.from = q->s->several->answer.count,
		.nodes = torus_pod_shape_nodes(pod, q->ask),
		.any = !q->ask->required &&
		       (q->ask->any_place || q->kind == USABLE_EVER),
	};
	if (q->ask->required)
		x->required = q->ask->required + pod->first_word;
	return true;
}

/* Return true if all required nodes are in this torus and usable. */
static bool several_may_hold(const struct several_search *x,
			     const struct state_question *q)
{
	const struct torus_pod *pod = several_pod(x);

	return !x->required ||
	       (torus_bits_count(x->required, pod->words) ==
			torus_bits_count(q->ask->required,
					 q->s->machine->words) &&
		torus_bits_subset(x->required, q->usable + pod->first_word,
				  pod->words));
}

static bool several_in_one(const struct state_question *q,
			   const struct state_question *one)
{
	struct several_search x;

	for (uint32_t p = 0; p < q->s->machine->pods; p++) {
		if (several_begin(q, one, p, &x) && several_may_hold(&x, q) &&
		    several_find(&x))
			return true;
	}
	return false;
}

/* Place the regions on several toruses, starting with the one with room for
 * most; s->share has the number per torus. */
static bool several_in_many(const struct state_question *q,
			    const struct state_question *one)
{
	uint32_t *share = q->s->share, sum = 0, left = q->ask->regions;
	struct several_search x;

	for (uint32_t p = 0; p < q->s->machine->pods; p++) {
		share[p] = several_begin(q, one, p, &x) ? several_most(&x) : 0;
		sum += share[p];
	}
	while (sum >= left && left > 0) {
		uint32_t best = 0;

		for (uint32_t p = 1; p < q->s->machine->pods; p++)
			best = share[p] > share[best] ? p : best;
		several_begin(q, one, best, &x);
		x.want = share[best] < left ? share[best] : left;
		if (share[best] == 0 || !several_find(&x))
			return false;
		left -= x.want;
		share[best] = 0;
	}
	return left == 0;
}

/* Explanation */

/* Return how many regions all suitable toruses may have room for at most; 0 also
 * if none is suitable. *nodes: how many their nodes would make. */
static uint64_t several_regions(const struct state_question *q,
				const struct state_question *one, bool *able,
				uint64_t *nodes, struct torus_error *why)
{
	const struct torus_machine *m = q->s->machine;
	struct several_search x;
	uint64_t regions = 0;

	*able = false;
	*nodes = 0;
	for (uint32_t p = 0; p < m->pods; p++) {
		uint64_t whole = m->pod[p].present_nodes, bound;
		struct torus_placement place;

		if (!several_begin(q, one, p, &x))
			continue;
		*able = true;
		if (state_ask_pod(one, p, x.strategy, &place, why) ==
		    TORUS_NEVER)
			continue;
		whole /= x.nodes;
		bound = several_bound(&x);
		*nodes += whole;
		regions += bound < whole ? bound : whole;
	}
	return regions;
}

static void several_explain(const struct state_question *q,
			    const struct state_question *one,
			    struct torus_error *why)
{
	struct torus_ask ask = *q->ask;
	uint64_t nodes, whole;
	bool able;
	uint64_t regions = several_regions(q, one, &able, &whole, NULL);

	if (!able) {
		const struct torus_strategy *const *all = torus_strategies();
		const struct torus *t = &q->s->machine->pod[0].torus;
		static const struct torus_options none;
		char list[256] = "";
		size_t used = 0;

		for (; *all; all++) {
			if ((*all)->occupancy_only && (*all)->find_all &&
			    !(*all)->lists_only &&
			    torus_machine_able(*all, t, &none, NULL) == 0)
				used += (size_t)snprintf(list + used,
							 sizeof(list) - used,
							 "%s%s",
							 used ? ", " : "",
							 (*all)->name);
			if (used >= sizeof(list))
				break;
		}
		torus_error_add(why,
				"%s places one region at a time; several (*%u) take one of: %s",
				q->ask->strategy ?
					q->ask->strategy :
					q->s->machine->pod[0].strategy[0]->name,
				q->ask->regions,
				*list ? list : "none on this torus");
	} else if (regions == 0)
		several_regions(q, one, &able, &whole, why);
	if (!able || regions == 0)
		return;
	torus_machine_settle(q->s->machine, &ask);
	nodes = torus_ask_nodes(&ask) / ask.regions;
	torus_error_add(why,
			"%u regions of %llu node%s: this machine has %s for only %llu",
			q->ask->regions, (unsigned long long)nodes,
			nodes == 1 ? "" : "s",
			regions < whole ? "room" : "nodes",
			(unsigned long long)regions);
}

/* The question for one region among v->left, which gets the usable nodes. */
static struct state_question several_one(const struct state_question *q,
					 struct torus_ask *ask)
{
	struct several *v = q->s->several;

	*ask = *q->ask;
	ask->regions = 0;
	ask->required = NULL;
	v->answer.count = 0;
	v->bounded = v->not_nearest = v->over = false;
	v->outer = ask->limit;
	v->work = v->work_pool < SEVERAL_WORK ? v->work_pool : SEVERAL_WORK;
	v->work += v->work_pool ? SEVERAL_QUICK : SEVERAL_QUICK / 4;
	torus_bits_copy(v->left, q->usable, q->s->machine->words);
	return (struct state_question){ .s = q->s,
					.instances = q->instances,
					.ask = ask,
					.usable = v->left,
					.kind = q->kind,
					.narrowed = q->narrowed };
}

static enum torus_answer several_ask(const struct state_question *q,
				     struct torus_placement *out,
				     struct torus_error *why)
{
	struct torus_ask ask;
	struct state_question one = several_one(q, &ask);
	uint64_t nodes;
	bool able;

	if (several_regions(q, &one, &able, &nodes, NULL) < q->ask->regions) {
		if (why)
			several_explain(q, &one, why);
		return TORUS_NEVER;
	}
	if (several_in_one(q, &one) ||
	    (!q->ask->required && q->s->machine->pods > 1 &&
	     several_in_many(q, &one))) {
		struct torus_state *s = q->s;
		int i;

		*out = torus_regions_place(s->machine, &s->several->answer,
					   s->spread);
		out->axes = q->ask->shape.axes;
		i = torus_pod_strategy(&s->machine->pod[out->pod],
				       q->ask->strategy);
		out->strategy = i > 0 ? (uint8_t)i : 0;
		return TORUS_FITS;
	}
	return TORUS_NOT_NOW;
}

/* The question to the empty machine. */
static struct state_question several_empty(const struct state_question *q,
					   struct torus_ask *ask)
{
	*ask = *q->ask;
	ask->allowed = NULL;
	ask->outages = NULL;
	return (struct state_question){ .s = q->s,
					.instances = q->s->pristine,
					.ask = ask,
					.usable = q->s->present,
					.kind = USABLE_EVER };
}

/* Return true if the empty machine has a place, or if a limit ended the search.
 * Cached for the latest asks. */
static bool several_ever(const struct state_question *q)
{
	struct several *v = q->s->several;
	struct torus_placement place;
	struct torus_ask ask;
	struct state_question empty = several_empty(q, &ask);
	struct several_ever *e;

	for (uint32_t i = 0; i < SEVERAL_EVER; i++) {
		if (v->ever[i].exact && torus_ask_same(&v->ever[i].ask, &ask))
			return v->ever[i].possible;
	}
	e = &v->ever[v->next_ever++ % SEVERAL_EVER];
	e->possible = several_ask(&empty, &place, NULL) == TORUS_FITS ||
		      v->bounded;
	e->exact = !torus_search_limit_cut(ask.limit);
	e->ask = ask;
	e->ask.limit = NULL;
	return e->possible || !e->exact;
}

enum torus_answer state_find_several(const struct state_question *q,
				     struct torus_placement *out,
				     struct torus_error *why)
{
	enum torus_answer answer = several_ask(q, out, why);
	bool bounded = q->s->several->bounded;
	struct state_question empty;
	struct torus_ask ask;

	if (answer != TORUS_NOT_NOW || q->kind == USABLE_EVER ||
	    torus_search_limit_cut(q->ask->limit))
		return answer;
	if (several_ever(q)) {
		q->s->several->bounded = bounded;
		return TORUS_NOT_NOW;
	}
	empty = several_empty(q, &ask);
	return why ? state_several_never(&empty, why) : TORUS_NEVER;
}

enum torus_answer state_several_never(const struct state_question *q,
				      struct torus_error *why)
{
	struct torus_ask ask;
	struct state_question one = several_one(q, &ask);
	struct several_search x;
	uint32_t most = 0;

	for (uint32_t p = 0; p < q->s->machine->pods; p++) {
		if (several_begin(q, &one, p, &x))
			most += several_most(&x);
	}
	torus_error_add(why,
			q->s->several->bounded ?
				"%u regions at a time: the bounded search finds only %u on the empty machine" :
				"%u regions at a time: the empty machine has room for only %u",
			q->ask->regions, most);
	return q->s->several->bounded ? TORUS_NOT_NOW : TORUS_NEVER;
}
