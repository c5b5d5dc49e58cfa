/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The delay that a next request expects (look.h). */
#include "placement/look.h"

#include "placement/erode.h"
#include "torus/alloc.h"

/* Ends that are looked at. Later ones weigh little: most shapes fit by then,
 * and they are the likelier to be wrong. */
#define RELEASES 6

/* Longest interval that is told apart: a year; so sums stay in 64 bits. */
#define LONGEST_US (INT64_C(31536000) * 1000000)

struct torus_look {
	const struct torus *torus;
	uint32_t words;
	struct torus_erode *erode;

	/* A box is numbered like the node whose coordinates are its extents
	 * less one. Turns of each other have the number of one of them. */
	uint32_t *class_of;
	uint32_t *members; /* of a class: how many boxes */
	uint32_t *seen;    /* classes that fit: the count's number */
	uint32_t counts;

	uint64_t *memory;
	uint64_t *free;
	uint64_t *level[TORUS_MAX_DIMS][2];
};

/* The box with the same extents in ascending order as far as the machine has
 * it that way: the least number among the turns. */
static void least_turn(const struct torus *t, uint32_t *extent, uint32_t d,
		       uint32_t index, uint32_t *least)
{
	if (d == t->dims) {
		if (index < *least)
			*least = index;
		return;
	}
	for (uint32_t k = d; k < t->dims; k++) {
		uint32_t e = extent[k];

		if (e >= t->size[d])
			continue;
		extent[k] = extent[d];
		least_turn(t, extent, d + 1, index + e * t->stride[d], least);
		extent[k] = e;
	}
}

static void sort_boxes(struct torus_look *l)
{
	const struct torus *t = l->torus;
	uint32_t extent[TORUS_MAX_DIMS];

	for (uint32_t i = 0; i < t->nodes; i++) {
		uint32_t least = i;

		torus_coord(t, i, extent);
		least_turn(t, extent, 0, 0, &least);
		l->class_of[i] = least;
		l->members[least]++;
	}
}

struct torus_look *torus_look_create(const struct torus *t)
{
	struct torus_look *l = torus_alloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->torus = t;
	l->words = torus_bits_words(t->nodes);
	l->erode = torus_erode_create(t);
	l->class_of = torus_alloc(3 * (size_t)t->nodes, sizeof(uint32_t));
	l->memory = torus_alloc((size_t)l->words * (2 * t->dims + 1),
				sizeof(uint64_t));
	if (!l->erode || !l->class_of || !l->memory) {
		torus_look_destroy(l);
		return NULL;
	}
	l->members = l->class_of + t->nodes;
	l->seen = l->members + t->nodes;
	l->free = l->memory;
	for (uint32_t d = 0; d < t->dims; d++) {
		l->level[d][0] = l->memory + (2 * (size_t)d + 1) * l->words;
		l->level[d][1] = l->level[d][0] + l->words;
	}
	sort_boxes(l);
	return l;
}

void torus_look_destroy(struct torus_look *l)
{
	if (!l)
		return;
	torus_erode_destroy(l->erode);
	torus_free(l->class_of);
	torus_free(l->memory);
	torus_free(l);
}

/* Boxes that fit and are not counted yet; those of dimensions above d are
 * chosen (`box`), and `in` has their bases. */
static uint32_t count(struct torus_look *l, uint32_t d, const uint64_t *in,
		      uint32_t box)
{
	const struct torus *t = l->torus;
	uint32_t n = 0;

	for (uint32_t e = 1;; e++, box += t->stride[d]) {
		if (d > 0) {
			n += count(l, d - 1, in, box);
		} else if (l->seen[l->class_of[box]] != l->counts) {
			l->seen[l->class_of[box]] = l->counts;
			n += l->members[l->class_of[box]];
		}
		if (e == t->size[d] ||
		    !torus_erode_runs(l->erode, d, e, e + 1, in,
				      l->level[d][e % 2], NULL))
			return n;
		in = l->level[d][e % 2];
	}
}

static uint32_t boxes_left(struct torus_look *l)
{
	if (torus_bits_next(l->free, l->words, 0) == UINT32_MAX)
		return l->torus->nodes;
	if (++l->counts == 0) {
		memset(l->seen, 0, l->torus->nodes * sizeof(*l->seen));
		l->counts = 1;
	}
	return l->torus->nodes - count(l, l->torus->dims - 1, l->free, 0);
}

int64_t torus_look_delay(struct torus_look *l, const uint64_t *usable,
			 const struct torus_region *region, int64_t now_us,
			 int64_t end_us, const struct torus_near *hold,
			 uint32_t holds)
{
	int64_t sum = 0, t = now_us;
	uint32_t looked = 0;
	bool taken = true;

	torus_bits_copy(l->free, usable, l->words);
	torus_region_erase(region, l->torus, l->free);
	for (uint32_t k = 0; k < holds || taken;) {
		bool mine = taken && (k == holds || end_us <= hold[k].end_us);
		int64_t end = mine ? end_us : hold[k].end_us;

		if (end == INT64_MAX)
			break;
		if (end > t) {
			uint32_t left = looked++ < RELEASES ? boxes_left(l) : 0;

			if (left == 0)
				break;
			sum += (end - t < LONGEST_US ? end - t : LONGEST_US) *
			       left;
			t = end;
		}
		torus_region_paint(mine ? region : hold[k].region, l->torus,
				   l->free);
		if (mine)
			taken = false;
		else
			k++;
	}
	return sum;
}
