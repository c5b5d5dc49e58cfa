/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of a place by node weights (torus/weights.h). The strategy is asked
 * again with only the lighter nodes as usable ones, so no strategy has code for it.
 *
 * A region: bisect the distinct weights for the least that still has a place. (A
 * strategy whose answers are not monotone in the usable nodes is asked with each
 * weight, lightest first.) Among the places within it, one without nodes to boot;
 * else list the places and keep the first with fewest such nodes; the strategy then
 * chooses among the places that boot no other nodes. A strategy that lists no places
 * is asked without parts of the sleeping nodes of its place, until it needs each of
 * them.
 *
 * Scattered nodes: bisect in the order of Slurm, all nodes asleep last; all nodes of
 * the lighter classes are then required ones.
 *
 * Each node has the rank of its weight, in bit planes: "usable and of rank r at most"
 * costs O(words x log classes). If all nodes are alike, there is no such object and
 * find costs a comparison. Otherwise a find that fits costs O(log classes) searches
 * more, one that does not fit none. Nothing is allocated then.
 */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "placement/state/state.h"

#include <stdlib.h>

#include "torus/alloc.h"
#include "torus/weights.h"

#define WAKE_TRIES 64 /* searches for a place that boots fewer nodes */

struct state_weights {
	struct torus_weights *set;
	uint32_t words;
	uint32_t classes; /* distinct weights */
	uint32_t planes;
	bool any_asleep;
	const uint64_t *asleep; /* of `set` */
	uint64_t *plane;        /* [planes] bitmaps: the bits of the rank */
	/* scratch */
	uint64_t *usable, *required, *nodes, *one;
	struct torus_placement best; /* in the room */
	struct torus_placement_room room;
};

void state_weights_destroy(struct state_weights *w)
{
	if (!w)
		return;
	torus_weights_destroy(w->set);
	torus_free(w->plane);
	torus_placement_room_free(&w->room);
	torus_free(w);
}

static int weights_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Fill the planes with the nodes' ranks among value[]. */
static void weights_fill(const struct torus_state *s, struct state_weights *w,
			 const uint32_t *value)
{
	uint32_t b = torus_bits_next(s->present, w->words, 0);

	for (; b != UINT32_MAX;
	     b = torus_bits_next(s->present, w->words, b + 1)) {
		uint32_t weight = torus_weights_of(w->set, b), low = 0,
			 high = w->classes - 1;

		while (low < high) {
			uint32_t middle = (low + high) / 2;

			if (value[middle] < weight)
				low = middle + 1;
			else
				high = middle;
		}
		for (uint32_t k = 0; k < w->planes; k++) {
			if (low >> k & 1)
				torus_bits_set(w->plane + (size_t)k * w->words,
					       b);
		}
	}
}

static struct state_weights *weights_create(const struct torus_state *s,
					    const struct torus_weights *set)
{
	struct state_weights *w = torus_alloc(1, sizeof(*w));
	size_t words = s->machine->words;
	uint32_t *value = torus_alloc(words * 64, sizeof(*value));
	uint32_t n_words, n, classes;
	uint32_t b;

	if (w)
		w->set = torus_weights_copy(set);
	if (!w || !value || !w->set)
		goto error;
	w->words = (uint32_t)words;
	w->asleep = torus_weights_asleep(w->set);
	w->any_asleep = torus_bits_meet(w->asleep, s->present, w->words);
	/* Write the sorted distinct weights of the nodes to value[]. */
	n_words = s->machine->words;
	n = 0;
	classes = 0;
	b = torus_bits_next(s->present, n_words, 0);
	for (; b != UINT32_MAX; b = torus_bits_next(s->present, n_words, b + 1))
		value[n++] = torus_weights_of(w->set, b);
	qsort(value, n, sizeof(*value), weights_compare);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || value[i] != value[i - 1])
			value[classes++] = value[i];
	}
	w->classes = classes;
	while (w->classes > 1U << w->planes)
		w->planes++;
	w->plane = torus_alloc((w->planes + 4) * words, sizeof(*w->plane));
	w->room.nodes = torus_alloc(words, sizeof(*w->room.nodes));
	w->room.regions = torus_alloc(1, sizeof(*w->room.regions));
	if (!w->plane || !w->room.nodes || !w->room.regions)
		goto error;
	w->usable = w->plane + w->planes * words;
	w->required = w->usable + words;
	w->nodes = w->required + words;
	w->one = w->nodes + words;
	weights_fill(s, w, value);
	torus_free(value);
	return w;

