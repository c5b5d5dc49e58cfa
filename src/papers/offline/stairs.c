/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile as a treap whose nodes are also a list (stairs.h). Priorities
 * come from a generator with a fixed seed: equal input gives an equal tree. An
 * insertion splits the subtree at the new node's position, a removal joins the
 * two subtrees below the removed node; neither needs parent links or recursion.
 */
#include "papers/offline/stairs.h"

#include <assert.h>

#include "torus/alloc.h"

int torus_stairs_init(struct torus_stairs *s, uint32_t room)
{
	*s = (struct torus_stairs){ 0 };
	s->stair = torus_alloc((size_t)room + 1, sizeof(*s->stair));
	if (!s->stair)
		return -1;
	for (uint32_t i = 1; i <= room; i++) {
		/* Any well mixed function of i will do. */
		s->stair[i].priority = (i * UINT32_C(2654435761)) ^
				       (i * UINT32_C(2246822519) >> 13);
		s->stair[i].after = i < room ? i + 1 : TORUS_NO_STAIR;
	}
	s->free = 1;
	return 0;
}

void torus_stairs_free(struct torus_stairs *s)
{
	torus_free(s->stair);
	s->stair = NULL;
}

void torus_stairs_reset(struct torus_stairs *s, uint32_t width, torus_i128 left)
{
	if (s->back) { /* return the whole list to the free nodes */
		s->stair[s->back].after = s->free;
		s->free = s->front;
	}
	s->root = s->front = s->back = TORUS_NO_STAIR;
	torus_stairs_add(s, left, 0, width, 1);
}

uint32_t torus_stairs_floor(const struct torus_stairs *s, torus_i128 t)
{
	uint32_t at = s->root, floor = TORUS_NO_STAIR;

	while (at) {
		if (s->stair[at].left <= t) {
			floor = at;
			at = s->stair[at].larger;
		} else {
			at = s->stair[at].smaller;
		}
	}
	return floor;
}

/* Split the subtree at `at` into nodes with less than key, and the others. */
static void stairs_split(struct torus_stairs *s, uint32_t at, torus_i128 key,
			 uint32_t *less, uint32_t *more)
{
	while (at) {
		if (s->stair[at].left < key) {
			*less = at;
			less = &s->stair[at].larger;
			at = *less;
		} else {
			*more = at;
			more = &s->stair[at].smaller;
			at = *more;
		}
	}
	*less = *more = TORUS_NO_STAIR;
}

/* Join two subtrees into *to; all of a is below all of b. */
static void stairs_join(struct torus_stairs *s, uint32_t a, uint32_t b,
			uint32_t *to)
{
	while (a && b) {
		if (s->stair[a].priority > s->stair[b].priority) {
			*to = a;
			to = &s->stair[a].larger;
			a = *to;
		} else {
			*to = b;
			to = &s->stair[b].smaller;
			b = *to;
		}
	}
	*to = a ? a : b;
}

static void list_insert(struct torus_stairs *s, uint32_t at, uint32_t before)
{
	struct torus_stair *stair = &s->stair[at];

	stair->before = before;
	stair->after = before ? s->stair[before].after : s->front;
	*(before ? &s->stair[before].after : &s->front) = at;
	*(stair->after ? &s->stair[stair->after].before : &s->back) = at;
}

void torus_stairs_add(struct torus_stairs *s, torus_i128 left, uint32_t first,
		      uint32_t width, uint32_t slope)
{
	uint32_t at = s->free, *link = &s->root;
	uint32_t floor = torus_stairs_floor(s, left);
	struct torus_stair *stair = &s->stair[at];

	assert(at && left > 0 && width);
	s->free = stair->after;
	stair->left = left;
	stair->first = first;
	stair->width = width;
	stair->slope = slope;
	while (*link && s->stair[*link].priority > stair->priority)
		link = s->stair[*link].left < left ? &s->stair[*link].larger :
						     &s->stair[*link].smaller;
	stairs_split(s, *link, left, &stair->smaller, &stair->larger);
	*link = at;
	list_insert(s, at, floor);
}

static void remove_stair(struct torus_stairs *s, uint32_t at)
{
	struct torus_stair *stair = &s->stair[at];
	uint32_t *link = &s->root;

	while (*link != at)
		link = s->stair[*link].left < stair->left ?
			       &s->stair[*link].larger :
			       &s->stair[*link].smaller;
	stairs_join(s, stair->smaller, stair->larger, link);
	*(stair->before ? &s->stair[stair->before].after :
			  &s->front) = stair->after;
	*(stair->after ? &s->stair[stair->after].before :
			 &s->back) = stair->before;
	stair->after = s->free;
	s->free = at;
}

void torus_stairs_take(struct torus_stairs *s, uint32_t at, uint32_t d)
{
	struct torus_stair *stair = &s->stair[at];

	assert(at && stair->width >= d);
	stair->first += d;
	stair->width -= d;
	if (!stair->width)
		remove_stair(s, at);
}
