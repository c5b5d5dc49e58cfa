/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of erosion (erode.h): how a dimension lies in the words of a bitmap.
 * erode.c computes runs, erode_ends.c their ends. */
#ifndef PLACEMENT_ERODE_WORDS_H
#define PLACEMENT_ERODE_WORDS_H

#include "placement/submesh/erode.h"

/* Everything a search calls is inlined into its entry function, which is
 * compiled once per processor type. */
#define ERODE_INLINE static inline __attribute__((always_inline))

struct erode_line {
	enum {
		WORDS,
		LANE,
		SPAN,
		ODD
	} kind;
	bool wrap;
	uint32_t size;  /* nodes along the dimension */
	uint32_t unit;  /* bits of one step */
	uint32_t block; /* bits of the whole dimension: unit x size */
	/* LANE: low[k] has the bits of a word whose coordinate is below k */
	uint64_t low[64];
};

/* Process four words at a time. Without this the compiler splits a short loop
 * into single words. */
typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));

/*
 * Return the bits of one word whose coordinate along the dimension is below k.
 * The word's first bit lies `at` bits into a block. O(64 / block + 1).
 */
ERODE_INLINE uint64_t erode_below(const struct erode_line *a, uint32_t k,
				  uint32_t at)
{
	uint32_t edge = k * a->unit, n;
	uint64_t map = 0;

	for (uint32_t bit = 0; bit < 64; bit += n, at += n) {
		if (at >= a->block)
			at = 0;
		n = at < edge ? edge - at : a->block - at;
		if (at < edge)
			map |= torus_bits_low(n) << bit;
	}
	return map;
}

/* Return word i of the bitmap shifted down (towards bit 0) by n > 0 bits. */
ERODE_INLINE uint64_t erode_down(const uint64_t *in, uint32_t words, uint32_t i,
				 uint32_t n)
{
	uint32_t at = i + n / 64, bits = n % 64;
	uint64_t low = at < words ? in[at] : 0;
	uint64_t high = at + 1 < words ? in[at + 1] : 0;

	return bits ? low >> bits | high << (64 - bits) : low;
}

/* Return word i of the bitmap shifted up by n > 0 bits. */
ERODE_INLINE uint64_t erode_up(const uint64_t *in, uint32_t i, uint32_t n)
{
	uint32_t by = n / 64, bits = n % 64;
	uint64_t high = i >= by ? in[i - by] : 0;
	uint64_t low = i > by ? in[i - by - 1] : 0;

	return bits ? high << bits | low >> (64 - bits) : high;
}

/* torus_erode_ends() for any processor, and for AVX2. */
typedef void erode_ends_fn(const struct erode_line *a, uint32_t words,
			   const uint64_t *in, uint64_t *restrict out);
erode_ends_fn erode_ends_plain;
#ifdef __x86_64__
erode_ends_fn erode_ends_avx2;
#endif

#endif
