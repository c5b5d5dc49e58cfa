/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A torus: 1 to 8 dimensions, a wrap flag for each; nodes are numbered with the
 * first dimension fastest. A mesh is a torus without wrap; a hypercube is
 * 2x2x...x2. `flat` is a machine without topology (any nodes will do).
 *
 * Requests and texts are in *vertices*. Usually a vertex is a node. A node can
 * also be a box of vertices, its unit: then `size`, bases and extents count
 * cells of one unit each, and only texts and shapes are in vertices. Or each
 * vertex has several nodes, with adjacent indices.
 *
 * Machine string: 8x8x8 (all wrap), 8x8x8:TTM (T wraps, M does not), 2^8
 * (2x2x2x2x2x2x2x2), 16 (a ring), flat:128.
 */
#ifndef TORUS_TORUS_H
#define TORUS_TORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torus/text.h"

#define TORUS_MAX_DIMS 8
#define TORUS_MAX_NODES (UINT32_C(1) << 24)
#define TORUS_NAME_SIZE 64    /* with the NUL */
#define TORUS_STRING_SIZE 112 /* longest machine string, with the NUL */

/* A value: copy it freely. size[d], wrap[d] and stride[d] are set for d < dims;
 * the other entries are 1, false and `nodes`. Other entries of unit and grain
 * are 1. */
struct torus {
	char name[TORUS_NAME_SIZE];
	uint32_t dims;
	uint32_t nodes;                  /* product of the sizes x per_vertex */
	uint32_t size[TORUS_MAX_DIMS];   /* cells along each dimension */
	uint32_t stride[TORUS_MAX_DIMS]; /* index distance of one step */
	bool wrap[TORUS_MAX_DIMS];
	bool flat;                     /* dims is 1, no neighbours */
	uint32_t unit[TORUS_MAX_DIMS]; /* vertices of a cell along each dimension */
	uint32_t grain[TORUS_MAX_DIMS]; /* bases and extents of regions are
					   multiples of this many vertices, a
					   multiple of the unit */
	uint32_t per_vertex; /* nodes of a cell; above 1 only where every unit is 1 */
};

/* Initialize a torus. wrap NULL: all dimensions wrap. -1 with EINVAL and a line
 * in err (may be NULL). */
int torus_init(struct torus *t, const char *name, uint32_t dims,
	       const uint32_t *size, const bool *wrap, struct torus_error *err);
int torus_init_flat(struct torus *t, const char *name, uint32_t nodes,
		    struct torus_error *err);

/*
 * Set the unit, grain and nodes per vertex of a torus from torus_init(), whose
 * sizes are in vertices until then. All are in vertices; unit NULL: 1; grain
 * NULL: the unit. -1 with a line in err that begins with the key that is wrong
 * (unit, grain, per_vertex).
 */
int torus_divide(struct torus *t, const uint32_t *unit, const uint32_t *grain,
		 uint32_t per_vertex, struct torus_error *err);

/* Set `nodes` and the strides from the sizes and per_vertex. */
void torus_number(struct torus *t);

/* Return true if every vertex has one node and regions may be any box. */
bool torus_plain(const struct torus *t);

/* Return the vertices of one node (1 with per_vertex), and of a dimension. */
uint32_t torus_node_vertices(const struct torus *t);
static inline uint32_t torus_vertices(const struct torus *t, uint32_t d)
{
	return t->size[d] * t->unit[d];
}

/* Read a machine string; the name becomes "torus". */
int torus_parse(struct torus *t, const char *string, struct torus_error *err);

/* Write the machine string, in vertices. Return its length, as snprintf(). */
int torus_format(const struct torus *t, char *buffer, size_t size);

/* Return the index of the first node of a cell; set the coordinates of a node's
 * cell. Coordinates have TORUS_MAX_DIMS entries, in cells; those from dims on
 * are 0. */
uint32_t torus_index(const struct torus *t, const uint32_t *coord);
void torus_coord(const struct torus *t, uint32_t index, uint32_t *coord);

/* Return true if the name is valid: letters, digits, '_', '-', '.'; starts with
 * a letter or digit. */
bool torus_name_ok(const char *name);

#endif
