/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions on bitmaps (torus/region.h).
 *
 * The leading dimensions whose nodes fit into 64 bits make a tile. A region has
 * the same bits in each tile that it meets. So it is a mask of one word, applied
 * to tiles of the other dimensions:
 *
 *   8x8x16, region +4x4x4/2x2x1: a mask of 16 bits, four times
 *
 * Where tiles are words, those along the next dimension lie at equal distances.
 *
 * If the region is one row, covers the whole tile, or dimension 0 is longer than a
 * word, it is walked as runs of adjacent node indices. Leading dimensions that it covers
 * entirely make the runs longer:
 *
 *   8x8x16, region +8x8x4: one run of 256 nodes, not 32 rows of 8
 *
 * Cost: O(tiles), or O(runs), a run costing O(length / 64).
 */
#include "torus/region.h"

#include <stdio.h>

void torus_region_whole(struct torus_region *r, const struct torus *t)
{
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		r->base[d] = 0;
		r->extent[d] = t->size[d];
		r->stride[d] = 1;
	}
}

int torus_region_check(const struct torus_region *r, const struct torus *t,
		       struct torus_error *err)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t reach = (uint64_t)(r->extent[d] - 1) * r->stride[d];
		uint32_t u = t->unit[d];

		if (r->extent[d] < 1 || r->extent[d] > t->size[d])
			return torus_error_add(err,
					       "region: extent %u in dimension %u: expected %u to %u",
					       r->extent[d] * u, d, u,
					       t->size[d] * u);
		if (r->base[d] >= t->size[d])
			return torus_error_add(err,
					       "region: base %u in dimension %u: expected 0 to %u",
					       r->base[d] * u, d,
					       (t->size[d] - 1) * u);
		if (r->stride[d] < 1 || reach >= t->size[d])
			return torus_error_add(err,
					       "region: stride %u with extent %u in dimension %u: it would pass over itself in a dimension of size %u",
					       r->stride[d], r->extent[d] * u,
					       d, t->size[d] * u);
		if (!t->wrap[d] && r->base[d] + reach >= t->size[d])
			return torus_error_add(err,
					       "region: base %u with extent %u leaves dimension %u (size %u), which does not wrap",
					       r->base[d] * u, r->extent[d] * u,
					       d, t->size[d] * u);
	}
	return 0;
}

uint32_t torus_region_nodes(const struct torus_region *r, const struct torus *t)
{
	uint32_t n = t->per_vertex;

	for (uint32_t d = 0; d < t->dims; d++)
		n *= r->extent[d];
	return n;
}

struct torus_region torus_region_scaled(const struct torus_region *r,
					const struct torus *t)
{
	struct torus_region vertices = *r;

	for (uint32_t d = 0; d < t->dims; d++) {
		vertices.base[d] *= t->unit[d];
		vertices.extent[d] *= t->unit[d];
	}
	return vertices;
}

bool torus_region_equal(const struct torus_region *a,
			const struct torus_region *b, const struct torus *t)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if (a->base[d] != b->base[d] || a->extent[d] != b->extent[d] ||
		    a->stride[d] != b->stride[d])
			return false;
	}
	return true;
}

bool torus_region_overlaps(const struct torus_region *a,
			   const struct torus_region *b, const struct torus *t)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t ahead = b->base[d] - a->base[d];
		uint32_t behind = a->base[d] - b->base[d];

		ahead += b->base[d] < a->base[d] ? t->size[d] : 0;
		behind += a->base[d] < b->base[d] ? t->size[d] : 0;
		if (ahead >= a->extent[d] && behind >= b->extent[d])
			return false;
	}
	return true;
}

bool torus_region_closed(const struct torus_region *r, const struct torus *t,
			 uint32_t d)
{
	if (r->extent[d] * t->unit[d] <= 2)
		return true;
	return t->wrap[d] && (uint64_t)r->extent[d] * r->stride[d] == t->size[d];
}

/* A walk over the pieces of a region. A piece spans the dimensions below `from`;
 * the walk steps through the others. */
struct region_walk {
	uint32_t from;
	uint32_t at[TORUS_MAX_DIMS]; /* steps in the dimensions from `from` on */
	uint32_t index;              /* index of the first node of the piece */
	uint32_t moved[TORUS_MAX_DIMS]; /* part of index from each dimension */
};

/* Return the walk at its first piece. */
static struct region_walk region_walk_start(const struct torus_region *r,
					    const struct torus *t, uint32_t from)
{
	struct region_walk w = { .from = from };

	for (uint32_t d = from; d < t->dims; d++) {
		w.moved[d] = r->base[d] * t->stride[d];
		w.index += w.moved[d];
	}
	return w;
}

/* Return the coordinate of step k in dimension d. base + reach < 2 sizes. */
static uint32_t region_step(const struct torus_region *r, const struct torus *t,
			    uint32_t d, uint32_t k)
{
	uint32_t c = r->base[d] + k * r->stride[d];

	return c >= t->size[d] ? c - t->size[d] : c;
}

