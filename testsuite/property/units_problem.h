/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random toruses whose vertices are not nodes, with links that fail, and shapes for
 * them; vertices and links are looked up by their coordinates, without the
 * library, for brute force.
 */
#ifndef TESTSUITE_UNITS_PROBLEM_H
#define TESTSUITE_UNITS_PROBLEM_H

#include <string.h>

#include "random.h"
#include "torus/links.h"
#include "torus/machine.h"

#define DIMS TORUS_MAX_DIMS
#define MOST_VERTICES 216
#define MOST_PER_VERTEX 3

struct units_torus {
	uint32_t dims, vertices;
	uint32_t size[DIMS], unit[DIMS], grain[DIMS], per_vertex;
	bool wrap[DIMS];
	uint8_t health[MOST_VERTICES][DIMS]; /* of links: enum torus_link_health */
};

/* The coordinates off[0..dims) of a box, first dimension fastest; false: this
 * was the last one. */
RANDOM_HELPER bool units_step(const struct units_torus *u, uint32_t *off,
			      const uint32_t *extent)
{
	for (uint32_t d = 0; d < u->dims; d++) {
		if (++off[d] < extent[d])
			return true;
		off[d] = 0;
	}
	return false;
}

/* The first node at a vertex. */
RANDOM_HELPER uint32_t units_node(const struct units_torus *u,
				  const uint32_t *at)
{
	uint32_t node = 0, step = u->per_vertex;

	for (uint32_t d = 0; d < u->dims; d++) {
		node += at[d] / u->unit[d] * step;
		step *= u->size[d] / u->unit[d];
	}
	return node;
}

/* Nodes of a number of vertices. */
RANDOM_HELPER uint32_t units_nodes(const struct units_torus *u,
				   uint32_t vertices)
{
	uint32_t of = 1;

	for (uint32_t d = 0; d < u->dims; d++)
		of *= u->unit[d];
	return vertices / of * u->per_vertex;
}

RANDOM_HELPER bool units_covers(const struct units_torus *u, uint32_t d,
				const uint32_t *extent)
{
	return u->wrap[d] && extent[d] == u->size[d];
}

RANDOM_HELPER bool units_ring(const struct units_torus *u, uint32_t d,
			      uint32_t extent)
{
	return extent <= 2 || (u->wrap[d] && extent == u->size[d]);
}

/* The link from a vertex along d, for an ask. */
RANDOM_HELPER bool units_link_dead(const struct units_torus *u, bool weak,
				   const uint32_t *at, uint32_t d)
{
	uint32_t index = 0, step = 1;

	for (uint32_t e = 0; e < u->dims; e++) {
		index += at[e] * step;
		step *= u->size[e];
	}
	return u->health[index][d] == TORUS_LINK_DOWN ||
	       (u->health[index][d] == TORUS_LINK_WEAK && !weak);
}

/*
 * Dimension d of a box: is a link between two of its vertices dead? *closing:
 * one of the links from the last vertices to the first ones is.
 */
RANDOM_HELPER bool units_line_dead(const struct units_torus *u, bool weak,
				   uint32_t d, const uint32_t *base,
				   const uint32_t *extent, bool *closing)
{
	uint32_t at[DIMS], off[DIMS] = { 0 };
	bool dead = false;

	*closing = false;
	do {
		for (uint32_t e = 0; e < u->dims; e++)
			at[e] = (base[e] + off[e]) % u->size[e];
		if (off[d] + 1 < extent[d])
			dead |= units_link_dead(u, weak, at, d);
		else if (units_covers(u, d, extent) && u->size[d] > 1)
			*closing |= units_link_dead(u, weak, at, d);
	} while (units_step(u, off, extent));
	return dead;
}

/*
 * May a box begin at a base: on the grain, within the machine, no dead link in
 * it, and in a ring at 0? rings[d]: dimension d is one.
 */
RANDOM_HELPER bool units_base(const struct units_torus *u, bool weak,
			      const uint32_t *base, const uint32_t *extent,
			      bool *rings)
{
	for (uint32_t d = 0; d < u->dims; d++) {
		bool closing;

		if (base[d] % u->grain[d] ||
		    (!u->wrap[d] && base[d] + extent[d] > u->size[d]) ||
		    units_line_dead(u, weak, d, base, extent, &closing) ||
		    (units_covers(u, d, extent) && !closing && base[d] > 0))
			return false;
		rings[d] = units_ring(u, d, extent[d]) && !closing;
	}
	return true;
}

