/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The look-ahead (placement/submesh/lookahead.h) on random machines of 1 to 4 dimensions
 * with random holds and closed nodes: its delay is the one that comes out when
 * every large box is tried at every base after each end.
 */
#include "placement/submesh/lookahead.h"
#include "workload.h"

#define HOLDS 24
#define FEW 6  /* so that a place is left */
#define ENDS 8 /* that are looked at */

struct ahead_case {
	struct torus t;
	struct torus_region region[HOLDS + 1]; /* the last: the place */
	struct torus_near near[HOLDS + 1];
	uint32_t n;
	uint64_t usable[WORKLOAD_WORDS];
};

/* A free box, taken from the usable nodes; false: the one drawn is not free. */
static bool take_box(struct random *r, struct ahead_case *c,
		     struct torus_region *box)
{
	const struct torus *t = &c->t;

	torus_region_whole(box, t);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t room = t->size[d];

		box->extent[d] = 1 + random_below(r, (room + 1) / 2);
		if (!t->wrap[d])
			room -= box->extent[d] - 1;
		box->base[d] = box->extent[d] == t->size[d] ?
				       0 :
				       random_below(r, room);
	}
	if (!torus_region_inside(box, t, c->usable))
		return false;
	torus_region_erase(box, t, c->usable);
	return true;
}

static void draw_case(struct random *r, struct ahead_case *c, uint32_t holds)
{
	int64_t end_us = 0;

	workload_draw_torus(r, &c->t);
	torus_bits_set_range(c->usable, 0, c->t.nodes);
	while (c->n < holds && random_percent(r, 90)) {
		if (!take_box(r, c, &c->region[c->n]))
			continue;
		end_us += random_below(r, 3) * 10;
		c->near[c->n].region = &c->region[c->n];
		c->near[c->n].end_us = random_percent(r, 5) ? INT64_MAX : end_us;
		if (c->near[c->n++].end_us == INT64_MAX)
			break;
	}
	for (uint32_t i = 0; i < c->t.nodes && random_percent(r, 20); i++)
		torus_bits_clear(c->usable, random_below(r, c->t.nodes));
}

/* Does a box with these extents, turned in any way, lie within the nodes? */
static bool turned_fits(const struct torus *t, const uint64_t *nodes,
			uint32_t *extent, uint32_t d)
{
	struct torus_region box;

	torus_region_whole(&box, t);
	memcpy(box.extent, extent, t->dims * sizeof(*extent));
	for (uint32_t i = 0; d == t->dims && i < t->nodes; i++) {
		bool inside = true;

		torus_coord(t, i, box.base);
		for (uint32_t k = 0; k < d; k++)
			inside &= t->wrap[k] ||
				  box.base[k] + extent[k] <= t->size[k];
		if (inside && torus_region_inside(&box, t, nodes))
			return true;
	}
	for (uint32_t i = d; i < t->dims; i++) {
		uint32_t e = extent[i];
		bool fits;

		if (e > t->size[d])
			continue;
		extent[i] = extent[d];
		extent[d] = e;
		fits = turned_fits(t, nodes, extent, d + 1);
		extent[d] = extent[i];
		extent[i] = e;
		if (fits)
			return true;
	}
	return false;
}

/* Nodes of the classes that do not fit: of ascending extents from d on. */
static uint32_t nodes_left(const struct torus *t, const uint64_t *nodes,
			   uint32_t *extent, uint32_t d)
{
	static const uint64_t all[WORKLOAD_WORDS] = { ~0ull, ~0ull, ~0ull,
						      ~0ull };
	uint32_t sum = 0, volume = 1;

	if (d == t->dims) {
		for (uint32_t i = 0; i < d; i++)
			volume *= extent[i];
		if (volume < (t->nodes + 4) / 5 ||
		    !turned_fits(t, all, extent, 0) ||
		    turned_fits(t, nodes, extent, 0))
			return 0;
		return volume;
	}
	for (uint32_t e = d ? extent[d - 1] : 1; d < TORUS_MAX_DIMS && e <= 20;
	     e++) {
		extent[d] = e;
		sum += nodes_left(t, nodes, extent, d + 1);
	}
	return sum;
}

