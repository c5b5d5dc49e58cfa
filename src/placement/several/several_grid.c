/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick answers about several regions (state_find.h): a packing of boxes side by side,
 * and a bound on how many disjoint boxes a torus can hold at all.
 *
 *     1 1 2 2 3 3 .      boxes of one orientation at multiples of their extents;
 *     1 1 2 2 3 3 .      then boxes of the others in what is left
 *     4 4 4 5 5 5 .
 *
 * The bound: along a dimension of size S, each box covers at least m of the S slices,
 * and a slice holds at most as many boxes as the bound of the other dimensions says
 * (n). So there are at most S * n / m of them; without a wrap S / m * n, since every
 * box meets one of the slices m - 1, 2m - 1, and so on.
 *
 * Cost: O(orientations x boxes x rows); the bound O(dimensions x axes). No allocation.
 */
#include "placement/several/several.h"

#include "placement/state/grid.h"
#include "placement/orient.h"

struct grid_packing {
	struct several_search *x;
	struct torus_ask ask; /* as the strategy gets it */
	bool add;             /* keep the boxes of the orientations before */
};

/* Go to the next box of the packing; false after the last one. */
static bool grid_next(struct torus_region *r, const struct torus *t)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		r->base[d] += r->extent[d];
		if (r->base[d] + r->extent[d] <= t->size[d])
			return true;
		r->base[d] = 0;
	}
	return false;
}

static bool grid_fill(void *arg, const struct torus_orientation *o)
{
	struct grid_packing *g = arg;
	struct several_search *x = g->x;
	const struct torus_pod *pod = several_pod(x);
	struct torus_placement place = { .pod = x->pod, .orientation = *o };
	struct torus_region_item item;

	torus_region_whole(&place.region, &pod->torus);
	for (uint32_t d = 0; d < pod->torus.dims; d++)
		place.region.extent[d] = torus_orient_extent(&pod->torus,
							     &g->ask,
							     o->axis[d], d);
	torus_orient_finish(&pod->torus, &g->ask, &place);
	item = several_item(&place);
	if (!g->add)
		several_undo(x, 0);
	do {
		if (torus_region_inside(&item.region, &pod->torus,
					x->v->left + pod->first_word))
			several_take(x, &item);
		if (x->v->answer.count - x->from == x->want ||
		    several_spend(x, 0))
			return false;
	} while (grid_next(&item.region, &pod->torus));
	return true;
}

bool several_grid(struct several_search *x)
{
	const struct torus_pod *pod = several_pod(x);
	const struct state_question *q = x->q;
	struct grid_packing g = { .x = x, .ask = *q->ask };

	if (!pod->strategy[x->strategy]->complete ||
	    torus_grid_applies(pod, x->strategy) ||
	    (q->kind != USABLE_EVER && !q->ask->any_link &&
	     state_links(q->s, x->pod, q->ask->weak)))
		return false;
	g.ask.rotate &= !pod->no_rotate;
	for (int add = 0; add < 2; add++) {
		g.add = add;
		several_undo(x, 0);
		torus_orient_each(&pod->torus, &g.ask, grid_fill, &g);
		if (several_complete(x))
			return true;
	}
	return false;
}

/* Return the least cells of a box along dimension d, in any orientation; 0: there
 * is none. */
static uint32_t grid_least(const struct torus *t, const struct torus_ask *ask,
			   uint32_t d)
{
	uint32_t axes = torus_orient_axes(ask), least = 0;

	if (t->unit[d] == 1 &&
	    (ask->rotate ? axes < t->dims : d >= ask->shape.axes))
		return 1;
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t cells = torus_orient_extent(t, ask, (int)a, d);

		if (cells && torus_orient_allows(t, ask, a, d) &&
		    (cells < least || least == 0))
			least = cells;
	}
	return least;
}

uint64_t several_bound(const struct several_search *x)
{
	const struct torus_pod *pod = several_pod(x);
	const struct torus *t = &pod->torus;
	struct torus_ask ask = *x->q->ask;
	uint32_t least[TORUS_MAX_DIMS], left = (1u << t->dims) - 1;
	uint64_t boxes = 1;

	if (!pod->strategy[x->strategy]->complete ||
	    torus_grid_applies(pod, x->strategy))
		return UINT64_MAX;
	ask.rotate &= !pod->no_rotate;
	for (uint32_t d = 0; d < t->dims; d++) {
		least[d] = grid_least(t, &ask, d);
		if (least[d] == 0)
			return UINT64_MAX;
	}
	while (left) { /* the bound is least with the fewest boxes first */
		uint32_t next = (uint32_t)__builtin_ctz(left), size;

		for (uint32_t d = next + 1; d < t->dims; d++) {
			if (left >> d & 1 &&
			    t->size[d] / least[d] < t->size[next] / least[next])
				next = d;
		}
		size = t->size[next];
		boxes = t->wrap[next] ? size * boxes / least[next] :
					size / least[next] * boxes;
		left &= ~(1u << next);
	}
	return boxes;
}
