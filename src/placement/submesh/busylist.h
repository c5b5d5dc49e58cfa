/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The busy list of `submesh-tbl` and `submesh-bl`: the list (busylist.c) and the
 * detection of a base (busylist_detect.c). */
#ifndef PLACEMENT_BUSYLIST_H
#define PLACEMENT_BUSYLIST_H

#include "placement/submesh/erode.h"
#include "placement/submesh/turn.h"
#include "torus/ask.h"

/* Inclusive bounds. */
struct busy_interval {
	uint32_t low, high;
};

/* What a box prohibits in the current orientation. On a ring an arc that
 * crosses the edge becomes two intervals. */
struct busy_region {
	struct busy_interval x[2], y[2], z[2];
	uint8_t xs, ys, zs;
};

/* A piece of a plane; regions before `next` are subtracted already. */
struct busy_piece {
	struct busy_interval y, z;
	uint32_t next;
};

struct busylist {
	const struct torus *torus;
	bool turning;
	uint32_t size[TURN_DIMS];
	bool wrap[TURN_DIMS];
	uint32_t words;
	struct torus_region *box; /* [0, jobs): the busy list; then other
				     unusable nodes */
	uint32_t jobs, boxes;
	uint64_t *listed; /* nodes in boxes of the busy list */
	uint64_t *others; /* scratch: other unusable nodes */
	struct busy_region *region;
	struct busy_piece *stack;
	struct torus_erode *erode;
	uint64_t *eroded[3];    /* scratch */
	struct submesh *grants; /* torus_turn_grants() */
	/* of the current search: */
	const uint64_t *usable;
	struct torus_search_limit *limit;
	bool gathered; /* `others` and their boxes are of `usable` */
};

/* Find a base for a box of these extents among b->usable (torus_turn.detect). */
bool busylist_detect(void *self, const uint32_t *want, const uint64_t *bases,
		     uint32_t *base);

#endif
