/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes for node counts: mean hops and realizable volumes, against naive
 * sums and searches. */
#include "unit.h"

#include "placement/submesh/factor.h"

static double naive_hops(uint32_t extent, bool ring)
{
	double sum = 0;

	for (uint32_t i = 0; i < extent; i++) {
		for (uint32_t j = 0; j < extent; j++) {
			uint32_t away = i > j ? i - j : j - i;

			if (ring && extent - away < away)
				away = extent - away;
			sum += away;
		}
	}
	return sum / extent / extent;
}

static void hops_agree_with_counting(void **state)
{
	(void)state;
	for (uint32_t e = 1; e <= 300; e++) {
		for (int ring = 0; ring < 2; ring++) {
			double want = naive_hops(e, ring) * (1 << 20);
			double got = (double)torus_factor_hops(e, ring);

			if (got > want + 1 || got < want - 1)
				fail_msg("%u %d: got %f, expected %f", e, ring,
					 got, want);
		}
	}
}

/* Extents that are allowed, counted in `volume`; the naive way. */
static void naive_volumes(const struct torus *t, uint32_t d, uint32_t product,
			  bool closed, bool *volume)
{
	if (d == t->dims) {
		volume[product] = true;
		return;
	}
	for (uint32_t e = 1; e <= t->size[d]; e++) {
		bool ring = e <= 2 || (t->wrap[d] && e == t->size[d]);

		assert_int_equal(torus_factor_allows(t, d, e, closed),
				 ring || !closed);
		if (ring || !closed)
			naive_volumes(t, d + 1, product * e, closed, volume);
	}
	assert_false(torus_factor_allows(t, d, t->size[d] + 1, closed));
}

static void each_box_of_a_volume_is_listed_once(void **state)
{
	static const char *const machine[] = {
		"1",         "7",      "7:M", "4x4x4",        "4x4x4:MMM",
		"3x5x2:TMT", "5x13x3", "2^5", "1x6x1x7:TTTM", "11x2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		struct torus t = unit_torus(machine[i]);

		for (int closed = 0; closed < 2; closed++) {
			bool volume[256] = { false };
			uint32_t next = 0;

			naive_volumes(&t, 0, 1, closed, volume);
			for (uint32_t n = t.nodes + 2; n > 0; n--) {
				if (n <= t.nodes && volume[n])
					next = n;
				assert_int_equal(torus_factor_next(&t, n,
								   closed),
						 next);
			}
		}
	}
}

static void large_volumes_are_factored(void **state)
{
	struct torus t = unit_torus("64x64x64");

	(void)state;
	assert_int_equal(torus_factor_next(&t, 262144, false), 262144);
	assert_int_equal(torus_factor_next(&t, 262143, false), 262144);
	assert_int_equal(torus_factor_next(&t, 262145, false), 0);
	assert_int_equal(torus_factor_next(&t, 67, false), 68);
	assert_int_equal(torus_factor_next(&t, 129, true), 256);
	t = unit_torus("16777216");
	assert_int_equal(torus_factor_next(&t, 16777215, false), 16777215);
	assert_int_equal(torus_factor_next(&t, 3, true), 16777216);
}

/* The most compact boxes of each volume are those that the list of all begins
 * with; no more of them than there is room for. */
static void the_most_compact_boxes_come_first(void **state)
{
	static const char *const machine[] = {
		"7:M", "4x4x4", "8x8x16", "3x5x2:TMT", "2x2x2x4x4", "1x6x1x7",
	};
	uint32_t extent[32][TORUS_MAX_DIMS];

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		struct torus t = unit_torus(machine[i]);

		for (uint32_t v = 0; v <= t.nodes; v++) {
			struct torus_factor_box box = { 0 }, first;
			uint32_t n = torus_factor_compact(&t, v, v % 2, extent,
							  32);
			uint32_t k = 0;

			while (torus_factor_box_next(&t, v, v % 2, &box)) {
				if (k == 0)
					first = box;
				if (box.hops != first.hops ||
				    box.rings != first.rings ||
				    box.spread != first.spread)
					break;
				assert_true(k < n);
				assert_memory_equal(extent[k++], box.extent,
						    t.dims * sizeof(uint32_t));
			}
			assert_int_equal(k, n);
			if (n > 1)
				assert_int_equal(torus_factor_compact(&t, v,
								      v % 2,
								      extent,
								      n - 1),
						 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_agree_with_counting),
		cmocka_unit_test(each_box_of_a_volume_is_listed_once),
		cmocka_unit_test(large_volumes_are_factored),
		cmocka_unit_test(the_most_compact_boxes_come_first),
	};

	return UNIT_RUN(tests);
}
