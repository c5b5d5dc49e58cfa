/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile of a growing schedule (Gupta and Srimani, Definition 8): the
 * remaining time until the deadline of each part of the machine's diagonal.
 *
 *	processors       [0,3]  [4,7]  [8,15]
 *	remaining time     1      2      4        strictly increasing
 *
 * The steps are in a list in their order and in a search tree by remaining time
 * (a treap: a binary tree that is a heap by pseudo-random priorities), so that
 * finding, adding and removing cost O(log steps). All memory is allocated at
 * creation.
 */
#ifndef OFFLINE_STAIRS_H
#define OFFLINE_STAIRS_H

#include <stdint.h>

#include "papers/offline/number.h"

#define TORUS_NO_STAIR 0

struct torus_stair {
	torus_i128 left;       /* remaining time, > 0 */
	uint32_t first, width; /* processors first .. first + width - 1 */
	/* growth of `left` per unit of the deadline, with all jobs placed by
	 * the same cases (preemptive.h) */
	uint32_t slope;
	uint32_t before, after;             /* neighbours, or TORUS_NO_STAIR */
	uint32_t smaller, larger, priority; /* of the tree */
};

struct torus_stairs {
	struct torus_stair *stair; /* [0] is none */
	uint32_t root, front, back, free;
};

/* Create a profile of at most `room` steps. 0, or -1 with errno. */
int torus_stairs_init(struct torus_stairs *s, uint32_t room);
void torus_stairs_free(struct torus_stairs *s);

/* Reset to one step: `width` processors with `left` time. O(1). */
void torus_stairs_reset(struct torus_stairs *s, uint32_t width, torus_i128 left);

/* Return the last step with at most t left, or TORUS_NO_STAIR. */
uint32_t torus_stairs_floor(const struct torus_stairs *s, torus_i128 t);

/* Add a step with a remaining time that no other step has. There must be room
 * (assert()). */
void torus_stairs_add(struct torus_stairs *s, torus_i128 left, uint32_t first,
		      uint32_t width, uint32_t slope);

/* Remove the first d processors from a step; an empty step is removed. */
void torus_stairs_take(struct torus_stairs *s, uint32_t at, uint32_t d);

#endif
