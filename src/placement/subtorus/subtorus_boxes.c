/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extents of interleaved subtori (subtorus.h). */
#include "placement/subtorus/subtorus.h"

#include <stdio.h>
#include <stdlib.h>

#include "placement/submesh/factor.h"
#include "placement/orient.h"
#include "torus/alloc.h"

/* Return true if a line of `extent` nodes interleaved over dimension d is a
 * ring: the dimension wraps. */
static bool subtorus_boxes_fits(const struct torus *t, uint32_t d,
				uint32_t extent, bool closed)
{
	return t->size[d] % extent == 0 &&
	       (!closed || extent <= 2 || t->wrap[d]);
}

/* Advance to the next extents in lexicographic order; false after the last. */
static bool subtorus_boxes_advance(const struct torus *t, uint32_t *extent)
{
	for (uint32_t d = t->dims; d-- > 0;) {
		while (extent[d]++ < t->size[d]) {
			if (subtorus_boxes_fits(t, d, extent[d], false))
				return true;
		}
		extent[d] = 1;
	}
	return false;
}

static uint32_t subtorus_boxes_count(const struct torus *t)
{
	uint32_t n = 1;

	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t here = 0;

		for (uint32_t e = 1; e <= t->size[d]; e++)
			here += t->size[d] % e == 0;
		n *= here;
	}
	return n;
}

static int subtorus_boxes_compare(const void *x, const void *y)
{
	const struct torus_subtorus_box *a = x, *b = y;

	if (a->volume != b->volume)
		return a->volume < b->volume ? -1 : 1;
	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	if (a->spread != b->spread)
		return a->spread < b->spread ? -1 : 1;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		if (a->extent[d] != b->extent[d])
			return a->extent[d] < b->extent[d] ? -1 : 1;
	}
	return 0;
}

struct torus_subtorus_boxes *torus_subtorus_boxes_create(const struct torus *t)
{
	uint32_t n = subtorus_boxes_count(t);
	struct torus_subtorus_boxes *all =
		torus_alloc(1, sizeof(*all) + n * sizeof(*all->box));
	uint32_t extent[TORUS_MAX_DIMS];

	if (!all)
		return NULL;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		extent[d] = 1;
	do {
		struct torus_subtorus_box *box = &all->box[all->used++];

		memcpy(box->extent, extent, sizeof(extent));
		/* what follows from the extents */
		box->volume = 1;
		box->closed = true;
		box->hops = box->spread = 0;
		for (uint32_t d = 0; d < t->dims; d++) {
			uint32_t e = box->extent[d];

			box->volume *= e;
			box->closed &= subtorus_boxes_fits(t, d, e, true);
			box->hops += torus_factor_hops(e, t->wrap[d]);
			box->spread += (uint64_t)e * e;
		}
	} while (subtorus_boxes_advance(t, extent));
	qsort(all->box, all->used, sizeof(*all->box), subtorus_boxes_compare);
	return all;
}

/* Return the first suitable box from i on, of one volume (0: any). */
static const struct torus_subtorus_box *
subtorus_boxes_from(const struct torus_subtorus_boxes *all, uint32_t i,
		    uint32_t volume, bool closed)
{
	for (; i < all->used; i++) {
		const struct torus_subtorus_box *box = &all->box[i];

		if (volume && box->volume != volume)
			break;
		if (box->closed || !closed)
			return box;
	}
	return NULL;
}

const struct torus_subtorus_box *
torus_subtorus_first(const struct torus_subtorus_boxes *all, uint32_t n,
		     bool closed)
{
	uint32_t low = 0, high = all->used;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all->box[middle].volume < n)
			low = middle + 1;
		else
			high = middle;
	}
	return subtorus_boxes_from(all, low, 0, closed);
}

const struct torus_subtorus_box *
torus_subtorus_next(const struct torus_subtorus_boxes *all,
		    const struct torus_subtorus_box *box, bool closed)
{
	return subtorus_boxes_from(all, (uint32_t)(box - all->box) + 1,
				   box->volume, closed);
}

bool torus_subtorus_allows(const struct torus *t, const struct torus_ask *ask,
			   const struct torus_orientation *o)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		int a = o->axis[d];

		if (a >= 0 && !subtorus_boxes_fits(t, d, ask->shape.extent[a],
						   ask->connection[a] ==
							   TORUS_CONN_TORUS))
			return false;
	}
	return true;
}

struct torus_ask torus_subtorus_open(const struct torus_ask *ask)
{
	struct torus_ask open = *ask;

	/* still distinguished, but without a requirement that orient.c
	 * checks */
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		if (ask->connection[a] == TORUS_CONN_TORUS)
			open.connection[a] = UINT8_MAX;
	}
	return open;
}

/* Explanation */

struct subtorus_boxes_nearest {
	const struct torus *t;
	const struct torus_ask *ask;
	bool divides; /* some orientation divides; only the rings are missing */
	uint64_t below, above;
	struct torus_shape smaller, larger;
};

