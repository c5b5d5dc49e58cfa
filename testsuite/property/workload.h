/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small machines and random asks for the property tests of planning and
 * disciplines: every registered strategy on each machine that it supports. */
#ifndef TESTSUITE_WORKLOAD_H
#define TESTSUITE_WORKLOAD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "random.h"
#include "torus/discipline.h"
#include "torus/placement.h"

#define WORKLOAD_MOST_NODES 64
#define WORKLOAD_WORDS 4 /* of the largest machine here */

/* Machine strings; several pods are parted by '+'; out:N are nodes of none. */
static const char *const workload_machines[] = {
	"flat:12",          "3x2x2",        "4x4:MM",
	"2x2x2x2",          "4x3:TM",       "8",
	"4x4+flat:5",       "4x2:MM+3x2x2", "flat:4+3x3+flat:6",
	"4x2+2x2:MM+out:5",
};

#define WORKLOAD_MACHINES                                                      \
	(sizeof(workload_machines) / sizeof(workload_machines[0]))

/* Draw a torus of 1 to 4 dimensions, each wrapped or not. */
RANDOM_HELPER void workload_draw_torus(struct random *r, struct torus *t)
{
	static const uint32_t most[] = { 20, 6, 4, 3 };
	uint32_t size[TORUS_MAX_DIMS], dims = 1 + random_below(r, 4);
	bool wrap[TORUS_MAX_DIMS];

	for (uint32_t d = 0; d < dims; d++) {
		size[d] = 1 + random_below(r, most[dims - 1]);
		wrap[d] = random_percent(r, 60);
	}
	assert_int_equal(torus_init(t, "t", dims, size, wrap, NULL), 0);
}

/*
 * A machine of these pods with the strategy as default wherever it suits
 * (elsewhere flat). False if it suits none.
 */
RANDOM_HELPER bool workload_machine(struct torus_machine *m, const char *string,
				    const struct torus_strategy *strategy)
{
	static const struct torus_options none;
	char text[64], *rest = text, *pod;
	bool suits = false;

	memset(m, 0, sizeof(*m));
	snprintf(text, sizeof(text), "%s", string);
	while ((pod = strtok_r(rest, "+", &rest))) {
		const struct torus_strategy *use = strategy;
		bool outside = strncmp(pod, "out:", 4) == 0;
		struct torus t;

		if (outside)
			assert_int_equal(torus_init_flat(&t, "out",
							 (uint32_t)atoi(pod + 4),
							 NULL),
					 0);
		else
			assert_int_equal(torus_parse(&t, pod, NULL), 0);
		snprintf(t.name, sizeof(t.name), "pod%u", m->pods);
		if (torus_strategy_supports(use, &t, &none, NULL))
			use = torus_strategy_find("flat");
		else
			suits = true;
		assert_int_equal(torus_machine_add(m, &t, NULL, use, NULL, NULL),
				 0);
		m->pod[m->pods - 1].outside = outside;
	}
	assert_true(m->words <= WORKLOAD_WORDS);
	if (!suits)
		torus_machine_free(m);
	return suits;
}

/* For main(): which case it was that failed. */
RANDOM_HELPER int workload_end(int failures, const char *context)
{
	if (failures == 0)
		return EXIT_SUCCESS;
	printf("# failed in: %s\n", context);
	return EXIT_FAILURE;
}

/* Every strategy on every machine, `cases` times, each time with another seed. */
RANDOM_HELPER void
workload_each(uint64_t seed, uint32_t cases,
	      void (*run)(const char *machine,
			  const struct torus_strategy *strategy, uint64_t seed))
{
	const struct torus_strategy *const *s;

	for (uint32_t i = 0; i < cases; i++) {
		for (size_t k = 0; k < WORKLOAD_MACHINES; k++) {
			for (s = torus_strategies(); *s; s++)
				run(workload_machines[k], *s,
				    seed + i * 1000 + k);
		}
	}
}

/* Each discipline with each strategy, on a machine drawn, `rounds` times. */
struct workload_pairs {
	struct random r;
	uint32_t rounds;
	const struct torus_discipline *const *discipline;
	const struct torus_strategy *const *strategy;
	const char *machine;
	uint64_t seed;
};

