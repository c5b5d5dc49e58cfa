/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Node bitmaps against one bool per bit. */
#include "unit.h"

#include "torus/bits.h"

#define BITS 200
#define WORDS 4

static void to_map(const bool *bit, uint64_t *map)
{
	memset(map, 0, WORDS * sizeof(*map));
	for (uint32_t i = 0; i < BITS; i++) {
		if (bit[i])
			map[i / 64] |= UINT64_C(1) << (i % 64);
	}
}

static void check(const uint64_t *map, const bool *bit)
{
	uint64_t want[WORDS];

	to_map(bit, want);
	assert_memory_equal(map, want, sizeof(want));
}

/* A third of the bits, by a fixed rule. */
static void pattern(bool *bit, uint32_t salt)
{
	uint32_t x = salt * 2654435761u + 12345;

	for (uint32_t i = 0; i < BITS; i++) {
		x = x * 1664525u + 1013904223u;
		bit[i] = (x >> 24) % 3 == 0;
	}
}

static void last_word_is_masked(void **state)
{
	(void)state;
	assert_int_equal(torus_bits_words(0), 0);
	assert_int_equal(torus_bits_words(1), 1);
	assert_int_equal(torus_bits_words(64), 1);
	assert_int_equal(torus_bits_words(65), 2);
	assert_int_equal(torus_bits_words(UINT32_MAX), 1u << 26);
	assert_true(torus_bits_low(0) == 0);
	assert_true(torus_bits_low(1) == 1);
	assert_true(torus_bits_low(63) == UINT64_MAX >> 1);
	assert_true(torus_bits_low(64) == UINT64_MAX);
}

static void single_bits_are_set_and_cleared(void **state)
{
	bool bit[BITS];
	uint64_t map[WORDS];

	(void)state;
	pattern(bit, 1);
	to_map(bit, map);
	for (uint32_t i = 0; i < BITS; i++) {
		assert_int_equal(torus_bits_test(map, i), bit[i]);
		torus_bits_set(map, i);
		bit[i] = true;
		check(map, bit);
		if (i % 2) {
			torus_bits_clear(map, i);
			bit[i] = false;
			check(map, bit);
		}
	}
}

static void ranges_agree_with_single_bits(void **state)
{
	bool bit[BITS], copy[BITS];
	uint64_t map[WORDS];

	(void)state;
	pattern(bit, 2);
	for (uint32_t first = 0; first < BITS; first++) {
		for (uint32_t n = 0; first + n <= BITS; n++) {
			bool all = true, any = false;

			for (uint32_t i = first; i < first + n; i++) {
				all &= bit[i];
				any |= bit[i];
			}
			to_map(bit, map);
			assert_int_equal(torus_bits_all_range(map, first, n),
					 all);
			assert_int_equal(torus_bits_any_range(map, first, n),
					 any);
			memcpy(copy, bit, sizeof(bit));
			memset(copy + first, true, n);
			torus_bits_set_range(map, first, n);
			check(map, copy);
			assert_true(torus_bits_all_range(map, first, n));
			to_map(bit, map);
			memset(copy + first, false, n);
			torus_bits_clear_range(map, first, n);
			check(map, copy);
			assert_false(torus_bits_any_range(map, first, n));
		}
	}
}

static void set_operations_agree_with_single_bits(void **state)
{
	(void)state;
	for (uint32_t salt = 0; salt < 50; salt++) {
		bool a[BITS], b[BITS], c[BITS];
		uint64_t ma[WORDS], mb[WORDS], mc[WORDS];
		bool meet = false, subset = true;
		uint32_t count = 0;

		pattern(a, salt);
		pattern(b, salt + 100);
		to_map(a, ma);
		to_map(b, mb);
		for (uint32_t i = 0; i < BITS; i++) {
			count += a[i];
			meet |= a[i] && b[i];
			subset &= !a[i] || b[i];
			c[i] = a[i] && b[i];
		}
		assert_int_equal(torus_bits_count(ma, WORDS), count);
		assert_int_equal(torus_bits_meet(ma, mb, WORDS), meet);
		assert_int_equal(torus_bits_subset(ma, mb, WORDS), subset);
		torus_bits_and(mc, ma, mb, WORDS);
		check(mc, c);
		assert_true(torus_bits_subset(mc, ma, WORDS));
		assert_true(torus_bits_equal(mc, mc, WORDS));
		assert_int_equal(torus_bits_equal(ma, mc, WORDS),
				 memcmp(ma, mc, sizeof(ma)) == 0);
		torus_bits_copy(mc, ma, WORDS);
		torus_bits_or(mc, mb, WORDS);
		for (uint32_t i = 0; i < BITS; i++)
			c[i] = a[i] || b[i];
		check(mc, c);
		torus_bits_andnot(mc, mb, WORDS);
		for (uint32_t i = 0; i < BITS; i++)
			c[i] = a[i] && !b[i];
		check(mc, c);
		assert_false(torus_bits_meet(mc, mb, WORDS));
		torus_bits_zero(mc, WORDS);
		assert_int_equal(torus_bits_count(mc, WORDS), 0);
		assert_true(torus_bits_subset(mc, mb, WORDS));
		/* in place: to may be a */
		torus_bits_copy(mc, ma, WORDS);
		torus_bits_and(mc, mc, mb, WORDS);
		for (uint32_t i = 0; i < BITS; i++)
			c[i] = a[i] && b[i];
		check(mc, c);
	}
}

static void next_skips_words_without_bits(void **state)
{
	bool bit[BITS];
	uint64_t map[WORDS] = { 0 };

	(void)state;
	assert_int_equal(torus_bits_next(map, WORDS, 0), UINT32_MAX);
	assert_int_equal(torus_bits_next(map, 0, 0), UINT32_MAX);
	pattern(bit, 3);
	memset(bit + 60, false, 75); /* a word without any */
	to_map(bit, map);
	for (uint32_t from = 0; from <= WORDS * 64 + 1; from++) {
		uint32_t want = from;

		while (want < BITS && !bit[want])
			want++;
		if (want >= BITS)
			want = UINT32_MAX;
		assert_int_equal(torus_bits_next(map, WORDS, from), want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_word_is_masked),
		cmocka_unit_test(single_bits_are_set_and_cleared),
		cmocka_unit_test(ranges_agree_with_single_bits),
		cmocka_unit_test(set_operations_agree_with_single_bits),
		cmocka_unit_test(next_skips_words_without_bits),
	};

	return UNIT_RUN(tests);
}
