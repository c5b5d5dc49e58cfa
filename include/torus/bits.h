/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node bitmaps: arrays of 64-bit words; node i is bit i % 64 of word i / 64.
 * Bits past the last node are 0 in every bitmap. Functions take word arrays, so
 * that a part of a larger bitmap (one torus of several) is a bitmap too. Cost:
 * O(words) unless stated otherwise. No allocation.
 */
#ifndef TORUS_BITS_H
#define TORUS_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Return the number of words for n nodes. */
static inline uint32_t torus_bits_words(uint32_t n)
{
	return n / 64 + (n % 64 != 0);
}

static inline bool torus_bits_test(const uint64_t *map, uint32_t i)
{
	return map[i / 64] >> (i % 64) & 1;
}

static inline void torus_bits_set(uint64_t *map, uint32_t i)
{
	map[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void torus_bits_clear(uint64_t *map, uint32_t i)
{
	map[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Return a word with the lowest n bits set, n in 0..64. */
static inline uint64_t torus_bits_low(uint32_t n)
{
	return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* Return the number of set bits of a word. Counts the bits of all bytes in
 * parallel: the baseline of x86-64 has no population count instruction. */
static inline uint32_t torus_bits_ones(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) +
	       (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline void torus_bits_zero(uint64_t *map, uint32_t words)
{
	memset(map, 0, words * sizeof(*map));
}

/* Clear the words from .. to-1 that are not among keep_from .. keep_to-1, all of
 * which the caller writes. */
static inline void torus_bits_zero_beside(uint64_t *map, uint32_t from,
					  uint32_t to, uint32_t keep_from,
					  uint32_t keep_to)
{
	uint32_t low = to < keep_from ? to : keep_from;
	uint32_t high = from > keep_to ? from : keep_to;

	if (from < low)
		torus_bits_zero(map + from, low - from);
	if (high < to)
		torus_bits_zero(map + high, to - high);
}

static inline void torus_bits_copy(uint64_t *to, const uint64_t *from,
				   uint32_t words)
{
	memcpy(to, from, words * sizeof(*to));
}

/* Set bits first .. first+n-1; clear them; return true if all are set; return
 * true if any is set. O(n / 64). */
void torus_bits_set_range(uint64_t *map, uint32_t first, uint32_t n);
void torus_bits_clear_range(uint64_t *map, uint32_t first, uint32_t n);
bool torus_bits_all_range(const uint64_t *map, uint32_t first, uint32_t n);
bool torus_bits_any_range(const uint64_t *map, uint32_t first, uint32_t n);

/* Return the number of set bits; the number of bits set in both a and b (b
 * NULL: in a). */
uint32_t torus_bits_count(const uint64_t *map, uint32_t words);
uint32_t torus_bits_count_both(const uint64_t *a, const uint64_t *b,
			       uint32_t words);

/* to = a AND b; to = to OR a; to = to AND NOT a. */
void torus_bits_and(uint64_t *to, const uint64_t *a, const uint64_t *b,
		    uint32_t words);
void torus_bits_or(uint64_t *to, const uint64_t *a, uint32_t words);
void torus_bits_andnot(uint64_t *to, const uint64_t *a, uint32_t words);

/* Return true if any bit is set in both; if every bit of a is set in b; if all
 * bits are equal. */
bool torus_bits_meet(const uint64_t *a, const uint64_t *b, uint32_t words);
bool torus_bits_subset(const uint64_t *a, const uint64_t *b, uint32_t words);
bool torus_bits_equal(const uint64_t *a, const uint64_t *b, uint32_t words);

/* Return the lowest set bit at or above from, or UINT32_MAX. */
uint32_t torus_bits_next(const uint64_t *map, uint32_t words, uint32_t from);

#endif
