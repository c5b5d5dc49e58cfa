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
 *
 * Then hard questions on large machines, whole and with 2 % of the cells
 * missing: shapes and counts with many boxes, at submission, now, as a start
 * time, and around required nodes. Goal: none takes more than SEARCH_US (10 ms)
 * of processor time, by the limit that every search under Slurm's locks has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "live/base/lock_hold.h"
#include "torus/plan.h"

#define SIDE 16
#include "bench.h"
#include "sums.h"

#define NODES (SIDE * SIDE * SIDE)
#define WORDS (NODES / 64)
#define JOBS 1000
#define WANT 8
#define QUESTIONS 500
#define DAY (INT64_C(86400) * 1000000)

static uint64_t allowed[WORDS];

/* A job somewhere on free nodes; false if the dice chose busy ones. */
static bool start_job(struct torus_state *s, bool scattered)
{
	const struct torus *t = &torus_state_machine(s)->pod[0].torus;
	struct torus_placement place = { .granted = 1 };
	uint64_t nodes[WORDS] = { 0 };

	torus_region_whole(&place.region, t);
	for (uint32_t d = 0; d < 3; d++) {
		place.region.extent[d] = 1 + bench_below(scattered ? 2 : 3);
		place.region.base[d] = bench_below(SIDE);
		place.granted *= place.region.extent[d];
	}
	if (scattered) {
		place.scattered = true;
		place.nodes = nodes;
		for (uint32_t i = 0; i < place.granted;) {
			uint32_t node = bench_below(NODES);

			if (torus_bits_test(nodes, node))
				continue;
			torus_bits_set(nodes, node);
			i++;
		}
	}
	return torus_state_commit(s, &place, 1, NULL, 0,
				  DAY / 86400 * (1 + bench_below(86400)),
				  NULL) != TORUS_NO_SLOT;
}

static void turn_over(struct torus_state *s, bool scattered)
{
	torus_state_release(s,
			    torus_state_by_end(s, bench_below(torus_state_holds(
							  s))),
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
		start = bench_clock_ns(CLOCK_MONOTONIC) * 1e-3;
		answer = torus_plan_shadow(plan, &ask, 0, &when, &place);
		us[i] = bench_clock_ns(CLOCK_MONOTONIC) * 1e-3 - start;
		if (answer != TORUS_FITS || !fits_after(s, when) ||
		    fits_after(s, when - 1)) {
			printf("WRONG ANSWER in question %u\n", i);
			return 1;
		}
	}
	searches = torus_plan_searches(plan, NULL);
	qsort(us, QUESTIONS, sizeof(*us), bench_ascending);
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

/* Hard questions */

static const struct {
	const char *machine;
	uint32_t count; /* or a shape */
	struct torus_shape shape;
} hard[] = {
	{ "4x4x4x4x4x4x4x4", 5040, { 0 } },
	{ "4x4x4x4x4x4x4x4", 0, { 8, { 1, 1, 2, 2, 3, 3, 4, 4 } } },
	{ "64x64x16", 5040, { 0 } },
	{ "64x64x16", 0, { 3, { 21, 16, 15 } } },
	{ "32x32x32", 5040, { 0 } },
	{ "32x32x32", 0, { 3, { 21, 16, 15 } } },
	{ "2x2x2x3x3x3x4x4", 1080, { 0 } },
	{ "24x23x24x2x2x2", 5040, { 0 } },
};

/* Every third run of nodes is in use. */
static void occupy(struct torus_state *s, uint32_t nodes)
{
	uint64_t *map = calloc(torus_bits_words(nodes), sizeof(*map));

	for (uint32_t i = 0, n; map && i < nodes; i += n) {
		n = 1 + bench_below(nodes / 300);
		if (bench_below(3) || i + n > nodes)
			continue;
		torus_bits_zero(map, torus_bits_words(nodes));
		torus_bits_set_range(map, i, n);
		torus_bits_and(map, map, torus_state_free_map(s),
			       torus_bits_words(nodes));
		torus_state_hold_nodes(s, map, 1 + bench_below(1000), NULL,
				       NULL);
	}
	free(map);
}

/* The longest of some questions of a kind. */
static void ask_hard(struct torus_state *s, struct torus_plan *plan,
		     const struct torus_ask *given, uint64_t *required)
{
	const uint32_t nodes = torus_state_machine(s)->pod[0].torus.nodes;
	double longest[4] = { 0 };
	uint32_t cut = 0;

	for (uint32_t i = 0; i < 4 * 8; i++) {
		struct torus_placement place;
		struct torus_ask ask = *given;
		struct lock_hold_limit limit;
		double began = bench_thread_us() / 1e3;
		int64_t when;

		torus_bits_zero(required, torus_bits_words(nodes));
		torus_bits_set(required, bench_below(nodes));
		lock_hold_limit_begin(&limit, SEARCH_US);
		ask.limit = &limit.limit;
		if (i % 4 == 3)
			ask.required = required;
		if (i % 4 == 0)
			torus_state_possible(s, &ask, &place, NULL);
		else if (i % 4 == 1)
			torus_state_find(s, &ask, &place, NULL);
		else
			torus_plan_shadow(plan, &ask, 0, &when, &place);
		began = bench_thread_us() / 1e3 - began;
		if (began > longest[i % 4])
			longest[i % 4] = began;
		cut += limit.limit.cut;
	}
	printf("possible %5.1f, now %5.1f, when %5.1f, when around a node %5.1f ms%s; %u of 32 ended by the limit\n",
	       longest[0], longest[1], longest[2], longest[3],
	       longest[0] + longest[1] + longest[2] + longest[3] < 48 ?
		       "" :
		       "  MISSED",
	       cut);
}

static int bench_hard(uint32_t n, bool partial)
{
	struct torus_ask ask = { .by_count = hard[n].count > 0,
				 .count = hard[n].count,
				 .rotate = true,
				 .end_us = INT64_MAX,
				 .shape = hard[n].shape };
	struct torus_machine m = { 0 };
	struct torus_state *s;
	struct torus_plan *plan;
	uint64_t *map;
	struct torus t;

	torus_parse(&t, hard[n].machine, NULL);
	map = calloc(torus_bits_words(t.nodes), sizeof(*map));
	for (uint32_t i = 0; map && i < t.nodes; i++) {
		if (!partial || bench_below(50))
			torus_bits_set(map, i);
	}
	if (!map ||
	    torus_machine_add(&m, &t, map, torus_strategy_find("submesh"), NULL,
			      NULL))
		return 1;
	s = torus_state_create(&m);
	plan = torus_plan_create(s);
	occupy(s, t.nodes);
	printf("%s%s, %s: ", hard[n].machine,
	       partial ? " less 2 % of its cells" : "",
	       hard[n].count ? "a count" : "a shape");
	ask_hard(s, plan, &ask, map);
	torus_plan_destroy(plan);
	torus_state_destroy(s);
	torus_machine_free(&m);
	free(map);
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
	for (uint32_t n = 0; n < 2 * sizeof(hard) / sizeof(*hard) && rc == 0;
	     n++)
		rc = bench_hard(n / 2, n % 2);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
