/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subtori against brute force. Sharing links: each region's links are walked
 * one by one, and two regions must be said to share along a dimension exactly
 * when some link is in both. Choice: of all free bases of all orientations
 * the one found has the least predicted load, and is the first of those;
 * link_disjoint finds a place exactly when one without load exists. The diagonal
 * gives the lowest T(a, b) whose nodes are free, and no two jobs on it share a link.
 * Regions on bitmaps and the free bases of strided boxes: node by node.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "torus/state_find.h"
#include "../unit/predicted.h"
#include "placement/subtorus/subtorus.h"
#include "random.h"

#define MOST 256 /* nodes */

/* Where in the region is the node? Relative to the base; false: not in it. */
static bool locate(const struct torus_region *r, const struct torus *t,
		   uint32_t index, uint32_t *offset)
{
	uint32_t coord[TORUS_MAX_DIMS];

	torus_coord(t, index, coord);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t c = coord[d] >= r->base[d] ?
				     coord[d] - r->base[d] :
				     coord[d] + t->size[d] - r->base[d];

		if (c % r->stride[d] || c / r->stride[d] >= r->extent[d])
			return false;
		offset[d] = c / r->stride[d];
	}
	for (uint32_t d = t->dims; d < TORUS_MAX_DIMS; d++)
		offset[d] = 0;
	return true;
}

/* Links of a region: bit of node n in links[d] is the one from n upwards. */
static void walk_links(const struct torus *t, const struct torus_region *r,
		       uint64_t links[TORUS_MAX_DIMS][MOST / 64])
{
	memset(links, 0, TORUS_MAX_DIMS * sizeof(*links));
	for (uint32_t i = 0; i < t->nodes; i++) {
		uint32_t offset[TORUS_MAX_DIMS], at[TORUS_MAX_DIMS];

		if (!locate(r, t, i, offset))
			continue;
		for (uint32_t d = 0; d < t->dims; d++) {
			bool ring = t->wrap[d] &&
				    r->extent[d] * r->stride[d] == t->size[d];

			if (r->extent[d] == 1 ||
			    (!ring && offset[d] == r->extent[d] - 1))
				continue;
			torus_coord(t, i, at);
			for (uint32_t k = 0; k < r->stride[d]; k++) {
				torus_bits_set(links[d], torus_index(t, at));
				at[d] = (at[d] + 1) % t->size[d];
			}
		}
	}
}

static void random_region(struct random *x, const struct torus *t,
			  struct torus_region *r)
{
	do {
		torus_region_whole(r, t);
		for (uint32_t d = 0; d < t->dims; d++) {
			r->extent[d] = 1 + random_below(x, t->size[d]);
			r->base[d] = random_below(x, t->size[d]);
			if (random_percent(x, 60))
				r->stride[d] = 1 + random_below(x, t->size[d]);
		}
	} while (torus_region_check(r, t, NULL));
}

static void parse(struct torus *t, const char *machine)
{
	assert_int_equal(torus_parse(t, machine, NULL), 0);
}

static void shared_links_agree_with_walking(void **state)
{
	static const char *const machines[] = { "8x8", "6x4:MT",    "4x4x4",
						"12",  "2x6x4:TMT", "2^5" };
	struct random x = { *(uint64_t *)*state };
	uint32_t rounds = random_effort(20000, 20), pairs = 0, shared = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		static uint64_t la[TORUS_MAX_DIMS][MOST / 64];
		static uint64_t lb[TORUS_MAX_DIMS][MOST / 64];
		uint64_t nodes[MOST / 64] = { 0 };
		struct torus_region a, b;
		struct torus t;
		int along = -1;

		parse(&t, machines[random_below(&x, 6)]);
		random_region(&x, &t, &a);
		random_region(&x, &t, &b);
		torus_region_paint(&a, &t, nodes);
		if (torus_region_touches(&b, &t, nodes))
			continue;
		walk_links(&t, &a, la);
		walk_links(&t, &b, lb);
		for (uint32_t d = 0; d < t.dims; d++) {
			if (!torus_bits_meet(la[d], lb[d], MOST / 64))
				continue;
			assert_int_equal(along, -1); /* only one */
			along = (int)d;
		}
		pairs++;
		shared += along >= 0;
		if (torus_contention_along(&t, &a, &b) != along)
			fail_msg("round %u: %d, expected %d", i,
				 torus_contention_along(&t, &a, &b), along);
	}
	printf("# %u pairs, %u share\n", pairs, shared);
	assert_true(shared > rounds / 200);
}

