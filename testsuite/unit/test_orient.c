/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orientations: distinct ones only, in lexicographic order of their text. */
#include "unit.h"

#include "placement/orient.h"

static const struct {
	const char *torus, *shape, *letters;
	bool rotate;
	const char *want; /* orientations joined by blanks */
} row[] = {
	{ "4x4x4", "2x2x2", NULL, true, "0,1,2" },
	{ "4x4x4", "4x2", NULL, true, "-,0,1 -,1,0 0,-,1 0,1,- 1,-,0 1,0,-" },
	{ "4x4x4", "2x2", NULL, true, "-,0,1 0,-,1 0,1,-" },
	{ "4x4x4", "4x3x2", NULL, true, "0,1,2 0,2,1 1,0,2 1,2,0 2,0,1 2,1,0" },
	{ "4x4x4", "2x4x2", NULL, true, "0,1,2 0,2,1 1,0,2" },
	{ "4x4x4", "4", NULL, true, "-,-,0 -,0,- 0,-,-" },
	{ "4x4x4", "1", NULL, true, "-,-,-" },
	{ "1", "1", NULL, true, "-" },
	{ "4x2x3", "3x2", NULL, true, "-,1,0 0,-,1 0,1,- 1,-,0" },
	{ "4x2x3", "4x3x2", NULL, true, "0,2,1" },
	{ "4x1x3", "2x2x2", NULL, true, "" },
	{ "4x4", "5x2", NULL, true, "" },
	{ "4x4", "2x2x2", NULL, true, "" },
	{ "8x8x2", "4x4x4", NULL, true, "" },
	/* letters: T needs a ring; unequal letters make equal axes distinct */
	{ "4x8", "4x2", "TN", true, "0,1" },
	{ "8x4", "4x2", "TN", true, "1,0" },
	{ "8x8", "4x2", "TN", true, "" },
	{ "4x4:MT", "4x2", "TN", true, "1,0" },
	{ "4x4:MM", "4x2", "TN", true, "" },
	{ "4x4:MM", "2x2", "TT", true, "0,1" },
	{ "4x4", "3x3", "NM", true, "0,1 1,0" },
	{ "4x4", "3x3", "MM", true, "0,1" },
	{ "4x4x4", "2x2x3", "NNM", true, "0,1,2 0,2,1 2,0,1" },
	{ "4x8", "4x4", "NT", true, "1,0" },
	/* pinned */
	{ "4x4x4", "2x1x2", NULL, false, "0,1,2" },
	{ "4x4x4", "2x2", NULL, false, "0,1,-" },
	{ "2x4", "4x2", NULL, false, "" },
	{ "4x8", "4x4", "NT", false, "" },
	{ "4x8", "4x4", "TN", false, "0,1" },
	{ "4x4", "1x1", NULL, false, "0,1" },
};

struct list {
	const struct torus *t;
	char text[512];
	uint32_t n, most;
};

static bool add(void *arg, const struct torus_orientation *o)
{
	struct list *l = arg;

	assert_false(o->folded);
	for (uint32_t d = l->t->dims; d < TORUS_MAX_DIMS; d++)
		assert_int_equal(o->axis[d], -1);
	if (l->text[0])
		strcat(l->text, " ");
	strcat(l->text, unit_orientation(l->t, o));
	return ++l->n < l->most;
}

static void orientations_are_listed_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus t = unit_torus(row[i].torus);
		struct torus_ask ask = unit_shape(row[i].shape, row[i].letters,
						  row[i].rotate);
		struct list l = { .t = &t, .most = UINT32_MAX };

		assert_true(torus_orient_each(&t, &ask, add, &l));
		if (strcmp(l.text, row[i].want) != 0)
			fail_msg("%s on %s: got %s, expected %s", row[i].shape,
				 row[i].torus, l.text, row[i].want);
	}
}

static void a_visitor_can_stop_the_list(void **state)
{
	struct torus t = unit_torus("4x4x4");
	struct torus_ask ask = unit_shape("4x3x2", NULL, true);
	struct list l = { .t = &t, .most = 2 };

	(void)state;
	assert_false(torus_orient_each(&t, &ask, add, &l));
	assert_string_equal(l.text, "0,1,2 0,2,1");
}

static void eight_axes(void **state)
{
	struct torus t = unit_torus("9^7");
	struct torus_ask ask = unit_shape("2x3x4x5x6x7x8", NULL, true);
	struct torus big = unit_torus("2^8");
	struct list l = { .t = &t, .most = 3 };

	(void)state;
	torus_orient_each(&t, &ask, add, &l);
	assert_string_equal(l.text, "0,1,2,3,4,5,6 0,1,2,3,4,6,5 0,1,2,3,5,4,6");
	ask = unit_shape("2x2x2x2x2x2x2x2", NULL, true);
	l = (struct list){ .t = &big, .most = UINT32_MAX };
	assert_true(torus_orient_each(&big, &ask, add, &l));
	assert_string_equal(l.text, "0,1,2,3,4,5,6,7");
}

static void a_region_is_finished_with_its_rings(void **state)
{
	struct torus t = unit_torus("4x8x8:TTM");
	struct torus_ask ask = unit_shape("3x4x8", NULL, true);
	struct torus_placement place = { .orientation = { .axis = { 1, 0, 2 } } };

	(void)state;
	torus_region_whole(&place.region, &t);
	place.region.extent[1] = 3;
	torus_orient_finish(&t, &ask, &place);
	assert_int_equal(place.granted, 96);
	assert_int_equal(place.axes, 3);
	assert_int_equal(place.ring, 1 << 1); /* axis 1 covers dimension 0 */
}

/* Why NEVER: names the shape and the machine, and hints at a count. */
static void never_names_shape_machine_and_a_count(void **state)
{
	static const struct {
		const char *torus, *shape, *letters;
		bool rotate;
		const char *has[2];
	} never[] = {
		{ "4x4x4", "2x2x2x2x2", NULL, true, { "2x2x2x2x2", " 32" } },
		{ "4x4x4x4x1", "2x2x2x2x2", NULL, true, { "2x2x2x2x2", " 32" } },
		{ "4x4", "5x2", NULL, true, { "5x2", "4x4" } },
		{ "4x4", "5x5", NULL, true, { "25", "16" } },
		{ "8x8", "4x2", "TN", true, { "axis 0", "ring" } },
		{ "2x4", "4x2", NULL, false, { "4x2", "rotate" } },
		{ "8x8x2", "4x4x4", NULL, true, { "4x4x4", "8x8x2" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		struct torus t = unit_torus(never[i].torus);
		struct torus_ask ask = unit_shape(never[i].shape,
						  never[i].letters,
						  never[i].rotate);
		struct torus_error err = { 0 };

		torus_orient_explain(&t, &ask, &err);
		assert_int_equal(err.count, 1);
		for (int k = 0; k < 2; k++) {
			if (!strstr(err.text, never[i].has[k]))
				fail_msg("\"%s\" lacks \"%s\"", err.text,
					 never[i].has[k]);
		}
		torus_orient_explain(&t, &ask, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orientations_are_listed_in_order),
		cmocka_unit_test(a_visitor_can_stop_the_list),
		cmocka_unit_test(eight_axes),
		cmocka_unit_test(a_region_is_finished_with_its_rings),
		cmocka_unit_test(never_names_shape_machine_and_a_count),
	};

	return UNIT_RUN(tests);
}
