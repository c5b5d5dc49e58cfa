/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest regions (state_find.h): the greedy choice, and the search that
 * replaces it where it leads to no set. No allocation. */
#include "placement/several/several.h"

/* A place that the regions chosen so far exclude. */
#define NEAR_NEVER UINT64_MAX

/* Return twice the vertices from centre to centre, along all dimensions. */
static uint64_t near_distance(const struct torus *t,
			      const struct torus_region *a,
			      const struct torus_region *b)
{
	uint64_t sum = 0;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t size = 2 * t->size[d];
		uint32_t at = (2 * a->base[d] + a->extent[d]) % size;
		uint32_t to = (2 * b->base[d] + b->extent[d]) % size;
		uint32_t gap = at > to ? at - to : to - at;

		if (t->wrap[d] && size - gap < gap)
			gap = size - gap;
		sum += (uint64_t)gap * t->unit[d];
	}
	return sum;
}

/* Return the number of required nodes in a region of nodes that are left. */
static uint32_t near_held(const struct several_search *x,
			  const struct torus_region *r)
{
	const struct torus_pod *pod = several_pod(x);
	uint64_t *left = x->v->left + pod->first_word;
	uint32_t before;

	if (!x->required)
		return 0;
	before = torus_bits_count_both(x->required, left, pod->words);
	torus_region_erase(r, &pod->torus, left);
	before -= torus_bits_count_both(x->required, left, pod->words);
	torus_region_paint(r, &pod->torus, left);
	return before;
}

/* Return what near_held() costs, in nodes of a limit. */
static uint32_t near_words(const struct several_search *x)
{
	return x->required ? several_pod(x)->words : 0;
}

/* Return the number of rings on axes that prefer one. */
static uint32_t near_rings(const struct torus_ask *ask, uint8_t ring)
{
	uint32_t rings = 0;

	for (uint32_t a = 0; a < ask->shape.axes; a++)
		rings += ring >> a & 1 && ask->connection[a] == TORUS_CONN_NAV;
	return rings;
}

/* Return the cost of a region before any other is chosen: least with most
 * required nodes, then most rings. Distances to chosen regions add to it. */
static uint64_t near_cost(const struct several_search *x,
			  const struct torus_region_item *item)
{
	uint64_t nodes = TORUS_MAX_NODES - near_held(x, &item->region);
	uint64_t open = TORUS_MAX_DIMS - near_rings(x->q->ask, item->ring);

	return nodes << 36 | open << 32;
}

/* The greedy choice */

struct near_best {
	struct several_search *x;
	struct torus_region_item item;
	uint64_t cost;
};

static bool near_judge(void *arg, const struct torus_placement *place)
{
	struct near_best *best = arg;
	const struct several_search *x = best->x;
	const struct torus_regions *answer = &x->v->answer;
	struct torus_region_item item = several_item(place);
	uint64_t cost = near_cost(x, &item);

	for (uint32_t i = x->from; i < answer->count; i++)
		cost += near_distance(&several_pod(x)->torus,
				      &answer->item[i].region, &item.region);
	if (cost < best->cost) {
		best->cost = cost;
		best->item = item;
	}
	return !torus_search_limit_spend(&x->v->limit,
					 answer->count + 1 + near_words(x));
}

bool several_near(struct several_search *x)
{
	struct several *v = x->v;
	struct torus_placement own;

	if (!x->required) {
		if (state_ask_pod(x->q, x->pod, x->strategy, &own, NULL) !=
		    TORUS_FITS)
			return false;
		x->own = several_item(&own);
		several_take(x, &x->own);
	}
	while (v->answer.count - x->from < x->want) {
		struct near_best best = { .x = x, .cost = NEAR_NEVER };

		several_each(x, x->q->usable, near_judge, &best);
		if (best.cost == NEAR_NEVER || v->limit.cut)
			return false;
		several_take(x, &best.item);
	}
	return several_complete(x);
}

/* The nearest complete set */

/* Set the cost of each listed place before any is chosen; the strategy's own
 * choice is the first. */
static void near_price(const struct several_search *x)
{
	struct several *v = x->v;
	const struct torus *t = &several_pod(x)->torus;

	for (uint32_t i = 0; i < v->places; i++) {
		torus_search_limit_spend(&v->limit, 8 + near_words(x));
		struct torus_region_item item = several_unpack(x, &v->place[i]);

		v->place[i].cost = near_cost(x, &item);
		if (!x->required &&
		    torus_region_equal(&item.region, &x->own.region, t))
			v->place[i].cost = 0;
	}
}

/* Add the distance of the latest chosen region to the costs of the places that
 * are still idle. Return false if the ask's limit ends the search. */
