/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node bitmaps (torus/bits.h). Plain loops that the compiler turns into
 * vector code at -O3.
 */
#include "torus/bits.h"

/*
 * The loops are compiled twice: TWIN defines a function that takes the twin with
 * 256-bit vectors where the processor has them and the bitmap is long enough
 * to gain by it. (The compiler's own clones would be exported by every plugin.)
 */
#ifdef __x86_64__
#define TWIN(type, name, parameters, arguments)                                \
	__attribute__((target("avx2"))) static type name##_avx2 parameters     \
	{                                                                      \
		return name##_loop arguments;                                  \
	}                                                                      \
	type name parameters                                                   \
	{                                                                      \
		if (words >= BLOCK && __builtin_cpu_supports("avx2"))          \
			return name##_avx2 arguments;                          \
		return name##_loop arguments;                                  \
	}
#else
#define TWIN(type, name, parameters, arguments)                                \
	type name parameters                                                   \
	{                                                                      \
		return name##_loop arguments;                                  \
	}
#endif

#define LOOP static inline __attribute__((always_inline))

#define BLOCK 16 /* words */

void torus_bits_set_range(uint64_t *map, uint32_t first, uint32_t n)
{
	uint32_t i = first / 64, shift = first % 64;

	if (n == 0)
		return;
	if (shift + n <= 64) {
		map[i] |= torus_bits_low(n) << shift;
		return;
	}
	map[i++] |= ~UINT64_C(0) << shift;
	for (n -= 64 - shift; n >= 64; n -= 64)
		map[i++] = ~UINT64_C(0);
	if (n)
		map[i] |= torus_bits_low(n);
}

void torus_bits_clear_range(uint64_t *map, uint32_t first, uint32_t n)
{
	uint32_t i = first / 64, shift = first % 64;

	if (n == 0)
		return;
	if (shift + n <= 64) {
		map[i] &= ~(torus_bits_low(n) << shift);
		return;
	}
	map[i++] &= ~(~UINT64_C(0) << shift);
	for (n -= 64 - shift; n >= 64; n -= 64)
		map[i++] = 0;
	if (n)
		map[i] &= ~torus_bits_low(n);
}

bool torus_bits_all_range(const uint64_t *map, uint32_t first, uint32_t n)
{
	while (n > 0) {
		uint32_t shift = first % 64;
		uint32_t here = 64 - shift < n ? 64 - shift : n;
		uint64_t mask = torus_bits_low(here) << shift;

		if ((map[first / 64] & mask) != mask)
			return false;
		first += here;
		n -= here;
	}
	return true;
}

bool torus_bits_any_range(const uint64_t *map, uint32_t first, uint32_t n)
{
	while (n > 0) {
		uint32_t shift = first % 64;
		uint32_t here = 64 - shift < n ? 64 - shift : n;

		if (map[first / 64] & torus_bits_low(here) << shift)
			return true;
		first += here;
		n -= here;
	}
	return false;
}

LOOP uint32_t torus_bits_count_loop(const uint64_t *map, uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < words; i++)
		n += torus_bits_ones(map[i]);
	return n;
}

LOOP uint32_t torus_bits_count_both_loop(const uint64_t *a, const uint64_t *b,
					 uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < words; i++)
		n += torus_bits_ones(b ? a[i] & b[i] : a[i]);
	return n;
}

LOOP void torus_bits_and_loop(uint64_t *to, const uint64_t *a,
			      const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		to[i] = a[i] & b[i];
}

LOOP void torus_bits_or_loop(uint64_t *to, const uint64_t *a, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		to[i] |= a[i];
}

LOOP void torus_bits_andnot_loop(uint64_t *to, const uint64_t *a, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		to[i] &= ~a[i];
}

/* Whole blocks are compared without a branch, which vectorizes. */
LOOP bool torus_bits_meet_loop(const uint64_t *a, const uint64_t *b,
			       uint32_t words)
{
	uint64_t any = 0;
	uint32_t i = 0;

	for (; i + BLOCK <= words && !any; i += BLOCK) {
		for (uint32_t k = i; k < i + BLOCK; k++)
			any |= a[k] & b[k];
	}
	for (; i < words; i++)
		any |= a[i] & b[i];
	return any != 0;
}

LOOP bool torus_bits_subset_loop(const uint64_t *a, const uint64_t *b,
				 uint32_t words)
{
	uint64_t any = 0;
	uint32_t i = 0;

	for (; i + BLOCK <= words && !any; i += BLOCK) {
		for (uint32_t k = i; k < i + BLOCK; k++)
			any |= a[k] & ~b[k];
	}
	for (; i < words; i++)
		any |= a[i] & ~b[i];
	return any == 0;
}

TWIN(uint32_t, torus_bits_count, (const uint64_t *map, uint32_t words),
     (map, words))
TWIN(uint32_t, torus_bits_count_both,
     (const uint64_t *a, const uint64_t *b, uint32_t words), (a, b, words))
TWIN(void, torus_bits_and,
     (uint64_t * to, const uint64_t *a, const uint64_t *b, uint32_t words),
     (to, a, b, words))
TWIN(void, torus_bits_or, (uint64_t * to, const uint64_t *a, uint32_t words),
     (to, a, words))
TWIN(void, torus_bits_andnot,
     (uint64_t * to, const uint64_t *a, uint32_t words), (to, a, words))
TWIN(bool, torus_bits_meet,
     (const uint64_t *a, const uint64_t *b, uint32_t words), (a, b, words))
TWIN(bool, torus_bits_subset,
     (const uint64_t *a, const uint64_t *b, uint32_t words), (a, b, words))

bool torus_bits_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	return memcmp(a, b, words * sizeof(*a)) == 0;
}

uint32_t torus_bits_next(const uint64_t *map, uint32_t words, uint32_t from)
{
	uint32_t i = from / 64;
	uint64_t word;

	if (i >= words)
		return UINT32_MAX;
	word = map[i] & ~UINT64_C(0) << (from % 64);
	while (!word) {
		if (++i == words)
			return UINT32_MAX;
		word = map[i];
	}
	return i * 64 + (uint32_t)__builtin_ctzll(word);
}
