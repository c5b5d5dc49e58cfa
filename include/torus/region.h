/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes, orientations and regions.
 *
 * A shape is what a job asks for: extents of its axes. An orientation maps
 * the axes to the machine's dimensions. A region is what a job gets: per
 * dimension a base, an extent (in nodes) and a stride, and it may cross the
 * edge of a wrapped dimension:
 *
 *        dimension 0 ->                     4x4 torus, region 3,1+2x2
 *      . . . .        # = a node of the region: coordinates
 *      # . . #        (3,1) (0,1) (3,2) (0,2): it crosses the
 *      # . . #        edge of dimension 0
 *      . . . .
 *
 * Text forms: region NAME:base+extent[/stride], e.g. pod0:1,0+4x4/2x2;
 * scattered nodes pod0:{0-3,7} (node indices); orientation 2,-,0 (per machine
 * dimension the shape's axis or '-'); folded 0+1,2 (each ring's dimensions).
 */
#ifndef TORUS_REGION_H
#define TORUS_REGION_H

#include "torus/bits.h"
#include "torus/text.h"
#include "torus/torus.h"

/* Extents per axis, each >= 1. */
struct torus_shape {
	uint32_t axes; /* 1..8 */
	uint32_t extent[TORUS_MAX_DIMS];
};

/*
 * axis[d] is the shape's axis that lies along machine dimension d, or -1.
 * Folded (semitorus): ring axis[d] runs through dimension d; a ring made of
 * several dimensions has its number at each of them.
 */
struct torus_orientation {
	bool folded;
	int8_t axis[TORUS_MAX_DIMS];
};

/* In cells of its torus. Dimensions from the torus's dims on have base 0,
 * extent 1, stride 1. A stride above 1 occurs only if the unit is 1. */
struct torus_region {
	uint32_t base[TORUS_MAX_DIMS];
	uint32_t extent[TORUS_MAX_DIMS];
	uint32_t stride[TORUS_MAX_DIMS]; /* 1 = adjacent cells */
};

#define TORUS_REGION_SIZE 320 /* longest text of a region, with the NUL */
#define TORUS_ORIENTATION_SIZE 32

/* Return the product of the extents; UINT64_MAX if it overflows 64 bits. */
static inline uint64_t torus_shape_volume(const struct torus_shape *shape)
{
	uint64_t volume = 1;

	for (uint32_t a = 0; a < shape->axes; a++) {
		if (__builtin_mul_overflow(volume, shape->extent[a], &volume))
			return UINT64_MAX;
	}
	return volume;
}

/* Drop axes of extent 1 (one axis of 1 stays if all are 1). */
void torus_shape_squeeze(struct torus_shape *shape);

/* Write the shape as 4x4x2. Return the length, as snprintf(). */
int torus_shape_format(const struct torus_shape *shape, char *buffer,
		       size_t size);

/* Set the region to the whole torus: base 0, full extent, stride 1. */
void torus_region_whole(struct torus_region *r, const struct torus *t);

/* Return 0, or -1 with a line in err: an extent of 0, a base outside the torus,
 * a region that crosses the edge of an open dimension or uses a node twice. */
int torus_region_check(const struct torus_region *r, const struct torus *t,
		       struct torus_error *err);

uint32_t torus_region_nodes(const struct torus_region *r, const struct torus *t);

bool torus_region_equal(const struct torus_region *a,
			const struct torus_region *b, const struct torus *t);

/* Return true if two regions without strides have a node in common. */
bool torus_region_overlaps(const struct torus_region *a,
			   const struct torus_region *b, const struct torus *t);

/*
 * Return true if dimension d of the region is a closed ring: it covers a
 * wrapped dimension, is interleaved over one (stride x extent = size), or has 1
 * or 2 vertices. (Extent 2 with stride 1: the link between the two nodes counts
 * as a ring.)
 */
bool torus_region_closed(const struct torus_region *r, const struct torus *t,
			 uint32_t d);

/* Set, clear or test the region's nodes in a bitmap of the torus's nodes.
 * O(rows of the region); a row is a run along dimension 0. */
void torus_region_paint(const struct torus_region *r, const struct torus *t,
			uint64_t *map);
void torus_region_erase(const struct torus_region *r, const struct torus *t,
			uint64_t *map);
bool torus_region_inside(const struct torus_region *r, const struct torus *t,
			 const uint64_t *map); /* every node set */
bool torus_region_touches(const struct torus_region *r, const struct torus *t,
			  const uint64_t *map); /* some node set */

/* Cut a box out of the nodes set in map, which lose its nodes: from the lowest node
 * on, from bit *from, as long as possible along each dimension in turn, without
 * crossing an edge. *from gets that node. Return false if no node is left. */
bool torus_region_carve(const struct torus *t, uint64_t *map, uint32_t *from,
			struct torus_region *box);

/* Return true if all nodes set in map are the region's. O(words + nodes set). */
bool torus_region_holds(const struct torus_region *r, const struct torus *t,
			const uint64_t *map);

/*
 * Return the index of the k-th node in rank order: row-major in the shape's
 * axes (last fastest), as MPI_Cart_create. k < nodes. The axes of a folded
 * orientation are its rings: adjacent ranks of a ring, and its last and first
 * rank, are adjacent nodes if the ring's dimensions contain a cycle (an even
 * number of nodes in two or more of them). coord (NULL or one entry per axis)
 * gets the coordinate of the node's first vertex in the shape's axes.
 */
uint32_t torus_region_rank_node(const struct torus_region *r,
				const struct torus *t,
				const struct torus_orientation *o,
				uint32_t axes, uint32_t k, uint32_t *coord);

/*
 * Return the first node of vertex k in rank order; coord gets the coordinate of
 * the vertex. k is below the number of vertices.
 */
uint32_t torus_region_rank_vertex(const struct torus_region *r,
				  const struct torus *t,
				  const struct torus_orientation *o,
				  uint32_t axes, uint32_t k, uint32_t *coord);

/* Return the region with base and extent in vertices. */
struct torus_region torus_region_scaled(const struct torus_region *r,
					const struct torus *t);

#endif
