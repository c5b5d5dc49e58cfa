/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine state: pods, allowed and out-of-service nodes, undo, scattered
 * placements, holds by end, generations, copies. Random sequences are in
 * testsuite/property/prop_state.c. */
#include "torus/placement.h"
#include "torus/state_find.h"
#include "unit.h"

/* pod0: 4x4 torus, submesh; pod1: flat, 70 nodes; pod2: 2x4x4, NEP. */
static struct torus_machine three_pods(void)
{
	struct torus_machine m = { 0 };

	unit_pod(&m, "pod0", "4x4", "submesh", NULL);
	unit_pod(&m, "pod1", "flat:70", "flat", NULL);
	unit_pod(&m, "pod2", "2x4x4", "semitorus-nep", NULL);
	return m;
}

static void check(const struct torus_state *s)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(s, &err))
		fail_msg("%s", err.text);
}

/* Find a place and give it to a job; the slot. */
static uint32_t start(struct torus_state *s, const struct torus_ask *ask,
		      uint64_t job, int64_t end_us, struct torus_undo *u)
{
	struct torus_placement out;
	uint32_t slot;

	assert_int_equal(torus_state_find(s, ask, &out, NULL), TORUS_FITS);
	slot = torus_state_commit(s, &out, job, s, 5, end_us, u);
	assert_int_not_equal(slot, TORUS_NO_SLOT);
	check(s);
	return slot;
}

static uint32_t start_count(struct torus_state *s, uint32_t n, uint64_t job,
			    int64_t end_us, struct torus_undo *u)
{
	struct torus_ask ask = unit_count(n, 'N');

	return start(s, &ask, job, end_us, u);
}