static const char *const wide[] = { "8x8",        "6x4:MT",    "4x4x4",
				    "12",         "2x6x4:TMT", "2^5",
				    "5x3x7",      "100x2",     "3x4x15",
				    "16x16",      "70x3",      "2x2x2x2x4",
				    "6x10x4:MTT", "130",       "64x4" };

/* Every node of the torus is in the bitmap exactly if it is in the region. */
static void a_region_paints_exactly_its_nodes(void **state)
{
	struct random x = { *(uint64_t *)*state + 3 };

	for (uint32_t i = 0; i < random_effort(20000, 20); i++) {
		uint64_t map[MOST / 64] = { 0 };
		uint32_t offset[TORUS_MAX_DIMS], index, some;
		struct torus_region r;
		struct torus t;

		parse(&t, wide[random_below(&x, sizeof(wide) / sizeof(*wide))]);
		random_region(&x, &t, &r);
		assert_false(torus_region_touches(&r, &t, map));
		torus_region_paint(&r, &t, map);
		for (index = 0; index < MOST; index++)
			assert_int_equal(torus_bits_test(map, index),
					 index < t.nodes &&
						 locate(&r, &t, index, offset));
		assert_true(torus_region_inside(&r, &t, map));
		do
			some = random_below(&x, t.nodes);
		while (!locate(&r, &t, some, offset));
		torus_bits_clear(map, some);
		assert_false(torus_region_inside(&r, &t, map));
		assert_int_equal(torus_region_touches(&r, &t, map),
				 torus_region_nodes(&r, &t) > 1);
		torus_region_erase(&r, &t, map);
		assert_int_equal(torus_bits_count(map, MOST / 64), 0);
	}
}

/* A base is one of torus_comb_bases() exactly if all its nodes are usable. */
static void bases_are_those_with_all_nodes_usable(void **state)
{
	struct random x = { *(uint64_t *)*state + 4 };
	uint64_t a[MOST / 64], b[MOST / 64], usable[MOST / 64];
	uint64_t *const spare[2] = { a, b };
	uint32_t rounds = random_effort(20000, 20), none = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t at[TORUS_MAX_DIMS] = { 0 }, found = 0, d;
		struct torus_region r;
		const uint64_t *free;
		struct torus t;

		parse(&t, wide[random_below(&x, sizeof(wide) / sizeof(*wide))]);
		torus_region_whole(&r, &t);
		for (d = 0; d < t.dims; d++) {
			r.stride[d] = 1 + random_below(&x, t.size[d]);
			while (t.size[d] % r.stride[d])
				r.stride[d]--;
			r.extent[d] = t.size[d] / r.stride[d];
		}
		torus_bits_zero(usable, MOST / 64);
		torus_bits_set_range(usable, 0, t.nodes);
		for (d = random_below(&x, 6); d > 0; d--)
			torus_bits_clear(usable, random_below(&x, t.nodes));
		free = torus_comb_bases(&t, &r, usable, spare);
		do {
			bool inside;

			memcpy(r.base, at, sizeof(at));
			inside = torus_region_inside(&r, &t, usable);
			found += inside;
			if (free)
				assert_int_equal(torus_bits_test(free,
								 torus_index(&t,
									     at)),
						 inside);
			for (d = 0; d < t.dims; d++) {
				if (++at[d] < r.stride[d])
					break;
				at[d] = 0;
			}
		} while (d < t.dims);
		assert_int_equal(free != NULL, found > 0);
		none += !free;
	}
	assert_in_range(none, rounds / 20, rounds / 2);
}

