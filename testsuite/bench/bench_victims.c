/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs to preempt (live/preemption.h), on a machine of 32,768 nodes that
 * is full: the processor's time for one choice, during which slurmctld's locks
 * are kept. Jobs of one node each, or of 64; most places may be looked at
 * before the search ends by itself. Then node counts on large machines with a
 * job on each node: whole ones, ones that lack cells, and around nodes of -w.
 * Every search has the limit that it has under Slurm's locks; exit status 1 if
 * one takes much longer.
 *
 * usage: bench_victims
 */
#include <stdio.h>
#include <stdlib.h>

#include "torus/state_find.h"
#include "live/preemption.h"
#include "live/base/lock_hold.h"
#include "bench.h"

#define NODES 32768
#define MOST_MS ((double)SEARCH_US * 2e-3)

static bool too_long;

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
	struct lock_hold_limit limit;
	struct preemption v;
	double began, taken, shaped;
	uint32_t words = torus_state_machine(empty)->words;

	if (preemption_open(&v, words, NODES / size))
		exit(EXIT_FAILURE);
	fill(&v, size);
	began = bench_cpu_ms();
	preemption_choose_nodes(&v, edge * edge * edge, NULL,
				torus_state_weights(empty));
	taken = bench_cpu_ms();
	printf("jobs of %2u, %4u nodes anywhere: %6.1f ms;", size,
	       edge * edge * edge, taken - began);
	ask.shape.axes = 3;
	for (int a = 0; a < 3; a++)
		ask.shape.extent[a] = edge;
	lock_hold_limit_begin(&limit, SEARCH_US);
	ask.limit = &limit.limit;
	preemption_choose_place(&v, empty, &ask);
	shaped = bench_cpu_ms() - taken;
	too_long |= taken - began > MOST_MS || shaped > MOST_MS;
	printf(" as %2ux%ux%u: %6.1f ms, %4.1f M looks, cost %.0f\n", edge,
	       edge, edge, shaped, (double)v.visits * 1e-6, v.least);
	preemption_close(&v);
}

/* Of a count. */
enum hardness {
	WHOLE,
	PARTIAL,
	REQUIRED
};

static uint64_t *some_nodes(const struct torus *t, uint32_t of, uint32_t parts)
{
	uint64_t *nodes = calloc(torus_bits_words(t->nodes), sizeof(*nodes));

	for (uint32_t bit = 0; nodes && bit < t->nodes; bit++) {
		if ((uint32_t)rand() % of < parts)
			torus_bits_set(nodes, bit);
	}
	return nodes;
}

/* A job on each node that is there. */
static void fill_each(struct preemption *v, const struct torus *t,
		      const uint64_t *present)
{
	for (uint32_t bit = 0; bit < t->nodes; bit++) {
		if (!torus_bits_test(present, bit))
			continue;
		preemption_add_job(v, 1 + rand() % 86400);
		preemption_add_node(v, bit);
	}
}

static int bench_count(const char *machine, uint32_t count, enum hardness how)
{
	static const char *const what[] = { "", " less 2 % of its cells",
					    " around a node" };
	struct torus_ask ask = { .by_count = true,
				 .rotate = true,
				 .count = count,
				 .end_us = INT64_MAX };
	struct torus_machine m = { 0 };
	struct lock_hold_limit limit;
	struct torus_state *empty;
	struct preemption v;
	struct torus t;
	double began, taken;
	uint64_t *present, *required;

	if (torus_parse(&t, machine, NULL))
		return 1;
	present = some_nodes(&t, 100, how == PARTIAL ? 98 : 100);
	required = some_nodes(&t, 100, 0);
	if (!present || !required ||
	    torus_machine_add(&m, &t, present, torus_strategy_find("submesh"),
			      NULL, NULL))
		return 1;
	empty = torus_state_create(&m);
	if (!empty || preemption_open(&v, m.words, t.nodes))
		return 1;
	fill_each(&v, &t, present);
	if (how == REQUIRED) {
		torus_bits_set(required, t.nodes / 3);
		ask.required = required;
	}
	began = bench_cpu_ms();
	lock_hold_limit_begin(&limit, SEARCH_US);
	ask.limit = &limit.limit;
	preemption_choose_place(&v, empty, &ask);
	taken = bench_cpu_ms() - began;
	too_long |= taken > MOST_MS;
	printf("%s%s, %u nodes as a box: %6.1f ms, %4.1f M looks, cost %.0f\n",
	       machine, what[how], count, taken, (double)v.visits * 1e-6,
	       v.least);
	preemption_close(&v);
	torus_state_destroy(empty);
	torus_machine_free(&m);
	free(present);
	free(required);
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
		for (int how = WHOLE; how <= REQUIRED; how++) {
			if (bench_count(counts[i].machine, counts[i].count,
					(enum hardness)how))
				return EXIT_FAILURE;
		}
	}
	return too_long ? EXIT_FAILURE : EXIT_SUCCESS;
}
