/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions on bitmaps (torus/region.h).
 *
 * A region is walked as runs of adjacent node indices. Leading dimensions
 * that it covers entirely make the runs longer:
 *
 *   8x8x16, region +8x8x4: one run of 256 nodes, not 32 rows of 8
 *
 * Cost: O(runs), a run costing O(length / 64).
 */
#include "torus/region.h"

void torus_region_whole(struct torus_region *r, const struct torus *t)
{
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++) {
		r->base[d] = 0;
		r->extent[d] = t->size[d];
		r->stride[d] = 1;
	}
}

static int check_dimension(const struct torus_region *r, const struct torus *t,
			   uint32_t d, struct torus_error *err)
{
	uint64_t reach = (uint64_t)(r->extent[d] - 1) * r->stride[d];
	uint32_t u = t->unit[d];

	if (r->extent[d] < 1 || r->extent[d] > t->size[d])
		return torus_error_add(err,
				       "region: extent %u in dimension %u: expected %u to %u",
				       r->extent[d] * u, d, u, t->size[d] * u);
	if (r->base[d] >= t->size[d])
		return torus_error_add(err,
				       "region: base %u in dimension %u: expected 0 to %u",
				       r->base[d] * u, d, (t->size[d] - 1) * u);
	if (r->stride[d] < 1 || reach >= t->size[d])
		return torus_error_add(err,
				       "region: stride %u with extent %u in dimension %u: it would pass over itself in a dimension of size %u",
				       r->stride[d], r->extent[d] * u, d,
				       t->size[d] * u);
	if (!t->wrap[d] && r->base[d] + reach >= t->size[d])
		return torus_error_add(err,
				       "region: base %u with extent %u leaves dimension %u (size %u), which does not wrap",
				       r->base[d] * u, r->extent[d] * u, d,
				       t->size[d] * u);
	return 0;
}

int torus_region_check(const struct torus_region *r, const struct torus *t,
		       struct torus_error *err)
{
	for (uint32_t d = 0; d < t->dims; d++) {
		if (check_dimension(r, t, d, err))
			return -1;
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

uint32_t torus_region_vertices(const struct torus_region *r,
			       const struct torus *t)
{
	uint32_t n = 1;

	for (uint32_t d = 0; d < t->dims; d++)
		n *= r->extent[d] * t->unit[d];
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

bool torus_region_closed(const struct torus_region *r, const struct torus *t,
			 uint32_t d)
{
	if (r->extent[d] * t->unit[d] <= 2)
		return true;
	return t->wrap[d] && (uint64_t)r->extent[d] * r->stride[d] == t->size[d];
}

/* How a region falls into runs: dimensions below `lead` are covered, runs lie
 * along `lead`, the others are stepped through. */
struct walk {
	uint32_t lead;
	uint32_t at[TORUS_MAX_DIMS]; /* offsets in the dimensions above lead */
};

static void walk_start(struct walk *w, const struct torus_region *r,
		       const struct torus *t)
{
	w->lead = 0;
	while (w->lead + 1 < t->dims && r->extent[w->lead] == t->size[w->lead])
		w->lead++;
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		w->at[d] = 0;
}

/* Coordinate of the k-th step in dimension d. base + reach < 2 sizes. */
static uint32_t region_step(const struct torus_region *r, const struct torus *t,
			    uint32_t d, uint32_t k)
{
	uint32_t c = r->base[d] + k * r->stride[d];

	return c >= t->size[d] ? c - t->size[d] : c;
}

/* Index of the first node of the walk's present row, along lead at 0. */
static uint32_t walk_origin(const struct walk *w, const struct torus_region *r,
			    const struct torus *t)
{
	uint32_t index = 0;

	for (uint32_t d = w->lead + 1; d < t->dims; d++)
		index += region_step(r, t, d, w->at[d]) * t->stride[d];
	return index;
}

static bool walk_next(struct walk *w, const struct torus_region *r,
		      const struct torus *t)
{
	for (uint32_t d = w->lead + 1; d < t->dims; d++) {
		if (++w->at[d] < r->extent[d])
			return true;
		w->at[d] = 0;
	}
	return false;
}

/* Return false to end the operation. */
typedef bool (*run_fn)(uint64_t *map, uint32_t first, uint32_t n);

/* One row: adjacent pieces along lead, split where it crosses the edge. */
static inline bool each_run_of_row(const struct torus_region *r,
				   const struct torus *t, uint32_t lead,
				   uint32_t origin, uint64_t *map, run_fn run)
{
	uint32_t unit = t->stride[lead], size = t->size[lead];
	uint32_t base = r->base[lead], extent = r->extent[lead];

	if (r->stride[lead] == 1) {
		uint32_t first = size - base < extent ? size - base : extent;

		if (extent == size)
			return run(map, origin, size * unit);
		return run(map, origin + base * unit, first * unit) &&
		       (first == extent ||
			run(map, origin, (extent - first) * unit));
	}
	for (uint32_t k = 0; k < extent; k++) {
		if (!run(map, origin + region_step(r, t, lead, k) * unit, unit))
			return false;
	}
	return true;
}

static inline bool each_run(const struct torus_region *r, const struct torus *t,
			    uint64_t *map, run_fn run)
{
	struct walk w;

	walk_start(&w, r, t);
	do {
		if (!each_run_of_row(r, t, w.lead, walk_origin(&w, r, t), map,
				     run))
			return false;
	} while (walk_next(&w, r, t));
	return true;
}

static bool run_set(uint64_t *map, uint32_t first, uint32_t n)
{
	torus_bits_set_range(map, first, n);
	return true;
}

static bool run_clear(uint64_t *map, uint32_t first, uint32_t n)
{
	torus_bits_clear_range(map, first, n);
	return true;
}

static bool run_all(uint64_t *map, uint32_t first, uint32_t n)
{
	return torus_bits_all_range(map, first, n);
}

static bool run_none(uint64_t *map, uint32_t first, uint32_t n)
{
	return !torus_bits_any_range(map, first, n);
}

void torus_region_paint(const struct torus_region *r, const struct torus *t,
			uint64_t *map)
{
	each_run(r, t, map, run_set);
}

void torus_region_erase(const struct torus_region *r, const struct torus *t,
			uint64_t *map)
{
	each_run(r, t, map, run_clear);
}

bool torus_region_inside(const struct torus_region *r, const struct torus *t,
			 const uint64_t *map)
{
	return each_run(r, t, (uint64_t *)(uintptr_t)map, run_all);
}

bool torus_region_touches(const struct torus_region *r, const struct torus *t,
			  const uint64_t *map)
{
	return !each_run(r, t, (uint64_t *)(uintptr_t)map, run_none);
}

/* Return true if the node at these coordinates is the region's. */
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
