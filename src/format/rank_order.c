/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders of ranks along curves, and the tasks at a vertex (ranks.h). */
#include "format/ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

__extension__ typedef unsigned __int128 rank_key;

struct keyed_rank {
	rank_key key;
	uint32_t at; /* before: the nodes of one vertex keep their order */
	struct torus_rank rank;
};

/* Reverse an axis where the rank of the axes before it is odd. */
static rank_key key_snake(const struct torus_ranks *ranks, const uint32_t *x)
{
	rank_key key = 0;

	for (uint32_t a = 0; a < ranks->axes; a++)
		key = key * ranks->extent[a] +
		      (key & 1 ? ranks->extent[a] - 1 - x[a] : x[a]);
	return key;
}

/* Skilling's AxestoTranspose: coordinates to the transposed Hilbert number. */
static void key_transpose(uint32_t *x, uint32_t axes, uint32_t bits)
{
	uint32_t top = UINT32_C(1) << (bits - 1), t = 0;

	for (uint32_t q = top; q > 1; q >>= 1) {
		for (uint32_t a = 0; a < axes; a++) {
			uint32_t swap = (x[0] ^ x[a]) & (q - 1);

			if (x[a] & q) {
				x[0] ^= q - 1;
			} else {
				x[0] ^= swap;
				x[a] ^= swap;
			}
		}
	}
	for (uint32_t a = 1; a < axes; a++)
		x[a] ^= x[a - 1];
	for (uint32_t q = top; q > 1; q >>= 1) {
		if (x[axes - 1] & q)
			t ^= q - 1;
	}
	for (uint32_t a = 0; a < axes; a++)
		x[a] ^= t;
}

/* The axis across which the ring's rows lie: one that is closed, or else one beside which
 * another has an even extent. UINT32_MAX: there is no cycle. */
static uint32_t ring_axis(const struct torus_ranks *ranks)
{
	uint32_t nodes = 1, found = UINT32_MAX;

	for (uint32_t a = 0; a < ranks->axes; a++)
		nodes *= ranks->extent[a];
	for (uint32_t a = 0; a < ranks->axes; a++) {
		uint32_t rows = nodes / ranks->extent[a];

		if (ranks->extent[a] > 1 && rows > 1 && rows % 2 == 0)
			found = a;
	}
	for (uint32_t a = 0; a < ranks->axes && found == UINT32_MAX; a++) {
		if (ranks->extent[a] > 2 && ranks->closed >> a & 1)
			found = a;
		else if (ranks->extent[a] == 2 && nodes == 2)
			found = a;
	}
	return found;
}

bool torus_ranks_ring_closes(const struct torus_ranks *ranks)
{
	return ring_axis(ranks) != UINT32_MAX;
}

/*
 * The rows go back and forth over all places of the axis but the first, by the snake of
 * the other axes, and the cycle returns along the first places:
 *
 *	0  1->2->3
 *	^        v
 *	7  6<-5<-4
 */
static rank_key key_ring(const struct torus_ranks *ranks, const uint32_t *x)
{
	uint32_t axis = ring_axis(ranks), others = 0, extent = 0;
	uint32_t y[TORUS_MAX_DIMS];
	struct torus_ranks rest = { 0 };
	rank_key row, rows = 1;

	if (axis == UINT32_MAX)
		return key_snake(ranks, x);
	extent = ranks->extent[axis];
	for (uint32_t a = 0; a < ranks->axes; a++) {
		if (a == axis)
			continue;
		y[others] = x[a];
		rest.extent[others++] = ranks->extent[a];
		rows *= ranks->extent[a];
	}
	rest.axes = others;
	row = key_snake(&rest, y);
	if (x[axis] == 0)
		return row == 0 ? 0 : rows * extent - row;
	return 1 + row * (extent - 1) +
	       (row % 2 ? extent - 1 - x[axis] : x[axis] - 1);
}

static rank_key key_of(const struct torus_ranks *ranks,
		       const struct torus_rank *rank, uint32_t order,
		       uint32_t bits)
{
	uint32_t x[TORUS_MAX_DIMS];
	rank_key key = 0;

	memcpy(x, rank->coord, sizeof(x));
	if (order == TORUS_ORDER_RING)
		return key_ring(ranks, x);
	if (order == TORUS_ORDER_SNAKE)
		return key_snake(ranks, x);
	if (order == TORUS_ORDER_HILBERT)
		key_transpose(x, ranks->axes, bits);
	/* the bits of all axes, the highest first */
	for (uint32_t b = bits; b-- > 0;) {
		for (uint32_t a = 0; a < ranks->axes; a++)
			key = key << 1 | (x[a] >> b & 1);
	}
	return key;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed_rank *x = a, *y = b;

	if (x->rank.slice != y->rank.slice)
		return x->rank.slice > y->rank.slice ? 1 : -1;
	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

int torus_ranks_sort(struct torus_ranks *ranks, uint32_t order)
{
	struct keyed_rank *list;
	uint32_t bits = 1;

	/* bits that the largest coordinate needs */
	for (uint32_t a = 0; a < ranks->axes; a++) {
		while (bits < 32 && (ranks->extent[a] - 1) >> bits)
			bits++;
	}
	if (order <= TORUS_ORDER_ROW_MAJOR)
		return 0;
	if ((order == TORUS_ORDER_MORTON || order == TORUS_ORDER_HILBERT) &&
	    bits * ranks->axes > 128) {
		errno = EDOM;
		return -1;
	}
	list = torus_alloc(ranks->nodes, sizeof(*list));
	if (!list)
		return -1;
	for (uint32_t k = 0; k < ranks->nodes; k++) {
		list[k].rank = ranks->rank[k];
		list[k].at = k;
		list[k].key = key_of(ranks, &ranks->rank[k], order, bits);
	}
	qsort(list, ranks->nodes, sizeof(*list), by_key);
	for (uint32_t k = 0; k < ranks->nodes; k++)
		ranks->rank[k] = list[k].rank;
	torus_free(list);
	return 0;
}

uint32_t torus_rank_tasks(const struct torus_rank *vertex, uint32_t n,
			  uint32_t *first)
{
	uint64_t at = vertex->at, of = vertex->of;

	*first = (uint32_t)((at * n + of - 1) / of);
	return (uint32_t)(((at + 1) * n + of - 1) / of) - *first;
}
