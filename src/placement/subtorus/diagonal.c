/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `subtorus-diagonal`: the subtori T(a, b) on the diagonal of a square torus (Gupta
 * and Srimani 1997, section 3, Definitions 6 and 7). A job of d x d takes rows and
 * columns a to b = a + d - 1:
 *
 *	0 0 . . .
 *	0 0 . . .	0: T(0, 1)
 *	. . 1 1 1	1: T(2, 4)
 *	. . 1 1 1	the dots stay unused: no two jobs share a row or a column,
 *	. . 1 1 1	and so no link
 *
 * The paper schedules a list of jobs offline (papers/offline/preemptive.c); here jobs
 * come one by one, and the lowest a whose nodes may all be used is taken. A machine of
 * n dimensions, all of one size, has its diagonal as well. Only equal extents in all
 * dimensions are served; a count gets the smallest such box. Intervals do not cross the
 * edge of the torus.
 *
 * Cost: O(side x nodes of the job). Memory: none.
 */
#include <stdio.h>

#include "placement/orient.h"
#include "placement/strategies.h"
#include "placement/submesh/factor.h"
#include "torus/alloc.h"

struct diagonal {
	const struct torus *torus;
};

static int diagonal_supports(const struct torus_strategy *strategy,
			     const struct torus *t, struct torus_error *why)
{
	char machine[TORUS_STRING_SIZE];
	bool square = !t->flat && t->dims >= 2;

	for (uint32_t d = 1; d < t->dims; d++)
		square = square && t->size[d] == t->size[0];
	if (square)
		return 0;
	torus_format(t, machine, sizeof(machine));
	return torus_error_add(why,
			       "%s: %s (%s) has no diagonal: it needs two or more dimensions of one size",
			       strategy->name, t->name, machine);
}

static void *diagonal_create(const struct torus *t, const uint64_t *present,
			     const struct torus_options *options)
{
	struct diagonal *g = torus_alloc(1, sizeof(*g));

	(void)present; /* cells without a node are never usable */
	(void)options;
	if (g)
		g->torus = t;
	return g;
}

/* Return side^dims, at most 2^32. */
static uint64_t diagonal_volume(const struct torus *t, uint32_t side)
{
	uint64_t volume = 1;

	for (uint32_t d = 0; d < t->dims && volume <= UINT32_MAX; d++)
		volume *= side;
	return volume;
}

/* Return the side of the job's box, or 0 with the reason. */
static uint32_t diagonal_side(const struct torus *t, const struct torus_ask *ask,
			      struct torus_error *why)
{
	const struct torus_shape *shape = &ask->shape;
	uint32_t side = 1;
	bool equal, closed = true;
	char text[96];

	if (ask->by_count) {
		while (side < t->size[0] &&
		       diagonal_volume(t, side) < ask->count)
			side++;
		equal = diagonal_volume(t, side) >= ask->count;
	} else {
		side = shape->extent[0];
		equal = torus_orient_axes(ask) == (side == 1 ? 0 : t->dims) ||
			(!ask->rotate && shape->axes == t->dims);
		for (uint32_t a = 1; a < shape->axes; a++)
			equal = equal && shape->extent[a] == side;
	}
	for (uint32_t d = 0;
	     equal && d < (ask->by_count ? t->dims : shape->axes); d++)
		closed = closed && (ask->connection[ask->by_count ? 0 : d] !=
					    TORUS_CONN_TORUS ||
				    torus_orient_closed(t, d, side));
	if (equal && closed && side <= t->size[0])
		return side;
	torus_shape_format(shape, text, sizeof(text));
	if (ask->by_count && !equal)
		torus_error_add(why, "%u nodes: %s has only %u",
				torus_ask_count(ask), t->name, t->nodes);
	else if (equal && side <= t->size[0])
		torus_error_add(why,
				"a box of side %u on the diagonal of %s is no closed ring; ask without --conn-type",
				side, t->name);
	else
		torus_error_add(why,
				"%s: subtorus-diagonal gives equal sides in all %u dimensions of %s, up to %u",
				text, t->dims, t->name, t->size[0]);
	return 0;
}

/* Set T(a, a + side - 1); return true if all its nodes may be used. */
static bool diagonal_place(const struct torus *t, const struct torus_ask *ask,
			   const uint64_t *usable, uint32_t a, uint32_t side,
			   struct torus_placement *place)
{
	*place = (struct torus_placement){ 0 };
	torus_region_whole(&place->region, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		place->region.base[d] = a;
		place->region.extent[d] = side;
	}
	if (!torus_region_inside(&place->region, t, usable))
		return false;
	torus_factor_finish(t, ask, place);
	return true;
}

static enum torus_answer diagonal_find(void *self, const struct torus_ask *ask,
				       const uint64_t *usable,
				       struct torus_placement *out,
				       struct torus_error *why)
{
	const struct torus *t = ((struct diagonal *)self)->torus;
	uint32_t side = diagonal_side(t, ask, why);
	struct torus_placement place;

	if (!side)
		return TORUS_NEVER;
	for (uint32_t a = 0; a + side <= t->size[0]; a++) {
		if (torus_search_limit_spend(ask->limit, side * side))
			break;
		if (diagonal_place(t, ask, usable, a, side, &place) &&
		    (!ask->required ||
		     torus_region_holds(&place.region, t, ask->required))) {
			*out = place;
			return TORUS_FITS;
		}
	}
	return TORUS_NOT_NOW;
}

static void diagonal_find_all(
	void *self, const struct torus_ask *ask, const uint64_t *usable,
	bool (*each)(void *arg, const struct torus_placement *place), void *arg)
{
	const struct torus *t = ((struct diagonal *)self)->torus;
	uint32_t side = diagonal_side(t, ask, NULL);
	struct torus_placement place;

	for (uint32_t a = 0; side && a + side <= t->size[0] &&
			     !torus_search_limit_spend(ask->limit, side * side);
	     a++) {
		if (diagonal_place(t, ask, usable, a, side, &place) &&
		    !each(arg, &place))
			return;
	}
}

const struct torus_strategy torus_strategy_subtorus_diagonal = {
	.name = "subtorus-diagonal",
	.summary = "boxes on the diagonal of a square torus, which share no link",
	.source = "Gupta, Srimani 1997, section 3",
	.occupancy_only = true,
	.supports = diagonal_supports,
	.create = diagonal_create,
	.destroy = torus_free,
	.find = diagonal_find,
	.find_all = diagonal_find_all,
};
