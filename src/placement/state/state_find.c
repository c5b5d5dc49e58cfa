/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Query the strategies of a machine state (torus/state.h): the pods in order,
 * the first that has a place. O(words) plus the strategies' own cost.
 */
#include "torus/state_find.h"
#include "placement/state/grid.h"
#include "placement/submesh/factor.h"
#include "placement/state/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Convert the ask for the pod's strategy i. Return false if required nodes lie
 * outside this pod, or if the exact count or the limits are impossible. */
static bool state_ask_for_pod(const struct torus_state *s,
			      const struct torus_pod *pod, uint32_t i,
			      const struct torus_ask *ask,
			      struct torus_ask *here)
{
	bool grid = torus_grid_applies(pod, i);

	*here = *ask;
	here->rotate &= !pod->no_rotate;
	here->cell_nodes = grid ? pod->cell_nodes : 0;
	here->node_count = ask->count;
	if (!ask->by_count)
		here->shape_nodes = torus_pod_shape_nodes(pod, ask);
	if ((grid && !torus_grid_ask(pod, here)) ||
	    (torus_ask_limited(ask) && !pod->strategy[i]->limits))
		return false;
	if (!ask->required)
		return true;
	here->required = ask->required + pod->first_word;
	if (torus_bits_count(here->required, pod->words) !=
	    torus_bits_count(ask->required, s->machine->words))
		return false;
	if (grid) {
		torus_grid_fold_any(pod, here->required, s->required);
		here->required = s->required;
	}
	return true;
}

/* Return the part of a machine bitmap that strategy i of the pod searches. */
static const uint64_t *state_usable_for_pod(const struct torus_state *s,
					    const struct torus_pod *pod,
					    uint32_t i, const uint64_t *usable)
{
	usable += pod->first_word;
	if (!torus_grid_applies(pod, i))
		return usable;
	torus_grid_fold_all(pod, usable, s->cells);
	return s->cells;
}

int state_pod_strategy(const struct state_question *q, uint32_t p)
{
	const struct torus_pod *pod = &q->s->machine->pod[p];

	return pod->outside && !q->ask->anywhere ?
		       -1 :
		       torus_pod_strategy(pod, q->ask->strategy);
}

/* Return the free boxes for a question; NULL: it is answered faster without. On
 * a small bitmap, erosions for a count cost less than new boxes after each
 * release. */
static const struct torus_free_boxes *
state_boxes_for(struct torus_state *s, uint32_t p, const struct torus_ask *ask)
{
	if (ask->by_count && s->boxes[p].releases &&
	    s->machine->pod[p].words <= STATE_BOXES_COUNT_WORDS)
		return NULL;
	return state_boxes(s, p);
}

static int extent_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

const char *torus_place_wrong(const struct torus *t, const struct torus_ask *ask,
			      const uint64_t *usable,
			      const struct torus_placement *place)
{
	uint32_t words = torus_bits_words(t->nodes);

	if (place->spread || place->regions)
		return "a place in several parts";
	if (place->scattered && !place->nodes)
		return "scattered nodes without their bitmap";
	if (place->scattered && !torus_bits_subset(place->nodes, usable, words))
		return "a place with a node that is not usable";
	if (place->scattered)
		return torus_bits_count(place->nodes, words) == place->granted &&
				       place->granted >= torus_ask_nodes(ask) ?
			       NULL :
			       "scattered nodes of another number";
	if (torus_region_check(&place->region, t, NULL))
		return "a region that is not on the torus";
	if (!torus_region_inside(&place->region, t, usable))
		return "a place with a node that is not usable";
	if (place->granted != torus_region_nodes(&place->region, t) ||
	    (ask->by_count && place->granted < ask->count))
		return "a region of another number of nodes";
	if (!ask->by_count && torus_plain(t)) {
		struct torus_shape a = { .axes = TORUS_MAX_DIMS },
				   b = ask->shape;

		/* the extents of the shape, in any order */
		memcpy(a.extent, place->region.extent, sizeof(a.extent));
		torus_shape_squeeze(&a);
		torus_shape_squeeze(&b);
		qsort(a.extent, a.axes, sizeof(*a.extent), extent_compare);
		qsort(b.extent, b.axes, sizeof(*b.extent), extent_compare);
		if (a.axes != b.axes ||
		    memcmp(a.extent, b.extent, a.axes * sizeof(*a.extent)) != 0)
			return "a region of another shape";
	}
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		if (place->orientation.axis[d] >= (int)place->axes ||
		    place->axes > TORUS_MAX_DIMS)
			return "an axis that the shape does not have";
	}
	return NULL;
}

