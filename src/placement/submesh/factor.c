/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes for node counts (factor.h). */
#include "placement/submesh/factor.h"

#include "placement/orient.h"

uint64_t torus_factor_hops(uint32_t extent, bool ring)
{
	uint64_t e = extent, scale = UINT64_C(1) << 20;

	if (!ring)
		return (e * e - 1) * scale / (3 * e);
	return e % 2 ? (e * e - 1) * scale / (4 * e) : e * scale / 4;
}

uint64_t torus_factor_along(const struct torus *t, uint32_t d, uint32_t extent)
{
	return torus_factor_hops(extent * t->unit[d],
				 t->wrap[d] && extent == t->size[d]);
}

bool torus_factor_allows(const struct torus *t, uint32_t d, uint32_t extent,
			 bool closed)
{
	return extent <= t->size[d] &&
	       (!closed || torus_orient_closed(t, d, extent));
}

uint32_t torus_factor_aspect(const struct torus *t, const uint32_t *extent)
{
	uint64_t least = UINT32_MAX, most = 1;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t side = (uint64_t)extent[d] * t->unit[d];

		if ((uint64_t)t->size[d] * t->unit[d] == 1)
			continue;
		least = side < least ? side : least;
		most = side > most ? side : most;
	}
	return most <= least ? 1000 : (uint32_t)((most * 1000 - 1) / least + 1);
}

uint32_t torus_factor_bisection(const struct torus *t, const uint32_t *extent)
{
	uint64_t volume = 1, least = UINT32_MAX;

	for (uint32_t d = 0; d < t->dims; d++)
		volume *= (uint64_t)extent[d] * t->unit[d];
	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t side = (uint64_t)extent[d] * t->unit[d];
		bool ring = t->wrap[d] && extent[d] == t->size[d];

		if (side > 1 && volume / side * (1 + ring) < least)
			least = volume / side * (1 + ring);
	}
	return (uint32_t)least;
}

bool torus_factor_within(const struct torus *t, const uint32_t *extent,
			 const struct torus_ask *ask)
{
	if (!ask || !torus_ask_limited(ask))
		return true;
	if (ask->limits.aspect &&
	    torus_factor_aspect(t, extent) > ask->limits.aspect)
		return false;
	return torus_factor_bisection(t, extent) >= ask->limits.bisection;
}

struct factor_next {
	const struct torus *t;
	const struct torus_ask *ask;
	uint32_t n;
	uint32_t largest; /* the largest dimension, which is assigned last */
	uint32_t extent[TORUS_MAX_DIMS];
	uint64_t best;
};

/* Complete `product` with an extent of the largest dimension. */
static void factor_complete(struct factor_next *x, uint64_t product)
{
	uint64_t least = (x->n + product - 1) / product;

	for (uint64_t e = least; e <= x->t->size[x->largest]; e++) {
		x->extent[x->largest] = (uint32_t)e;
		if (!torus_factor_allows(x->t, x->largest, (uint32_t)e,
					 torus_factor_closed(x->ask)) ||
		    !torus_factor_within(x->t, x->extent, x->ask))
			continue;
		if (e * product < x->best)
			x->best = e * product;
		return;
	}
}

static void factor_extend(struct factor_next *x, uint32_t d, uint64_t product)
{
	if (x->best == x->n || product >= x->best)
		return;
	if (d == x->largest)
		d++;
	if (d >= x->t->dims) {
		factor_complete(x, product);
		return;
	}
	for (uint32_t e = 1; e <= x->t->size[d]; e++) {
		x->extent[d] = e;
		if (torus_factor_allows(x->t, d, e, torus_factor_closed(x->ask)))
			factor_extend(x, d + 1, product * e);
	}
}

uint32_t torus_factor_next(const struct torus *t, uint32_t n,
			   const struct torus_ask *ask)
{
	struct factor_next x = { .t = t, .ask = ask, .n = n, .best = UINT64_MAX };

	for (uint32_t d = 1; d < t->dims; d++) {
		if (t->size[d] > t->size[x.largest])
			x.largest = d;
	}
	factor_extend(&x, 0, 1);
	return x.best == UINT64_MAX ? 0 : (uint32_t)x.best;
}

/* The largest volume <= n: complete `product` with the other dimensions from d on, of
 * which a box has at most `most` cells. */
static void factor_reduce(struct factor_next *x, uint32_t d, uint64_t product,
			  uint64_t most)
{
	uint64_t e;

	if (d == x->t->dims) {
		if (product > x->best &&
		    torus_factor_within(x->t, x->extent, x->ask))
			x->best = product;
		return;
	}
	most /= x->t->size[d];
	e = x->n / product;
	if (e > x->t->size[d])
		e = x->t->size[d];
	for (; e > 0 && product * e * most > x->best; e--) {
		x->extent[d] = (uint32_t)e;
		if (torus_factor_allows(x->t, d, (uint32_t)e,
					torus_factor_closed(x->ask)))
			factor_reduce(x, d + 1, product * e, most);
	}
}

