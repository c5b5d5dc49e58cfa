/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches on 16x16x16 nodes of which 1 % of the links are down, against the same
 * searches with all links up: random boxes in use, requests with sides uniform 2..8
 * in all orientations; after a change of the links, and with what is kept of
 * them. Goal: at most 1.3 times the time.
 *
 * And the places of 4x4x4 on that machine, idle, with 1 % of the links down,
 * against those that are left when both ends of these links are drained. Goal:
 * 2.5 times as many.
 */
#define SIDE 16

#include <stdio.h>

#include "torus/placement.h"
#include "torus/state_find.h"
#include "trial.h"

#define REQUESTS 400
#define ROUNDS 41
#define LINKS (SIDE * SIDE * SIDE * 3)

/* A machine with all links up, or with some down. */
struct side {
	struct torus_machine m;
	struct torus_state *s;
};

static int side_init(struct side *x, const struct torus_link_list *links)
{
	struct torus t;

	if (torus_parse(&t, "16x16x16", NULL) ||
	    torus_machine_init(&x->m, &t, torus_strategy_find("submesh"), NULL,
			       NULL) ||
	    torus_machine_links(&x->m, 0, NULL))
		return -1;
	x->s = torus_state_create(&x->m);
	return x->s ? torus_state_set_links(x->s, links) : -1;
}

static bool count_place(void *arg, const struct torus_placement *place)
{
	uint32_t *n = arg;

	(void)place;
	++*n;
	return true;
}

static uint32_t side_places(struct side *x)
{
	const struct torus_ask cube = { .rotate = true,
					.end_us = INT64_MAX,
					.shape = { 3, { 4, 4, 4 } } };
	uint32_t n = 0;

	torus_state_find_all(x->s, &cube, count_place, &n);
	return n;
}

/* One link of a hundred, and the nodes at their ends. */
static int draw_links(struct torus_link_list *links, const struct torus *t,
		      uint64_t *ends)
{
	while (links->count < LINKS / 100) {
		struct torus_link l = { .vertex = bench_below(SIDE * SIDE *
							      SIDE),
					.dim = (uint8_t)bench_below(3),
					.health = TORUS_LINK_DOWN };
		uint32_t at[TORUS_MAX_DIMS];

		if (torus_link_list_set(links, &l))
			return -1;
		torus_vertex_coord(t, l.vertex, at);
		torus_bits_set(ends, torus_index(t, at));
		at[l.dim] = (at[l.dim] + 1) % SIDE;
		torus_bits_set(ends, torus_index(t, at));
	}
	return 0;
}

/* A link goes up and down again: nothing is kept. */
static int change_links(struct side *x, const struct torus_link_list *links)
{
	struct torus_link_list fewer = *links;

	fewer.count--;
	return torus_state_set_links(x->s, &fewer) ||
			       torus_state_set_links(x->s, links) ?
		       -1 :
		       0;
}

static int compare(struct side *up, struct side *down,
		   const struct torus_link_list *links,
		   const struct torus_ask *ask)
{
	double first[ROUNDS], later[ROUNDS];

	/* each right after the other: the processor knows neither better */
	for (uint32_t i = 0; i < ROUNDS; i++) {
		double u = trial_time_ns(up->s, ask, REQUESTS, NULL);

		if (change_links(down, links))
			return -1;
		first[i] = trial_time_ns(down->s, ask, REQUESTS, NULL) / u;
		u = trial_time_ns(up->s, ask, REQUESTS, NULL);
		later[i] = trial_time_ns(down->s, ask, REQUESTS, NULL) / u;
	}
	printf("1 %% of the links down: %.2f times the time without (goal 1.3); after a change of the links %.2f times\n",
	       bench_median(later, ROUNDS), bench_median(first, ROUNDS));
	return 0;
}

/* No place may hold a dead link. */
static int check_places(const struct side *down, const struct torus_ask *ask)
{
	for (uint32_t i = 0; i < REQUESTS; i++) {
		struct torus_placement place;

		if (torus_state_find(down->s, &ask[i], &place, NULL) ==
			    TORUS_FITS &&
		    torus_state_has_dead_link(down->s, &place, false)) {
			printf("request %u: its place holds a dead link\n", i);
			return -1;
		}
	}
	return 0;
}

int main(void)
{
	static struct torus_ask ask[REQUESTS];
	uint64_t busy[SIDE * SIDE * SIDE / 64] = { 0 };
	uint64_t ends[SIDE * SIDE * SIDE / 64] = { 0 };
	struct torus_link_list none = { 0 }, links = { 0 };
	uint32_t with_links, drained;
	struct side up, down;
	struct torus t;

	if (torus_parse(&t, "16x16x16", NULL) || draw_links(&links, &t, ends) ||
	    side_init(&up, &none) || side_init(&down, &links))
		return EXIT_FAILURE;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		ask[i] = (struct torus_ask){ .rotate = true,
					     .end_us = INT64_MAX,
					     .shape = { .axes = 3 } };
		for (uint32_t a = 0; a < 3; a++)
			ask[i].shape.extent[a] = 2 + bench_below(7);
	}
	with_links = side_places(&down);
	torus_state_out(up.s, ends);
	drained = side_places(&up);
	trial_draw_busy(&t, busy);
	torus_state_out(up.s, busy);
	torus_state_out(down.s, busy);
	if (check_places(&down, ask) || compare(&up, &down, &links, ask))
		return EXIT_FAILURE;
	printf("places of 4x4x4 on 16x16x16: %u with %u links down, %u with their ends drained: %.2f times as many (goal 2.5)\n",
	       with_links, links.count, drained,
	       (double)with_links / (double)drained);
	torus_link_list_free(&links);
	torus_state_destroy(up.s);
	torus_state_destroy(down.s);
	torus_machine_free(&up.m);
	torus_machine_free(&down.m);
	return EXIT_SUCCESS;
}
