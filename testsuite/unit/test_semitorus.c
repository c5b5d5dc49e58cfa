/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `semitorus-nep`: what Mao, Chen and Watson (2005) state about preprocessing
 * (section 3.1), Non-Equal Partition and the conversion of a semitorus to a
 * torus, and what this project decided where they leave it open. */
#include "torus/state_find.h"
#include "unit.h"

struct nep {
	struct torus_machine m;
	struct torus_state *s;
	struct torus_undo undo[64];
	uint32_t undos;
};

static struct nep *nep_create(const char *machine)
{
	struct nep *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	n->m = unit_machine(machine, "semitorus-nep");
	n->s = torus_state_create(&n->m);
	assert_non_null(n->s);
	return n;
}

static void nep_destroy(struct nep *n)
{
	struct torus_error err = { 0 };

	if (!torus_state_check(n->s, &err))
		fail_msg("%s", err.text);
	torus_state_destroy(n->s);
	torus_machine_free(&n->m);
	free(n);
}

/* Where a job of n nodes would go: "base+extent", or the answer. */
static const char *where(struct nep *n, uint32_t nodes)
{
	struct torus_ask ask = unit_count(nodes, 'N');
	struct torus_placement out;
	enum torus_answer answer = torus_state_find(n->s, &ask, &out, NULL);

	if (answer == TORUS_NEVER)
		return "never";
	if (answer == TORUS_NOT_NOW)
		return "not now";
	return strchr(unit_region(&n->m.pod[0].torus, &out), ':') + 1;
}

/* Start a job; its slot. The place must be as told. */
static uint32_t start(struct nep *n, uint32_t nodes, const char *place)
{
	struct torus_ask ask = unit_count(nodes, 'N');
	struct torus_placement out;
	struct torus_error err = { 0 };
	uint32_t slot;

	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_FITS);
	if (place)
		assert_string_equal(strchr(unit_region(&n->m.pod[0].torus, &out),
					   ':') +
					    1,
				    place);
	slot = torus_state_commit(n->s, &out, nodes, NULL, 0, INT64_MAX,
				  &n->undo[n->undos++]);
	assert_int_not_equal(slot, TORUS_NO_SLOT);
	if (!torus_state_check(n->s, &err))
		fail_msg("%s", err.text);
	return slot;
}

static void end(struct nep *n, uint32_t slot)
{
	struct torus_error err = { 0 };

	torus_state_release(n->s, slot, &n->undo[n->undos++]);
	if (!torus_state_check(n->s, &err))
		fail_msg("%s", err.text);
}

static void undo(struct nep *n)
{
	struct torus_error err = { 0 };

	torus_state_undo(n->s, &n->undo[--n->undos]);
	if (!torus_state_check(n->s, &err))
		fail_msg("%s", err.text);
}

/* 2x2x2x6x8 falls into 2x2x2x4x8 and 2x2x2x2x8. */
static void odd_dimensions_split_into_powers_of_two(void **state)
{
	struct nep *n = nep_create("2x2x2x6x8");

	(void)state;
	assert_string_equal(where(n, 256), "0,0,0,0,0+2x2x2x4x8");
	/* smallest that fits */
	assert_string_equal(where(n, 128), "0,0,0,4,0+2x2x2x2x8");
	assert_string_equal(where(n, 129), "0,0,0,0,0+2x2x2x4x8");
	assert_string_equal(where(n, 257), "never");
	assert_string_equal(where(n, 384), "never");
	start(n, 128, "0,0,0,4,0+2x2x2x2x8");
	start(n, 256, "0,0,0,0,0+2x2x2x4x8");
	assert_string_equal(where(n, 1), "not now");
	assert_string_equal(where(n, 257), "never");
	nep_destroy(n);
}

/* Cut largest first: 7 = 4 + 2 + 1. */
static void preprocessing_seven(void **state)
{
	struct nep *n = nep_create("2x7");

	(void)state;
	assert_string_equal(where(n, 8), "0,0+2x4");
	assert_string_equal(where(n, 4), "0,4+2x2");
	assert_string_equal(where(n, 2), "0,6+2x1");
	assert_string_equal(where(n, 9), "never");
	nep_destroy(n);
}

