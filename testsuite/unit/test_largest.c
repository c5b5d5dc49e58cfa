/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The largest usable box against all boxes at all bases. */
#include "placement/state/free_boxes.h"
#include "../property/random.h"
#include "unit.h"

#include <time.h>

#define MOST_WORDS 64

static struct random draws = { 1 };

static bool usable_box(const struct torus *t, const struct torus_region *box,
		       const uint64_t *usable)
{
	uint32_t nodes = torus_region_nodes(box, t);

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t x[TORUS_MAX_DIMS] = { 0 }, rest = i;

		for (uint32_t d = 0; d < t->dims; d++) {
			x[d] = (box->base[d] + rest % box->extent[d]) %
			       t->size[d];
			rest /= box->extent[d];
		}
		if (!torus_bits_test(usable, torus_index(t, x)))
			return false;
	}
	return true;
}

static uint32_t by_force(const struct torus *t, const uint64_t *usable)
{
	struct torus_region box;
	uint32_t most = 0;

	torus_region_whole(&box, t);
	for (uint32_t base = 0; base < t->nodes; base++) {
		torus_coord(t, base, box.base);
		for (uint32_t size = 0; size < t->nodes; size++) {
			uint32_t nodes;

			torus_coord(t, size, box.extent);
			for (uint32_t d = 0; d < t->dims; d++)
				box.extent[d]++;
			nodes = torus_region_nodes(&box, t);
			if (nodes > most &&
			    torus_region_check(&box, t, NULL) == 0 &&
			    usable_box(t, &box, usable))
				most = nodes;
		}
	}
	return most;
}

static void check(const struct torus *t, const uint64_t *usable)
{
	struct torus_machine m;
	struct torus_region box;
	uint32_t nodes;

	assert_int_equal(torus_machine_init(&m, t, torus_strategy_find("flat"),
					    NULL, NULL),
			 0);
	assert_int_equal(torus_largest_region(&m, 0, usable, &box, &nodes), 0);
	torus_machine_free(&m);
	assert_int_equal(nodes, by_force(t, usable));
	if (nodes == 0)
		return;
	assert_int_equal(torus_region_check(&box, t, NULL), 0);
	assert_int_equal(torus_region_nodes(&box, t), nodes);
	assert_true(usable_box(t, &box, usable));
}

static void test_brute_force(void **state)
{
	static const char *const machine[] = {
		"1",       "7",         "9:M",       "8x8",
		"5x13:MT", "4x4x4",     "5x3x4:TMT", "4x4x8:MMM",
		"flat:70", "2x2x2x3x4", "2^7",       "65x2",
	};

	(void)state;
	for (size_t m = 0; m < UNIT_ROWS(machine); m++) {
		struct torus t = unit_torus(machine[m]);

		for (uint64_t busy = 0; busy <= 10; busy++) {
			uint64_t usable[MOST_WORDS] = { 0 };

			for (uint32_t i = 0; i < t.nodes; i++) {
				if (random_bits(&draws) % 10 >= busy)
					torus_bits_set(usable, i);
			}
			check(&t, usable);
		}
	}
}

/* One erosion per length took seconds. */
static void a_run_of_a_million_nodes_takes_milliseconds(void **state)
{
	const uint32_t n = 1u << 20;
	struct torus t = unit_torus("flat:1048576");
	uint64_t *usable = test_calloc(n / 64, sizeof(*usable));
	struct torus_machine m;
	struct torus_region box;
	uint32_t nodes;
	clock_t begin;

	(void)state;
	torus_bits_set_range(usable, 0, n);
	torus_bits_clear(usable, 300000);
	assert_int_equal(torus_machine_init(&m, &t, torus_strategy_find("flat"),
					    NULL, NULL),
			 0);
	begin = clock();
	assert_int_equal(torus_largest_region(&m, 0, usable, &box, &nodes), 0);
	assert_true(clock() - begin < CLOCKS_PER_SEC);
	assert_int_equal(nodes, n - 300001);
	assert_int_equal(box.base[0], 300001);
	torus_machine_free(&m);
	test_free(usable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brute_force),
		cmocka_unit_test(a_run_of_a_million_nodes_takes_milliseconds),
	};

	return UNIT_RUN(tests);
}