static int64_t naive_delay(struct ahead_case *c)
{
	const struct torus_near *place = &c->near[HOLDS];
	uint64_t nodes[WORKLOAD_WORDS];
	uint32_t extent[TORUS_MAX_DIMS], ends = 0;
	int64_t sum = 0, now = 0;
	bool taken = true;

	memcpy(nodes, c->usable, sizeof(nodes));
	torus_region_erase(place->region, &c->t, nodes);
	for (uint32_t k = 0; k < c->n || taken;) {
		bool mine = taken &&
			    (k == c->n || place->end_us <= c->near[k].end_us);
		const struct torus_near *next = mine ? place : &c->near[k];

		if (next->end_us == INT64_MAX)
			break;
		if (next->end_us > now) {
			if (ends++ == ENDS)
				break;
			sum += (next->end_us - now) *
			       nodes_left(&c->t, nodes, extent, 0);
			now = next->end_us;
		}
		torus_region_paint(next->region, &c->t, nodes);
		taken &= !mine;
		k += !mine;
	}
	return sum;
}

static void look_ahead_agrees_with_brute_force(void **state)
{
	struct random r = { random_seed("prop_lookahead") };
	uint32_t cases = random_effort(150, 100), judged = 0;

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		struct ahead_case c = { 0 };
		struct torus_near *place = &c.near[HOLDS];
		struct torus_lookahead *l;

		draw_case(&r, &c, FEW);
		l = torus_lookahead_create(&c.t);
		assert_non_null(l);
		place->region = &c.region[HOLDS];
		place->end_us = random_below(&r, 10) * 10;
		for (int k = 0; k < 5; k++) {
			uint64_t usable[WORKLOAD_WORDS];

			memcpy(usable, c.usable, sizeof(usable));
			if (!torus_lookahead_begin(l, usable, 0, c.near, c.n) ||
			    !take_box(&r, &c, &c.region[HOLDS]))
				continue;
			memcpy(c.usable, usable, sizeof(usable));
			assert_int_equal(torus_lookahead_delay(l, place,
							       INT64_MAX),
					 naive_delay(&c));
			judged++;
		}
		torus_lookahead_destroy(l);
	}
	assert_true(judged > cases / 2);
}

/* Draw some of the case's holds, those of the last draw with one more or less in most
 * cases. */
static uint32_t draw_holds(struct random *r, const struct ahead_case *c,
			   bool *drawn, struct torus_near *near)
{
	uint32_t n = 0;

	if (c->n && random_percent(r, 80)) {
		uint32_t k = random_below(r, c->n);

		drawn[k] = !drawn[k];
	} else {
		for (uint32_t k = 0; k < c->n; k++)
			drawn[k] = random_percent(r, 50);
	}
	for (uint32_t k = 0; k < c->n; k++)
		if (drawn[k])
			near[n++] = c->near[k];
	return n;
}

/* Earlier searches change nothing: with any of the holds, at any time, with and
 * without closed nodes, a used look-ahead judges what a new one judges. */
static void a_used_look_ahead_judges_as_a_new_one(void **state)
{
	struct random r = { random_seed("prop_lookahead used") };
	uint32_t cases = random_effort(40, 10), judged = 0;

	(void)state;
	for (uint32_t i = 0; i < cases; i++) {
		struct ahead_case c = { 0 };
		struct torus_lookahead *used;
		bool drawn[HOLDS] = { false };

		draw_case(&r, &c, HOLDS);
		used = torus_lookahead_create(&c.t);
		assert_non_null(used);
		for (int k = 0; k < 500; k++) {
			struct torus_lookahead *new = torus_lookahead_create(
				&c.t);
			struct torus_near near[HOLDS];
			uint32_t n = draw_holds(&r, &c, drawn, near);
			const uint64_t *usable = random_percent(&r, 30) ?
							 c.usable :
							 NULL;
			int64_t now = random_below(&r, 3) * 10;
			struct torus_near place = {
				.region = &c.region[random_below(&r, c.n + 1)],
				.end_us = random_below(&r, 10) * 10
			};
			bool judges;

			assert_non_null(new);
			judges = torus_lookahead_begin(new, usable, now, near,
						       n);
			assert_int_equal(torus_lookahead_begin(used, usable,
							       now, near, n),
					 judges);
			if (judges && place.region->extent[0]) {
				assert_int_equal(torus_lookahead_delay(used,
								       &place,
								       INT64_MAX),
						 torus_lookahead_delay(new,
								       &place,
								       INT64_MAX));
				judged++;
			}
			torus_lookahead_destroy(new);
		}
		torus_lookahead_destroy(used);
	}
	assert_true(judged > 100 * cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look_ahead_agrees_with_brute_force),
		cmocka_unit_test(a_used_look_ahead_judges_as_a_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? EXIT_FAILURE :
							   EXIT_SUCCESS;
}