static inline bool region_walk_next(struct region_walk *w,
				    const struct torus_region *r,
				    const struct torus *t)
{
	for (uint32_t d = w->from; d < t->dims; d++) {
		bool more = ++w->at[d] < r->extent[d];
		uint32_t to;

		w->at[d] = more ? w->at[d] : 0;
		to = region_step(r, t, d, w->at[d]) * t->stride[d];
		w->index += to - w->moved[d];
		w->moved[d] = to;
		if (more)
			return true;
	}
	return false;
}

/* The operation on the pieces. */
enum region_verb {
	REGION_SET,
	REGION_CLEAR,
	REGION_ALL, /* continue while all are set */
	REGION_NONE /* continue while none is set */
};

/* Apply the operation to nodes first .. first + n - 1. False ends it. */
static inline bool region_do_run(enum region_verb verb, uint64_t *map,
				 uint32_t first, uint32_t n)
{
	switch (verb) {
	case REGION_SET:
		torus_bits_set_range(map, first, n);
		return true;
	case REGION_CLEAR:
		torus_bits_clear_range(map, first, n);
		return true;
	case REGION_ALL:
		return torus_bits_all_range(map, first, n);
	default:
		return !torus_bits_any_range(map, first, n);
	}
}

static inline bool region_do_word(enum region_verb verb, uint64_t *word,
				  uint64_t mask)
{
	switch (verb) {
	case REGION_SET:
		*word |= mask;
		return true;
	case REGION_CLEAR:
		*word &= ~mask;
		return true;
	case REGION_ALL:
		return (*word & mask) == mask;
	default:
		return (*word & mask) == 0;
	}
}

/* Apply the operation to a row along dimension `lead`, in two parts if it crosses
 * the edge. */
static inline bool region_do_row(const struct torus_region *r,
				 const struct torus *t, uint32_t lead,
				 uint32_t origin, uint64_t *map,
				 enum region_verb verb)
{
	uint32_t unit = t->stride[lead], size = t->size[lead];
	uint32_t base = r->base[lead], extent = r->extent[lead];

	if (r->stride[lead] == 1) {
		uint32_t first = size - base < extent ? size - base : extent;

		if (extent == size)
			return region_do_run(verb, map, origin, size * unit);
		return region_do_run(verb, map, origin + base * unit,
				     first * unit) &&
		       (first == extent ||
			region_do_run(verb, map, origin,
				      (extent - first) * unit));
	}
	for (uint32_t k = 0; k < extent; k++) {
		if (!region_do_run(verb, map,
				   origin + region_step(r, t, lead, k) * unit,
				   unit))
			return false;
	}
	return true;
}

/* Return the mask of the region in a tile of the dimensions below `tile`. */
static uint64_t region_mask(const struct torus_region *r, const struct torus *t,
			    uint32_t tile)
{
	uint64_t mask = torus_bits_low(t->per_vertex);

	for (uint32_t d = 0; d < tile; d++) {
		uint64_t line = mask;

		mask = line << r->base[d] * t->stride[d];
		for (uint32_t k = 1; k < r->extent[d]; k++)
			mask |= line << region_step(r, t, d, k) * t->stride[d];
	}
	return mask;
}

static inline bool region_do_tiles(const struct torus_region *r,
				   const struct torus *t, uint32_t tile,
				   uint64_t *map, enum region_verb verb)
{
	uint64_t mask = region_mask(r, t, tile);
	struct region_walk w = region_walk_start(r, t, tile);

	do {
		uint32_t i = w.index / 64, n = w.index % 64;
		uint64_t high = n ? mask >> (64 - n) : 0;

		if (!region_do_word(verb, &map[i], mask << n) ||
		    (high && !region_do_word(verb, &map[i + 1], high)))
			return false;
	} while (region_walk_next(&w, r, t));
	return true;
}

/* Apply the operation where a tile is a word and the region continues without
 * strides along the next dimension: words of equal distance, in two runs if
 * they cross the edge. */
static inline bool region_do_words(const struct torus_region *r,
				   const struct torus *t, uint32_t tile,
				   uint64_t *map, enum region_verb verb)
{
	uint32_t step = t->stride[tile] / 64, extent = r->extent[tile];
	uint32_t first = t->size[tile] - r->base[tile];
	uint64_t mask = region_mask(r, t, tile);
	struct region_walk w = region_walk_start(r, t, tile + 1);

	if (first > extent)
		first = extent;
	do {
		uint64_t *line = map + w.index / 64;
		uint64_t *word = line + (size_t)r->base[tile] * step;

		for (uint32_t k = 0; k < first; k++, word += step) {
			if (!region_do_word(verb, word, mask))
				return false;
		}
		word = line;
		for (uint32_t k = first; k < extent; k++, word += step) {
			if (!region_do_word(verb, word, mask))
				return false;
		}
	} while (region_walk_next(&w, r, t));
	return true;
}

/* Return true if the region is one row of adjacent nodes along dimension
 * `lead`, as aligned sub-cubes are. */
