/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine with a plan, for tests whose expected values were worked out by
 * hand. */
#ifndef TESTSUITE_PLANNING_H
#define TESTSUITE_PLANNING_H

#include "torus/state_text.h"
#include "torus/plan.h"
#include "unit.h"

struct world {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_plan *p;
};

UNIT_HELPER struct world *create(const char *machine, const char *strategy)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->m = unit_machine(machine, strategy);
	w->s = torus_state_create(&w->m);
	assert_non_null(w->s);
	w->p = torus_plan_create(w->s);
	assert_non_null(w->p);
	return w;
}

UNIT_HELPER void destroy(struct world *w)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(w->s, &err))
		fail_msg("%s", err.text);
	torus_plan_destroy(w->p);
	torus_state_destroy(w->s);
	torus_machine_free(&w->m);
	free(w);
}

/* A placement from text: a region, or {nodes}. */
UNIT_HELPER struct torus_placement place_of(const struct world *w,
					    const char *text)
{
	static uint64_t nodes[4][64];
	static unsigned turn;
	const struct torus *t = &w->m.pod[0].torus;
	struct torus_placement place = { .axes = 1 };
	struct torus_error err = { 0 };
	uint64_t *map = nodes[turn++ % 4];

	if (torus_region_parse(&place.region, &place.scattered, map, t, text,
			       &err))
		fail_msg("%s: %s", text, err.text);
	place.nodes = map;
	place.granted = place.scattered ? torus_bits_count(map, w->m.words) :
					  torus_region_nodes(&place.region, t);
	return place;
}

UNIT_HELPER uint32_t start(struct world *w, const char *text, int64_t now,
			   int64_t end_us)
{
	struct torus_placement place = place_of(w, text);
	uint32_t slot = torus_plan_commit(w->p, &place, 1, NULL, now, end_us);

	assert_true(slot != TORUS_NO_SLOT);
	return slot;
}

#endif
