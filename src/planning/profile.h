/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: the usable nodes over time, by the expected ends.
 *
 *   span     0        1      2            3
 *        |--------|------|--------|------------- ... for ever
 *      from[0]  from[1] from[2] from[3]
 *
 * Each span has a machine bitmap, its count, and the stamp of the last time that
 * it gained nodes. The stamp grows each time that nodes are added.
 *
 * Cost: adding or removing nodes between two times is O(spans between x words),
 * and up to two splits and two joins of O(words), with a move of 24 bytes per
 * later span. Memory: a bitmap per span.
 */
#ifndef PLANNING_PROFILE_H
#define PLANNING_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct torus_span {
	int64_t from_us; /* the last span has no end */
	uint32_t map;    /* which bitmap */
	uint32_t usable; /* nodes in it */
	uint64_t gained; /* stamp of the last gain */
};

/* Zeroed = empty. Entries of span past `spans` name the unused bitmaps. */
struct torus_profile {
	uint64_t stamp; /* unique, also among later profiles */
	bool apart;     /* do not join equal neighbours */
	uint32_t words;
	uint32_t spans, room;
	struct torus_span *span;
	uint64_t *maps;
};

/* Set the profile to one span from `from` on with the nodes of map. -1 with
 * ENOMEM. */
int torus_profile_begin(struct torus_profile *p, uint32_t words,
			int64_t from_us, const uint64_t *map);
void torus_profile_free(struct torus_profile *p);

static inline uint64_t *torus_profile_map(const struct torus_profile *p,
					  uint32_t i)
{
	return p->maps + (size_t)p->span[i].map * p->words;
}

/* Return the span that contains time t (the first one if t is before it). */
uint32_t torus_profile_at(const struct torus_profile *p, int64_t at_us);

/*
 * Add the nodes of map from `from` (or the profile's begin) until `to`
 * (INT64_MAX: no end), or remove them. take() sets *twice if a node was not
 * usable all that time, and never clears it. -1 with ENOMEM; the profile is then
 * invalid.
 */
int torus_profile_give(struct torus_profile *p, int64_t from_us, int64_t to_us,
		       const uint64_t *map);
int torus_profile_take(struct torus_profile *p, int64_t from_us, int64_t to_us,
		       const uint64_t *map, bool *twice);

/* Remove the spans that end by t. */
void torus_profile_forward(struct torus_profile *p, int64_t at_us);

#endif