error:
	torus_free(value);
	state_weights_destroy(w);
	return NULL;
}

int torus_state_set_weights(struct torus_state *s,
			    const struct torus_weights *set)
{
	struct state_weights *w = NULL;

	if (torus_weights_equal(s->machine, torus_state_weights(s), set))
		return 0;
	if (!torus_weights_equal(s->machine, set, NULL)) {
		w = weights_create(s, set);
		if (!w)
			return -1;
	}
	state_weights_destroy(s->weights);
	s->weights = w;
	s->generation = ++s->last_generation;
	return 0;
}

const struct torus_weights *torus_state_weights(const struct torus_state *s)
{
	return s->weights ? s->weights->set : NULL;
}

/* Set in `out` those of the nodes whose rank is `rank` at most. */
static void weights_up_to(const struct state_weights *w, const uint64_t *nodes,
			  uint32_t rank, uint64_t *out)
{
	for (uint32_t i = 0; i < w->words; i++) {
		uint64_t less = 0, equal = ~UINT64_C(0);

		for (uint32_t k = w->planes; k-- > 0;) {
			uint64_t bit = w->plane[(size_t)k * w->words + i];

			if (rank >> k & 1) {
				less |= equal & ~bit;
				equal &= bit;
			} else {
				equal &= ~bit;
			}
		}
		out[i] = nodes[i] & (less | equal);
	}
}

/* Return the greatest rank of the nodes in w->nodes, of which there are some.
 * Overwrites them. */
static uint32_t weights_greatest(const struct state_weights *w)
{
	uint32_t rank = 0;

	for (uint32_t k = w->planes; k-- > 0;) {
		const uint64_t *plane = w->plane + (size_t)k * w->words;

		if (!torus_bits_meet(w->nodes, plane, w->words))
			continue;
		torus_bits_and(w->nodes, w->nodes, plane, w->words);
		rank |= 1U << k;
	}
	return rank;
}

/* Paint the best place's nodes into w->nodes. */
static void weights_paint_best(const struct torus_state *s,
			       struct state_weights *w)
{
	torus_bits_zero(w->nodes, w->words);
	torus_placement_paint(s->machine, &w->best, w->nodes);
}

static uint32_t weights_best_rank(const struct torus_state *s,
				  struct state_weights *w)
{
	weights_paint_best(s, w);
	return weights_greatest(w);
}

/* Search among the nodes in w->usable. Return true with the place in w->best. */
static bool weights_try(const struct state_question *q)
{
	const struct state_question narrow = {
		.s = q->s,
		.instances = q->instances,
		.ask = q->ask,
		.usable = q->s->weights->usable,
		.kind = q->kind,
		.narrowed = true,
	};
	struct state_weights *w = q->s->weights;
	struct torus_placement place;

	if (torus_search_limit_cut(q->ask->limit) ||
	    state_find_among(&narrow, &place, NULL) != TORUS_FITS)
		return false;
	torus_placement_copy(q->s->machine, &w->best, &place, &w->room);
	return true;
}

/* Return true if more usable nodes never make a search of this question fail. */
static bool weights_monotone(const struct state_question *q)
{
	const struct torus_machine *m = q->s->machine;

	for (uint32_t p = 0; p < m->pods; p++) {
		int i = state_pod_strategy(q, p);

		if (i >= 0 && !m->pod[p].strategy[i]->occupancy_only &&
		    !m->pod[p].strategy[i]->by_nodes)
			return false;
	}
	return true;
}

/* Nodes to boot */

/* Leave those in w->usable that are of that rank at most, and awake or in `boot`. */
static void weights_wake_only(const struct state_question *q, uint32_t rank,
			      const uint64_t *asleep)
{
	struct state_weights *w = q->s->weights;

	weights_up_to(w, q->usable, rank, w->usable);
	for (uint32_t i = 0; i < w->words; i++)
		w->usable[i] &= ~w->asleep[i] | (asleep ? asleep[i] : 0);
}

struct weights_listing {
	const struct state_question *q;
	uint32_t least; /* fewest nodes asleep; they are in w->required */
};

