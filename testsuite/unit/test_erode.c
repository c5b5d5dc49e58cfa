/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Erosion against brute force, on machines chosen for how their dimensions
 * lie in words: whole words, parts of one, across words; few words and many.
 * With the processor's wide vectors and without, in turns.
 */
#include "placement/submesh/erode.h"
#include "../property/random.h"
#include "unit.h"

#define MOST_WORDS 64

static struct random draws = { 1 };

/* The node k steps from node i along d, or -1 past an open edge. */
static int64_t step(const struct torus *t, uint32_t i, uint32_t d, int32_t k)
{
	uint32_t x[TORUS_MAX_DIMS];
	int32_t size = (int32_t)t->size[d], c;

	torus_coord(t, i, x);
	c = (int32_t)x[d] + k;
	if (!t->wrap[d] && (c < 0 || c >= size))
		return -1;
	x[d] = (uint32_t)((c + size) % size);
	return torus_index(t, x);
}

static bool is_set(const struct torus *t, const uint64_t *map, uint32_t i,
		   uint32_t d, int32_t k)
{
	int64_t node = step(t, i, d, k);

	return node >= 0 && torus_bits_test(map, (uint32_t)node);
}

static void try_map(const struct torus *t, struct torus_erode *e,
		    const uint64_t *map)
{
	uint64_t ends[MOST_WORDS], runs[MOST_WORDS], spare[MOST_WORDS];

	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = 1 + (uint32_t)(random_bits(&draws) % t->size[d]);
		bool any = n > 1 &&
			   torus_erode_runs(e, d, 1, n, map, runs, spare);

		torus_erode_ends(e, d, map, ends);
		for (uint32_t i = 0; i < t->nodes; i++) {
			bool set = torus_bits_test(map, i), all = set;
			bool inner = t->size[d] > 1 &&
				     is_set(t, map, i, d, 1) &&
				     is_set(t, map, i, d, -1);

			assert_int_equal(torus_bits_test(ends, i),
					 set && !inner);
			for (uint32_t k = 1; k < n && all; k++)
				all = is_set(t, map, i, d, (int32_t)k);
			if (n > 1)
				assert_int_equal(any && torus_bits_test(runs, i),
						 all);
		}
	}
}

static void erosion_agrees_with_brute_force_in_every_layout(void **state)
{
	static const char *const machine[] = {
		"8x8x8",       "8x8x8:MMM",    "8x8x16",      "4x4x4:TMT",
		"16x8x4:MTM",  "5x13x3",       "5x7x3:TMT",   "63x2",
		"65x2:MT",     "2x2x2x4x4x8",  "64x3x2",      "128x3:MM",
		"130",         "1x64x2x2",     "12x16x3:MTT", "7",
		"16x16x16",    "4x16x5",       "33x31:MT",    "2x2x64x4:TTMM",
		"64x8x8",      "64x5x11:TMT",  "12x8x2",      "12x8x4:TTM",
		"24x4x16:TMM", "16x16x16:TMT", "8x32x5",      "32x8:TM",
		"2x128x3",     "4x64x3:MMT",
	};

	(void)state;
	for (size_t m = 0; m < sizeof(machine) / sizeof(*machine); m++) {
		struct torus t = unit_torus(machine[m]);
		struct torus_erode *e = torus_erode_create(&t);
		uint64_t map[MOST_WORDS];

		assert_non_null(e);
		assert_true(torus_bits_words(t.nodes) <= MOST_WORDS);
		for (int round = 0; round < 24; round++) {
			torus_bits_zero(map, MOST_WORDS);
			for (uint32_t i = 0; i < t.nodes; i++) {
				if (random_bits(&draws) % 24 >= (uint64_t)round)
					torus_bits_set(map, i);
			}
			torus_erode_wide(e, round % 2);
			try_map(&t, e, map);
		}
		torus_erode_destroy(e);
	}
}

/* The result may be one of the operands. */
static void the_result_may_be_an_operand(void **state)
{
	struct torus t = unit_torus("5x13x11");
	struct torus_erode *e = torus_erode_create(&t);
	uint32_t words = torus_bits_words(t.nodes);
	uint64_t a[MOST_WORDS], b[MOST_WORDS], both[MOST_WORDS];

	(void)state;
	assert_non_null(e);
	for (int wide = 0; wide < 2; wide++) {
		for (uint32_t i = 0; i < words; i++) {
			a[i] = random_bits(&draws);
			b[i] = random_bits(&draws);
			both[i] = a[i] & b[i];
		}
		torus_erode_wide(e, wide);
		assert_true(torus_erode_and(e, a, b, a));
		assert_memory_equal(a, both, words * sizeof(*a));
		torus_bits_zero(b, words);
		assert_false(torus_erode_and(e, a, b, b));
	}
	torus_erode_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(erosion_agrees_with_brute_force_in_every_layout),
		cmocka_unit_test(the_result_may_be_an_operand),
	};

	return UNIT_RUN(tests);
}
