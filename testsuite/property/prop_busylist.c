/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete recognition of Bani-Mohammad et al.'s strategies: on random
 * occupancies and random sets of allowed nodes, on meshes, toruses and mixed
 * machines, a place is found exactly when brute force finds one, in the
 * orientation asked for and, for TBL and TFF, in any of the six.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "random.h"
#include "torus/state.h"
#include "torus/state_find.h"

static const char *const strategies[] = { "submesh-tbl", "submesh-bl",
					  "submesh-tff", "submesh-ff" };

#define TBL 0
#define TFF 2

static bool box_free(const struct torus *t, const uint32_t *want,
		     const uint64_t *usable)
{
	struct torus_region r;

	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < 3; d++) {
		if (want[d] > (d < t->dims ? t->size[d] : 1))
			return false;
		r.extent[d] = want[d];
	}
	for (uint32_t i = 0; i < t->nodes; i++) {
		torus_coord(t, i, r.base);
		if (torus_region_check(&r, t, NULL) == 0 &&
		    torus_region_inside(&r, t, usable))
			return true;
	}
	return false;
}

static bool brute(const struct torus *t, const struct torus_ask *ask, bool turn,
		  const uint64_t *usable)
{
	for (uint32_t i = 0; i < (turn ? 27u : 1u); i++) {
		uint32_t p[3] = { i % 3, i / 3 % 3, i / 9 }, want[3];

		if (!turn)
			p[0] = 0, p[1] = 1, p[2] = 2;
		if (p[0] == p[1] || p[1] == p[2] || p[0] == p[2])
			continue;
		for (int d = 0; d < 3; d++)
			want[d] = p[d] < ask->shape.axes ?
					  ask->shape.extent[p[d]] :
					  1;
		if (box_free(t, want, usable))
			return true;
	}
	return false;
}

static void random_shape(struct random *x, const struct torus *t,
			 struct torus_ask *ask)
{
	*ask = (struct torus_ask){ .rotate = random_percent(x, 70),
				   .end_us = INT64_MAX };
	ask->shape.axes = t->dims;
	for (uint32_t a = 0; a < t->dims; a++)
		ask->shape.extent[a] =
			1 + random_below(x, t->size[random_below(x, t->dims)]);
}

/* One question; then perhaps a job that starts, perhaps one that ends. */
static void question(struct random *x, const struct torus_machine *m,
		     struct torus_state *s, int which)
{
	const struct torus *t = &m->pod[0].torus;
	uint64_t allowed[2] = { ~UINT64_C(0), ~UINT64_C(0) }, usable[2];
	struct torus_placement out;
	struct torus_ask ask;
	enum torus_answer answer;
	bool turns = which == TBL || which == TFF, fits;

	random_shape(x, t, &ask);
	for (int i = 0; i < 2 && random_percent(x, 30); i++)
		allowed[i] = random_bits(x) | random_bits(x) | random_bits(x);
	torus_bits_and(usable, torus_state_free_map(s), allowed, m->words);
	fits = brute(t, &ask, turns && ask.rotate, usable);
	if (ask.rotate)
		torus_ask_drop_ones(&ask);
	ask.allowed = allowed;
	answer = torus_state_find(s, &ask, &out, NULL);
	if ((answer == TORUS_FITS) != fits)
		fail_msg("%s, %ux%ux%u of %s: %s", strategies[which],
			 ask.shape.extent[0], ask.shape.extent[1],
			 ask.shape.extent[2], t->name,
			 fits ? "a place was missed" : "no such place");
	if (fits && (!torus_region_inside(&out.region, t, usable) ||
		     torus_region_check(&out.region, t, NULL) ||
		     out.granted != torus_shape_volume(&ask.shape)))
		fail_msg("%s: a wrong place", strategies[which]);
	if (fits && random_percent(x, 60) && out.granted * 3 < t->nodes)
		torus_state_commit(s, &out, 1, NULL, 0, 1, NULL);
	if (torus_state_holds(s) > 0 && random_percent(x, 35))
		torus_state_release(s,
				    torus_state_by_end(s,
						       random_below(x,
								    torus_state_holds(
									    s))),
				    NULL);
}

static void busy_lists_find_a_place_exactly_if_there_is_one(void **state)
{
	static const char *const machines[] = {
		"4x4x4:MMM", "4x4x4",     "3x5x2:MMM", "3x5x2",
		"3x5x2:TMT", "5x4x3:MTM", "2x2x2:TTM", "6x7:MT",
		"6x7",       "11",        "11:M",      "4x3x5:MMT",
	};
	struct random x = { *(uint64_t *)*state };
	uint32_t rounds = random_effort(1200, 20);

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines) * 4; i++) {
		struct torus_machine m = { 0 };
		struct torus_state *s;
		struct torus t;

		assert_int_equal(torus_parse(&t, machines[i / 4], NULL), 0);
		snprintf(t.name, sizeof(t.name), "m%zu", i / 4);
		assert_int_equal(torus_machine_init(&m, &t,
						    torus_strategy_find(
							    strategies[i % 4]),
						    NULL, NULL),
				 0);
		s = torus_state_create(&m);
		assert_non_null(s);
		for (uint32_t k = 0; k < rounds; k++)
			question(&x, &m, s, (int)(i % 4));
		assert_true(torus_state_check(s, NULL));
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

int main(void)
{
	uint64_t seed = random_seed("prop_busylist");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(busy_lists_find_a_place_exactly_if_there_is_one,
					  &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