/* Brute force over everything that find_all() lists. */
struct best {
	struct torus_state *s;
	const struct torus_ask *ask;
	bool any;
	int64_t load;
	struct torus_placement place;
};

static bool weigh(void *arg, const struct torus_placement *place)
{
	struct best *b = arg;
	int64_t load = predicted_load(b->s, place, b->ask->now_us,
				      b->ask->end_us - b->ask->now_us, NULL,
				      NULL);

	if (!b->any || load < b->load) {
		b->load = load;
		b->place = *place;
	}
	b->any = true;
	return true;
}

static void ask_random(struct random *x, const struct torus *t, int64_t now,
		       struct torus_ask *ask)
{
	*ask = (struct torus_ask){ .rotate = random_percent(x, 80),
				   .now_us = now,
				   .end_us = now + 1 + random_below(x, 100000) };
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t e = 1 + random_below(x, t->size[d]);

		if (random_percent(x, 70))
			while (t->size[d] % e)
				e--;
		if (e > 1 || !ask->rotate)
			ask->shape.extent[ask->shape.axes++] = e;
	}
	if (ask->shape.axes == 0)
		ask->shape.extent[ask->shape.axes++] = 1;
}

static void one_question(struct random *x, const struct torus_machine *m,
			 struct torus_state *s, int64_t now)
{
	const struct torus *t = &m->pod[0].torus;
	struct torus_placement out;
	struct torus_ask ask;
	struct best b = { .s = s, .ask = &ask };
	enum torus_answer answer;

	ask_random(x, t, now, &ask);
	answer = torus_state_find(s, &ask, &out, NULL);
	torus_state_find_all(s, &ask, weigh, &b);
	assert_int_equal(answer == TORUS_FITS, b.any);
	if (!b.any)
		return;
	assert_true(
		torus_region_inside(&out.region, t, torus_state_free_map(s)));
	if (!torus_region_equal(&out.region, &b.place.region, t))
		fail_msg("not the least loaded, or not the first");
	if (out.granted * 4 <= t->nodes || random_percent(x, 20))
		assert_int_not_equal(torus_state_commit(s, &out, 1, NULL, now,
							ask.end_us, NULL),
				     TORUS_NO_SLOT);
}

