/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversion of a semitorus to a torus: Mao, Chen and Watson (2005), section
 * 2.3. Every closed dimension is a ring already. For 4x8x2x4 with the first
 * two dimensions open:
 *
 *   combine   the open ones together form one ring:       32x2x4
 *   pair      an open one joins a closed one, the largest
 *             open with the smallest closed first:        16x16
 *
 * Two or more lines of at least 4 nodes, an even number, or such a line and a
 * ring, contain a cycle through all their nodes (torus_region_rank_node() gives
 * its order). So a single open dimension is paired with the smallest closed one
 * in both methods. If no dimension is closed, it stays an open line. Open
 * dimensions without a partner form one ring together; a single one joins the
 * smallest folded ring.
 *
 * Cost: O(dimensions^2). No memory.
 */
#include "placement/trees/pieces.h"

/* Dimensions of one kind, in the order in which they are joined. */
struct fold_list {
	uint32_t n, d[TORUS_MAX_DIMS];
};

/* Insert d so that the extents descend (or ascend); equal extents keep their
 * order. */
static void fold_insert(struct fold_list *l, const uint32_t *extent, uint32_t d,
			bool descending)
{
	uint32_t at = l->n++;

	for (; at > 0; at--) {
		uint32_t before = extent[l->d[at - 1]];

		if (descending ? before >= extent[d] : before <= extent[d])
			break;
		l->d[at] = l->d[at - 1];
	}
	l->d[at] = d;
}

/* Join two groups. group[d] is the same number for all dimensions of a ring. */
static void fold_join(uint32_t *group, uint32_t a, uint32_t b)
{
	uint32_t from = group[b], to = group[a];

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		if (group[d] == from)
			group[d] = to;
	}
}

static void fold_join_all(uint32_t *group, const struct fold_list *l,
			  uint32_t first)
{
	for (uint32_t i = first + 1; i < l->n; i++)
		fold_join(group, l->d[first], l->d[i]);
}

/* Join the one remaining open dimension to the smallest folded ring. */
static void fold_join_smallest(uint32_t *group, const uint32_t *extent,
			       const struct fold_list *open,
			       const struct fold_list *closed, uint32_t pairs)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < pairs; i++) {
		if (extent[open->d[i]] * extent[closed->d[i]] <
		    extent[open->d[best]] * extent[closed->d[best]])
			best = i;
	}
	fold_join(group, open->d[best], open->d[open->n - 1]);
}

static void fold_group(const struct torus_region *r, enum torus_convert how,
		       const struct fold_list *open,
		       const struct fold_list *closed, uint32_t *group)
{
	uint32_t pairs = open->n < closed->n ? open->n : closed->n;

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		group[d] = d;
	if (how == TORUS_CONVERT_COMBINE && open->n > 1) {
		fold_join_all(group, open, 0);
		return;
	}
	for (uint32_t i = 0; i < pairs; i++)
		fold_join(group, open->d[i], closed->d[i]);
	if (open->n > pairs + 1)
		fold_join_all(group, open, pairs);
	else if (open->n == pairs + 1 && pairs > 0)
		fold_join_smallest(group, r->extent, open, closed, pairs);
}

void torus_fold(const struct torus *t, enum torus_convert how,
		struct torus_placement *place)
{
	struct torus_orientation *o = &place->orientation;
	uint32_t group[TORUS_MAX_DIMS], rings = 0;
	struct fold_list open = { 0 }, closed = { 0 };
	int8_t number[TORUS_MAX_DIMS];
	const struct torus_region *r = &place->region;

	for (uint32_t d = 0; d < t->dims; d++) {
		if (!torus_region_closed(r, t, d))
			fold_insert(&open, r->extent, d, true);
		else if (r->extent[d] > 1)
			fold_insert(&closed, r->extent, d, false);
	}
	fold_group(r, how, &open, &closed, group);
	memset(o->axis, -1, sizeof(o->axis));
	memset(number, -1, sizeof(number));
	for (uint32_t d = 0; d < t->dims; d++) {
		if (r->extent[d] == 1)
			continue;
		if (number[group[d]] < 0)
			number[group[d]] = (int8_t)rings++;
		o->axis[d] = number[group[d]];
	}
	o->folded = rings < open.n + closed.n;
	place->axes = rings ? rings : 1;
	place->ring = (uint8_t)((1u << place->axes) - 1);
	if (open.n == 1 && !o->folded)
		place->ring &= (uint8_t) ~(1u << o->axis[open.d[0]]);
}

void torus_fold_sizes(const struct torus *t,
		      const struct torus_placement *place, uint32_t *size)
{
	for (uint32_t a = 0; a < place->axes; a++)
		size[a] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		int a = place->orientation.axis[d];

		if (a >= 0)
			size[a] *= place->region.extent[d];
	}
}