bool torus_state_wrong(const struct torus_state *s, struct torus_error *why)
{
	if (!s->wrong_why)
		return false;
	torus_error_add(why,
			"strategy %s: find() gave %s, expected a place on the usable nodes",
			s->wrong_strategy, s->wrong_why);
	return true;
}

enum torus_answer state_ask_pod(const struct state_question *q, uint32_t p,
				uint32_t i, struct torus_placement *out,
				struct torus_error *why)
{
	struct torus_state *s = q->s;
	const struct torus_pod *pod = &s->machine->pod[p];
	void *self = q->instances[p * TORUS_POD_STRATEGIES + i];
	enum torus_answer answer;
	struct torus_ask here;
	bool explained;

	if (!state_ask_for_pod(s, pod, i, q->ask, &here)) {
		if (torus_ask_limited(q->ask) && !pod->strategy[i]->limits)
			torus_error_add(why,
					"%s: strategy %s cannot limit the box of a count (:aspect, :bisection)",
					pod->torus.name, pod->strategy[i]->name);
		return TORUS_NEVER;
	}
	if (!self)
		self = state_instance(s, p, i);
	if (q->kind == USABLE_FREE && !torus_grid_applies(pod, i)) {
		here.boxes = state_boxes_for(s, p, q->ask);
		here.boxes_exact = here.boxes && !q->ask->allowed &&
				   !q->narrowed && state_boxes_exact(s, p);
	}
	if (q->kind == USABLE_FREE && pod->strategy[i]->scatters)
		here.first_word = state_free_from(s, pod);
	if (q->kind != USABLE_EVER && !q->ask->any_link)
		here.links = state_links(s, p, here.weak);
	if (pod->strategy[i]->see)
		pod->strategy[i]->see(self, s, p);
	explained = why && torus_nearest_explain(pod, &here, why);
	answer = pod->strategy[i]->find(self, &here,
					state_usable_for_pod(s, pod, i,
							     q->usable),
					out, explained ? NULL : why);
	if (answer != TORUS_FITS)
		return answer;
	if (pod->strategy[i]->checked) {
		const struct torus *t = torus_grid_applies(pod, i) ?
						&pod->grid :
						&pod->torus;
		const char *wrong =
			torus_place_wrong(t, &here,
					  state_usable_for_pod(s, pod, i,
							       q->usable),
					  out);

		if (wrong) {
			s->wrong_strategy = pod->strategy[i]->name;
			s->wrong_why = wrong;
			return TORUS_NOT_NOW;
		}
		out->from_word = out->to_word = 0;
	}
	state_place_finish(pod, i, out);
	out->pod = p;
	out->strategy = (uint8_t)i;
	return TORUS_FITS;
}

static enum torus_answer state_ask_pods(const struct state_question *q,
					struct torus_placement *out,
					struct torus_error *why)
{
	const struct torus_ask *ask = q->ask;
	enum torus_answer best = TORUS_NEVER;
	bool asked = false;

	for (uint32_t p = 0; p < q->s->machine->pods; p++) {
		int i = state_pod_strategy(q, p);
		enum torus_answer answer;

		if (i < 0)
			continue;
		asked = true;
		answer = state_ask_pod(q, p, (uint32_t)i, out, why);
		if (answer == TORUS_FITS && ask->by_count && ask->granted &&
		    out->granted != ask->granted)
			continue; /* its boxes are larger than another's */
		if (answer == TORUS_FITS)
			return TORUS_FITS;
		if (answer == TORUS_NOT_NOW)
			best = TORUS_NOT_NOW;
	}
	if (!asked)
		torus_error_add(why,
				"placement \"%s\" is not allowed on this machine",
				ask->strategy);
	return best;
}

enum torus_answer state_find_among(const struct state_question *q,
				   struct torus_placement *out,
				   struct torus_error *why)
{
	enum torus_answer answer;

