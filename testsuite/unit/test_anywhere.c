/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts that may lie anywhere: in one torus while one of them can, else in
 * several, the fullest first; what it looks like as text, what of that is
 * refused, and that shapes and other counts never lie in several.
 */
#include "torus/state_text.h"
#include "torus/placement.h"
#include "torus/state_find.h"
#include "unit.h"

/* a and b are toruses with submesh, and with flat by name; c is flat. */
static struct torus_machine site(void)
{
	static const char *const pod[][2] = {
		{ "a", "4x2" },
		{ "b", "4x4" },
		{ "c", "flat:3" },
	};
	const struct torus_strategy *flat = unit_strategy("flat");
	struct torus_machine m = { 0 };

	for (uint32_t p = 0; p < 3; p++) {
		struct torus t = unit_torus(pod[p][1]);

		snprintf(t.name, sizeof(t.name), "%s", pod[p][0]);
		assert_int_equal(torus_machine_add(&m, &t, NULL,
						   p < 2 ? unit_strategy(
								   "submesh") :
							   flat,
						   NULL, NULL),
				 0);
		if (p < 2)
			assert_int_equal(torus_machine_allow(&m, p, flat, NULL),
					 0);
	}
	return m;
}

static struct torus_ask anywhere(uint32_t n)
{
	struct torus_ask ask = unit_count(n, 'N');

	ask.anywhere = true;
	return ask;
}

/* The first n free nodes of a torus go out of service. */
static void take_out(struct torus_state *s, uint32_t pod, uint32_t n)
{
	const struct torus_machine *m = torus_state_machine(s);
	uint64_t out[3];

	torus_bits_copy(out, torus_state_out_map(s), m->words);
	torus_bits_set_range(out, torus_machine_bit(m, pod, 0), n);
	torus_state_out(s, out);
}

