/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie: prohibited regions (section
 * III), turning and the example of Fig. 5 (section IV). What the paper says
 * of bases is asked base by base: with only the nodes of one sub-mesh
 * allowed, a request fits iff its base is not prohibited. Which free base is
 * taken is open.
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "../unit/unit.h"

struct mesh {
	struct torus_machine m;
	struct torus_state *s;
};

static void setup(struct mesh *x, const char *string, const char *strategy)
{
	x->m = unit_machine(string, strategy);
	x->s = torus_state_create(&x->m);
	assert_non_null(x->s);
}

static void teardown(struct mesh *x)
{
	assert_true(torus_state_check(x->s, NULL));
	torus_state_destroy(x->s);
	torus_machine_free(&x->m);
}

/* Allocate a sub-mesh given as text. */
static void allocate(struct mesh *x, const char *text)
{
	struct torus_placement place = { 0 };
	bool scattered;

	assert_int_equal(torus_region_parse(&place.region, &scattered, NULL,
					    &x->m.pod[0].torus, text, NULL),
			 0);
	place.granted = torus_region_nodes(&place.region, &x->m.pod[0].torus);
	assert_int_not_equal(torus_state_commit(x->s, &place, 1, NULL, 0, 1,
						NULL),
			     TORUS_NO_SLOT);
}

/* Can the request, unturned, have its base there? */
static bool base_fits(struct mesh *x, const char *shape, uint32_t bx,
		      uint32_t by, uint32_t bz)
{
	struct torus_ask ask = unit_shape(shape, NULL, false);
	const struct torus *t = &x->m.pod[0].torus;
	struct torus_placement out;
	uint64_t allowed[8] = { 0 };
	struct torus_region r;

	torus_region_whole(&r, t);
	memcpy(r.extent, ask.shape.extent, 3 * sizeof(*r.extent));
	r.base[0] = bx;
	r.base[1] = by;
	r.base[2] = bz;
	if (torus_region_check(&r, t, NULL))
		return false;
	torus_region_paint(&r, t, allowed);
	ask.allowed = allowed;
	if (torus_state_find(x->s, &ask, &out, NULL) != TORUS_FITS)
		return false;
	assert_true(torus_region_equal(&out.region, &r, t));
	return true;
}

/* Section III: J(2,2,2) against (1,1,0,2,2,1): region (0,0,0,2,2,1). */
static void prohibited_region(void **state)
{
	static const char *const strategy[] = { "submesh-tbl", "submesh-bl",
						"submesh-tff", "submesh-ff" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct mesh x;

		setup(&x, "5x5x5:MMM", strategy[i]);
		allocate(&x, "1,1,0+2x2x2");
		for (uint32_t b = 0; b < 64; b++) {
			uint32_t bx = b % 4, by = b / 4 % 4, bz = b / 16;

			assert_int_equal(base_fits(&x, "2x2x2", bx, by, bz),
					 !(bx <= 2 && by <= 2 && bz <= 1));
		}
		teardown(&x);
	}
}

static enum torus_answer ask_for(struct mesh *x, const char *shape, bool rotate,
				 struct torus_placement *out)
{
	struct torus_ask ask = unit_shape(shape, NULL, rotate);

	if (rotate)
		torus_ask_drop_ones(&ask);
	return torus_state_find(x->s, &ask, out, NULL);
}

/* Section IV: on a 3x3x2 mesh after 2x3x2, 3x2x1 fits as 1x3x2 only. */
static void only_turning_finds_the_place(void **state)
{
	struct torus_placement out;
	struct mesh x;

	(void)state;
	for (int first_fit = 0; first_fit < 2; first_fit++) {
		setup(&x, "3x3x2:MMM",
		      first_fit ? "submesh-tff" : "submesh-tbl");
		allocate(&x, "0,0,0+2x3x2");
		assert_int_equal(ask_for(&x, "3x2x1", true, &out), TORUS_FITS);
		assert_string_equal(unit_region(&x.m.pod[0].torus, &out),
				    "torus:2,0,0+1x3x2");
		assert_int_equal(ask_for(&x, "3x2x1", false, &out),
				 TORUS_NOT_NOW);
		teardown(&x);
		setup(&x, "3x3x2:MMM", first_fit ? "submesh-ff" : "submesh-bl");
		allocate(&x, "0,0,0+2x3x2");
		assert_int_equal(ask_for(&x, "3x2x1", true, &out),
				 TORUS_NOT_NOW);
		teardown(&x);
	}
}

