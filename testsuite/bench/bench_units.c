/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches on a machine whose nodes are boxes of 2x2x2 vertices against the
 * same searches on as many nodes without units: 16x16x16 nodes, random boxes
 * in use, requests with sides uniform 1..8 nodes in all orientations. Both
 * must give the same answer. Goal: at most 1.2 times the time.
 */
#define SIDE 16

#include <stdio.h>

#include "trial.h"

#define REQUESTS 400
#define ROUNDS 41

/* A machine of 16x16x16 nodes of unit^3 vertices. */
struct side {
	struct torus t;
	struct torus_machine m;
	struct torus_state *s;
	struct torus_ask ask[REQUESTS];
	enum torus_answer answer[REQUESTS];
};

static int side_init(struct side *x, uint32_t unit, uint32_t (*want)[3])
{
	uint32_t size[3] = { SIDE * unit, SIDE * unit, SIDE * unit };
	uint32_t units[3] = { unit, unit, unit };

	if (torus_init(&x->t, "pod0", 3, size, NULL, NULL) ||
	    torus_divide(&x->t, units, NULL, 1, NULL) ||
	    torus_machine_init(&x->m, &x->t, torus_strategy_find("submesh"),
			       NULL, NULL))
		return -1;
	x->s = torus_state_create(&x->m);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		x->ask[i] = (struct torus_ask){ .rotate = true,
						.end_us = INT64_MAX,
						.shape = { .axes = 3 } };
		for (uint32_t a = 0; a < 3; a++)
			x->ask[i].shape.extent[a] = want[i][a] * unit;
	}
	return x->s ? 0 : -1;
}

static double side_time(struct side *x)
{
	return trial_time_ns(x->s, x->ask, REQUESTS, x->answer);
}

int main(void)
{
	static struct side plain, units;
	static uint32_t want[REQUESTS][3];
	uint64_t busy[SIDE * SIDE * SIDE / 64] = { 0 };
	double ratio[ROUNDS];

	for (uint32_t i = 0; i < REQUESTS; i++)
		for (uint32_t a = 0; a < 3; a++)
			want[i][a] = 2 + bench_below(7);
	if (side_init(&plain, 1, want) || side_init(&units, 2, want))
		return EXIT_FAILURE;
	trial_draw_busy(&plain.t, busy);
	torus_state_out(plain.s, busy);
	torus_state_out(units.s, busy);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		double p = side_time(&plain);

		ratio[i] = side_time(&units) / p;
	}
	for (uint32_t i = 0; i < REQUESTS; i++) {
		if (plain.answer[i] != units.answer[i]) {
			printf("request %u: different answers\n", i);
			return EXIT_FAILURE;
		}
	}
	printf("units: %.2f times the time without (goal 1.2)\n",
	       bench_median(ratio, ROUNDS));
	torus_state_destroy(plain.s);
	torus_state_destroy(units.s);
	torus_machine_free(&plain.m);
	torus_machine_free(&units.m);
	return EXIT_SUCCESS;
}