	if (torus_ask_several(q->ask))
		return state_find_several(q, out, why);
	answer = state_ask_pods(q, out, NULL);
	if (answer != TORUS_FITS && q->ask->anywhere) {
		enum torus_answer spread = state_spread(q->s, q->ask, q->usable,
							out);

		if (spread != TORUS_NEVER)
			return spread;
	}
	if (answer == TORUS_NEVER && why)
		state_ask_pods(q, out, why);
	return answer;
}

/* Find the lightest place. */
static enum torus_answer state_find_light(const struct state_question *q,
					  struct torus_placement *out,
					  struct torus_error *why)
{
	enum torus_answer answer = state_find_among(q, out, why);

	if (answer == TORUS_FITS && q->s->weights && !q->ask->any_place &&
	    !q->ask->any_weight)
		state_choose_light(q, out);
	return answer;
}

enum torus_answer torus_state_find(struct torus_state *s,
				   const struct torus_ask *ask,
				   struct torus_placement *out,
				   struct torus_error *why)
{
	const uint64_t *usable = s->free;

	if (ask->allowed) {
		torus_bits_and(s->usable, s->free, ask->allowed,
			       s->machine->words);
		usable = s->usable;
	}
	return state_find_light(&(struct state_question){ .s = s,
							  .instances = s->self,
							  .ask = ask,
							  .usable = usable,
							  .kind = USABLE_FREE },
				out, why);
}

enum torus_answer torus_state_find_in(struct torus_state *s,
				      const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out)
{
	return state_find_light(&(struct state_question){ .s = s,
							  .instances = s->self,
							  .ask = ask,
							  .usable = usable,
							  .kind = USABLE_SOME },
				out, NULL);
}

struct state_listing {
	const struct torus_machine *machine;
	const uint64_t *required; /* the ask's required nodes in the pod */
	uint32_t pod;
	uint8_t strategy;
	bool stopped;
	bool (*each)(void *arg, const struct torus_placement *place);
	void *arg;
};

static bool state_list_place(void *arg, const struct torus_placement *place)
{
	struct state_listing *l = arg;
	struct torus_placement named_place = *place;

	named_place.pod = l->pod;
	named_place.strategy = l->strategy;
	state_place_finish(&l->machine->pod[l->pod], l->strategy, &named_place);
	if (l->required &&
	    !torus_region_holds(&named_place.region,
				&l->machine->pod[l->pod].torus, l->required))
		return true;
	l->stopped = !l->each(l->arg, &named_place);
	return !l->stopped;
}

bool state_list_pod(const struct state_question *q, uint32_t p, uint32_t i,
		    bool (*each)(void *arg, const struct torus_placement *place),
		    void *arg)
{
	const struct torus_pod *pod = &q->s->machine->pod[p];
	void *self = q->instances[p * TORUS_POD_STRATEGIES + i];
	struct state_listing l = { .machine = q->s->machine,
				   .pod = p,
				   .strategy = (uint8_t)i,
				   .each = each,
				   .arg = arg };
	struct torus_ask here;

	if (q->ask->required)
		l.required = q->ask->required + pod->first_word;
	if (!state_ask_for_pod(q->s, pod, i, q->ask, &here))
		return true;
	if (!self)
		self = state_instance(q->s, p, i);
	if (q->kind != USABLE_EVER && !q->ask->any_link)
		here.links = state_links(q->s, p, here.weak);
	pod->strategy[i]->find_all(self, &here,
				   state_usable_for_pod(q->s, pod, i, q->usable),
				   state_list_place, &l);
	return !l.stopped;
}

int torus_state_find_all(struct torus_state *s, const struct torus_ask *ask,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg)
{
	const struct state_question q = { .s = s,
					  .instances = s->self,
					  .ask = ask,
					  .usable = s->usable,
					  .kind = USABLE_FREE };

	for (uint32_t p = 0; p < s->machine->pods; p++) {
		int i = state_pod_strategy(&q, p);

		if (i < 0)
			continue;
		if (!s->machine->pod[p].strategy[i]->find_all ||
		    torus_ask_several(ask)) {
			errno = ENOSYS;
			return -1;
		}
		torus_bits_copy(s->usable, s->free, s->machine->words);
		if (ask->allowed)
			torus_bits_and(s->usable, s->usable, ask->allowed,
				       s->machine->words);
		if (!state_list_pod(&q, p, (uint32_t)i, each, arg))
			break;
	}
	return 0;
}

