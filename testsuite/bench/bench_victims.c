/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs to preempt (live/preemption.h), on a machine of 32,768 nodes that
 * is full: the processor's time for one choice, during which slurmctld's locks
 * are kept. Jobs of one node each, or of 64; most places may be looked at
 * before the search ends by itself. Then node counts on large machines with a
 * job on each node. Every search has the limit that it has under Slurm's locks.
 *
 * usage: bench_victims
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "live/preemption.h"
#include "live/search_limit.h"

#define NODES 32768

static double clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Full of jobs of so many nodes each. */
static void fill(struct preemption *v, uint32_t size)
{
	srand(1);
	for (uint32_t bit = 0; bit < NODES; bit++) {
		if (bit % size == 0)
			preemption_add_job(v, size * (1 + rand() % 86400));
		preemption_add_node(v, bit);
	}
}

static void bench(struct torus_state *empty, uint32_t size, uint32_t edge)
{
	struct torus_ask ask = { .rotate = true, .end_us = INT64_MAX };
	struct search_limit limit;
	struct preemption v;
	double began, taken;
	uint32_t words = torus_state_machine(empty)->words;

	if (preemption_open(&v, words, NODES / size))
		exit(EXIT_FAILURE);
	fill(&v, size);
	began = clock_ms();
	preemption_choose_nodes(&v, edge * edge * edge);
	taken = clock_ms();
	printf("jobs of %2u, %4u nodes anywhere: %6.1f ms;", size,
	       edge * edge * edge, taken - began);
	ask.shape.axes = 3;
	for (int a = 0; a < 3; a++)
		ask.shape.extent[a] = edge;
	search_limit_begin(&limit, SEARCH_US);
	ask.limit = &limit.limit;
	preemption_choose_place(&v, empty, &ask);
	printf(" as %2ux%ux%u: %6.1f ms, %4.1f M looks, cost %.0f\n", edge,
	       edge, edge, clock_ms() - taken, (double)v.visits * 1e-6, v.least);
	preemption_close(&v);
}

static int bench_count(const char *machine, uint32_t count)
{
	struct torus_ask ask = { .by_count = true,
				 .rotate = true,
				 .count = count,
				 .end_us = INT64_MAX };
	struct torus_machine m = { 0 };
	struct search_limit limit;
	struct torus_state *empty;
	struct preemption v;
	struct torus t;
	double began;

	if (torus_parse(&t, machine, NULL) ||
	    torus_machine_init(&m, &t, torus_strategy_find("submesh"), NULL,
			       NULL))
		return 1;
	empty = torus_state_create(&m);
	if (!empty || preemption_open(&v, m.words, t.nodes))
		return 1;
	for (uint32_t bit = 0; bit < t.nodes; bit++) {
		preemption_add_job(&v, 1 + rand() % 86400);
		preemption_add_node(&v, bit);
	}
	began = clock_ms();
	search_limit_begin(&limit, SEARCH_US);
	ask.limit = &limit.limit;
	preemption_choose_place(&v, empty, &ask);
	printf("%s, %u nodes as a box: %6.1f ms, %4.1f M looks, cost %.0f\n",
	       machine, count, clock_ms() - began, (double)v.visits * 1e-6,
	       v.least);
	preemption_close(&v);
	torus_state_destroy(empty);
	torus_machine_free(&m);
	return 0;
}

int main(void)
{
	static const struct {
		const char *machine;
		uint32_t count;
	} counts[] = {
		{ "24x23x24x2x2x2", 5040 },  { "4x4x4x4x4x4x4x4", 4096 },
		{ "4x4x4x4x4x4x4x4", 5040 }, { "64x64x16", 5040 },
		{ "32x32x32", 5040 },        { "2x2x2x3x3x3x4x4", 1080 },
	};
	static const uint32_t edge[] = { 2, 4, 8, 16 };
	struct torus_machine m = { 0 };
	struct torus_state *empty;
	struct torus t;

	if (torus_parse(&t, "32x32x32", NULL) ||
	    torus_machine_init(&m, &t, torus_strategy_find("submesh"), NULL,
			       NULL))
		return EXIT_FAILURE;
	empty = torus_state_create(&m);
	for (uint32_t i = 0; empty && i < 4; i++) {
		bench(empty, 1, edge[i]);
		bench(empty, 64, edge[i]);
	}
	torus_state_destroy(empty);
	torus_machine_free(&m);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		if (bench_count(counts[i].machine, counts[i].count))
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
