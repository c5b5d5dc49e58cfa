/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs to preempt (live/preemption.h), on a machine of 32,768 nodes that
 * is full: the processor's time for one choice, during which slurmctld's locks
 * are kept. Jobs of one node each, or of 64; most places may be looked at
 * before the search ends by itself.
 *
 * usage: bench_victims
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "live/preemption.h"

#define NODES 32768

static double clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Full of jobs of so many nodes each. */
static void fill(struct victims *v, uint32_t size)
{
	srand(1);
	for (uint32_t bit = 0; bit < NODES; bit++) {
		if (bit % size == 0)
			victims_add(v, size * (1 + rand() % 86400));
		victims_node(v, bit);
	}
}

static void bench(struct torus_state *empty, uint32_t size, uint32_t edge)
{
	struct torus_ask ask = { .rotate = true, .end_us = INT64_MAX };
	struct victims v;
	double began, taken;
	uint32_t words = torus_state_machine(empty)->words;

	if (victims_open(&v, words, NODES / size))
		exit(EXIT_FAILURE);
	fill(&v, size);
	began = clock_ms();
	victims_take(&v, edge * edge * edge);
	taken = clock_ms();
	printf("jobs of %2u, %4u nodes anywhere: %6.1f ms;", size,
	       edge * edge * edge, taken - began);
	ask.shape.axes = 3;
	for (int a = 0; a < 3; a++)
		ask.shape.extent[a] = edge;
	victims_place(&v, empty, &ask);
	printf(" as %2ux%ux%u: %6.1f ms, %4.1f M looks, cost %.0f\n", edge,
	       edge, edge, clock_ms() - taken, (double)v.looks * 1e-6, v.least);
	victims_close(&v);
}

int main(void)
{
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
	return EXIT_SUCCESS;
}