static void one_torus_is_preferred_then_the_fullest_are_joined(void **state)
{
	static const struct {
		uint32_t out_a, out_b, out_c, count;
		const char *place;
	} row[] = {
		/* one torus is enough */
		{ 0, 0, 0, 8, "a:{0-7}" },
		{ 0, 0, 0, 9, "b:{0-8}" },
		{ 7, 14, 0, 3, "c:{0-2}" },
		/* none is: first what no shape can use, then the fullest */
		{ 0, 0, 0, 17, "a:{0-7},b:{0-5},c:{0-2}" },
		{ 0, 0, 0, 27, "a:{0-7},b:{0-15},c:{0-2}" },
		{ 0, 10, 0, 9, "b:{10-15},c:{0-2}" },
		{ 0, 10, 0, 10, "a:{0},b:{10-15},c:{0-2}" },
		{ 0, 8, 3, 10, "a:{0-7},b:{8-9}" },
		{ 4, 13, 1, 5, "b:{13-15},c:{1-2}" },
		{ 4, 13, 1, 9, "a:{4-7},b:{13-15},c:{1-2}" },
		{ 4, 13, 1, 10, "not now" },
		{ 0, 0, 0, 28, "never" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_machine m = site();
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = anywhere(row[i].count);
		struct torus_text text = { 0 };
		struct torus_placement place;
		enum torus_answer answer;

		take_out(s, 0, row[i].out_a);
		take_out(s, 1, row[i].out_b);
		take_out(s, 2, row[i].out_c);
		ask.strategy = "flat";
		answer = torus_state_find(s, &ask, &place, NULL);
		if (answer == TORUS_FITS)
			torus_placement_format(&m, &place, &text);
		else
			torus_text_add(&text, "%s",
				       answer == TORUS_NEVER ? "never" :
							       "not now");
		assert_string_equal(text.data, row[i].place);
		torus_text_free(&text);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Around nodes that the place must hold: in their torus while it can, else in
 * several with them. */
static void required_nodes_keep_their_torus_or_join_several(void **state)
{
	static const struct {
		uint32_t pod[2], node[2], out_a, count;
		const char *place;
	} row[] = {
		{ { 0, 0 }, { 5, 7 }, 0, 4, "a:{0-1,5,7}" },
		{ { 0, 0 }, { 5, 7 }, 0, 1, "never" },
		{ { 1, 1 }, { 9, 9 }, 0, 3, "b:{0-1,9}" },
		{ { 0, 1 }, { 5, 9 }, 0, 2, "a:{5},b:{9}" },
		{ { 0, 1 }, { 5, 9 }, 0, 6, "a:{0,5},b:{9},c:{0-2}" },
		{ { 0, 2 }, { 5, 1 }, 0, 9, "a:{0-5},c:{0-2}" },
		{ { 0, 0 }, { 5, 7 }, 0, 12, "a:{0-7},b:{0},c:{0-2}" },
		{ { 0, 1 }, { 5, 9 }, 6, 6, "not now" },
		{ { 0, 1 }, { 5, 9 }, 5, 27, "not now" },
		{ { 0, 1 }, { 5, 9 }, 0, 28, "never" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_machine m = site();
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = anywhere(row[i].count);
		struct torus_text text = { 0 };
		struct torus_placement place;
		uint64_t required[3] = { 0 };
		enum torus_answer answer;

		assert_true(m.words <= 3);
		for (int k = 0; k < 2; k++)
			torus_bits_set(required,
				       torus_machine_bit(&m, row[i].pod[k],
							 row[i].node[k]));
		take_out(s, 0, row[i].out_a);
		ask.strategy = "flat";
		ask.required = required;
		answer = torus_state_find(s, &ask, &place, NULL);
		if (answer == TORUS_FITS)
			torus_placement_format(&m, &place, &text);
		else
			torus_text_add(&text, "%s",
				       answer == TORUS_NEVER ? "never" :
							       "not now");
		assert_string_equal(text.data, row[i].place);
		torus_text_free(&text);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Shapes, and counts that do not say so, lie in one torus; so do counts for
 * strategies that give boxes; scattered nodes are no ring. */
static void only_if_asked(void **state)
{
	struct torus_machine m = site();
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask count = unit_count(20, 'N'), ring = unit_count(20, 'T');
	struct torus_ask box = anywhere(17);
	struct torus_error why = { 0 };
	struct torus_placement place;

	(void)state;
	count.strategy = ring.strategy = "flat";
	box.strategy = "submesh";
	assert_int_equal(torus_state_find(s, &count, &place, &why), TORUS_NEVER);
	assert_int_not_equal(why.count, 0);
	ring.anywhere = true;
	assert_int_equal(torus_state_find(s, &ring, &place, NULL), TORUS_NEVER);
	assert_int_equal(torus_state_find(s, &box, &place, NULL), TORUS_NEVER);
	/* what one torus could give later is no NEVER of the others */
	box.count = 16;
	take_out(s, 1, 1);
	assert_int_equal(torus_state_find(s, &box, &place, NULL), TORUS_NOT_NOW);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Nodes of the second and the third torus: of the first one nothing is said. */
static void not_in_the_first(void **state)
{
	struct torus_machine m = site();
	struct torus_state *s = torus_state_create(&m), *back;
	struct torus_ask ask = anywhere(9);
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_placement place;
	const struct torus_hold *h;

	(void)state;
	ask.strategy = "flat";
	take_out(s, 1, 10);
	assert_int_equal(torus_state_find(s, &ask, &place, NULL), TORUS_FITS);
	assert_int_not_equal(torus_state_commit(s, &place, 7, NULL, 1, 9, NULL),
			     TORUS_NO_SLOT);
	assert_int_equal(torus_state_save(s, &text), 0);
	assert_non_null(strstr(text.data,
			       "hold 7 1 9 b flat 9 1 0 - b:{10-15},c:{0-2}\n"));
	back = unit_restored(&m, text.data);
	h = torus_state_hold(back, torus_state_by_end(back, 0));
	assert_int_equal(h->place.strategy, place.strategy);
	assert_int_equal(torus_state_save(back, &again), 0);
	assert_string_equal(text.data, again.data);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_state_destroy(back);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Commit, text and back, release. */
static void holds_on_several_toruses_commit_save_and_release(void **state)
{
	struct torus_machine m = site();
	struct torus_state *s = torus_state_create(&m), *back;
	struct torus_ask ask = anywhere(17);
	struct torus_text text = { 0 }, again = { 0 };
	struct torus_placement place;
	uint32_t slot;

	(void)state;
	ask.strategy = "flat";
	assert_int_equal(torus_state_find(s, &ask, &place, NULL), TORUS_FITS);
	slot = torus_state_commit(s, &place, 7, NULL, 1, 9, NULL);
	assert_int_not_equal(slot, TORUS_NO_SLOT);
	assert_int_equal(torus_state_free_nodes(s), 10);
	errno = 0;
	assert_int_equal(torus_state_commit(s, &place, 8, NULL, 1, 9, NULL),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(torus_state_save(s, &text), 0);
	assert_non_null(
		strstr(text.data,
		       "hold 7 1 9 a flat 17 1 0 - a:{0-7},b:{0-5},c:{0-2}\n"));
	back = unit_restored(&m, text.data);
	assert_true(torus_state_check(back, NULL));
	assert_int_equal(torus_state_save(back, &again), 0);
	assert_string_equal(text.data, again.data);
	torus_state_release(s, slot, NULL);
	assert_int_equal(torus_state_free_nodes(s), 27);
	assert_true(torus_state_check(s, NULL));
	torus_state_destroy(s);
	torus_state_destroy(back);
	torus_text_free(&text);
	torus_text_free(&again);
	torus_machine_free(&m);
}

static void wrong_saved_holds_are_refused(void **state)
{
	static const struct {
		const char *nodes, *error;
	} row[] = {
		{ "a:{0-1},a:{2}", "each torus once" },
		{ "a:{0-1},d:{2}", "a torus of this machine" },
		{ "a:{0-1},{2}", "the nodes of a torus" },
		{ "a:{0},b:{0-1},", "the nodes of a torus" },
		{ "a:{0},b:{0-1},c:{0}", "as many nodes as were granted" },
		{ "a:{0},b:{0-99}", "" },
		{ "a:{0},b:0,0+2x1", "nodes, no region" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_machine m = site();
		struct torus_state *s = torus_state_create(&m);
		struct torus_error err = { 0 };
		char text[256];

		snprintf(text, sizeof(text), "hold 7 1 9 a flat 3 1 0 - %s\n",
			 row[i].nodes);
		assert_int_equal(torus_state_restore(s, text, &err), -1);
		assert_non_null(strstr(err.text, row[i].error));
		assert_int_equal(torus_state_holds(s), 0);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Nodes of no torus: for who may lie anywhere, alone or with others, and not
 * in the saved state. */
static void nodes_of_no_torus_serve_jobs_without_a_shape(void **state)
{
	struct torus_machine m = site();
	struct torus_ask few = anywhere(3), many = anywhere(26);
	struct torus_ask count = unit_count(3, 'N');
	struct torus_ask shape = unit_shape("3", NULL, true);
	struct torus_text text = { 0 }, empty = { 0 };
	struct torus_error why = { 0 };
	struct torus_placement place;
	const uint64_t allowed[] = { 3, 0, 0 };
	struct torus_state *s;

	(void)state;
	few.strategy = many.strategy = count.strategy = "flat";
	m.pod[2].outside = true;
	s = torus_state_create(&m);
	assert_int_equal(torus_state_save(s, &empty), 0);
	assert_null(strstr(empty.data, "pod c "));
	assert_int_equal(torus_state_find(s, &many, &place, NULL), TORUS_FITS);
	torus_state_release(s,
			    torus_state_commit(s, &place, 1, NULL, 0, 9, NULL),
			    NULL);
	take_out(s, 0, 8);
	take_out(s, 1, 16);
	assert_int_equal(torus_state_find(s, &shape, &place, NULL),
			 TORUS_NOT_NOW);
	torus_state_explain(s, &shape, &why);
	assert_string_equal(
		why.text,
		"3^1 needs 3 nodes, 0 are free (0 held by jobs, 24 out of service)");
	torus_error_clear(&why);
	shape.allowed = allowed;
	torus_state_explain(s, &shape, &why);
	assert_string_equal(
		why.text,
		"3^1 needs 3 nodes, but may use only 2 (by its partition, reservation, -x or -C)");
	shape.allowed = NULL;
	assert_int_equal(torus_state_find(s, &count, &place, NULL),
			 TORUS_NOT_NOW);
	assert_int_equal(torus_state_find(s, &few, &place, NULL), TORUS_FITS);
	assert_int_equal(place.pod, 2);
	assert_int_not_equal(torus_state_commit(s, &place, 1, NULL, 0, 9, NULL),
			     TORUS_NO_SLOT);
	torus_state_out(s, NULL);
	few.count = 2;
	assert_int_equal(torus_state_find(s, &few, &place, NULL), TORUS_FITS);
	assert_int_equal(place.pod, 0);
	assert_int_equal(torus_state_save(s, &text), 0);
	assert_string_equal(text.data, empty.data);
	torus_state_destroy(s);
	s = unit_restored(&m, text.data);
	assert_int_equal(torus_state_free_nodes(s), 27);
	torus_state_destroy(s);
	torus_text_free(&text);
	torus_text_free(&empty);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			one_torus_is_preferred_then_the_fullest_are_joined),
		cmocka_unit_test(required_nodes_keep_their_torus_or_join_several),
		cmocka_unit_test(only_if_asked),
		cmocka_unit_test(not_in_the_first),
		cmocka_unit_test(
			holds_on_several_toruses_commit_save_and_release),
		cmocka_unit_test(wrong_saved_holds_are_refused),
		cmocka_unit_test(nodes_of_no_torus_serve_jobs_without_a_shape),
	};

	return UNIT_RUN(tests);
}
