/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several regions of a shape (several.h): the search on one or more toruses, and
 * the explanation if there is no place. */
#include "placement/several.h"

#include <stdio.h>

#include "torus/regions.h"

/* All places */

static bool several_list(void *arg, const struct torus_placement *place)
{
	struct several_search *x = arg;
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);

	torus_region_paint(&place->region, &pod->torus,
			   v->cover + pod->first_word);
	if (v->places == v->room)
		v->over = true;
	else
		v->place[v->places++] = several_pack(x, place);
	return !torus_search_limit_spend(x->q->ask->limit, x->nodes);
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
	if ((aligned || !o->aligned) &&
	    torus_region_inside(r, &pod->torus, x->v->left + pod->first_word))
		several_take(x, &item);
	return x->v->answer.count - x->from < x->want &&
	       !torus_search_limit_spend(x->q->ask->limit, x->nodes);
}

/* The places were listed when v->usable was current; v->left changes during the
 * search. */
static bool several_orders(struct several_search *x)
{
	struct several *v = x->v;
	struct state_question q = *x->q;

	q.usable = v->usable;
	torus_bits_copy(v->usable, v->left, q.s->machine->words);
	for (int aligned = 0; aligned < 2; aligned++) {
		for (int all = !aligned; all < 2; all++) {
			struct several_order o = { x, all == 0 };

			state_list_pod(&q, x->pod, x->strategy,
				       several_take_next, &o);
			if (several_complete(x))
				return true;
		}
		several_undo(x, 0);
	}
	v->bounded = true;
	return false;
}

/* The search after the greedy choice has failed. */
static bool several_search(struct several_search *x)
{
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);
	uint64_t *cover = v->cover + pod->first_word;

	v->places = 0;
	v->over = false;
	torus_bits_zero(cover, pod->words);
	state_list_pod(x->q, x->pod, x->strategy, several_list, x);
	if (torus_search_limit_cut(x->q->ask->limit)) {
		v->bounded = true;
		return false;
	}
	if (torus_bits_count(cover, pod->words) / x->nodes < x->want ||
	    (x->required && !torus_bits_subset(x->required, cover, pod->words)))
		return false;
	return v->over ? several_orders(x) : several_exact(x);
}

static bool several_find(struct several_search *x)
{
	struct several *v = x->v;

	if (several_near(x))
		return true;
	several_undo(x, 0);
	if (v->bounded || !several_search(x))
		return false;
	if (v->over)
		v->not_nearest = true;
	else if (!x->q->ask->any_place)
		several_nearest(x);
	return true;
}

/* Return how many regions the torus has room for, at most x->want. */
static uint32_t several_most(struct several_search *x)
{
	uint32_t want = x->want, most;

	several_near(x);
	most = x->v->answer.count - x->from;
	several_undo(x, 0);
	while (most < want && !x->v->bounded) {
		x->want = most + 1;
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
	    !pod->strategy[i]->find_all)
		return false;
	*x = (struct several_search){
		.v = q->s->several,
		.q = one,
		.pod = p,
		.strategy = (uint32_t)i,
		.want = q->ask->regions,
		.from = q->s->several->answer.count,
		.nodes = torus_pod_shape_nodes(pod, q->ask),
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

static void several_answer(const struct state_question *q,
			   struct torus_placement *out)
{
	struct torus_state *s = q->s;
	int i;

	*out = torus_regions_place(s->machine, &s->several->answer, s->spread);
	out->axes = q->ask->shape.axes;
	i = torus_pod_strategy(&s->machine->pod[out->pod], q->ask->strategy);
	out->strategy = i > 0 ? (uint8_t)i : 0;
}

/* Explanation */

static void several_say_unable(const struct state_question *q,
			       struct torus_error *why)
{
	const struct torus_strategy *const *all = torus_strategies();
	const struct torus *t = &q->s->machine->pod[0].torus;
	static const struct torus_options none;
	char list[256] = "";
	size_t used = 0;

	for (; *all; all++) {
		if ((*all)->occupancy_only && (*all)->find_all &&
		    torus_machine_able(*all, t, &none, NULL) == 0)
			used += (size_t)snprintf(list + used,
						 sizeof(list) - used, "%s%s",
						 used ? ", " : "", (*all)->name);
		if (used >= sizeof(list))
			break;
	}
	torus_error_add(why,
			"%s places one region at a time; several (*%u) take one of: %s",
			q->ask->strategy ?
				q->ask->strategy :
				q->s->machine->pod[0].strategy[0]->name,
			q->ask->regions, *list ? list : "none on this torus");
}

/* Return how many regions the nodes of all suitable toruses would make; 0 also
 * if none is suitable. */
static uint64_t several_regions(const struct state_question *q,
				const struct state_question *one, bool *able,
				struct torus_error *why)
{
	const struct torus_machine *m = q->s->machine;
	struct several_search x;
	uint64_t regions = 0;

	*able = false;
	for (uint32_t p = 0; p < m->pods; p++) {
		struct torus_placement place;

		if (!several_begin(q, one, p, &x))
			continue;
		*able = true;
		if (state_ask_pod(one, p, x.strategy, &place, why) !=
		    TORUS_NEVER)
			regions += m->pod[p].present_nodes / x.nodes;
	}
	return regions;
}

static void several_explain(const struct state_question *q,
			    const struct state_question *one,
			    struct torus_error *why)
{
	struct torus_ask ask = *q->ask;
	uint64_t nodes;
	bool able;
	uint64_t regions = several_regions(q, one, &able, NULL);

	if (!able)
		several_say_unable(q, why);
	else if (regions == 0)
		several_regions(q, one, &able, why);
	if (!able || regions == 0)
		return;
	torus_machine_settle(q->s->machine, &ask);
	nodes = torus_ask_nodes(&ask) / ask.regions;
	torus_error_add(why,
			"%u regions of %llu node%s: this machine has nodes for %llu",
			q->ask->regions, (unsigned long long)nodes,
			nodes == 1 ? "" : "s", (unsigned long long)regions);
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
	v->bounded = v->not_nearest = false;
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
	bool able;

	if (several_regions(q, &one, &able, NULL) < q->ask->regions) {
		if (why)
			several_explain(q, &one, why);
		return TORUS_NEVER;
	}
	if (several_in_one(q, &one) ||
	    (!q->ask->required && q->s->machine->pods > 1 &&
	     several_in_many(q, &one))) {
		several_answer(q, out);
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

/* Return true if the empty machine has a place, or if the ask's limit ended the
 * search. Cached for the latest asks. */
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
	e->possible = several_ask(&empty, &place, NULL) == TORUS_FITS;
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
				"%u such regions at a time: the search, which is bounded, finds %u on the empty machine" :
				"%u such regions at a time: the empty machine has room for %u",
			q->ask->regions, most);
	return TORUS_NEVER;
}
