/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failing searches of `submesh` on a large, busy machine, in passes over its
 * occupancy bitmap (one AND over all words, timed beside it in the same run).
 *
 * Set-up: 64x64x64; boxes with sides uniform 1..8 at random places until
 * 2,000 stand; requests with sides uniform 1..20 in all orientations; only
 * those that fail are counted. Goals: median at most 24 passes on the mesh,
 * 26 on the torus, none above 150.
 *
 * The answers are checked while timing: a plain prefix-sum scan of every base
 * and orientation must agree that nothing fits. It is timed as well, without the
 * sums, which each start and each end of a job would change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 64
#include "bench.h"
#include "sums.h"

#define BOXES 2000
#define REQUESTS 400
#define REPEATS 5

/* Place random boxes until enough stand. */
static void fill(const struct torus *t, uint64_t *usable)
{
	uint32_t words = torus_bits_words(t->nodes), placed = 0;

	torus_bits_zero(usable, words);
	torus_bits_set_range(usable, 0, t->nodes);
	while (placed < BOXES) {
		struct torus_region r;

		torus_region_whole(&r, t);
		for (uint32_t d = 0; d < 3; d++) {
			r.extent[d] = 1 + bench_below(8);
			r.base[d] = bench_below(
				t->wrap[d] ? SIDE : SIDE + 1 - r.extent[d]);
		}
		if (!torus_region_inside(&r, t, usable))
			continue;
		torus_region_erase(&r, t, usable);
		placed++;
	}
}

/* Oracle */

static bool oracle_oriented(const struct torus *t, const uint32_t *e)
{
	uint32_t last[3];

	for (uint32_t d = 0; d < 3; d++)
		last[d] = t->wrap[d] ? SIDE - 1 : SIDE - e[d];
	for (uint32_t z = 0; z <= last[2]; z++)
		for (uint32_t y = 0; y <= last[1]; y++)
			for (uint32_t x = 0; x <= last[0]; x++) {
				if (sums_free_in(x, y, z, e) ==
				    e[0] * e[1] * e[2])
					return true;
			}
	return false;
}

static bool oracle(const struct torus *t, const uint32_t *s)
{
	static const int turn[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

	for (int i = 0; i < 6; i++) {
		uint32_t e[3] = { s[turn[i][0]], s[turn[i][1]], s[turn[i][2]] };

		if (oracle_oriented(t, e))
			return true;
	}
	return false;
}

/* One pass: the bitmap's words AND those a plane further on, into another. */
static double time_pass(const uint64_t *usable, uint32_t words)
{
	static uint64_t to[SIDE * SIDE * SIDE / 64];
	double value[101];

	for (int i = 0; i < 101; i++) {
		double start = bench_clock_ns(CLOCK_MONOTONIC);

		for (int k = 0; k < 10; k++) {
			torus_bits_and(to, usable, usable + SIDE, words - SIDE);
			__asm__ volatile("" ::"r"(to) : "memory");
		}
		value[i] = (bench_clock_ns(CLOCK_MONOTONIC) - start) / 10;
	}
	return bench_median(value, 101);
}

static struct torus_ask box(uint32_t largest)
{
	struct torus_ask ask = { .rotate = true, .end_us = INT64_MAX };

	ask.shape.axes = 3;
	for (uint32_t a = 0; a < 3; a++)
		ask.shape.extent[a] = 1 + bench_below(largest);
	torus_shape_squeeze(&ask.shape);
	return ask;
}

static double time_search(const struct torus_strategy *s, void *self,
			  const struct torus_ask *ask, const uint64_t *usable)
{
	struct torus_placement place;
	double value[REPEATS];

	for (int i = 0; i < REPEATS; i++) {
		double start = bench_clock_ns(CLOCK_MONOTONIC);

		if (s->find(self, ask, usable, &place, NULL) != TORUS_NOT_NOW)
			abort();
		value[i] = bench_clock_ns(CLOCK_MONOTONIC) - start;
	}
	return bench_median(value, REPEATS);
}

static int bench(const char *machine, double goal)
{
	static uint64_t usable[SIDE * SIDE * SIDE / 64];
	static double passes[REQUESTS], scan[REQUESTS];
	const struct torus_strategy *s = torus_strategy_find("submesh");
	struct torus_options none = { 0 };
	struct torus_placement place;
	struct torus t;
	double pass, mid, most;
	uint32_t n = 0;
	void *self;

	torus_parse(&t, machine, NULL);
	fill(&t, usable);
	sums_prepare(&t, usable);
	self = s->create(&t, NULL, &none);
	pass = time_pass(usable, torus_bits_words(t.nodes));
	while (n < REQUESTS) {
		struct torus_ask ask = box(20);
		uint32_t e[3] = { 1, 1, 1 };
		bool fits = s->find(self, &ask, usable, &place, NULL) ==
			    TORUS_FITS;
		double start = bench_clock_ns(CLOCK_MONOTONIC);

		memcpy(e, ask.shape.extent, ask.shape.axes * sizeof(*e));
		if (fits != oracle(&t, e)) {
			printf("WRONG ANSWER for %ux%ux%u\n", e[0], e[1], e[2]);
			return 1;
		}
		scan[n] = (bench_clock_ns(CLOCK_MONOTONIC) - start) / pass;
		if (!fits)
			passes[n++] = time_search(s, self, &ask, usable) / pass;
	}
	mid = bench_median(passes, n);
	most = passes[n - 1];
	printf("%-14s %u failing requests, %u%% free: pass %.0f ns; median %.1f passes (goal %.0f), p99 %.1f, maximum %.1f (goal 150); prefix sums %.0f%s\n",
	       machine, n,
	       100 * torus_bits_count(usable, torus_bits_words(t.nodes)) /
		       t.nodes,
	       pass, mid, goal, passes[n * 99 / 100], most,
	       bench_median(scan, n),
	       mid <= goal && most <= 150 ? "" : "  MISSED");
	s->destroy(self);
	return 0;
}

int main(void)
{
	return bench("64x64x64:MMM", 24) || bench("64x64x64", 26);
}