static void strategies_are_asked_torus_by_torus(void **state)
{
	struct torus_machine m = three_pods();
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask shape = unit_shape("4x2", NULL, true);
	struct torus_placement out;
	uint32_t slot, index;

	(void)state;
	assert_int_equal(m.pods, 3);
	assert_int_equal(m.nodes, 16 + 70 + 32);
	assert_int_equal(m.words, 4);
	assert_int_equal(torus_machine_pod(&m, 15, &index), 0);
	assert_int_equal(torus_machine_pod(&m, 64 + 69, &index), 1);
	assert_int_equal(index, 69);
	assert_int_equal(torus_machine_pod(&m, 192, &index), 2);
	assert_int_equal(index, 0);
	assert_int_equal(torus_machine_bit(&m, 2, 31), 223);
	assert_int_equal(torus_machine_named(&m, "pod2"), 2);
	assert_int_equal(torus_machine_named(&m, "pod"), UINT32_MAX);
	assert_ptr_equal(torus_state_machine(s), &m);
	assert_int_equal(torus_state_free_nodes(s), 118);
	assert_int_equal(torus_bits_count(torus_state_free_map(s), m.words),
			 118);
	/* in order: 16 in pod0, then flat, then NEP */
	slot = start_count(s, 16, 1, 10, NULL);
	assert_int_equal(torus_state_hold(s, slot)->place.pod, 0);
	slot = start(s, &shape, 2, 10, NULL);
	assert_int_equal(torus_state_hold(s, slot)->place.pod, 1);
	slot = start_count(s, 60, 3, 10, NULL);
	assert_int_equal(torus_state_hold(s, slot)->place.pod, 1);
	slot = start_count(s, 31, 4, 10, NULL);
	assert_int_equal(torus_state_hold(s, slot)->place.pod, 2);
	assert_int_equal(torus_state_hold(s, slot)->place.granted, 32);
	assert_int_equal(torus_state_hold(s, slot)->job, 4);
	assert_ptr_equal(torus_state_hold(s, slot)->owner, s);
	assert_int_equal(torus_state_hold(s, slot)->start_us, 5);
	assert_int_equal(torus_state_free_nodes(s), 2);
	assert_int_equal(torus_state_holds(s), 4);
	assert_int_equal(torus_state_find(s, &shape, &out, NULL), TORUS_NOT_NOW);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Strategies by name: only those that a pod allows. */
static void strategies_by_name(void **state)
{
	struct torus_machine m = three_pods();
	struct torus_error err = { 0 };
	struct torus_ask ask = unit_count(8, 'N');
	struct torus_placement out;
	struct torus_state *s;

	(void)state;
	assert_int_equal(torus_machine_allow(&m, 0, unit_strategy("flat"), &err),
			 0);
	assert_int_equal(torus_machine_allow(&m, 0, unit_strategy("flat"), &err),
			 0); /* once more is no harm */
	assert_int_equal(m.pod[0].strategies, 2);
	assert_int_equal(torus_machine_allow(&m, 1, unit_strategy("submesh"),
					     &err),
			 -1);
	assert_int_equal(err.count, 1);
	s = torus_state_create(&m);
	ask.strategy = "semitorus-nep";
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	assert_int_equal(out.pod, 2);
	ask.strategy = "flat";
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	assert_int_equal(out.pod, 0);
	assert_true(out.scattered);
	assert_int_not_equal(torus_state_commit(s, &out, 1, NULL, 0, 1, NULL),
			     TORUS_NO_SLOT);
	check(s);
	/* submesh sees what flat took */
	ask.strategy = "submesh";
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	assert_string_equal(unit_region(&m.pod[0].torus, &out), "pod0:0,2+4x2");
	err.count = 0;
	ask.strategy = "nothing";
	assert_int_equal(torus_state_find(s, &ask, &out, &err), TORUS_NEVER);
	assert_int_equal(err.count, 1);
	assert_non_null(strstr(err.text, "nothing"));
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void allowed_nodes(void **state)
{
	struct torus_machine m = three_pods();
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask ask = unit_count(4, 'N');
	struct torus_placement out;
	uint64_t allowed[4] = { 0 }, nodes[4] = { 0 };

	(void)state;
	ask.allowed = allowed;
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_NOT_NOW);
	allowed[0] = 0x0660; /* the middle of pod0 */
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	torus_placement_paint(&m, &out, nodes);
	assert_true(torus_bits_equal(nodes, allowed, 4));
	allowed[0] = 0x0460;
	torus_bits_set_range(allowed, 64 + 61, 4);
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	assert_int_equal(out.pod, 1);
	assert_true(torus_bits_test(out.nodes, 61));
	assert_int_equal(torus_bits_count(out.nodes, 2), 4);
	ask = unit_count(71, 'N');
	ask.allowed = allowed;
	torus_bits_set_range(allowed, 0, 128);
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_NEVER);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void out_of_service(void **state)
{
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask all = unit_count(16, 'N'), half = unit_count(8, 'N');
	struct torus_placement out;
	uint64_t map[1] = { 0x0001 };
	uint64_t generation = torus_state_generation(s);
	uint32_t slot;

	(void)state;
	torus_state_out(s, map);
	assert_int_not_equal(torus_state_generation(s), generation);
	assert_int_equal(torus_state_free_nodes(s), 15);
	assert_int_equal(torus_state_find(s, &all, &out, NULL), TORUS_NOT_NOW);
	assert_int_equal(torus_state_possible(s, &all, &out, NULL), TORUS_FITS);
	slot = start(s, &half, 1, 10, NULL);
	assert_int_equal(torus_state_free_nodes(s), 7);
	/* a job's nodes may fail under it; they stay its own */
	map[0] = 0xffff;
	torus_state_out(s, map);
	check(s);
	assert_int_equal(torus_state_free_nodes(s), 0);
	assert_int_equal(torus_state_holds(s), 1);
	assert_true(torus_state_out_map(s)[0] == 0xffff);
	/* and when it ends they do not become free */
	torus_state_release(s, slot, NULL);
	check(s);
	assert_int_equal(torus_state_free_nodes(s), 0);
	assert_int_equal(torus_state_find(s, &half, &out, NULL), TORUS_NOT_NOW);
	torus_state_out(s, NULL);
	check(s);
	assert_int_equal(torus_state_free_nodes(s), 16);
	assert_int_equal(torus_state_find(s, &all, &out, NULL), TORUS_FITS);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Nodes in use by jobs without a place stay so while they are out of service, and
 * when they come back. */
static void untracked_out(void **state)
{
	struct torus_machine m = unit_machine("4x4", "submesh");
	struct torus_state *s = torus_state_create(&m);
	uint64_t out = UINT64_C(1) << 3;
	uint32_t slots[4], count = 0;
	int64_t until_us[64];
	const struct torus_untracked u = { .until_us = until_us,
					   .slots = slots,
					   .count = &count };

	(void)state;
	for (uint32_t b = 0; b < 64; b++)
		until_us[b] = b == 3 || b == 5 ? 100 : TORUS_NODE_IDLE;
	torus_state_out(s, &out);
	assert_int_equal(torus_state_hold_until(s, &u), 0);
	torus_state_out(s, NULL);
	assert_false(torus_bits_test(torus_state_free_map(s), 3));
	assert_false(torus_bits_test(torus_state_free_map(s), 5));
	assert_int_equal(torus_state_free_nodes(s), 14);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void absent_nodes(void **state)
{
	struct torus_machine m = { 0 };
	struct torus_state *s;
	uint64_t present[1] = { 0xfffe }, usable[1] = { 0xffff };
	struct torus_ask all = unit_shape("4x4", NULL, true);
	struct torus_ask row = unit_shape("4", NULL, true);
	struct torus_error why = { 0 };
	struct torus_placement out;

	(void)state;
	unit_pod(&m, "a", "4x4", "submesh", present);
	present[0] = 0; /* it was copied */
	s = torus_state_create(&m);
	assert_int_equal(m.nodes, 15);
	assert_int_equal(torus_state_free_nodes(s), 15);
	assert_int_equal(torus_state_possible(s, &all, &out, &why), TORUS_NEVER);
	assert_int_equal(why.count, 1);
	assert_int_equal(torus_state_possible(s, &row, NULL, NULL), TORUS_FITS);
	torus_region_whole(&out.region, &m.pod[0].torus);
	out = (struct torus_placement){ .region = out.region, .granted = 16 };
	errno = 0;
	assert_int_equal(torus_state_commit(s, &out, 1, NULL, 0, 1, NULL),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	/* any set taken as usable, however busy */
	start(s, &row, 1, 10, NULL);
	usable[0] = 0x000f;
	assert_true(torus_state_timeless(s));
	assert_int_equal(torus_state_find_in(s, &row, usable, &out), TORUS_FITS);
	usable[0] = 0x0007;
	assert_int_equal(torus_state_find_in(s, &row, usable, &out),
			 TORUS_NOT_NOW);
	check(s);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Release A, start B over its place, take both back. */
static void undo_last_first(void **state)
{
	static const char *const strategy[] = { "submesh", "flat",
						"semitorus-nep" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct torus_machine m = unit_machine("4x4", strategy[i]);
		struct torus_state *s = torus_state_create(&m);
		struct torus_undo undo[3];
		uint32_t a = start_count(s, 2, 1, 30, NULL);
		uint32_t c = start_count(s, 8, 3, 20, NULL);
		uint64_t before = torus_state_free_map(s)[0];
		uint64_t generation = torus_state_generation(s);
		const struct torus_hold *h;

		torus_state_release(s, a, &undo[0]);
		check(s);
		torus_state_release(s, c, &undo[1]);
		check(s);
		start_count(s, 16, 2, 10, &undo[2]);
		assert_int_equal(torus_state_free_nodes(s), 0);
		assert_int_equal(torus_state_holds(s), 1);
		torus_state_undo(s, &undo[2]);
		check(s);
		assert_int_equal(torus_state_free_nodes(s), 16);
		torus_state_undo(s, &undo[1]);
		check(s);
		torus_state_undo(s, &undo[0]);
		check(s);
		assert_true(torus_state_free_map(s)[0] == before);
		assert_true(torus_state_generation(s) == generation);
		assert_int_equal(torus_state_holds(s), 2);
		assert_int_equal(torus_state_by_end(s, 0), c);
		assert_int_equal(torus_state_by_end(s, 1), a);
		h = torus_state_hold(s, a);
		assert_int_equal(h->job, 1);
		assert_int_equal(h->end_us, 30);
		assert_int_equal(h->place.granted, 2);
		/* a number that was given once means that state only */
		start_count(s, 1, 9, 10, NULL);
		assert_true(torus_state_generation(s) > generation + 3);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

static void waiting_slot(void **state)
{
	struct torus_machine m = unit_machine("flat:8", "flat");
	struct torus_state *s = torus_state_create(&m);
	struct torus_undo release, commit;
	uint32_t a = start_count(s, 2, 1, 10, NULL), b;

	(void)state;
	torus_state_release(s, a, &release);
	b = start_count(s, 2, 2, 10, &commit);
	assert_int_not_equal(a, b); /* the slot is still a's */
	torus_state_undo(s, &commit);
	check(s);
	torus_state_undo(s, &release);
	check(s);
	assert_int_equal(torus_state_holds(s), 1);
	assert_int_equal(torus_state_free_nodes(s), 6);
	torus_state_release(s, a, NULL);
	/* both slots are used again */
	assert_true(start_count(s, 1, 3, 10, NULL) < 2);
	assert_true(start_count(s, 1, 4, 10, NULL) < 2);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void by_end(void **state)
{
	static const int64_t end[] = { 50, 10, INT64_MAX, 10, -3, 50, 0 };
	struct torus_machine m = unit_machine("8", "submesh");
	struct torus_state *s = torus_state_create(&m);
	uint32_t slot[7], order[] = { 4, 6, 1, 3, 0, 5, 2 };
	uint64_t generation;

	(void)state;
	for (uint32_t i = 0; i < 7; i++)
		slot[i] = start_count(s, 1, i, end[i], NULL);
	for (uint32_t k = 0; k < 7; k++)
		assert_int_equal(torus_state_by_end(s, k), slot[order[k]]);
	generation = torus_state_generation(s);
	torus_state_set_end(s, slot[2], 10);
	assert_true(torus_state_generation(s) != generation);
	check(s);
	assert_int_equal(torus_state_by_end(s, 2), slot[1]);
	assert_int_equal(torus_state_by_end(s, 3), slot[2]);
	assert_int_equal(torus_state_by_end(s, 4), slot[3]);
	torus_state_release(s, slot[1], NULL);
	assert_int_equal(torus_state_holds(s), 6);
	assert_int_equal(torus_state_by_end(s, 2), slot[2]);
	check(s);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* A hold keeps its own copy of scattered nodes. */
static void a_hold_copies_its_scattered_nodes(void **state)
{
	struct torus_machine m = unit_machine("flat:200", "flat");
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask ask = unit_count(100, 'N');
	struct torus_placement out;
	uint64_t allowed[4] = { 0 }, nodes[4] = { 0 };
	uint32_t slot;

	(void)state;
	for (uint32_t i = 0; i < 200; i += 2)
		torus_bits_set(allowed, i);
	ask.allowed = allowed;
	assert_int_equal(torus_state_find(s, &ask, &out, NULL), TORUS_FITS);
	slot = torus_state_commit(s, &out, 1, NULL, 0, 1, NULL);
	check(s);
	start_count(s, 100, 2, 1, NULL); /* overwrites the strategy's map */
	torus_hold_paint(s, torus_state_hold(s, slot), nodes);
	assert_true(torus_bits_equal(nodes, allowed, 4));
	errno = 0;
	assert_int_equal(torus_state_commit(s, &torus_state_hold(s, slot)->place,
					    3, NULL, 0, 1, NULL),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	torus_state_release(s, slot, NULL);
	check(s);
	assert_true(torus_bits_equal(torus_state_free_map(s), allowed, 4));
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* A place may be given again from the hold that it was in. */
static void a_place_can_be_committed_again_from_its_hold(void **state)
{
	struct torus_machine m = unit_machine("flat:200", "flat");
	struct torus_state *s = torus_state_create(&m);
	struct torus_undo undo, commit;
	uint32_t a, b;

	(void)state;
	assert_int_equal(torus_state_reserve(s, 1), 0);
	a = start_count(s, 50, 1, 10, NULL);
	torus_state_release(s, a, &undo);
	b = torus_state_commit(s, &torus_state_hold(s, a)->place, 2, NULL, 0, 1,
			       &commit); /* the slots grow meanwhile */
	assert_int_not_equal(b, TORUS_NO_SLOT);
	check(s);
	assert_int_equal(torus_state_free_nodes(s), 150);
	torus_state_undo(s, &commit);
	torus_state_undo(s, &undo);
	check(s);
	torus_state_release(s, a, NULL);
	b = torus_state_commit(s, &torus_state_hold(s, a)->place, 3, NULL, 0, 1,
			       NULL);
	assert_int_not_equal(b, TORUS_NO_SLOT);
	check(s);
	assert_int_equal(torus_state_free_nodes(s), 150);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

static void reserved_room_keeps_holds(void **state)
{
	struct torus_machine m = unit_machine("64", "submesh");
	struct torus_state *s = torus_state_create(&m);

	(void)state;
	assert_int_equal(torus_state_reserve(s, 3), 0);
	assert_int_equal(torus_state_reserve(s, 1), 0);
	for (uint32_t i = 0; i < 64; i++)
		start_count(s, 1, i, i, NULL);
	assert_int_equal(torus_state_holds(s), 64);
	torus_state_destroy(s);
	torus_state_destroy(NULL);
	torus_machine_free(&m);
}

/* NEVER explains itself; the other answers leave no text behind. */
static void only_never_leaves_a_reason(void **state)
{
	struct torus_machine m = three_pods();
	struct torus_state *s = torus_state_create(&m);
	struct torus_ask ask = unit_shape("5x5", NULL, true);
	struct torus_placement out;
	struct torus_error why = { 0 };

	(void)state;
	/* pod0 cannot, pod1 (flat) can */
	assert_int_equal(torus_state_find(s, &ask, &out, &why), TORUS_FITS);
	assert_int_equal(why.count, 0);
	assert_string_equal(why.text, "");
	start_count(s, 70, 1, 10, NULL);
	assert_int_equal(torus_state_find(s, &ask, &out, &why), TORUS_NOT_NOW);
	assert_int_equal(why.count, 0);
	ask = unit_shape("9x9", NULL, true);
	assert_int_equal(torus_state_find(s, &ask, &out, &why), TORUS_NEVER);
	assert_true(why.count > 0);
	assert_non_null(strstr(why.text, "9x9"));
	torus_state_destroy(s);
	torus_machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strategies_are_asked_torus_by_torus),
		cmocka_unit_test(strategies_by_name),
		cmocka_unit_test(allowed_nodes),
		cmocka_unit_test(out_of_service),
		cmocka_unit_test(untracked_out),
		cmocka_unit_test(absent_nodes),
		cmocka_unit_test(undo_last_first),
		cmocka_unit_test(waiting_slot),
		cmocka_unit_test(by_end),
		cmocka_unit_test(a_hold_copies_its_scattered_nodes),
		cmocka_unit_test(a_place_can_be_committed_again_from_its_hold),
		cmocka_unit_test(reserved_room_keeps_holds),
		cmocka_unit_test(only_never_leaves_a_reason),
	};

	return UNIT_RUN(tests);
}
