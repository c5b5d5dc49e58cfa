/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of availability over time (profile.h): a sorted array of spans. A span
 * is split where a change begins or ends, and joined with its neighbour when both
 * are equal. (Neighbours that become equal inside the changed range stay apart;
 * this happens only to nodes taken twice.)
 */
#include "planning/profile.h"

#include <errno.h>

#include "torus/alloc.h"
#include "torus/bits.h"

static int profile_grow(struct torus_profile *p)
{
	size_t room = torus_grown_room(p->room, p->room + 1);

	if (TORUS_RESIZE(p->span, room) ||
	    TORUS_RESIZE(p->maps, room * p->words))
		return -1;
	for (uint32_t i = p->room; i < room; i++)
		p->span[i].map = i;
	p->room = (uint32_t)room;
	return 0;
}

int torus_profile_begin(struct torus_profile *p, uint32_t words,
			int64_t from_us, const uint64_t *map)
{
	p->words = words;
	p->spans = 0;
	if (p->room == 0 && profile_grow(p))
		return -1;
	p->spans = 1;
	p->span[0].from_us = from_us;
	p->span[0].usable = torus_bits_count(map, words);
	p->span[0].gained = ++p->stamp;
	torus_bits_copy(torus_profile_map(p, 0), map, words);
	return 0;
}

void torus_profile_free(struct torus_profile *p)
{
	torus_free(p->span);
	torus_free(p->maps);
	*p = (struct torus_profile){ 0 };
}

uint32_t torus_profile_at(const struct torus_profile *p, int64_t at_us)
{
	uint32_t low = 0, n = p->spans;

	if (n < 2 || at_us < p->span[1].from_us)
		return 0; /* the most frequent case */
	/* branch-free but for the loop: the branch is unpredictable */
	while (n > 1) {
		uint32_t half = n / 2;

		low += p->span[low + half].from_us <= at_us ? half : 0;
		n -= half;
	}
	return low;
}

/* Split the span at t, so that a span begins there; *at: its index. */
static int profile_split(struct torus_profile *p, int64_t at_us, uint32_t *at)
{
	uint32_t i = torus_profile_at(p, at_us);
	struct torus_span fresh;

	*at = i;
	if (at_us <= p->span[i].from_us)
		return 0;
	if (p->spans == p->room && profile_grow(p))
		return -1;
	fresh = p->span[p->spans];
	fresh.from_us = at_us;
	fresh.usable = p->span[i].usable;
	fresh.gained = p->span[i].gained;
	memmove(p->span + i + 2, p->span + i + 1,
		(p->spans - i - 1) * sizeof(*p->span));
	p->span[i + 1] = fresh;
	p->spans++;
	torus_bits_copy(torus_profile_map(p, i + 1), torus_profile_map(p, i),
			p->words);
	*at = i + 1;
	return 0;
}

/* Join span i with the one before it if they have the same nodes. */
static void profile_join(struct torus_profile *p, uint32_t i)
{
	struct torus_span gone;

	if (p->apart || i == 0 || i >= p->spans ||
	    p->span[i].usable != p->span[i - 1].usable ||
	    !torus_bits_equal(torus_profile_map(p, i),
			      torus_profile_map(p, i - 1), p->words))
		return;
	gone = p->span[i];
	if (gone.gained > p->span[i - 1].gained)
		p->span[i - 1].gained = gone.gained;
	p->spans--;
	memmove(p->span + i, p->span + i + 1, (p->spans - i) * sizeof(*p->span));
	p->span[p->spans] = gone; /* its bitmap is unused now */
}

/* Find the spans first .. *end - 1 between from and to. */
static int profile_cut(struct torus_profile *p, int64_t from_us, int64_t to_us,
		       uint32_t *first, uint32_t *end)
{
	if (profile_split(p, from_us, first))
		return -1;
	*end = p->spans;
	if (to_us == INT64_MAX)
		return 0;
	if (to_us <= p->span[*first].from_us) {
		*end = *first;
		return 0;
	}
	return profile_split(p, to_us, end);
}

/* Set the nodes of map in m. Return true if none was set before. */
static bool profile_set(uint64_t *m, const uint64_t *map, uint32_t words)
{
	uint64_t there = 0;

	for (uint32_t i = 0; i < words; i++) {
		there |= m[i] & map[i];
		m[i] |= map[i];
	}
	return !there;
}

/* Clear the nodes of map in m. Return true if all were set before. */
static bool profile_clear(uint64_t *m, const uint64_t *map, uint32_t words)
{
	uint64_t missing = 0;

	for (uint32_t i = 0; i < words; i++) {
		missing |= map[i] & ~m[i];
		m[i] &= ~map[i];
	}
	return !missing;
}

/* Take the nodes if taken_twice is not NULL, else give them. */
static int profile_change(struct torus_profile *p, int64_t from_us,
			  int64_t to_us, const uint64_t *map, bool *taken_twice)
{
	uint32_t first, end, n = torus_bits_count(map, p->words);

	if (profile_cut(p, from_us, to_us, &first, &end))
		return -1;
	p->stamp += !taken_twice && end > first;
	for (uint32_t i = first; i < end; i++) {
		uint64_t *m = torus_profile_map(p, i);
		bool whole = taken_twice ? profile_clear(m, map, p->words) :
					   profile_set(m, map, p->words);

		if (!whole)
			p->span[i].usable = torus_bits_count(m, p->words);
		else
			p->span[i].usable += taken_twice ? -n : n;
		if (taken_twice)
			*taken_twice |= !whole;
		else
			p->span[i].gained = p->stamp;
	}
	profile_join(p, end);
	profile_join(p, first);
	return 0;
}

int torus_profile_give(struct torus_profile *p, int64_t from_us, int64_t to_us,
		       const uint64_t *map)
{
	return profile_change(p, from_us, to_us, map, NULL);
}

int torus_profile_take(struct torus_profile *p, int64_t from_us, int64_t to_us,
		       const uint64_t *map, bool *twice)
{
	return profile_change(p, from_us, to_us, map, twice);
}

void torus_profile_forward(struct torus_profile *p, int64_t at_us)
{
	while (p->spans > 1 && p->span[1].from_us <= at_us) {
		struct torus_span gone = p->span[0];

		p->spans--;
		memmove(p->span, p->span + 1, p->spans * sizeof(*p->span));
		p->span[p->spans] = gone; /* its bitmap is unused now */
	}
}