/* S 2x4x4x8, m = 16: 2x4x2, 2x4x2, 2x4x4, 2x4x4x2, 2x4x4x4. */
static void partitions_have_the_published_pieces(void **state)
{
	struct nep *n = nep_create("2x4x4x8");

	(void)state;
	start(n, 16, "0,0,0,0+2x4x2x1");
	assert_string_equal(where(n, 16), "0,0,2,0+2x4x2x1");
	assert_string_equal(where(n, 32), "0,0,0,1+2x4x4x1");
	assert_string_equal(where(n, 64), "0,0,0,2+2x4x4x2");
	assert_string_equal(where(n, 128), "0,0,0,4+2x4x4x4");
	assert_string_equal(where(n, 256), "not now");
	/* all of them at once: they are disjoint and cover the machine */
	start(n, 128, "0,0,0,4+2x4x4x4");
	start(n, 16, "0,0,2,0+2x4x2x1");
	start(n, 64, "0,0,0,2+2x4x4x2");
	start(n, 32, "0,0,0,1+2x4x4x1");
	assert_int_equal(torus_state_free_nodes(n->s), 0);
	nep_destroy(n);
}

/* Counts go to the next power of two; a larger piece is split only if no
 * smaller one fits; of equal ones the lowest offset is taken. */
static void smallest_lowest(void **state)
{
	struct nep *n = nep_create("2x4x4x8");
	uint32_t a, b, c;

	(void)state;
	a = start(n, 9, "0,0,0,0+2x4x2x1");
	b = start(n, 16, "0,0,2,0+2x4x2x1");
	/* no 16 is left: the 32 is split, and its second half is the only 16 */
	c = start(n, 13, "0,0,0,1+2x4x2x1");
	assert_string_equal(where(n, 16), "0,0,2,1+2x4x2x1");
	end(n, b); /* now there are two; the lower one wins */
	assert_string_equal(where(n, 16), "0,0,2,0+2x4x2x1");
	/* 8 splits a 16, not a 64: 2x4x2 is halved along its own longest */
	assert_string_equal(where(n, 8), "0,0,2,0+2x2x2x1");
	end(n, c); /* b's and c's pieces are no siblings, but c's pair merges */
	assert_string_equal(where(n, 32), "0,0,0,1+2x4x4x1");
	end(n, a); /* all of the first split is free: the machine is whole */
	assert_string_equal(where(n, 256), "0,0,0,0+2x4x4x8");
	nep_destroy(n);
}

/* Siblings merge with all of them or none: no buddy system. */
static void siblings_only(void **state)
{
	struct nep *n = nep_create("16");
	uint32_t a, b, c;

	(void)state;
	a = start(n, 2, "0+2"); /* siblings: 2, 4, 8 */
	b = start(n, 8, "8+8");
	c = start(n, 2, "2+2");
	end(n, a);
	end(n, c);
	/* 0..3 is free, a buddy system would make it one piece of 4 */
	assert_string_equal(where(n, 4), "4+4");
	start(n, 4, "4+4");
	assert_string_equal(where(n, 4), "not now");
	assert_string_equal(where(n, 2), "0+2");
	end(n, b);
	assert_string_equal(where(n, 8), "8+8");
	assert_string_equal(where(n, 16), "not now");
	nep_destroy(n);
}

/* A piece within a piece: merging goes up as far as all are free. */
static void merges_recursively(void **state)
{
	struct nep *n = nep_create("4x4x4");
	uint32_t a, b;

	(void)state;
	a = start(n, 16, "0,0,0+4x4x1");
	b = start(n, 1, "0,0,1+1x1x1"); /* splits the other 16 */
	assert_string_equal(where(n, 16), "0,0,2+4x2x2");
	assert_string_equal(where(n, 32), "0,0,2+4x4x2");
	end(n, a);
	assert_string_equal(where(n, 64), "not now");
	end(n, b);
	assert_string_equal(where(n, 64), "0,0,0+4x4x4");
	nep_destroy(n);
}

static const uint32_t sizes[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256 };

static void answers(struct nep *n, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		used += (size_t)snprintf(text + used, size - used, "%s;",
					 where(n, sizes[i]));
	snprintf(text + used, size - used, " generation %llu, %u free",
		 (unsigned long long)torus_state_generation(n->s),
		 torus_state_free_nodes(n->s));
}

/* Release two jobs so that pieces merge twice, start others over the place,
 * and take everything back step by step. */
static void undoes_exactly(void **state)
{
	struct nep *n = nep_create("2x4x4x8");
	char before[16][512], now[512];
	uint32_t slot[8], start_at;

	(void)state;
	slot[0] = start(n, 64, NULL);
	slot[1] = start(n, 16, NULL); /* inside the other 64 */
	slot[2] = start(n, 2, NULL);  /* inside the other 16 */
	start_at = n->undos;
	for (int step = 0; step < 8; step++) {
		answers(n, before[step], sizeof(before[step]));
		if (step < 3)
			end(n, slot[step]);
		else
			start(n, 1u << (step - 3) * 2 % 7, NULL);
	}
	for (int step = 8; step-- > 0;) {
		undo(n);
		answers(n, now, sizeof(now));
		assert_string_equal(now, before[step]);
	}
	assert_int_equal(n->undos, start_at);
	/* and all the way to the empty machine */
	undo(n);
	undo(n);
	undo(n);
	assert_string_equal(where(n, 256), "0,0,0,0+2x4x4x8");
	nep_destroy(n);
}