static bool weights_list_place(void *arg, const struct torus_placement *place)
{
	struct weights_listing *l = arg;
	const struct state_question *q = l->q;
	struct state_weights *w = q->s->weights;
	uint32_t n;

	if (q->ask->by_count && place->granted != w->best.granted)
		return true;
	torus_bits_zero(w->nodes, w->words);
	torus_placement_paint(q->s->machine, place, w->nodes);
	n = torus_bits_count_both(w->nodes, w->asleep, w->words);
	if (n < l->least) {
		l->least = n;
		torus_bits_and(w->required, w->nodes, w->asleep, w->words);
	}
	return l->least > 1 &&
	       !torus_search_limit_spend(q->ask->limit,
					 w->words * 64 + place->granted);
}

/* List the places; keep the nodes of the one with fewest asleep in w->required. Return
 * false if a strategy lists none. */
static bool weights_list(const struct state_question *q, uint32_t rank,
			 struct weights_listing *l)
{
	const struct torus_machine *m = q->s->machine;
	struct state_question narrow = *q;

	narrow.usable = q->s->weights->usable;
	narrow.narrowed = true;
	for (uint32_t p = 0; p < m->pods; p++) {
		int i = state_pod_strategy(q, p);

		if (i >= 0 && (!m->pod[p].strategy[i]->find_all ||
			       m->pod[p].strategy[i]->lists_only ||
			       torus_ask_several(q->ask)))
			return false;
	}
	weights_up_to(q->s->weights, q->usable, rank, q->s->weights->usable);
	for (uint32_t p = 0; p < m->pods; p++) {
		int i = state_pod_strategy(q, p);

		if (i >= 0 && !state_list_pod(&narrow, p, (uint32_t)i,
					      weights_list_place, l))
			break;
	}
	return true;
}

/* Remove the n nodes asleep from the `from`-th on from w->required. */
static void weights_drop(struct state_weights *w, uint32_t from, uint32_t n)
{
	uint32_t b = torus_bits_next(w->required, w->words, 0);

	for (; b != UINT32_MAX && from + n > 0;
	     b = torus_bits_next(w->required, w->words, b + 1)) {
		if (from > 0) {
			from--;
		} else {
			torus_bits_clear(w->required, b);
			n--;
		}
	}
}

/* Ask without parts of the best place's nodes asleep, halves first. */
static void weights_wake_fewer(const struct state_question *q, uint32_t rank,
			       uint32_t asleep)
{
	struct state_weights *w = q->s->weights;
	uint32_t tries = 0, part = asleep > 1 ? asleep / 2 : 1;

	for (uint32_t from = 0; tries < WAKE_TRIES; tries++) {
		weights_paint_best(q->s, w);
		torus_bits_and(w->required, w->nodes, w->asleep, w->words);
		asleep = torus_bits_count(w->required, w->words);
		if (from >= asleep && part == 1)
			return;
		if (from >= asleep) {
			part /= 2;
			from = 0;
		}
		weights_drop(w, from, part);
		weights_wake_only(q, rank, w->required);
		if (!weights_try(q))
			from += part;
	}
	weights_paint_best(q->s, w);
	torus_bits_and(w->required, w->nodes, w->asleep, w->words);
}

/* The last search is among exactly the nodes that are light enough, and awake or
 * booted anyway: a score depends on the usable nodes around a place. */
static void weights_choose_region(const struct state_question *q)
{
	struct state_weights *w = q->s->weights;
	bool monotone = weights_monotone(q);
	uint32_t low = 0, high = weights_best_rank(q->s, w);

	while (low < high && !torus_search_limit_cut(q->ask->limit)) {
		uint32_t rank = monotone ? low + (high - low) / 2 : low;

		weights_up_to(w, q->usable, rank, w->usable);
		if (weights_try(q))
			high = weights_best_rank(q->s, w);
		else
			low = rank + 1;
	}
	torus_bits_zero(w->required, w->words);
	if (w->any_asleep) {
		/* Set in w->required the nodes that the place of that rank at most boots that
		 * boots the fewest. */
		struct weights_listing l = { .q = q };

		weights_paint_best(q->s, w);
		torus_bits_and(w->required, w->nodes, w->asleep, w->words);
		l.least = torus_bits_count(w->required, w->words);
		if (l.least != 0) {
			weights_wake_only(q, high, NULL);
			if (weights_try(q))
				torus_bits_zero(w->required, w->words);
			else if (!weights_list(q, high, &l))
				weights_wake_fewer(q, high, l.least);
		}
	}
	weights_wake_only(q, high, w->required);
	weights_try(q);
}

