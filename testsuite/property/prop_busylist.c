/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete recognition of Bani-Mohammad et al.'s strategies: on random
 * occupancies and random sets of allowed nodes, on meshes, toruses and mixed
 * machines, a place is found exactly when brute force finds one, in the
 * orientation asked for and, for TBL, TFF, BF and WF, in any of the six. Best Fit and
 * Worst Fit take the place with the fewest or most free nodes around it, and
 * find_all() lists what brute force finds.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "random.h"
#include "torus/state.h"
#include "torus/state_find.h"
#include "torus/state_text.h"

static const char *const strategies[] = { "submesh-tbl", "submesh-bl",
					  "submesh-tff", "submesh-ff",
					  "submesh-bf",  "submesh-wf" };
#define STRATEGIES 6

enum {
	TBL,
	BL,
	TFF,
	FF,
	BF,
	WF
};

/* Return the number of places; a dimension that is covered has one base, 0. */
static uint32_t box_free(const struct torus *t, const uint32_t *want,
			 const uint64_t *usable)
{
	struct torus_region r;
	uint32_t places = 0;

	torus_region_whole(&r, t);
	for (uint32_t d = 0; d < 3; d++) {
		if (want[d] > (d < t->dims ? t->size[d] : 1))
			return 0;
		r.extent[d] = want[d];
	}
	for (uint32_t i = 0; i < t->nodes; i++) {
		bool first = true;

		torus_coord(t, i, r.base);
		for (uint32_t d = 0; d < t->dims; d++)
			first = first &&
				(r.base[d] == 0 || want[d] < t->size[d]);
		places += first && torus_region_check(&r, t, NULL) == 0 &&
			  torus_region_inside(&r, t, usable);
	}
	return places;
}

/* Return the usable nodes that a link joins to the region, node by node. */
static uint32_t free_around(const struct torus *t, const struct torus_region *r,
			    const uint64_t *usable)
{
	uint64_t inside[2] = { 0 }, around[2] = { 0 };

	torus_region_paint(r, t, inside);
	for (uint32_t i = 0; i < t->nodes; i++) {
		uint32_t at[TORUS_MAX_DIMS];

		if (!torus_bits_test(inside, i))
			continue;
		for (uint32_t k = 0; k < 2 * t->dims; k++) {
			uint32_t d = k / 2, n = t->size[d];

			torus_coord(t, i, at);
			if (!t->wrap[d] && at[d] == (k % 2 ? 0 : n - 1))
				continue;
			at[d] = (at[d] + (k % 2 ? n - 1 : 1)) % n;
			torus_bits_set(around, torus_index(t, at));
		}
	}
	torus_bits_andnot(around, inside, 2);
	torus_bits_and(around, around, usable, 2);
	return torus_bits_count(around, 2);
}

/* Is it the first of the best, or worst, of its orientation? */
static bool fits_best(const struct torus *t, const struct torus_region *got,
		      bool best, const uint64_t *usable)
{
	uint32_t free = free_around(t, got, usable);
	uint32_t index = torus_index(t, got->base);
	struct torus_region r = *got;

	for (uint32_t i = 0; i < t->nodes; i++) {
		uint32_t other;

		torus_coord(t, i, r.base);
		if (torus_region_check(&r, t, NULL) ||
		    !torus_region_inside(&r, t, usable))
			continue;
		other = free_around(t, &r, usable);
		if ((best ? other < free : other > free) ||
		    (other == free && i < index))
			return false;
	}
	return true;
}

/* find_all(): in order, each usable and once. */
struct listing {
	const struct torus *t;
	const uint64_t *usable;
	char last[TORUS_ORIENTATION_SIZE];
	uint32_t base[TORUS_MAX_DIMS];
	uint32_t places;
	bool wrong;
};

static bool list_place(void *arg, const struct torus_placement *place)
{
	struct listing *l = arg;
	char text[TORUS_ORIENTATION_SIZE];
	int order;

	torus_orientation_format(&place->orientation, l->t, text, sizeof(text));
	order = l->places ? strcmp(text, l->last) : 1;
	for (uint32_t d = 0; d < l->t->dims && order == 0; d++)
		order = place->region.base[d] > l->base[d] ? 1 :
			place->region.base[d] < l->base[d] ? -1 :
							     0;
	l->wrong |= order <= 0 ||
		    !torus_region_inside(&place->region, l->t, l->usable);
	memcpy(l->last, text, sizeof(text));
	memcpy(l->base, place->region.base, sizeof(l->base));
	l->places++;
	return true;
}

static uint32_t brute(const struct torus *t, const struct torus_ask *ask,
		      bool turn, const uint64_t *usable)
{
	uint32_t tried[27][3], n = 0, places = 0;

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
		memcpy(tried[n], want, sizeof(want));
		for (uint32_t k = 0; k < n; k++) {
			if (memcmp(tried[k], want, sizeof(want)) == 0)
				want[0] = 0; /* as before */
		}
		n++;
		places += want[0] ? box_free(t, want, usable) : 0;
	}
	return places;
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
	struct listing l = { .t = t, .usable = usable };
	bool turns = which != BL && which != FF, fits;
	uint32_t places;

	random_shape(x, t, &ask);
	for (int i = 0; i < 2 && random_percent(x, 30); i++)
		allowed[i] = random_bits(x) | random_bits(x) | random_bits(x);
	torus_bits_and(usable, torus_state_free_map(s), allowed, m->words);
	places = brute(t, &ask, turns && ask.rotate, usable);
	fits = places > 0;
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
	if (fits && which >= BF &&
	    !fits_best(t, &out.region, which == BF, usable))
		fail_msg("%s: another place fits better", strategies[which]);
	if (random_percent(x, 10)) {
		torus_state_find_all(s, &ask, list_place, &l);
		if (l.wrong || l.places != places)
			fail_msg("%s: %u places are listed, there are %u",
				 strategies[which], l.places, places);
	}
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
	uint32_t rounds = random_effort(800, 20);

	for (size_t i = 0;
	     i < sizeof(machines) / sizeof(*machines) * STRATEGIES; i++) {
		struct torus_machine m = { 0 };
		struct torus_state *s;
		struct torus t;

		assert_int_equal(torus_parse(&t, machines[i / STRATEGIES], NULL),
				 0);
		snprintf(t.name, sizeof(t.name), "m%zu", i / STRATEGIES);
		assert_int_equal(torus_machine_init(&m, &t,
						    torus_strategy_find(
							    strategies[i %
								       STRATEGIES]),
						    NULL, NULL),
				 0);
		s = torus_state_create(&m);
		assert_non_null(s);
		for (uint32_t k = 0; k < rounds; k++)
			question(&x, &m, s, (int)(i % STRATEGIES));
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