static inline bool region_is_row(const struct torus_region *r,
				 const struct torus *t, uint32_t lead)
{
	if (r->stride[lead] != 1)
		return false;
	for (uint32_t d = lead + 1; d < t->dims; d++) {
		if (r->extent[d] != 1)
			return false;
	}
	return true;
}

static inline uint32_t region_row_origin(const struct torus_region *r,
					 const struct torus *t, uint32_t lead)
{
	uint32_t index = 0;

	for (uint32_t d = lead + 1; d < t->dims; d++)
		index += r->base[d] * t->stride[d];
	return index;
}

static inline bool region_do(const struct torus_region *r, const struct torus *t,
			     uint64_t *map, enum region_verb verb)
{
	uint32_t lead = 0, tile = 0;
	struct region_walk w;

	while (lead + 1 < t->dims && r->extent[lead] == t->size[lead])
		lead++;
	if (region_is_row(r, t, lead))
		return region_do_row(r, t, lead, region_row_origin(r, t, lead),
				     map, verb);
	while (tile < t->dims && t->stride[tile] * t->size[tile] <= 64)
		tile++;
	if (lead < tile && tile < t->dims && t->stride[tile] % 64 == 0 &&
	    r->stride[tile] == 1)
		return region_do_words(r, t, tile, map, verb);
	if (lead < tile)
		return region_do_tiles(r, t, tile, map, verb);
	w = region_walk_start(r, t, lead + 1);
	do {
		if (!region_do_row(r, t, lead, w.index, map, verb))
			return false;
	} while (region_walk_next(&w, r, t));
	return true;
}

void torus_region_paint(const struct torus_region *r, const struct torus *t,
			uint64_t *map)
{
	region_do(r, t, map, REGION_SET);
}

void torus_region_erase(const struct torus_region *r, const struct torus *t,
			uint64_t *map)
{
	region_do(r, t, map, REGION_CLEAR);
}

/* (Test the base first: it excludes most regions that are not inside.) */
bool torus_region_inside(const struct torus_region *r, const struct torus *t,
			 const uint64_t *map)
{
	uint32_t base = 0;

	for (uint32_t d = 0; d < t->dims; d++)
		base += r->base[d] * t->stride[d];
	if (!torus_bits_test(map, base))
		return false;
	return region_do(r, t, (uint64_t *)(uintptr_t)map, REGION_ALL);
}

bool torus_region_touches(const struct torus_region *r, const struct torus *t,
			  const uint64_t *map)
{
	return !region_do(r, t, (uint64_t *)(uintptr_t)map, REGION_NONE);
}

bool torus_region_carve(const struct torus *t, uint64_t *map, uint32_t *from,
			struct torus_region *box)
{
	*from = torus_bits_next(map, torus_bits_words(t->nodes), *from);
	if (*from == UINT32_MAX)
		return false;
	torus_region_whole(box, t);
	torus_coord(t, *from, box->base);
	for (uint32_t d = 0; d < t->dims; d++)
		box->extent[d] = 1;
	for (uint32_t d = 0; d < t->dims; d++) {
		struct torus_region layer = *box;

		while (++layer.base[d] < t->size[d] &&
		       torus_region_inside(&layer, t, map))
			box->extent[d]++;
	}
	torus_region_erase(box, t, map);
	return true;
}

/* Return true if the region contains the node at these coordinates. */
static bool region_has(const struct torus_region *r, const struct torus *t,
		       const uint32_t *at)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t from = at[d] >= r->base[d] ?
					at[d] - r->base[d] :
					at[d] + t->size[d] - r->base[d];

		if (from % r->stride[d] || from / r->stride[d] >= r->extent[d])
			return false;
	}
	return true;
}

bool torus_region_holds(const struct torus_region *r, const struct torus *t,
			const uint64_t *map)
{
	uint32_t words = torus_bits_words(t->nodes), at[TORUS_MAX_DIMS];
	uint32_t bit = torus_bits_next(map, words, 0);

	for (; bit != UINT32_MAX; bit = torus_bits_next(map, words, bit + 1)) {
		torus_coord(t, bit, at);
		if (!region_has(r, t, at))
			return false;
	}
	return true;
}

/* Shapes (torus/region.h). Everything is O(axes). */

void torus_shape_squeeze(struct torus_shape *shape)
{
	uint32_t kept = 0;

	for (uint32_t a = 0; a < shape->axes; a++) {
		if (shape->extent[a] != 1)
			shape->extent[kept++] = shape->extent[a];
	}
	if (kept == 0)
		shape->extent[kept++] = 1;
	shape->axes = kept;
}

int torus_shape_format(const struct torus_shape *shape, char *buffer,
		       size_t size)
{
	char text[TORUS_MAX_DIMS * 11 + 1] = "";
	int used = 0;

	for (uint32_t a = 0; a < shape->axes; a++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s%u", a ? "x" : "", shape->extent[a]);
	return snprintf(buffer, size, "%s", text);
}
