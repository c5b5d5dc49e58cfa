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

/* An ask for any box, and for one of closed rings. */
static const struct torus_ask rule[2] = {
	{ .by_count = true },
	{ .by_count = true, .connection = { TORUS_CONN_TORUS } },
};

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
			uint32_t next = 0, previous = 0;

			naive_volumes(&t, 0, 1, closed, volume);
			for (uint32_t n = t.nodes + 2; n > 0; n--) {
				if (n <= t.nodes && volume[n])
					next = n;
				assert_int_equal(torus_factor_next(&t, n,
								   &rule[closed]),
						 next);
			}
			for (uint32_t n = 0; n <= t.nodes + 2; n++) {
				if (n <= t.nodes && volume[n])
					previous = n;
				assert_int_equal(torus_factor_previous(&t, n,
								       &rule[closed]),
						 previous);
			}
		}
	}
}

static void large_volumes_are_factored(void **state)
{
	struct torus t = unit_torus("64x64x64");

	(void)state;
	assert_int_equal(torus_factor_next(&t, 262144, NULL), 262144);
	assert_int_equal(torus_factor_next(&t, 262143, NULL), 262144);
	assert_int_equal(torus_factor_next(&t, 262145, NULL), 0);
	assert_int_equal(torus_factor_next(&t, 67, NULL), 68);
	assert_int_equal(torus_factor_next(&t, 129, &rule[1]), 256);
	t = unit_torus("16777216");
	assert_int_equal(torus_factor_next(&t, 16777215, NULL), 16777215);
	assert_int_equal(torus_factor_next(&t, 3, &rule[1]), 16777216);
	assert_int_equal(torus_factor_previous(&t, 16777213, NULL), 16777213);
	t = unit_torus("8^8"); /* no box has from 8257537 to 8388607 nodes */
	assert_int_equal(torus_factor_previous(&t, 8388607, NULL), 8257536);
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
			uint32_t n = torus_factor_compact(&t, v, &rule[v % 2],
							  extent, 32);
			uint32_t k = 0;

			while (torus_factor_box_next(&t, v, &rule[v % 2], &box)) {
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
								      &rule[v % 2],
								      extent,
								      n - 1),
						 0);
		}
	}
}

static void aspect_and_bisection(const struct torus *t, const uint32_t *e,
				 double *aspect, uint64_t *bisection)
{
	uint32_t least = UINT32_MAX, most = 0;
	uint64_t volume = 1;

	*bisection = UINT32_MAX;
	for (uint32_t d = 0; d < t->dims; d++) {
		least = e[d] < least && t->size[d] > 1 ? e[d] : least;
		most = e[d] > most ? e[d] : most;
		volume *= e[d];
	}
	*aspect = (double)most / least;
	for (uint32_t d = 0; d < t->dims; d++) {
		uint64_t cut = volume / e[d] *
			       (t->wrap[d] && e[d] == t->size[d] ? 2 : 1);

		if (e[d] > 1 && cut < *bisection)
			*bisection = cut;
	}
}

/* The volume granted is the least that has a box within the limits, and such boxes
 * alone are listed. */
static void boxes_are_within_the_limits(void **state)
{
	static const char *const machine[] = { "4x4x4", "8x3:TM", "1x6x5",
					       "2x2x4x3" };

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		struct torus t = unit_torus(machine[i]);

		for (uint32_t k = 0; k < 12 * t.nodes; k++) {
			struct torus_ask ask = {
				.by_count = true,
				.limits = { k % 4 ? 500 + k % 4 * 500 : 0,
					    k / 4 % 3 * 3 },
			};
			uint32_t n = k / 12 + 1, v = 0, least = 0;
			uint64_t links;
			double aspect;

			for (v = n; v <= t.nodes && !least; v++) {
				struct torus_factor_box box = { 0 };

				while (torus_factor_box_next(&t, v, NULL, &box)) {
					aspect_and_bisection(&t, box.extent,
							     &aspect, &links);
					if ((!ask.limits.aspect ||
					     aspect * 1000 <=
						     ask.limits.aspect) &&
					    links >= ask.limits.bisection)
						least = v;
				}
			}
			assert_int_equal(torus_factor_next(&t, n, &ask), least);
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
		cmocka_unit_test(boxes_are_within_the_limits),
	};

	return UNIT_RUN(tests);
}