/* The next pair, with a machine and a seed of its own. */
RANDOM_HELPER bool workload_next(struct workload_pairs *p)
{
	if (!p->strategy || !*++p->strategy) {
		if (!p->discipline || !*++p->discipline) {
			if (p->rounds-- == 0)
				return false;
			p->discipline = torus_disciplines();
		}
		p->strategy = torus_strategies();
	}
	p->machine = workload_machines[random_below(&p->r, WORKLOAD_MACHINES)];
	p->seed = random_bits(&p->r);
	return true;
}

/* A node count, or a box with letters; now and then an impossible one. */
RANDOM_HELPER struct torus_ask workload_ask(struct random *r,
					    const struct torus_machine *m)
{
	const struct torus *t = &m->pod[random_below(r, m->pods)].torus;
	struct torus_ask ask = { .rotate = random_percent(r, 80),
				 .end_us = INT64_MAX };

	ask.by_count = t->flat || random_percent(r, 40);
	for (uint32_t a = 0; a < TORUS_MAX_DIMS; a++)
		ask.connection[a] = random_percent(r, 10) ?
					    (uint8_t)random_below(r, 3) :
					    TORUS_CONN_NAV;
	ask.count = 1 + random_below(r, random_percent(r, 70) ? t->nodes / 2 :
								t->nodes + 1);
	if (m->pods > 1 && ask.by_count && random_percent(r, 60)) {
		ask.anywhere = true;
		ask.count = 1 + random_below(r, m->nodes + 1);
	}
	ask.shape.axes = 1 + random_below(r, t->dims);
	for (uint32_t a = 0; a < ask.shape.axes; a++)
		ask.shape.extent[a] = 1 + random_below(r, t->size[a]);
	if (ask.rotate)
		torus_shape_squeeze(&ask.shape);
	if (!ask.by_count && random_percent(r, 25))
		ask.regions = 2 + random_below(r, 3);
	return ask;
}

/* Each node of the machine with the given chance. */
RANDOM_HELPER void workload_nodes(struct random *r,
				  const struct torus_machine *m,
				  uint32_t percent, uint64_t *map)
{
	torus_bits_zero(map, m->words);
	for (uint32_t p = 0; p < m->pods; p++) {
		for (uint32_t i = 0; i < m->pod[p].torus.nodes; i++) {
			if (random_percent(r, percent))
				torus_bits_set(map, torus_machine_bit(m, p, i));
		}
	}
}

/* Draw the options of EASY, if that is the discipline, from one time in two. */
RANDOM_HELPER void workload_orders(struct random *r,
				   struct torus_scheduler_settings *settings)
{
	static const char *const order[] = { "fcfs", "sjf",  "saf",
					     "lqf",  "wfp3", "fairshare" };
	char bound[16];

	if (!torus_option_find(settings->discipline->options, "queue_order") ||
	    random_percent(r, 50))
		return;
	torus_options_set(&settings->options, "queue_order",
			  order[random_below(r, 6)]);
	torus_options_set(&settings->options, "backfill_order",
			  order[random_below(r, 6)]);
	snprintf(bound, sizeof(bound), "%us", random_below(r, 40));
	if (random_percent(r, 50))
		torus_options_set(&settings->options, "half_life", bound);
	if (random_percent(r, 50))
		torus_options_set(&settings->options, "bound", bound);
	if (random_percent(r, 30))
		torus_options_set(&settings->options, "overtake",
				  "before-start");
}

/* *to = *place with scattered nodes copied to nodes (WORKLOAD_WORDS). */
RANDOM_HELPER void workload_keep(const struct torus_machine *m,
				 struct torus_placement *to,
				 const struct torus_placement *place,
				 uint64_t *nodes)
{
	*to = *place;
	if (!place->scattered)
		return;
	torus_bits_copy(nodes, place->nodes, torus_placement_words(m, place));
	to->nodes = nodes;
	to->regions = NULL; /* the finder's */
}

RANDOM_HELPER void workload_paint(const struct torus_machine *m,
				  const struct torus_placement *place,
				  uint64_t *map)
{
	torus_bits_zero(map, m->words);
	torus_placement_paint(m, place, map);
}

/* Two alternatives of one size could be equal, which nobody may ask for: keep the first. */
RANDOM_HELPER void workload_distinct(struct torus_job_request *q)
{
	if (q->alternatives == 2 &&
	    torus_ask_nodes(&q->alternative[0].ask) ==
		    torus_ask_nodes(&q->alternative[1].ask))
		q->alternatives = 1;
}

#endif
