/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of boxes (box_list.h): O(boxes / 4) per test of one against all. */
#include "placement/state/box_list.h"

#include <string.h>

void box_drop(struct box_list *l, uint32_t dims, uint32_t i)
{
	static const struct free_box none;
	struct free_box last;

	box_get(l, dims, --l->used, &last);
	box_put(l, dims, i, &last);
	box_put(l, dims, l->used, &none);
}

/* Copy only the blocks in use: most lists are short. */
void box_list_copy(struct box_list *to, const struct box_list *from,
		   uint32_t dims)
{
	uint32_t most = to->used > from->used ? to->used : from->used;
	uint32_t blocks = (most + LANES - 1) / LANES;

	for (uint32_t d = 0; d < dims; d++) {
		memcpy(to->base[d], from->base[d], blocks * sizeof(lanes));
		memcpy(to->extent[d], from->extent[d], blocks * sizeof(lanes));
	}
	to->used = from->used;
}

lanes box_list_meet(const struct torus *t, const struct box_list *l, uint32_t k,
		    const struct free_box *b)
{
	lanes met = { 0 };

	met = met == 0;
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d];
		lanes base = l->base[d][k], at = base - base + b->base[d];

		met &= (lanes_behind(base, at, size) < l->extent[d][k]) |
		       ((lanes_behind(at, base, size) < b->extent[d]) &
			(l->extent[d][k] > 0));
	}
	return met;
}

bool box_list_covers(const struct torus *t, const struct box_list *l,
		     const struct free_box *b)
{
	for (uint32_t k = 0; k * LANES < l->used; k++) {
		lanes in = { 0 };

		in = in == 0;
		for (uint32_t d = 0; d < t->dims; d++) {
			int32_t size = (int32_t)t->size[d];
			lanes base = l->base[d][k], extent = l->extent[d][k];
			lanes at = base - base + b->base[d];

			in &= (lanes_behind(base, at, size) + b->extent[d] <=
			       extent) |
			      (extent == size);
		}
		if (lanes_any(in))
			return true;
	}
	return false;
}

bool box_within(const struct torus *t, const struct free_box *in,
		const struct free_box *b)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d], ahead = b->base[d];

		ahead -= in->base[d];
		ahead += ahead < 0 ? size : 0;
		if (in->extent[d] < size && ahead + b->extent[d] > in->extent[d])
			return false;
	}
	return true;
}

struct free_box box_of(const struct torus *t, const struct torus_region *r)
{
	struct free_box b = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		b.base[d] = (int32_t)r->base[d];
		b.extent[d] = (int32_t)r->extent[d];
	}
	return b;
}

bool box_meets(const struct torus *t, const struct free_box *a,
	       const struct free_box *b)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		int32_t size = (int32_t)t->size[d];
		int32_t ab = b->base[d] - a->base[d], ba = -ab;

		if (ab + (ab < 0 ? size : 0) >= a->extent[d] &&
		    ba + (ba < 0 ? size : 0) >= b->extent[d])
			return false;
	}
	return true;
}

static void gaps_add(struct box_gaps *g, int32_t ahead, int32_t extent)
{
	g->ahead[g->used] = ahead;
	g->extent[g->used++] = extent;
}

struct box_gaps box_beside(const struct torus *t, const struct free_box *b,
			   uint32_t d, const struct free_box *r)
{
	int32_t size = (int32_t)t->size[d], have = b->extent[d];
	int32_t first = r->base[d] - b->base[d], end, from;
	struct box_gaps g = { .used = 0 };

	if (r->extent[d] == size)
		return g;
	first += first < 0 ? size : 0;
	end = first + r->extent[d];
	if (have == size && t->wrap[d]) {
		gaps_add(&g, end % size, size - r->extent[d]);
		return g;
	}
	from = end > size ? end - size : 0; /* first free position */
	if (first > have)
		first = have;
	if (from < first)
		gaps_add(&g, from, first - from);
	if (end < have)
		gaps_add(&g, end, have - end);
	return g;
}