/* Scattered nodes */

static bool weights_scattered(const struct torus_placement *place)
{
	return place->scattered && !place->regions;
}

/* Leave the nodes of a class in `out`: those awake of that rank at most, or all,
 * and the required ones. */
static void weights_awake_up_to(const struct state_question *q, uint32_t class,
				uint64_t *out)
{
	const struct state_weights *w = q->s->weights;
	const uint64_t *required = q->ask->required;

	if (class >= w->classes) {
		torus_bits_copy(out, q->usable, w->words);
		return;
	}
	weights_up_to(w, q->usable, class, out);
	torus_bits_andnot(out, w->asleep, w->words);
	for (uint32_t i = 0; required && i < w->words; i++)
		out[i] |= required[i] & q->usable[i];
}

/* Take all usable nodes of the classes before this one: of all toruses if the nodes
 * may be in several, else of the best place's. */
static void weights_take_lighter(const struct state_question *q, uint32_t class)
{
	struct state_weights *w = q->s->weights;
	const struct torus_machine *m = q->s->machine;
	struct torus_ask ask = *q->ask;
	struct state_question more = *q;
	uint32_t only = w->best.spread ? UINT32_MAX : w->best.pod;

	more.ask = &ask;
	ask.required = w->required;
	for (uint32_t round = !q->ask->anywhere; round < 2; round++) {
		weights_awake_up_to(q, class, w->usable);
		weights_awake_up_to(q, class - 1, w->required);
		for (uint32_t p = 0; p < m->pods; p++) {
			const struct torus_pod *pod = &m->pod[p];
			bool other = round > 0 && p != only &&
				     only != UINT32_MAX;
			int i = torus_pod_strategy(pod, ask.strategy);

			if (other || i < 0 || !pod->strategy[i]->scatters)
				torus_bits_zero(w->required + pod->first_word,
						pod->words);
		}
		if (weights_try(&more))
			return;
	}
}

static void weights_choose_nodes(const struct state_question *q)
{
	struct state_weights *w = q->s->weights;
	uint32_t low = 0, high;

	weights_paint_best(q->s, w);
	high = torus_bits_meet(w->nodes, w->asleep, w->words) ?
		       w->classes :
		       weights_greatest(w);
	while (low < high && !torus_search_limit_cut(q->ask->limit)) {
		uint32_t class = low + (high - low) / 2;

		weights_awake_up_to(q, class, w->usable);
		if (weights_try(q))
			high = class;
		else
			low = class + 1;
	}
	if (high > 0 && weights_scattered(&w->best))
		weights_take_lighter(q, high);
}

/* (On a machine of several toruses one may answer with a region, another with
 * scattered nodes.) */
void state_choose_light(const struct state_question *q,
			struct torus_placement *out)
{
	struct state_weights *w = q->s->weights;
	struct state_question one = *q;

	torus_placement_copy(q->s->machine, &w->best, out, &w->room);
	if (weights_scattered(&w->best))
		weights_choose_nodes(q);
	if (!weights_scattered(&w->best)) {
		weights_choose_region(q);
		if (weights_scattered(&w->best) && !w->best.spread) {
			struct state_weights *own = one.s->weights;
			const struct torus_pod *pod =
				&one.s->machine->pod[own->best.pod];

			/* Let the question be about the best place's torus alone. */
			torus_bits_zero(own->one, own->words);
			torus_bits_copy(own->one + pod->first_word,
					one.usable + pod->first_word,
					pod->words);
			one.usable = own->one;
			weights_choose_nodes(&one);
		}
	}
	*out = w->best;
}

void torus_state_keep_lighter(struct torus_state *s, const uint64_t *than,
			      uint64_t *nodes)
{
	struct state_weights *w = s->weights;

	if (!w)
		return;
	torus_bits_copy(w->nodes, than, w->words);
	if (torus_bits_meet(w->nodes, w->asleep, w->words))
		return;
	weights_up_to(w, nodes, weights_greatest(w), nodes);
	torus_bits_andnot(nodes, w->asleep, w->words);
}