bool torus_state_timeless(const struct torus_state *s)
{
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		const struct torus_pod *pod = &s->machine->pod[p];

		for (uint32_t i = 0; i < pod->strategies; i++) {
			if (!pod->strategy[i]->occupancy_only)
				return false;
		}
	}
	return true;
}

/*
 * With several toruses: exactly the wanted number of nodes if any torus can,
 * else the smallest number above it. *place is some pod's answer already.
 */
static void state_settle_count(struct torus_state *s,
			       const struct torus_ask *ask,
			       struct torus_placement *place)
{
	struct torus_ask least = *ask;
	const struct state_question q = { .s = s,
					  .instances = s->pristine,
					  .ask = &least,
					  .usable = s->present,
					  .kind = USABLE_EVER };
	struct torus_placement other;

	for (least.granted = ask->count; least.granted < place->granted &&
					 !torus_search_limit_cut(ask->limit);
	     least.granted++) {
		if (state_find_among(&q, &other, NULL) == TORUS_FITS) {
			*place = other;
			return;
		}
	}
}

enum torus_answer torus_state_possible(struct torus_state *s,
				       const struct torus_ask *ask,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	const struct state_question q = { .s = s,
					  .instances = s->pristine,
					  .ask = ask,
					  .usable = s->present,
					  .kind = USABLE_EVER };
	struct torus_placement place;
	enum torus_answer answer = state_find_among(&q, &place, why);

	if (answer == TORUS_NOT_NOW && torus_search_limit_cut(ask->limit))
		return TORUS_NOT_NOW; /* unknown */
	if (answer == TORUS_NOT_NOW && torus_ask_several(ask))
		return state_several_never(&q, why);
	if (answer == TORUS_NOT_NOW) {
		torus_error_add(why,
				"each place for it has cells without a node");
		return TORUS_NEVER;
	}
	if (answer != TORUS_FITS)
		return answer;
	if (s->machine->pods > 1 && ask->by_count && !ask->granted)
		state_settle_count(s, ask, &place);
	if (out)
		*out = place;
	return TORUS_FITS;
}

uint64_t torus_state_possible_pods(struct torus_state *s,
				   const struct torus_ask *ask)
{
	const struct state_question q = { s,          s->pristine, ask,
					  s->present, USABLE_EVER, false };
	struct torus_placement place;
	uint64_t pods = 0;

	if (s->machine->pods == 1 || s->machine->pods > 64 || ask->anywhere ||
	    torus_ask_several(ask))
		return UINT64_MAX;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		int i = state_pod_strategy(&q, p);

		if (i >= 0 && state_ask_pod(&q, p, (uint32_t)i, &place, NULL) ==
				      TORUS_FITS)
			pods |= UINT64_C(1) << p;
	}
	return pods;
}

/* All that decides the answer to an ask but its allowed nodes. */
static bool ask_same_shape(const struct torus_ask *a, const struct torus_ask *b)
{
	if (a->strategy != b->strategy || a->by_count != b->by_count ||
	    a->rotate != b->rotate || a->weak != b->weak ||
	    a->any_link != b->any_link || a->any_weight != b->any_weight ||
	    a->outages != b->outages || a->required || b->required)
		return false;
	if (a->by_count)
		return a->anywhere == b->anywhere && a->count == b->count &&
		       a->granted == b->granted &&
		       memcmp(&a->limits, &b->limits, sizeof(a->limits)) == 0 &&
		       a->connection[0] == b->connection[0];
	return a->shape.axes == b->shape.axes && a->ones == b->ones &&
	       torus_ask_several(a) == torus_ask_several(b) &&
	       (!torus_ask_several(a) || a->regions == b->regions) &&
	       memcmp(a->shape.extent, b->shape.extent,
		      a->shape.axes * sizeof(*a->shape.extent)) == 0 &&
	       memcmp(a->connection, b->connection,
		      a->shape.axes * sizeof(*a->connection)) == 0;
}

bool torus_ask_same(const struct torus_ask *a, const struct torus_ask *b)
{
	return a->allowed == b->allowed && ask_same_shape(a, b);
}

bool torus_ask_same_nodes(const struct torus_ask *a, const struct torus_ask *b,
			  uint32_t words)
{
	return !a->allowed == !b->allowed && ask_same_shape(a, b) &&
	       (!a->allowed || torus_bits_equal(a->allowed, b->allowed, words));
}
