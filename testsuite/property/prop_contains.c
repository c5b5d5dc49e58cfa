/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a strategy recognizes every place (torus_strategy.complete), a shape
 * that finds none on random occupancies rules out every shape that is said to
 * contain it (torus_ask_contains()); with pods that turn no shape as well.
 */
#include "torus/state_find.h"
#include "discipline/class.h"
#include "workload.h"

#define SHAPES 24

static void known_shapes_contain_each_other(void **state)
{
	struct torus_ask a = { .rotate = true }, b = { .rotate = true };

	(void)state;
	a.shape = (struct torus_shape){ .axes = 2, .extent = { 2, 3 } };
	b.shape = (struct torus_shape){ .axes = 2, .extent = { 3, 2 } };
	assert_true(torus_ask_contains(&a, &b, true));
	assert_false(torus_ask_contains(&a, &b, false));
	b.rotate = false; /* it may lie one way only, the other both */
	assert_false(torus_ask_contains(&a, &b, true));
	assert_true(torus_ask_contains(&b, &a, true));
	b = a;
	b.connection[1] = TORUS_CONN_TORUS; /* of 3 nodes */
	assert_false(torus_ask_contains(&a, &b, true));
	assert_true(torus_ask_contains(&b, &a, true));
	b.connection[1] = TORUS_CONN_MESH;
	b.connection[0] = TORUS_CONN_TORUS; /* of 2: always closed */
	assert_true(torus_ask_contains(&a, &b, true));
	b.shape = (struct torus_shape){ .axes = 1, .extent = { 4 } };
	assert_false(torus_ask_contains(&a, &b, true));
	assert_false(torus_extents_within(torus_ask_extents(&b),
					  torus_ask_extents(&a)));
	b.shape.extent[0] = 200; /* more than the packed extents tell apart */
	a.shape = (struct torus_shape){ .axes = 2, .extent = { 1, 300 } };
	assert_true(torus_extents_within(torus_ask_extents(&b),
					 torus_ask_extents(&a)));
	assert_true(torus_extents_within(torus_ask_extents(&a),
					 torus_ask_extents(&a)));
	b.by_count = true;
	b.count = 1;
	assert_false(torus_ask_contains(&a, &b, true));
}

static void run_case(struct random *r, struct torus_machine *m)
{
	struct torus_state *s = torus_state_create(m);
	enum torus_answer answer[SHAPES];
	struct torus_ask ask[SHAPES];
	struct torus_placement place;
	uint64_t out[WORKLOAD_WORDS];
	bool turned = true;

	assert_non_null(s);
	for (uint32_t p = 0; p < m->pods; p++) {
		m->pod[p].no_rotate = random_percent(r, 20);
		turned &= !m->pod[p].no_rotate;
	}
	workload_nodes(r, m, 10 + random_below(r, 60), out);
	torus_state_out(s, out);
	for (int i = 0; i < SHAPES; i++) {
		ask[i] = workload_ask(r, m);
		ask[i].connection[random_below(r, 3)] =
			(uint8_t)random_below(r, 3);
		answer[i] = torus_state_find(s, &ask[i], &place, NULL);
	}
	for (int i = 0; i < SHAPES; i++) {
		for (int k = 0; k < SHAPES; k++) {
			if (!torus_ask_contains(&ask[k], &ask[i], turned))
				continue;
			if (answer[i] != TORUS_FITS)
				assert_true(answer[k] != TORUS_FITS);
			assert_true(
				torus_extents_within(torus_ask_extents(&ask[i]),
						     torus_ask_extents(&ask[k])));
		}
	}
	torus_state_destroy(s);
}

static void a_contained_shape_fits_wherever_the_larger_does(void **state)
{
	struct random r = { random_seed("prop_contains") };
	uint32_t cases = random_effort(300, 100);
	const struct torus_strategy *const *s;
	struct torus_machine m;

	(void)state;
	for (s = torus_strategies(); *s; s++) {
		for (size_t k = 0; k < WORKLOAD_MACHINES && (*s)->complete;
		     k++) {
			if (!workload_machine(&m, workload_machines[k], *s))
				continue;
			for (uint32_t i = 0; i < cases; i++)
				run_case(&r, &m);
			torus_machine_free(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_shapes_contain_each_other),
		cmocka_unit_test(a_contained_shape_fits_wherever_the_larger_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