/* A release that merges two levels, a start that cuts the whole in another
 * way and so uses all the pieces again, both undone. */
static void undoes_release_under_commit(void **state)
{
	struct nep *n = nep_create("2x4x4x8");
	char before[512], now[512];
	uint32_t a, b;

	(void)state;
	a = start(n, 64, "0,0,0,0+2x4x4x2");
	b = start(n, 16, "0,0,0,2+2x4x1x2");
	answers(n, before, sizeof(before));
	end(n, a);
	end(n, b);
	start(n, 1, "0,0,0,0+1x1x1x1");
	start(n, 1, NULL);
	start(n, 128, NULL);
	for (int i = 0; i < 5; i++)
		undo(n);
	answers(n, now, sizeof(now));
	assert_string_equal(now, before);
	nep_destroy(n);
}

/* How a piece becomes a torus: which dimensions form which ring. */
static void open_dimensions_fold_into_rings(void **state)
{
	static const struct {
		const char *machine;
		uint32_t nodes;
		const char *place, *orientation;
		uint32_t axes, ring;
	} row[] = {
		/* everything closed */
		{ "2x4x4x8", 256, "0,0,0,0+2x4x4x8", "0,1,2,3", 4, 15 },
		{ "2x4x4x8", 32, "0,0,0,0+2x4x4x1", "0,1,2,-", 3, 7 },
		{ "2x4x4x8", 64, "0,0,0,0+2x4x4x2", "0,1,2,3", 4, 15 },
		/* one open dimension of 4 shares a ring with a closed one */
		{ "2x8", 8, "0,0+2x4", "0+1", 1, 1 },
		/* two open dimensions make one ring: 4x4 of an 8x8 mesh */
		{ "4x8:MM", 16, "0,0+4x4", "0+1", 1, 1 },
		{ "4x8x2:MMT", 32, "0,0,0+4x4x2", "0+1,2", 2, 3 },
		/* a lone open dimension, nothing to fold it with */
		{ "8", 4, "0+4", "0", 1, 0 },
		{ "8:M", 8, "0+8", "0", 1, 0 },
		/* one node */
		{ "4x4", 1, "0,0+1x1", "-,-", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct nep *n = nep_create(row[i].machine);
		struct torus_ask ask = unit_count(row[i].nodes, 'N');
		struct torus_placement out;
		const struct torus *t = &n->m.pod[0].torus;

		assert_int_equal(torus_state_find(n->s, &ask, &out, NULL),
				 TORUS_FITS);
		assert_string_equal(strchr(unit_region(t, &out), ':') + 1,
				    row[i].place);
		assert_string_equal(unit_orientation(t, &out.orientation),
				    row[i].orientation);
		assert_int_equal(out.granted, row[i].nodes);
		assert_int_equal(out.axes, row[i].axes);
		assert_int_equal(out.ring, row[i].ring);
		nep_destroy(n);
	}
}

/* One open dimension and closed ones: 4x8x2x4 becomes 32x2x4 or 16x16, that
 * is, the open one is folded with one that closes, the others stay rings. */
static void conversion_folds_one(void **state)
{
	struct nep *n = nep_create("8x16x2x4");
	struct torus_ask ask = unit_count(256, 'T');
	struct torus_placement out;
	int8_t *axis = out.orientation.axis;

	(void)state;
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_FITS);
	assert_string_equal(strchr(unit_region(&n->m.pod[0].torus, &out), ':'),
			    ":0,0,0,0+8x4x2x4");
	assert_true(out.orientation.folded);
	assert_int_equal(out.axes, 3);
	assert_int_equal(out.ring, 7);
	/* dimension 1 is open and shares its ring with exactly one other */
	assert_int_equal((axis[0] == axis[1]) + (axis[2] == axis[1]) +
				 (axis[3] == axis[1]),
			 1);
	nep_destroy(n);
}

/* Places are taken only where all nodes may be used. */
static void places_have_only_allowed_nodes(void **state)
{
	struct nep *n = nep_create("4x4");
	struct torus_ask ask = unit_count(4, 'N');
	struct torus_placement out;
	uint64_t map = 0xff00;

	(void)state;
	ask.allowed = &map;
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_FITS);
	assert_string_equal(unit_region(&n->m.pod[0].torus, &out),
			    "torus:0,2+4x1");
	assert_int_not_equal(torus_state_commit(n->s, &out, 1, NULL, 0, 1, NULL),
			     TORUS_NO_SLOT);
	assert_true(torus_state_check(n->s, NULL));
	map = 0x5a5a; /* no two of its nodes are neighbours */
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL),
			 TORUS_NOT_NOW);
	nep_destroy(n);
}