uint32_t torus_factor_previous(const struct torus *t, uint32_t n,
			       const struct torus_ask *ask)
{
	struct factor_next x = { .t = t, .ask = ask, .n = n };

	factor_reduce(&x, 0, 1, t->nodes);
	return (uint32_t)x.best;
}

/* Enumeration of all boxes of a volume. */
struct factor_boxes {
	const struct torus *t;
	const struct torus_ask *ask;
	void (*each)(struct factor_boxes *x);
	struct torus_factor_box here, best;
	const struct torus_factor_box *after; /* of factor_each_after() */
	uint32_t (*extent)[TORUS_MAX_DIMS], n, room; /* of factor_each_compact() */
};

/* Return <0, 0 or >0 if a is more, equally or less compact than b. */
static int factor_compare_rank(const struct torus_factor_box *a,
			       const struct torus_factor_box *b)
{
	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	if (a->rings != b->rings)
		return a->rings > b->rings ? -1 : 1;
	if (a->spread != b->spread)
		return a->spread < b->spread ? -1 : 1;
	return 0;
}

/* Return <0, 0 or >0 if a comes before, equals or comes after b. */
static int factor_compare(const struct torus *t,
			  const struct torus_factor_box *a,
			  const struct torus_factor_box *b)
{
	int rank = factor_compare_rank(a, b);

	for (uint32_t d = 0; d < t->dims && !rank; d++) {
		if (a->extent[d] != b->extent[d])
			rank = a->extent[d] < b->extent[d] ? -1 : 1;
	}
	return rank;
}

static void factor_try_boxes(struct factor_boxes *x, uint32_t d, uint32_t left)
{
	const struct torus *t = x->t;
	struct torus_factor_box here = x->here;

	if (d == t->dims) {
		if (left == 1 && torus_factor_within(t, here.extent, x->ask))
			x->each(x);
		return;
	}
	/* the last dimension takes what is left */
	for (uint32_t e = d + 1 < t->dims || left == 0 ? 1 : left;
	     e <= t->size[d] && e <= left; e++) {
		if (left % e ||
		    !torus_factor_allows(t, d, e, torus_factor_closed(x->ask)))
			continue;
		x->here.extent[d] = e;
		x->here.hops = here.hops + torus_factor_along(t, d, e);
		x->here.spread = here.spread + torus_factor_spread(t, d, e);
		x->here.rings = here.rings + torus_orient_closed(t, d, e);
		factor_try_boxes(x, d + 1, left / e);
	}
	x->here = here;
}

/* Keep the least box above `after`. */
static void factor_each_after(struct factor_boxes *x)
{
	if ((x->after->started &&
	     factor_compare(x->t, &x->here, x->after) <= 0) ||
	    (x->best.started && factor_compare(x->t, &x->here, &x->best) >= 0))
		return;
	x->best = x->here;
	x->best.started = true;
}

bool torus_factor_box_next(const struct torus *t, uint32_t volume,
			   const struct torus_ask *ask,
			   struct torus_factor_box *box)
{
	struct factor_boxes x = {
		.t = t, .ask = ask, .each = factor_each_after, .after = box
	};

	factor_try_boxes(&x, 0, volume);
	*box = x.best;
	return x.best.started;
}

static void factor_each_compact(struct factor_boxes *x)
{
	int rank = x->n ? factor_compare_rank(&x->here, &x->best) : -1;

	if (rank > 0)
		return;
	if (rank < 0) {
		x->best = x->here;
		x->n = 0;
	}
	if (x->n < x->room)
		memcpy(x->extent[x->n], x->here.extent, sizeof(x->here.extent));
	x->n++;
}

uint32_t torus_factor_compact(const struct torus *t, uint32_t volume,
			      const struct torus_ask *ask,
			      uint32_t (*extent)[TORUS_MAX_DIMS], uint32_t room)
{
	struct factor_boxes x = { .t = t,
				  .ask = ask,
				  .each = factor_each_compact,
				  .extent = extent,
				  .room = room };

	factor_try_boxes(&x, 0, volume);
	return x.n <= room ? x.n : 0;
}

void torus_factor_finish(const struct torus *t, const struct torus_ask *ask,
			 struct torus_placement *place)
{
	struct torus_ask shaped = { .rotate = true,
				    .weak = ask->weak,
				    .links = ask->links };

	memset(place->orientation.axis, -1, sizeof(place->orientation.axis));
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t vertices = place->region.extent[d] * t->unit[d];

		if (vertices == 1)
			continue;
		place->orientation.axis[d] = (int8_t)shaped.shape.axes;
		shaped.shape.extent[shaped.shape.axes++] = vertices;
	}
	if (shaped.shape.axes == 0)
		shaped.shape.extent[shaped.shape.axes++] = 1;
	torus_orient_finish(t, &shaped, place);
}