static void least_loaded(void **state)
{
	static const char *const machines[] = { "8x8", "4x6x4", "12x6:TM", "16",
						"2x4x4x2" };
	struct random x = { *(uint64_t *)*state + 1 };
	uint32_t rounds = random_effort(2000, 20);

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct torus_machine m = { 0 };
		struct torus_state *s;
		int64_t now = 0;
		struct torus t;

		parse(&t, machines[i]);
		assert_int_equal(torus_machine_init(&m, &t,
						    torus_strategy_find(
							    "subtorus"),
						    NULL, NULL),
				 0);
		s = torus_state_create(&m);
		assert_non_null(s);
		for (uint32_t k = 0; k < rounds; k++) {
			one_question(&x, &m, s, now);
			now += random_below(&x, 20000);
			while (torus_state_holds(s) > 0) {
				uint32_t slot = torus_state_by_end(s, 0);

				if (torus_state_hold(s, slot)->end_us > now)
					break;
				torus_state_release(s, slot, NULL);
			}
		}
		assert_true(torus_state_check(s, NULL));
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

static bool none_shared(const struct torus_state *s, const struct torus *t,
			const struct torus_region *r)
{
	for (uint32_t k = 0; k < torus_state_holds(s); k++) {
		const struct torus_hold *h =
			torus_state_hold(s, torus_state_by_end(s, k));

		if (torus_contention_along(t, r, &h->place.region) >= 0)
			return false;
	}
	return true;
}

struct disjoint {
	struct torus_state *s;
	const struct torus *t;
	bool any;
};

static bool look_disjoint(void *arg, const struct torus_placement *place)
{
	struct disjoint *d = arg;

	d->any |= none_shared(d->s, d->t, &place->region);
	return true;
}

/* Two strategies in one pod cannot be compared (each has its own list), so
 * two states run side by side: one plain, one link-disjoint. */
static void link_disjoint(void **state)
{
	struct torus_options options = {
		.used = 1, .item = { { "link_disjoint", "true" } }
	};
	const struct torus_strategy *subtorus = torus_strategy_find("subtorus");
	struct random x = { *(uint64_t *)*state + 2 };
	struct torus_machine plain = { 0 }, strict = { 0 };
	struct torus_state *a, *b;
	struct torus t;

	parse(&t, "8x6x4");
	assert_int_equal(torus_machine_init(&plain, &t, subtorus, NULL, NULL),
			 0);
	assert_int_equal(torus_machine_init(&strict, &t, subtorus, &options,
					    NULL),
			 0);
	a = torus_state_create(&plain);
	b = torus_state_create(&strict);
	for (uint32_t k = 0; k < random_effort(4000, 20); k++) {
		struct torus_placement out;
		struct torus_ask ask;
		struct disjoint d = { .s = a, .t = &t };
		enum torus_answer answer;

		ask_random(&x, &t, 0, &ask);
		torus_state_find_all(a, &ask, look_disjoint, &d);
		answer = torus_state_find(b, &ask, &out, NULL);
		assert_int_equal(answer == TORUS_FITS, d.any);
		if (answer == TORUS_FITS) {
			assert_true(none_shared(b, &t, &out.region));
			torus_state_commit(a, &out, k, NULL, 0, k, NULL);
			torus_state_commit(b, &out, k, NULL, 0, k, NULL);
		}
		while (torus_state_holds(a) > 0 && random_percent(&x, 40)) {
			uint32_t i = random_below(&x, torus_state_holds(a));

			torus_state_release(a, torus_state_by_end(a, i), NULL);
			torus_state_release(b, torus_state_by_end(b, i), NULL);
		}
	}
	torus_state_destroy(a);
	torus_state_destroy(b);
	torus_machine_free(&plain);
	torus_machine_free(&strict);
}

/* Return the lowest a so that all nodes with each coordinate in a .. a + side - 1 are
 * usable and, with `all`, how many such a there are; the torus's size if there is none. */
static uint32_t diagonal_brute(const struct torus *t, const uint64_t *usable,
			       uint32_t side, uint32_t *all)
{
	uint32_t low = t->size[0];

	*all = 0;
	for (uint32_t a = t->size[0] + 1 - side; a-- > 0;) {
		bool free = true;

		for (uint32_t i = 0; i < t->nodes; i++) {
			uint32_t at[TORUS_MAX_DIMS];
			bool inside = true;

			torus_coord(t, i, at);
			for (uint32_t d = 0; d < t->dims; d++)
				inside &= at[d] >= a && at[d] < a + side;
			free &= !inside || torus_bits_test(usable, i);
		}
		low = free ? a : low;
		*all += free;
	}
	return low;
}

/* Ask for a square of the diagonal, for a count, or for what it does not serve. Return
 * the side by the definitions, 0 for never. */
static uint32_t diagonal_ask(struct random *x, const struct torus *t,
			     struct torus_ask *ask)
{
	uint32_t side = 1 + random_below(x, t->size[0] + 1), most = 1;
	bool ring = random_percent(x, 20), closed;

	*ask = (struct torus_ask){ .rotate = random_percent(x, 50),
				   .by_count = random_percent(x, 40),
				   .end_us = 1 };
	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		ask->connection[d] = ring ? TORUS_CONN_TORUS : TORUS_CONN_NAV;
	if (ask->by_count) {
		ask->count = 1 + random_below(x, t->nodes + 2);
		for (side = 0; most < ask->count || side == 0;) {
			most = 1;
			side++;
			for (uint32_t d = 0; d < t->dims; d++)
				most *= side;
		}
	} else {
		ask->shape.axes = side == 1 && ask->rotate ? 1 : t->dims;
		for (uint32_t d = 0; d < ask->shape.axes; d++)
			ask->shape.extent[d] = side;
		if (ask->shape.axes > 1 && random_percent(x, 15)) {
			ask->shape.extent[1] += 1;
			return 0;
		}
	}
	closed = side <= 2;
	if (!closed && side == t->size[0]) {
		closed = true;
		for (uint32_t d = 0; d < t->dims; d++)
			closed &= t->wrap[d];
	}
	return side > t->size[0] || (ring && !closed) ? 0 : side;
}

static bool count_places(void *arg, const struct torus_placement *place)
{
	(void)place;
	++*(uint32_t *)arg;
	return true;
}

static void the_diagonal_gives_the_lowest_free_interval(void **state)
{
	static const char *const machines[] = { "8x8", "5x5:MM", "4x4x4",
						"6x6:TM", "3x3x3x3" };
	const struct torus_strategy *diagonal = torus_strategy_find(
		"subtorus-diagonal");
	struct random x = { *(uint64_t *)*state + 5 };
	uint32_t found = 0, full = 0, never = 0;

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct torus_machine m = { 0 };
		struct torus_state *s;
		struct torus t;

		parse(&t, machines[i]);
		assert_int_equal(torus_machine_init(&m, &t, diagonal, NULL,
						    NULL),
				 0);
		s = torus_state_create(&m);
		for (uint32_t k = 0; k < random_effort(1000, 20); k++) {
			uint32_t side, low, all, listed = 0;
			struct torus_placement out;
			struct torus_ask ask;
			enum torus_answer answer;

			side = diagonal_ask(&x, &t, &ask);
			answer = torus_state_find(s, &ask, &out, NULL);
			assert_int_equal(answer == TORUS_NEVER, side == 0);
			torus_state_find_all(s, &ask, count_places, &listed);
			never += side == 0;
			if (!side) {
				assert_int_equal(listed, 0);
				continue;
			}
			low = diagonal_brute(&t, torus_state_free_map(s), side,
					     &all);
			assert_int_equal(listed, all);
			assert_int_equal(answer,
					 all ? TORUS_FITS : TORUS_NOT_NOW);
			full += !all;
			if (all) {
				for (uint32_t d = 0; d < t.dims; d++) {
					assert_int_equal(out.region.base[d],
							 low);
					assert_int_equal(out.region.extent[d],
							 side);
					assert_int_equal(out.region.stride[d],
							 1);
				}
				assert_true(none_shared(s, &t, &out.region));
				torus_state_commit(s, &out, k, NULL, 0, k, NULL);
				found++;
			}
			while (torus_state_holds(s) > 0 &&
			       random_percent(&x, 45))
				torus_state_release(
					s,
					torus_state_by_end(s,
							   random_below(&x,
									torus_state_holds(
										s))),
					NULL);
		}
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
	printf("# %u places, %u times none free, %u never\n", found, full,
	       never);
	assert_true(random_wanted("TORUS_TEST_SHORT") ||
		    (found > 100 && full > 100 && never > 100));
}

int main(void)
{
	uint64_t seed = random_seed("prop_subtorus");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(shared_links_agree_with_walking,
					  &seed),
		cmocka_unit_test_prestate(a_region_paints_exactly_its_nodes,
					  &seed),
		cmocka_unit_test_prestate(bases_are_those_with_all_nodes_usable,
					  &seed),
		cmocka_unit_test_prestate(least_loaded, &seed),
		cmocka_unit_test_prestate(link_disjoint, &seed),
		cmocka_unit_test_prestate(the_diagonal_gives_the_lowest_free_interval,
					  &seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