/* A place found before the pieces changed: granted only if it still is one. */
static void stale_places(void **state)
{
	struct nep *n = nep_create("16");
	struct torus_ask eight = unit_count(8, 'N'), two = unit_count(2, 'N');
	struct torus_placement whole, half, small;
	uint32_t slot;

	(void)state;
	torus_state_find(n->s, &eight, &half, NULL);
	torus_state_find(n->s, &two, &small, NULL);
	slot = torus_state_commit(n->s, &small, 1, NULL, 0, 1, NULL);
	errno = 0;
	assert_int_equal(torus_state_commit(n->s, &half, 2, NULL, 0, 1, NULL),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	assert_true(torus_state_check(n->s, NULL));
	/* its nodes are free, but in the middle of another piece */
	whole = half;
	whole.region.base[0] = 4;
	errno = 0;
	assert_int_equal(torus_state_commit(n->s, &whole, 2, NULL, 0, 1, NULL),
			 TORUS_NO_SLOT);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(torus_state_holds(n->s), 1);
	torus_state_release(n->s, slot, NULL);
	assert_int_not_equal(torus_state_commit(n->s, &half, 2, NULL, 0, 1,
						NULL),
			     TORUS_NO_SLOT);
	nep_destroy(n);
}

/* Expected failures. */
static void impossible_shapes_are_refused(void **state)
{
	static const char *const unsupported[] = { "flat:16", "3x5", "6x6x4",
						   "3x4x5x8" };
	static const char *const supported[] = { "16",  "2x2x2x6x8", "7",
						 "3x4", "1x1x5",     "2^8" };
	const struct torus_strategy *s = unit_strategy("semitorus-nep");
	struct nep *n = nep_create("4x4");
	struct torus_ask ask = unit_shape("2x2", NULL, true);
	struct torus_options options = { 0 };
	struct torus_placement out;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct torus t = unit_torus(unsupported[i]);
		struct torus_error err = { 0 };

		assert_int_equal(torus_strategy_supports(s, &t, &options, &err),
				 -1);
		assert_int_equal(err.count, 1);
	}
	for (size_t i = 0; i < sizeof(supported) / sizeof(*supported); i++) {
		struct torus t = unit_torus(supported[i]);

		assert_int_equal(torus_strategy_supports(s, &t, &options, NULL),
				 0);
	}
	for (uint32_t nodes = 0; nodes < 3; nodes++) {
		struct torus_error err = { 0 };

		if (nodes)
			ask = unit_count(nodes == 1 ? 17 : UINT32_MAX, 'N');
		assert_int_equal(torus_state_find(n->s, &ask, &out, &err),
				 TORUS_NEVER);
		assert_int_equal(err.count, 1);
	}
	assert_false(s->occupancy_only);
	assert_false(torus_state_timeless(n->s));
	nep_destroy(n);
}

/* T where no piece can be a torus: never, and not "not now". */
static void never_a_ring(void **state)
{
	struct nep *n = nep_create("8");
	struct torus_ask ask = unit_count(4, 'T');
	struct torus_placement out;

	(void)state;
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_NEVER);
	ask = unit_count(8, 'T');
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_FITS);
	nep_destroy(n);
}

/* T where the smallest piece is no torus, but a larger one holds one. */
static void ring_in_a_larger_piece(void **state)
{
	struct nep *n = nep_create("12x1");
	struct torus_ask ask = unit_count(2, 'T');
	struct torus_placement out;

	(void)state;
	/* pieces: 8 and 4 of a ring of 12, both open lines; 2 is a ring */
	assert_int_equal(torus_state_find(n->s, &ask, &out, NULL), TORUS_FITS);
	assert_int_equal(out.ring, 1);
	nep_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_dimensions_split_into_powers_of_two),
		cmocka_unit_test(preprocessing_seven),
		cmocka_unit_test(partitions_have_the_published_pieces),
		cmocka_unit_test(smallest_lowest),
		cmocka_unit_test(siblings_only),
		cmocka_unit_test(merges_recursively),
		cmocka_unit_test(undoes_exactly),
		cmocka_unit_test(undoes_release_under_commit),
		cmocka_unit_test(open_dimensions_fold_into_rings),
		cmocka_unit_test(conversion_folds_one),
		cmocka_unit_test(places_have_only_allowed_nodes),
		cmocka_unit_test(stale_places),
		cmocka_unit_test(impossible_shapes_are_refused),
		cmocka_unit_test(never_a_ring),
		cmocka_unit_test(ring_in_a_larger_piece),
	};

	return UNIT_RUN(tests);
}