/* Drawing */

RANDOM_HELPER uint32_t units_draw_divisor(struct random *rnd, uint32_t n)
{
	uint32_t k;

	do
		k = 1 + random_below(rnd, n);
	while (n % k);
	return k;
}

struct units_range {
	uint32_t dims, vertices; /* at most */
	uint32_t side;    /* at most, where a further dimension follows */
	uint32_t divided; /* percent that have a unit */
};

/* All links are up. */
RANDOM_HELPER void units_draw(struct random *rnd,
			      const struct units_range *range,
			      struct units_torus *u)
{
	bool divided = random_percent(rnd, range->divided),
	     coarse = random_below(rnd, 3) == 0;

	memset(u, 0, sizeof(*u));
	u->dims = 1 + random_below(rnd, range->dims);
	u->vertices = 1;
	for (uint32_t d = 0; d < u->dims; d++) {
		uint32_t most = range->vertices / u->vertices;

		if (d + 1 < u->dims && most > range->side)
			most = range->side;
		u->size[d] = 1 + random_below(rnd, most);
		u->wrap[d] = random_below(rnd, 3) > 0;
		u->unit[d] = divided ? units_draw_divisor(rnd, u->size[d]) : 1;
		u->grain[d] = u->unit[d];
		if (coarse)
			u->grain[d] *=
				units_draw_divisor(rnd, u->size[d] / u->unit[d]);
		u->vertices *= u->size[d];
	}
	u->per_vertex = divided ? 1 : 1 + random_below(rnd, MOST_PER_VERTEX);
}

/* From every other link to few. */
RANDOM_HELPER void units_draw_links(struct random *rnd, struct units_torus *u)
{
	uint32_t of = 2 + random_below(rnd, 60);

	for (uint32_t v = 0; v < u->vertices; v++) {
		for (uint32_t d = 0; d < u->dims; d++) {
			uint32_t r = random_below(rnd, of);

			u->health[v][d] = r == 0 ? TORUS_LINK_DOWN :
					  r == 1 && random_below(rnd, 2) ?
						   TORUS_LINK_WEAK :
						   TORUS_LINK_UP;
		}
	}
}

/* Extents that are multiples of some dimension's grain, mostly; of at most
 * `most` grains. A turned shape has one connection for all axes. */
RANDOM_HELPER void units_draw_shape(struct random *rnd,
				    const struct units_torus *u, uint32_t most,
				    struct torus_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	ask->rotate = random_below(rnd, 4) > 0;
	ask->end_us = INT64_MAX;
	ask->shape.axes = 1 + random_below(rnd, u->dims);
	for (uint32_t a = 0; a < ask->shape.axes; a++) {
		uint32_t d = ask->rotate ? random_below(rnd, u->dims) : a;
		uint32_t grain = random_below(rnd, 8) ? u->grain[d] : 1;
		uint32_t grains = u->size[d] / grain;

		if (grains > most)
			grains = most;
		ask->shape.extent[a] = grain * (1 + random_below(rnd, grains));
		ask->connection[a] = random_below(rnd, 4) ? TORUS_CONN_NAV :
							    TORUS_CONN_TORUS;
	}
	if (ask->rotate) {
		/* as the grammar does, so that connections stay in step */
		for (uint32_t a = 0; a < ask->shape.axes; a++)
			ask->connection[a] = ask->connection[0];
		torus_shape_squeeze(&ask->shape);
	}
}

/* The library's */

RANDOM_HELPER int units_init(const struct units_torus *u, const char *name,
			     struct torus *t)
{
	return torus_init(t, name, u->dims, u->size, u->wrap, NULL) ||
			       torus_divide(t,
					    u->per_vertex > 1 ? NULL : u->unit,
					    u->grain, u->per_vertex, NULL) ?
		       -1 :
		       0;
}

/* Append the links that are not healthy. */
RANDOM_HELPER int units_list_links(const struct units_torus *u,
				   const struct torus *t, uint32_t pod,
				   struct torus_link_list *list)
{
	for (uint32_t v = 0; v < u->vertices; v++) {
		for (uint8_t d = 0; d < u->dims; d++) {
			struct torus_link l = { .pod = pod,
						.vertex = v,
						.dim = d,
						.health = u->health[v][d] };
			uint32_t at[DIMS];

			torus_vertex_coord(t, v, at);
			if (torus_link_exists(t, at, d) &&
			    torus_link_list_set(list, &l))
				return -1;
		}
	}
	return 0;
}

#endif