static bool near_add(struct several_search *x)
{
	const struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);
	const struct torus_regions *set = &v->answer;

	for (uint32_t i = 0; i < v->places; i++) {
		struct several_place *place = &v->place[i];
		struct torus_region_item item = several_unpack(x, place);

		if (place->cost == NEAR_NEVER)
			continue;
		if (torus_region_inside(&item.region, &pod->torus,
					v->left + pod->first_word))
			place->cost +=
				near_distance(&pod->torus, &item.region,
					      &set->item[set->count - 1].region);
		else
			place->cost = NEAR_NEVER;
		if (several_spend(x, 0))
			return false;
	}
	return true;
}

static struct several_place *near_next(const struct several *v)
{
	struct several_place *best = &v->place[0];

	for (uint32_t i = 1; i < v->places; i++)
		best = v->place[i].cost < best->cost ? &v->place[i] : best;
	return best;
}

/* The greedy choice within boxes */

/* Grow a box along each dimension in turn until it has so many nodes or is the
 * whole torus. */
static void near_grow(const struct torus *t, struct torus_region *box,
		      uint64_t nodes)
{
	bool grows = true;

	while (grows && torus_region_nodes(box, t) < nodes) {
		grows = false;
		for (uint32_t d = 0; d < t->dims; d++) {
			uint32_t size = t->size[d];

			if (box->extent[d] == size)
				continue;
			grows = true;
			if (t->wrap[d] || box->base[d] > 0) {
				box->base[d] = (box->base[d] + size - 1) % size;
				box->extent[d]++;
			}
			if (box->extent[d] < size &&
			    (t->wrap[d] || box->base[d] + box->extent[d] < size))
				box->extent[d]++;
			if (box->extent[d] == size)
				box->base[d] = 0;
		}
	}
}

/* As several_near() among the listed places. */
static bool near_listed(struct several_search *x)
{
	struct several *v = x->v;

	near_price(x);
	while (v->answer.count - x->from < x->want) {
		struct several_place *best = v->places ? near_next(v) : NULL;
		struct torus_region_item item;

		if (!best || best->cost == NEAR_NEVER)
			return false;
		item = several_unpack(x, best);
		several_take(x, &item);
		if (!near_add(x))
			return false;
	}
	return several_complete(x);
}

bool several_near_boxes(struct several_search *x)
{
	struct several *v = x->v;
	const struct torus_pod *pod = several_pod(x);
	uint64_t *usable = v->usable + pod->first_word;
	uint64_t nodes = 2 * (uint64_t)x->want * x->nodes;
	struct torus_region box = x->own.region;

	if (x->required) {
		torus_region_whole(&box, &pod->torus);
		torus_coord(&pod->torus,
			    torus_bits_next(x->required, pod->words, 0),
			    box.base);
		for (uint32_t d = 0; d < pod->torus.dims; d++)
			box.extent[d] = 1;
	}
	for (uint32_t d = 0; d < pod->torus.dims; d++)
		box.stride[d] = 1;
	for (;; nodes *= 4) {
		near_grow(&pod->torus, &box, nodes);
		torus_bits_zero(usable, pod->words);
		torus_region_paint(&box, &pod->torus, usable);
		torus_bits_and(usable, usable, v->left + pod->first_word,
			       pod->words);
		v->places = 0;
		several_each(x, v->usable, several_list, x);
		if (near_listed(x))
			return true;
		several_undo(x, 0);
		if (v->limit.cut || nodes >= pod->torus.nodes)
			return false;
	}
}

/* Make the region the next one of the complete set if it is in it. */
static bool near_swap(struct several_search *x,
		      const struct torus_region *region)
{
	struct torus_regions *set = &x->v->complete;
	uint32_t next = x->v->answer.count;

	for (uint32_t i = next; i < set->count; i++) {
		struct torus_region_item item = set->item[i];

		if (torus_region_equal(&item.region, region,
				       &several_pod(x)->torus)) {
			set->item[i] = set->item[next];
			set->item[next] = item;
			return true;
		}
	}
	return false;
}

/* The first n regions are chosen. Make the next one the nearest that some
 * complete set has with them; the answer is such a set. */
static void near_choose(struct several_search *x, uint32_t n)
{
	struct several *v = x->v;

	torus_regions_copy(&v->complete, &v->answer);
	several_undo(x, n);
	if (n == 0)
		near_price(x);
	else
		v->bounded = !near_add(x);
	while (!v->bounded) {
		struct several_place *best = near_next(v);
		struct torus_region_item item = several_unpack(x, best);

		v->bounded = several_spend(x, v->places / 4);
		if (near_swap(x, &item.region))
			break;
		if (several_exact_with(x, &item))
			return;
		best->cost = NEAR_NEVER; /* in no set with the first n */
	}
	/* the other regions of the set that is known to be complete */
	while (v->answer.count < v->complete.count)
		several_take(x, &v->complete.item[v->answer.count]);
}

void several_nearest(struct several_search *x)
{
	struct several *v = x->v;

	x->steps = 0;
	several_exact_begin(x);
	for (uint32_t n = 0; n < x->want && !v->bounded; n++)
		near_choose(x, n);
	several_exact_end(x);
	v->not_nearest = v->bounded;
	v->bounded = false;
}