/* Section IV: orientations abc acb bac bca cab cba, the first that fits. */
static void turning_order(void **state)
{
	static const struct {
		const char *mesh, *extents;
	} row[] = {
		{ "9x9x9:MMM", "+2x3x4" }, { "9x4x3:MMM", "+2x4x3" },
		{ "3x2x9:MMM", "+3x2x4" }, { "9x9x2:MMM", "+3x4x2" },
		{ "4x2x3:MMM", "+4x2x3" }, { "4x3x2:MMM", "+4x3x2" },
		{ "4x4x3:MMM", "+2x4x3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_placement out;
		struct mesh x;

		setup(&x, row[i].mesh, "submesh-tbl");
		assert_int_equal(ask_for(&x, "2x3x4", true, &out), TORUS_FITS);
		assert_string_equal(strchr(unit_region(&x.m.pod[0].torus, &out),
					   '+'),
				    row[i].extents);
		teardown(&x);
	}
}

/* Section IV, Fig. 5: 4x4x4 mesh; 2x4x4 lies at (0,0,0,1,3,3). For 2x1x2 b_0's
 * plane (0,0,0,0,3,3) is clipped to (0,0,0,0,3,2) and nothing is left of it;
 * b_1's (2,0,0,2,3,3) is clipped to (2,0,0,2,3,2), which is all free: any of
 * its nodes may be the base, and (2,0,0) gives the sub-mesh (2,0,0,3,0,1). The third
 * request, 1x2x1, lies as typed, too. */
static void fig5_is_reproduced_step_by_step(void **state)
{
	struct torus_placement out;
	struct mesh x;

	(void)state;
	setup(&x, "4x4x4:MMM", "submesh-tbl");
	assert_int_equal(ask_for(&x, "2x4x4", false, &out), TORUS_FITS);
	allocate(&x, "0,0,0+2x4x4");
	for (uint32_t b = 0; b < 64; b++) {
		uint32_t bx = b % 4, by = b / 4 % 4, bz = b / 16;

		assert_int_equal(base_fits(&x, "2x1x2", bx, by, bz),
				 bx == 2 && bz <= 2);
	}
	assert_int_equal(ask_for(&x, "2x1x2", true, &out), TORUS_FITS);
	assert_string_equal(strchr(unit_region(&x.m.pod[0].torus, &out), '+'),
			    "+2x1x2");
	assert_int_equal(out.region.base[0], 2);
	assert_true(out.region.base[2] <= 2);
	allocate(&x, strchr(unit_region(&x.m.pod[0].torus, &out), ':') + 1);
	assert_int_equal(ask_for(&x, "1x2x1", true, &out), TORUS_FITS);
	assert_string_equal(strchr(unit_region(&x.m.pod[0].torus, &out), '+'),
			    "+1x2x1");
	teardown(&x);
}

/* Sides of 1 keep their dimension without turning. */
static void ones_without_turning(void **state)
{
	static const char *const strategy[] = { "submesh-bl", "submesh-ff" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct torus_placement out;
		struct mesh x;

		setup(&x, "4x8x4:MMM", strategy[i]);
		assert_int_equal(ask_for(&x, "1x8x1", true, &out), TORUS_FITS);
		assert_string_equal(unit_region(&x.m.pod[0].torus, &out),
				    "torus:0,0,0+1x8x1");
		assert_int_equal(out.orientation.axis[1], 0);
		assert_int_equal(ask_for(&x, "1x1x8", true, &out), TORUS_NEVER);
		assert_int_equal(ask_for(&x, "1x1x1", true, &out), TORUS_FITS);
		teardown(&x);
		/* another number of axes than dimensions: 1s do not count */
		setup(&x, "4x8x4:MMM", strategy[i]);
		assert_int_equal(ask_for(&x, "1x4", true, &out), TORUS_FITS);
		assert_string_equal(unit_region(&x.m.pod[0].torus, &out),
				    "torus:0,0,0+4x1x1");
		teardown(&x);
	}
}

/* The busy list stays in the order of allocation when a sub-mesh leaves it. */
static void release_keeps_order(void **state)
{
	struct torus_text text = { 0 };
	struct mesh x;

	(void)state;
	setup(&x, "4x4x4:MMM", "submesh-tbl");
	allocate(&x, "0,0,0+1x4x4");
	allocate(&x, "1,0,0+1x4x4");
	allocate(&x, "2,0,0+1x4x4");
	allocate(&x, "3,0,0+1x4x4");
	torus_state_release(x.s, 0, NULL);
	assert_int_equal(torus_state_save(x.s, &text), 0);
	assert_non_null(strstr(text.data, "1+1x4x4 2+1x4x4 3+1x4x4"));
	torus_text_free(&text);
	teardown(&x);
}

/* With wrap nothing is clipped: planes are taken modulo the side. */
static void planes_wrap_around_the_torus(void **state)
{
	struct mesh x;

	(void)state;
	setup(&x, "4x4x4", "submesh-tbl");
	allocate(&x, "1,0,0+2x4x4");
	/* 3 and 0 of the first dimension are neighbours */
	for (uint32_t b = 0; b < 64; b++)
		assert_int_equal(base_fits(&x, "2x1x2", b % 4, b / 4 % 4,
					   b / 16),
				 b % 4 == 3);
	teardown(&x);
}

/* Expected failures. */
static void impossible_shapes_are_refused(void **state)
{
	static const char *const strategy[] = { "submesh-tbl", "submesh-bl",
						"submesh-tff", "submesh-ff" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct torus_strategy *s = unit_strategy(strategy[i]);
		struct torus four = unit_torus("2x2x2x2");
		struct torus flat = unit_torus("flat:9");
		struct torus_options none = { 0 };
		struct torus_placement out;
		struct mesh x;

		assert_int_equal(torus_strategy_supports(s, &four, &none, NULL),
				 -1);
		assert_int_equal(torus_strategy_supports(s, &flat, &none, NULL),
				 -1);
		setup(&x, "4x3x2:MMM", strategy[i]);
		assert_int_equal(ask_for(&x, "5x1x1", true, &out), TORUS_NEVER);
		assert_int_equal(ask_for(&x, "2x3x4", true, &out),
				 i % 2 ? TORUS_NEVER : TORUS_FITS);
		teardown(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prohibited_region),
		cmocka_unit_test(only_turning_finds_the_place),
		cmocka_unit_test(turning_order),
		cmocka_unit_test(fig5_is_reproduced_step_by_step),
		cmocka_unit_test(ones_without_turning),
		cmocka_unit_test(release_keeps_order),
		cmocka_unit_test(planes_wrap_around_the_torus),
		cmocka_unit_test(impossible_shapes_are_refused),
	};

	return UNIT_RUN(tests);
}
