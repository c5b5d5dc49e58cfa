/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WILL_RUN's question to the core: when will an 8x8x8 have a place on a
 * 16x16x16 torus with 1,000 running jobs, 3 % of the nodes drained? Goal:
 * median at most 1 ms, maximum 10 ms.
 *
 * The jobs are boxes with sides 1..3 (or, in the second half, scattered nodes
 * as jobs without a shape have them), with expected ends within a day. Before
 * each question one job ends and another starts, so that no answer is known.
 *
 * The answers are checked beside the clock: with all jobs gone that end by the
 * answer there is a free 8x8x8, with those gone that end before it there is
 * none (every base is tried against a prefix sum).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus/plan.h"

#define SIDE 16
#include "sums.h"

#define NODES (SIDE * SIDE * SIDE)
#define WORDS (NODES / 64)
#define JOBS 1000
#define WANT 8
#define QUESTIONS 500
#define DAY (INT64_C(86400) * 1000000)

static uint64_t seed = 1;
static uint64_t allowed[WORDS];

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A job somewhere on free nodes; false if the dice chose busy ones. */
static bool start_job(struct torus_state *s, bool scattered)
{
	const struct torus *t = &torus_state_machine(s)->pod[0].torus;
	struct torus_placement place = { .granted = 1 };
	uint64_t nodes[WORDS] = { 0 };

	torus_region_whole(&place.region, t);
	for (uint32_t d = 0; d < 3; d++) {
		place.region.extent[d] = 1 + below(scattered ? 2 : 3);
		place.region.base[d] = below(SIDE);
		place.granted *= place.region.extent[d];
	}
	if (scattered) {
		place.scattered = true;
		place.nodes = nodes;
		for (uint32_t i = 0; i < place.granted;) {
			uint32_t node = below(NODES);

			if (torus_bits_test(nodes, node))
				continue;
			torus_bits_set(nodes, node);
			i++;
		}
	}
	return torus_state_commit(s, &place, 1, NULL, 0,
				  DAY / 86400 * (1 + below(86400)),
				  NULL) != TORUS_NO_SLOT;
}

static void turn_over(struct torus_state *s, bool scattered)
{
	torus_state_release(s,
			    torus_state_by_end(s, below(torus_state_holds(s))),
			    NULL);
	while (torus_state_holds(s) < JOBS)
		start_job(s, scattered);
}

/* Oracle */

static bool has_cube(void)
{
	static const uint32_t cube[3] = { WANT, WANT, WANT };

	for (uint32_t z = 0; z < SIDE; z++)
		for (uint32_t y = 0; y < SIDE; y++)
			for (uint32_t x = 0; x < SIDE; x++) {
				if (sums_free_in(x, y, z, cube) ==
				    WANT * WANT * WANT)
					return true;
			}
	return false;
}

/* Is there a cube once the jobs that end by `end` are gone? */
static bool fits_after(const struct torus_state *s, int64_t end)
{
	uint64_t usable[WORDS];

	torus_bits_copy(usable, torus_state_free_map(s), WORDS);
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h =
			torus_state_hold(s, torus_state_by_end(s, k));

		if (h->end_us <= end)
			torus_hold_paint(s, h, usable);
	}
	torus_bits_and(usable, usable, allowed, WORDS);
	sums_prepare(&torus_state_machine(s)->pod[0].torus, usable);
	return has_cube();
}

static int bench(struct torus_state *s, bool scattered)
{
	static double us[QUESTIONS];
	struct torus_plan *plan = torus_plan_create(s);
	struct torus_ask ask = { .rotate = true,
				 .end_us = INT64_MAX,
				 .allowed = allowed,
				 .shape = { 3, { WANT, WANT, WANT } } };
	uint64_t searches;

	while (torus_state_holds(s) < JOBS)
		start_job(s, scattered);
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		struct torus_placement place;
		enum torus_answer answer;
		int64_t when;
		double start;

		turn_over(s, scattered);
		start = now_us();
		answer = torus_plan_shadow(plan, &ask, 0, &when, &place, NULL);
		us[i] = now_us() - start;
		if (answer != TORUS_FITS || !fits_after(s, when) ||
		    fits_after(s, when - 1)) {
			printf("WRONG ANSWER in question %u\n", i);
			return 1;
		}
	}
	searches = torus_plan_searches(plan);
	qsort(us, QUESTIONS, sizeof(*us), ascending);
	printf("WILL_RUN 8x8x8, %d jobs on %d nodes, %s: median %.3f ms (goal 1), p99 %.3f ms, maximum %.3f ms (goal 10), %.1f searches each%s\n",
	       JOBS, NODES, scattered ? "scattered" : "boxes",
	       us[QUESTIONS / 2] / 1e3, us[QUESTIONS * 99 / 100] / 1e3,
	       us[QUESTIONS - 1] / 1e3, (double)searches / QUESTIONS,
	       us[QUESTIONS / 2] <= 1e3 && us[QUESTIONS - 1] <= 1e4 ?
		       "" :
		       "  MISSED");
	torus_plan_destroy(plan);
	return 0;
}

int main(void)
{
	const struct torus_options none = { 0 };
	struct torus_machine m = { 0 };
	struct torus t;
	int rc = 0;

	torus_parse(&t, "16x16x16", NULL);
	if (torus_machine_init(&m, &t, torus_strategy_find("submesh"), &none,
			       NULL))
		return EXIT_FAILURE;
	/* The drained nodes lie together: anywhere, no cube would be left. */
	torus_bits_set_range(allowed, 0, NODES);
	torus_bits_clear_range(allowed, 0, NODES * 3 / 100);
	for (int scattered = 0; scattered < 2 && rc == 0; scattered++) {
		struct torus_state *s = torus_state_create(&m);

		rc = bench(s, scattered);
		torus_state_destroy(s);
	}
	torus_machine_free(&m);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
