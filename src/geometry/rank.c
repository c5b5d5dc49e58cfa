/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rank order within a region (torus/region.h).
 *
 * Ranks of an axis that lies along one dimension follow that dimension. Ranks of
 * a ring folded from several dimensions follow a cycle through their box: all
 * dimensions but one form a line (back and forth, each step to a neighbour); one
 * of even extent is the spine across it. The cycle goes back and forth over all
 * places of the line but the first, and returns along that one:
 *
 *   spine  3  o<--o<--o<--o         the line's places 1.. in rows, row by
 *     ^    2  o   o-->o-->o         row; then place 0, down the spine
 *     |    1  o   o<--o<--o
 *     |    0  o-->o-->o-->o
 *             0   1   2   3  line
 *
 * Cost: O(dimensions) per node. Memory: none.
 */
#include "torus/region.h"

/* List the dimensions of one axis, ascending. */
struct axis {
	uint32_t n, d[TORUS_MAX_DIMS];
	uint32_t nodes;
};

/* Return place q of the line through the axis's dimensions but `spine`. */
static void along_line(const struct axis *x, const struct torus_region *r,
		       uint32_t spine, uint32_t nodes, uint32_t q,
		       uint32_t *offset)
{
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t d = x->d[i];

		if (d == spine)
			continue;
		nodes /= r->extent[d];
		offset[d] = q / nodes;
		q %= nodes;
		if (offset[d] % 2)
			q = nodes - 1 - q;
	}
}

/* Return the k-th place of the cycle. */
static void along_cycle(const struct axis *x, const struct torus_region *r,
			uint32_t k, uint32_t *offset)
{
	uint32_t spine = UINT32_MAX, rows, line, row, rest;

	for (uint32_t i = 0; i < x->n && spine == UINT32_MAX; i++) {
		if (r->extent[x->d[i]] % 2 == 0)
			spine = x->d[i];
	}
	if (spine == UINT32_MAX) { /* no cycle: an odd number of nodes */
		along_line(x, r, spine, x->nodes, k, offset);
		return;
	}
	rows = r->extent[spine];
	line = x->nodes / rows;
	if (line == 1 || k == 0) { /* only the spine, or the start */
		offset[spine] = k;
		along_line(x, r, spine, line, 0, offset);
		return;
	}
	row = (k - 1) / (line - 1);
	rest = (k - 1) % (line - 1);
	if (row < rows) {
		offset[spine] = row;
		along_line(x, r, spine, line,
			   row % 2 ? line - 1 - rest : rest + 1, offset);
		return;
	}
	offset[spine] = rows - (k - rows * (line - 1));
	along_line(x, r, spine, line, 0, offset);
}

/* Compute the offsets of place k along each dimension, in a region with the
 * extents of r; coord as for torus_region_rank_node(). */
static void rank_offsets(const struct torus_region *r, const struct torus *t,
			 const struct torus_orientation *o, uint32_t axes,
			 uint32_t k, uint32_t *offset, uint32_t *coord)
{
	for (uint32_t a = axes; a-- > 0;) {
		struct axis x;
		uint32_t c;

		x.n = 0;
		x.nodes = 1;
		for (uint32_t d = 0; d < t->dims; d++) {
			if (o->axis[d] != (int8_t)a)
				continue;
			x.d[x.n++] = d;
			x.nodes *= r->extent[d];
		}
		c = k % x.nodes;
		k /= x.nodes;
		if (x.n == 1)
			offset[x.d[0]] = c;
		else if (x.n > 1)
			along_cycle(&x, r, c, offset);
		if (coord)
			coord[a] = c;
	}
}

static uint32_t rank_index(const struct torus_region *r, const struct torus *t,
			   const uint32_t *offset)
{
	uint32_t at[TORUS_MAX_DIMS] = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t c = r->base[d] + (uint64_t)offset[d] * r->stride[d];

		at[d] = (uint32_t)(c % t->size[d]);
	}
	return torus_index(t, at);
}

uint32_t torus_region_rank_node(const struct torus_region *r,
				const struct torus *t,
				const struct torus_orientation *o,
				uint32_t axes, uint32_t k, uint32_t *coord)
{
	uint32_t offset[TORUS_MAX_DIMS] = { 0 };

	rank_offsets(r, t, o, axes, k / t->per_vertex, offset, coord);
	for (uint32_t d = 0; coord && d < t->dims; d++) {
		if (o->axis[d] >= 0 && (uint32_t)o->axis[d] < axes)
			coord[o->axis[d]] *= t->unit[d];
	}
	return rank_index(r, t, offset) + k % t->per_vertex;
}

uint32_t torus_region_rank_vertex(const struct torus_region *r,
				  const struct torus *t,
				  const struct torus_orientation *o,
				  uint32_t axes, uint32_t k, uint32_t *coord)
{
	uint32_t offset[TORUS_MAX_DIMS] = { 0 };
	struct torus_region vertices = torus_region_scaled(r, t);

	rank_offsets(&vertices, t, o, axes, k, offset, coord);
	for (uint32_t d = 0; d < t->dims; d++)
		offset[d] /= t->unit[d];
	return rank_index(r, t, offset);
}
