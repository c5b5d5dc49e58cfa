/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap of ends against a plain search for the smallest. */
#include "unit.h"

#include "replay/ends.h"

#define MANY 500

static uint64_t seed = 20050607;

static uint64_t next_random(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return seed >> 33;
}

static size_t smallest(const struct torus_end *all, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (all[i].at_us < all[best].at_us ||
		    (all[i].at_us == all[best].at_us &&
		     all[i].order < all[best].order))
			best = i;
	return best;
}

/* Give the entry of that order its new time; the heap is out of order then. */
static void delay(struct torus_ends *ends, const struct torus_end *end)
{
	size_t i = 0;

	while (ends->heap[i].order != end->order)
		assert_true(++i < ends->count);
	ends->heap[i].at_us = end->at_us;
}

static void against_search(void **state)
{
	struct torus_ends ends = { 0 };
	struct torus_end all[MANY];
	size_t n = 0, best;

	(void)state;
	for (uint64_t step = 0; step < 20000; step++) {
		bool add = n == 0 || (n < MANY && next_random() % 5 < 3);

		if (step > 15000)
			add = n == 0;
		if (add) {
			all[n] = (struct torus_end){
				.at_us = (int64_t)(next_random() % 50),
				.order = step,
				.job = (void *)(uintptr_t)(step + 1),
			};
			assert_int_equal(torus_ends_add(&ends, all[n]), 0);
			n++;
		} else if (next_random() % 4 == 0) { /* any one of them */
			best = next_random() % n;
			torus_ends_remove(&ends, all[best].job);
			all[best] = all[--n];
		} else {
			best = smallest(all, n);
			assert_true(torus_ends_first(&ends)->order ==
				    all[best].order);
			assert_true(torus_ends_first(&ends)->at_us ==
				    all[best].at_us);
			torus_ends_drop(&ends);
			all[best] = all[--n];
		}
		if (n > 0 && next_random() % 8 == 0) { /* some end later */
			for (size_t i = 0; i < n; i++)
				all[i].at_us += (int64_t)(next_random() % 3);
			for (size_t i = 0; i < n; i++)
				delay(&ends, &all[i]);
			torus_ends_sort(&ends);
		}
		assert_int_equal(ends.count, n);
	}
	torus_ends_free(&ends);
	assert_null(torus_ends_first(&ends));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_search),
	};

	return UNIT_RUN(tests);
}
