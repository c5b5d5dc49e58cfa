/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal state of the strategy `subtorus` (subtorus.c), used by its search
 * (subtorus_find.c).
 */
#ifndef PLACEMENT_SUBTORUS_LIST_H
#define PLACEMENT_SUBTORUS_LIST_H

#include "placement/subtorus/subtorus.h"

#define SUBTORUS_ONE INT64_C(1000000)
#define SUBTORUS_FORBIDDEN INT64_MAX  /* a load or rate beyond max_dilation */
#define SUBTORUS_NO_MAXIMUM INT64_MAX /* of max_dilation */

struct subtorus_entry {
	struct torus_region region;
	int64_t end_us;
	int64_t rate; /* scratch: its dilation by all others, in millionths */
};

struct subtorus {
	const struct torus *torus;
	int64_t max_dilation; /* dilation allowed beyond 1, in millionths */
	struct subtorus_entry *entry;
	uint32_t entries;
	uint32_t *at; /* node -> the entry whose base it is */
	struct torus_subtorus_boxes *boxes;
	uint64_t *map[2]; /* scratch of find and check */
	/* scratch of find: a table per dimension, by line */
	int64_t *load;
	int64_t *rate; /* in millionths; SUBTORUS_FORBIDDEN: an old job forbids sharing the line */
};

/* Return the load that a region puts on a line along d, in millionths: the
 * slowdown of those that share the line. At least 1, so that sharing always
 * costs something. */
int64_t torus_subtorus_share(const struct torus *t,
			     const struct torus_region *r, uint32_t d);

/* Compute how much every entry is slowed by the others now. O(entries^2). */
void torus_subtorus_rates(struct subtorus *s);

/* The strategy's find() and find_all(). */
enum torus_answer torus_subtorus_find(void *self, const struct torus_ask *ask,
				      const uint64_t *usable,
				      struct torus_placement *out,
				      struct torus_error *why);
void torus_subtorus_find_all(void *self, const struct torus_ask *ask,
			     const uint64_t *usable,
			     bool (*each)(void *arg,
					  const struct torus_placement *place),
			     void *arg);

#endif
