/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders of ranks along curves (rank_list.h). */
#include "storus/setup/rank_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

__extension__ typedef unsigned __int128 rank_key;

struct keyed_rank {
	rank_key key;
	struct storus_rank rank;
};

/* Bits that the largest coordinate needs, at least 1. */
static uint32_t key_bits(const struct storus_ranks *ranks)
{
	uint32_t bits = 1;

	for (uint32_t a = 0; a < ranks->axes; a++) {
		while (bits < 32 && (ranks->extent[a] - 1) >> bits)
			bits++;
	}
	return bits;
}

/* Reverse an axis where the rank of the axes before it is odd. */
static rank_key key_snake(const struct storus_ranks *ranks, const uint32_t *x)
{
	rank_key key = 0;

	for (uint32_t a = 0; a < ranks->axes; a++)
		key = key * ranks->extent[a] +
		      (key & 1 ? ranks->extent[a] - 1 - x[a] : x[a]);
	return key;
}

/* The bits of all axes, the highest first. */
static rank_key key_interleave(const uint32_t *x, uint32_t axes, uint32_t bits)
{
	rank_key key = 0;

	for (uint32_t b = bits; b-- > 0;) {
		for (uint32_t a = 0; a < axes; a++)
			key = key << 1 | (x[a] >> b & 1);
	}
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

static rank_key key_of(const struct storus_ranks *ranks,
		       const struct storus_rank *rank, enum rank_order order,
		       uint32_t bits)
{
	uint32_t x[TORUS_MAX_DIMS];

	memcpy(x, rank->coord, sizeof(x));
	if (order == RANK_ORDER_SNAKE)
		return key_snake(ranks, x);
	if (order == RANK_ORDER_HILBERT)
		key_transpose(x, ranks->axes, bits);
	return key_interleave(x, ranks->axes, bits);
}

static int by_key(const void *a, const void *b)
{
	const struct keyed_rank *x = a, *y = b;

	if (x->rank.slice != y->rank.slice)
		return x->rank.slice > y->rank.slice ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

int rank_order_sort(struct storus_ranks *ranks, enum rank_order order)
{
	uint32_t bits = key_bits(ranks);
	struct keyed_rank *list;

	if (order == RANK_ORDER_ROW_MAJOR)
		return 0;
	if (order != RANK_ORDER_SNAKE && bits * ranks->axes > 128) {
		errno = EDOM;
		return -1;
	}
	list = torus_alloc(ranks->nodes, sizeof(*list));
	if (!list)
		return -1;
	for (uint32_t k = 0; k < ranks->nodes; k++) {
		list[k].rank = ranks->rank[k];
		list[k].key = key_of(ranks, &ranks->rank[k], order, bits);
	}
	qsort(list, ranks->nodes, sizeof(*list), by_key);
	for (uint32_t k = 0; k < ranks->nodes; k++)
		ranks->rank[k] = list[k].rank;
	torus_free(list);
	return 0;
}