/* Return the nearest extent that divides the size, downwards or upwards. */
static uint32_t subtorus_boxes_nearest_extent(uint32_t size, uint32_t extent,
					      bool up)
{
	while (size % extent)
		extent += up ? 1 : -1u;
	return extent;
}

static bool subtorus_boxes_try_near(void *arg, const struct torus_orientation *o)
{
	struct subtorus_boxes_nearest *x = arg;
	struct torus_shape smaller = x->ask->shape, larger = x->ask->shape;
	uint64_t below, above;

	for (uint32_t d = 0; d < x->t->dims; d++) {
		int a = o->axis[d];
		uint32_t e = a < 0 ? 1 : x->ask->shape.extent[a];

		if (a < 0)
			continue;
		smaller.extent[a] = subtorus_boxes_nearest_extent(x->t->size[d],
								  e, false);
		larger.extent[a] = subtorus_boxes_nearest_extent(x->t->size[d],
								 e, true);
	}
	below = torus_shape_volume(&smaller);
	above = torus_shape_volume(&larger);
	x->divides |= below == above;
	if (torus_search_limit_spend(x->ask->limit, 16))
		return false;
	if (below > x->below) {
		x->below = below;
		x->smaller = smaller;
	}
	if (above < x->above) {
		x->above = above;
		x->larger = larger;
	}
	return true;
}

/* Return the dimension for an axis: its pinned one, or the longest unused. */
static uint32_t subtorus_boxes_longest_left(const struct torus *t,
					    uint32_t taken)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (!(taken >> d & 1) &&
		    (best == UINT32_MAX || t->size[d] > t->size[best]))
			best = d;
	}
	return best;
}

/* Shrink a shape that fits in no orientation: the longest axis to the longest
 * dimension, and so on. Return false if it has too many axes. */
static bool subtorus_boxes_shrink(const struct torus *t,
				  const struct torus_ask *ask,
				  struct torus_shape *smaller)
{
	uint32_t taken = 0, placed = 0;

	*smaller = ask->shape;
	if (ask->shape.axes > t->dims)
		return false;
	for (uint32_t n = 0; n < ask->shape.axes; n++) {
		uint32_t axis = n, d = n;

		for (uint32_t a = 0; ask->rotate && a < ask->shape.axes; a++) {
			if (placed >> axis & 1 ||
			    (!(placed >> a & 1) &&
			     ask->shape.extent[a] > ask->shape.extent[axis]))
				axis = a;
		}
		if (ask->rotate)
			d = subtorus_boxes_longest_left(t, taken);
		placed |= 1u << axis;
		taken |= 1u << d;
		if (smaller->extent[axis] > t->size[d])
			smaller->extent[axis] = t->size[d];
		smaller->extent[axis] =
			subtorus_boxes_nearest_extent(t->size[d],
						      smaller->extent[axis],
						      false);
	}
	return true;
}

static void subtorus_boxes_too_large(const struct torus *t,
				     const struct torus_ask *ask,
				     const struct torus_ask *open,
				     struct torus_error *why)
{
	char shape[96], smaller[96], machine[TORUS_STRING_SIZE];
	struct torus_shape below;

	if (!subtorus_boxes_shrink(t, ask, &below)) {
		torus_orient_explain(t, open, why);
		return;
	}
	torus_format(t, machine, sizeof(machine));
	torus_shape_format(&ask->shape, shape, sizeof(shape));
	torus_shape_format(&below, smaller, sizeof(smaller));
	torus_error_add(why,
			"%s does not fit %s (%s) in any orientation; the nearest subtorus below it is %s (%llu nodes)",
			shape, t->name, machine, smaller,
			(unsigned long long)
				torus_ask_cell_nodes(ask, torus_shape_volume(
								  &below)));
}

void torus_subtorus_explain(const struct torus *t, const struct torus_ask *ask,
			    struct torus_error *why)
{
	struct subtorus_boxes_nearest x = { .t = t,
					    .ask = ask,
					    .above = UINT64_MAX };
	struct torus_ask open = torus_subtorus_open(ask);
	char shape[96], smaller[96], larger[96], machine[TORUS_STRING_SIZE];

	if (!why)
		return;
	torus_orient_each(t, &open, subtorus_boxes_try_near, &x);
	if (x.above == UINT64_MAX) {
		subtorus_boxes_too_large(t, ask, &open, why);
		return;
	}
	torus_format(t, machine, sizeof(machine));
	torus_shape_format(&ask->shape, shape, sizeof(shape));
	torus_shape_format(&x.smaller, smaller, sizeof(smaller));
	torus_shape_format(&x.larger, larger, sizeof(larger));
	if (x.divides)
		torus_error_add(why,
				"%s on %s (%s): an axis that must be a closed ring needs a dimension that wraps, or 1 or 2 nodes",
				shape, t->name, machine);
	else
		torus_error_add(why,
				"%s on %s (%s): the extents of a subtorus divide the machine's; the nearest that do are %s (%llu nodes) and %s (%llu nodes)",
				shape, t->name, machine, smaller,
				(unsigned long long)
					torus_ask_cell_nodes(ask, x.below),
				larger,
				(unsigned long long)
					torus_ask_cell_nodes(ask, x.above));
}
