/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mohapatra, section 2.2: the buddy sub-cubes, as far as they are about
 * places: the lowest j whose nodes j 2^k .. (j+1) 2^k - 1 are free. The places
 * of Table 1 at the times at which they start.
 */
#include "torus/state_find.h"
#include "../unit/unit.h"

struct cube {
	struct torus_machine m;
	struct torus_state *s;
};

static void setup(struct cube *c, const char *string)
{
	c->m = unit_machine(string, "subcube-buddy");
	c->s = torus_state_create(&c->m);
	assert_non_null(c->s);
}

static void teardown(struct cube *c)
{
	assert_true(torus_state_check(c->s, NULL));
	torus_state_destroy(c->s);
	torus_machine_free(&c->m);
}

/* Start a job; its nodes as text "0-3". */
static const char *start(struct cube *c, uint32_t n, uint32_t *slot)
{
	static char text[32];
	struct torus_ask ask = unit_count(n, 'T');
	struct torus_placement out;
	uint64_t map[4] = { 0 };
	uint32_t first;

	if (torus_state_find(c->s, &ask, &out, NULL) != TORUS_FITS)
		return "none";
	*slot = torus_state_commit(c->s, &out, n, NULL, 0, 1, NULL);
	assert_int_not_equal(*slot, TORUS_NO_SLOT);
	torus_placement_paint(&c->m, &out, map);
	first = torus_bits_next(map, 4, 0);
	assert_true(torus_bits_all_range(map, first, out.granted));
	assert_int_equal(torus_bits_count(map, 4), out.granted);
	assert_int_equal(first % out.granted, 0);
	snprintf(text, sizeof(text), "%u-%u", first, first + out.granted - 1);
	return text;
}

/* Table 1: J1 [0..3], J2 [8..15]; when J1 has ended J3 [0..7]. A job of 4
 * beside J1 and J2 gets [4..7], as J4 does under DEDF. */
static void table1_is_reproduced(void **state)
{
	uint32_t j1, other;
	struct cube c;

	(void)state;
	setup(&c, "2^4");
	assert_string_equal(start(&c, 4, &j1), "0-3");
	assert_string_equal(start(&c, 8, &other), "8-15");
	assert_string_equal(start(&c, 8, &other), "none");
	assert_string_equal(start(&c, 4, &other), "4-7");
	torus_state_release(c.s, other, NULL);
	torus_state_release(c.s, j1, NULL);
	assert_string_equal(start(&c, 8, &other), "0-7");
	teardown(&c);
}

/* Counts go to powers of two; only aligned sub-cubes are seen. */
static void aligned_only(void **state)
{
	uint32_t slot[16], unused;
	struct cube c;

	(void)state;
	setup(&c, "2^4");
	assert_string_equal(start(&c, 5, &unused), "0-7");
	assert_string_equal(start(&c, 3, &unused), "8-11");
	for (int i = 0; i < 4; i++)
		start(&c, 1, &slot[i]);
	/* 12 and 14 are a sub-cube, but not an aligned one */
	torus_state_release(c.s, slot[0], NULL);
	torus_state_release(c.s, slot[2], NULL);
	assert_string_equal(start(&c, 2, &unused), "none");
	torus_state_release(c.s, slot[1], NULL);
	assert_string_equal(start(&c, 2, &unused), "12-13");
	teardown(&c);
}

/* The complete search is the registry's `subcube`, which is submesh. */
static void complete_alias(void **state)
{
	struct torus_ask ask = unit_shape("2", NULL, true);
	struct torus_placement out;
	uint64_t allowed = 1u << 12 | 1u << 14;
	struct cube c;

	(void)state;
	assert_ptr_equal(torus_strategy_find("subcube"),
			 torus_strategy_find("submesh"));
	c.m = unit_machine("2^4", "subcube");
	assert_int_equal(torus_machine_allow(&c.m, 0,
					     unit_strategy("subcube-buddy"),
					     NULL),
			 0);
	c.s = torus_state_create(&c.m);
	ask.allowed = &allowed;
	ask.strategy = "subcube";
	assert_int_equal(torus_state_find(c.s, &ask, &out, NULL), TORUS_FITS);
	ask.strategy = "subcube-buddy";
	assert_int_equal(torus_state_find(c.s, &ask, &out, NULL), TORUS_NOT_NOW);
	teardown(&c);
}

static void shapes_are_aligned_sub_cubes(void **state)
{
	static const struct {
		const char *shape;
		bool rotate;
		enum torus_answer answer;
		const char *region, *orientation;
	} row[] = {
		{ "2x2", true, TORUS_FITS, "torus:0,0,0,0+2x2x1x1", "0,1,-,-" },
		{ "1", true, TORUS_FITS, "torus:0,0,0,0+1x1x1x1", "-,-,-,-" },
		{ "2x2x1x1", false, TORUS_FITS, "torus:0,0,0,0+2x2x1x1",
		  "0,1,2,3" },
		{ "2x2", false, TORUS_FITS, "torus:0,0,0,0+2x2x1x1", "0,1,-,-" },
		{ "1x2", false, TORUS_NEVER, NULL, NULL },
		{ "4x2", true, TORUS_NEVER, NULL, NULL },
		{ "2x2x2x2x2", true, TORUS_NEVER, NULL, NULL },
		{ "2x2x2x2x1", false, TORUS_NEVER, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_ask ask = unit_shape(row[i].shape, NULL,
						  row[i].rotate);
		struct torus_error err = { 0 };
		struct torus_placement out;
		struct cube c;

		setup(&c, "2^4");
		assert_int_equal(torus_state_find(c.s, &ask, &out, &err),
				 row[i].answer);
		assert_int_equal(err.count, row[i].answer == TORUS_NEVER);
		if (row[i].answer == TORUS_FITS) {
			const struct torus *t = &c.m.pod[0].torus;

			assert_string_equal(unit_region(t, &out), row[i].region);
			assert_string_equal(unit_orientation(t,
							     &out.orientation),
					    row[i].orientation);
			assert_int_equal(out.axes, ask.shape.axes);
			assert_int_equal(out.ring, (1u << out.axes) - 1);
		}
		teardown(&c);
	}
}

/* Expected failures: no hypercube; too many nodes. */
static void other_machines_and_counts_are_refused(void **state)
{
	static const char *const machine[] = { "3x3", "2x2x4", "4", "flat:4",
					       "1x2" };
	const struct torus_strategy *s = unit_strategy("subcube-buddy");
	struct torus_options none = { 0 };
	struct torus_placement out;
	struct torus_ask ask = unit_count(17, 'N');
	struct cube c;

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		struct torus t = unit_torus(machine[i]);
		struct torus_error err = { 0 };

		assert_int_equal(torus_strategy_supports(s, &t, &none, &err),
				 -1);
		assert_non_null(strstr(err.text, "hypercube"));
	}
	setup(&c, "2^4");
	assert_int_equal(torus_state_find(c.s, &ask, &out, NULL), TORUS_NEVER);
	teardown(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table1_is_reproduced),
		cmocka_unit_test(aligned_only),
		cmocka_unit_test(complete_alias),
		cmocka_unit_test(shapes_are_aligned_sub_cubes),
		cmocka_unit_test(other_machines_and_counts_are_refused),
	};

	return UNIT_RUN(tests);
}
