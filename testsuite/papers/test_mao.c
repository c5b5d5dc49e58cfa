/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mao, Chen, Watson (2005): what the paper states about preprocessing,
 * partition and conversion, and the decisions taken where it is open.
 */
#include "torus/state_text.h"
#include "torus/state_find.h"
#include "../unit/unit.h"

#include "placement/trees/pieces.h"

static struct torus_machine machine(const char *string, const char *strategy,
				    const char *key, const char *value)
{
	struct torus_options options = { 0 };
	struct torus_machine m = { 0 };
	struct torus t = unit_torus(string);
	struct torus_error err = { 0 };

	if (key) {
		snprintf(options.item[0].key, TORUS_OPTION_KEY, "%s", key);
		snprintf(options.item[0].value, TORUS_OPTION_VALUE, "%s", value);
		options.used = 1;
	}
	if (torus_machine_init(&m, &t, unit_strategy(strategy), &options, &err))
		fail_msg("%s", err.text);
	return m;
}

/* Start a job of n nodes; its slot, or TORUS_NO_SLOT. *place is its place. */
static uint32_t start(struct torus_state *s, uint32_t n,
		      struct torus_placement *place)
{
	struct torus_ask ask = unit_count(n, 'N');

	if (torus_state_find(s, &ask, place, NULL) != TORUS_FITS)
		return TORUS_NO_SLOT;
	return torus_state_commit(s, place, n, NULL, 0, INT64_MAX, NULL);
}

/* Extents in ascending order: shapes compare as multisets. */
static const char *multiset(const struct torus_placement *place)
{
	static char text[64];
	uint32_t e[TORUS_MAX_DIMS];
	size_t used = 0;

	memcpy(e, place->region.extent, sizeof(e));
	for (int i = 1; i < TORUS_MAX_DIMS; i++) {
		for (int k = i; k > 0 && e[k - 1] > e[k]; k--) {
			uint32_t swap = e[k];

			e[k] = e[k - 1];
			e[k - 1] = swap;
		}
	}
	text[0] = '\0';
	for (int i = 0; i < TORUS_MAX_DIMS; i++) {
		if (e[i] > 1)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used, "%s%u",
						 used ? "x" : "", e[i]);
	}
	return text;
}

/* Section 2.3: 2x2x2x6x8 falls into 2x2x2x4x8 and 2x2x2x2x8; the first misses
 * its wrap in dimension 4, the second has size 2 there and does not. */
static void the_machine_splits_as_published(void **state)
{
	static const char *const strategy[] = { "semitorus-ep", "semitorus-nep",
						"semitorus-buddy" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct torus_machine m = unit_machine("2x2x2x6x8", strategy[i]);
		struct torus_state *s = torus_state_create(&m);
		struct torus_placement a, b;
		struct torus_ask above = unit_count(257, 'N');
		const struct torus *t = &m.pod[0].torus;

		assert_int_equal(torus_state_find(s, &above, &a, NULL),
				 TORUS_NEVER);
		assert_int_not_equal(start(s, 256, &a), TORUS_NO_SLOT);
		assert_int_not_equal(start(s, 128, &b), TORUS_NO_SLOT);
		assert_string_equal(multiset(&a), "2x2x2x4x8");
		assert_false(torus_region_closed(&a.region, t, 3));
		assert_string_equal(multiset(&b), "2x2x2x2x8");
		for (uint32_t d = 0; d < 5; d++)
			assert_true(torus_region_closed(&b.region, t, d));
		assert_int_equal(torus_state_free_nodes(s), 0);
		/* above the largest: rejected, busy or not */
		assert_int_equal(torus_state_find(s, &above, &a, NULL),
				 TORUS_NEVER);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Section 3, Fig. 2(a): S of 2x4x4x8; m = 8: 32 of 2x2x2; m = 64: 4 of
 * 2x2x4x4. */
static void equal_partition(void **state)
{
	static const struct {
		uint32_t m, pieces;
		const char *shape;
	} row[] = { { 8, 32, "2x2x2" }, { 64, 4, "2x2x4x4" } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct torus_machine m = unit_machine("2x4x4x8", "semitorus-ep");
		struct torus_state *s = torus_state_create(&m);
		struct torus_placement place;
		uint32_t n = 0;

		for (; start(s, row[i].m, &place) != TORUS_NO_SLOT; n++)
			assert_string_equal(multiset(&place), row[i].shape);
		assert_int_equal(n, row[i].pieces);
		assert_int_equal(torus_state_free_nodes(s), 0);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Pieces in order: EP row-major, the last dimension fastest. */
static void equal_partition_order(void **state)
{
	struct torus_machine m = unit_machine("2x4x4x8", "semitorus-ep");
	struct torus_state *s = torus_state_create(&m);

	(void)state;
	for (uint32_t i = 0; i < 32; i++) {
		struct torus_placement place;

		assert_int_not_equal(start(s, 8, &place), TORUS_NO_SLOT);
		assert_int_equal(place.region.base[0], 0);
		assert_int_equal(place.region.base[1], i / 16 * 2);
		assert_int_equal(place.region.base[2], i / 8 % 2 * 2);
		assert_int_equal(place.region.base[3], i % 8);
	}
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Section 3, the extreme case: one node disconnects the whole machine. */
static void equal_partition_of_one(void **state)
{
	struct torus_machine m = unit_machine("2x4x4x8", "semitorus-ep");
	struct torus_state *s = torus_state_create(&m);
	struct torus_placement place;
	uint32_t slot = start(s, 1, &place);

	(void)state;
	assert_int_equal(start(s, 2, &place), TORUS_NO_SLOT);
	torus_state_release(s, slot, NULL);
	assert_int_not_equal(start(s, 256, &place), TORUS_NO_SLOT);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Section 3, Fig. 2(b): m = 16 makes 2x4x2, 2x4x2, 2x4x4, 2x4x4x2, 2x4x4x4.
 * Each is taken whole by a job of its size, so they are the free pieces. */
static void non_equal_partition(void **state)
{
	static const struct {
		uint32_t m;
		const char *shape;
	} row[] = { { 16, "2x2x4" },
		    { 16, "2x2x4" },
		    { 32, "2x4x4" },
		    { 64, "2x2x4x4" },
		    { 128, "2x4x4x4" } };
	struct torus_machine m = unit_machine("2x4x4x8", "semitorus-nep");
	struct torus_state *s = torus_state_create(&m);
	struct torus_placement place;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_not_equal(start(s, row[i].m, &place), TORUS_NO_SLOT);
		assert_string_equal(multiset(&place), row[i].shape);
	}
	assert_int_equal(torus_state_free_nodes(s), 0);
	torus_state_destroy(s);
	torus_machine_free(&m);
}

/* Section 2.3, deallocation: all siblings or none; the buddy variant merges
 * halves. Jobs of 2, 8 and 2 on a ring of 16, the twos end. */
static void siblings_merge_all_or_none(void **state)
{
	static const struct {
		const char *strategy;
		uint32_t low; /* where a job of 4 goes then */
	} row[] = { { "semitorus-nep", 4 }, { "semitorus-buddy", 0 } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct torus_machine m = unit_machine("16", row[i].strategy);
		struct torus_state *s = torus_state_create(&m);
		struct torus_placement place;
		uint32_t a = start(s, 2, &place), b;

		assert_int_not_equal(start(s, 8, &place), TORUS_NO_SLOT);
		b = start(s, 2, &place);
		assert_int_equal(place.region.base[0], 2);
		torus_state_release(s, a, NULL);
		torus_state_release(s, b, NULL);
		assert_int_not_equal(start(s, 4, &place), TORUS_NO_SLOT);
		assert_int_equal(place.region.base[0], row[i].low);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Which semitorus: the smallest that fits, or the largest. */
static void the_smallest_or_largest_semitorus_is_taken(void **state)
{
	struct torus_placement place;

	(void)state;
	for (int largest = 0; largest < 2; largest++) {
		struct torus_machine m =
			machine("2x2x2x6x8", "semitorus-nep", "identify",
				largest ? "largest" : "smallest");
		struct torus_state *s = torus_state_create(&m);

		assert_int_not_equal(start(s, 16, &place), TORUS_NO_SLOT);
		/* the smaller root lies at 4 .. 5 of dimension 4 */
		assert_int_equal(place.region.base[3] >= 4, !largest);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Ring lengths of the conversion of a region, "32x2x4", in the rings' order;
 * with '!' behind if not all are closed. */
static const char *converted(const char *string, const char *region,
			     enum torus_convert how)
{
	static char text[64];
	struct torus t = unit_torus(string);
	struct torus_placement place = { 0 };
	struct torus_shape shape = { 0 };
	bool scattered;

	assert_int_equal(torus_region_parse(&place.region, &scattered, NULL, &t,
					    region, NULL),
			 0);
	torus_fold(&t, how, &place);
	shape.axes = place.axes;
	torus_fold_sizes(&t, &place, shape.extent);
	torus_shape_format(&shape, text, sizeof(text) - 1);
	if (place.ring != (1u << place.axes) - 1)
		strcat(text, "!");
	return text;
}

/* Section 2.3, conversion: 4x8x2x4 whose first two dimensions are open
 * becomes 32x2x4 (combined) or 16x16 (paired). */
static void open_dimensions_become_rings(void **state)
{
	static const struct {
		const char *torus, *region, *combine, *pair;
	} row[] = {
		{ "8x16x2x4", "0,0,0,0+4x8x2x4", "32x2x4", "16x16" },
		{ "4x8x2x4:MMTT", "0,0,0,0+4x8x2x4", "32x2x4", "16x16" },
		/* one open dimension is paired with a closed one */
		{ "8x2x4", "0,0,0+4x2x4", "8x4", "8x4" },
		{ "8x4", "4,0+4x4", "16", "16" },
		/* none closed: impossible for one, not for two */
		{ "8x4", "4,0+4x1", "4!", "4!" },
		{ "8", "0+4", "4!", "4!" },
		{ "8x8", "0,0+4x4", "16", "16" },
		/* more open than closed */
		{ "8x8x8x2", "0,0,0,0+4x4x4x2", "64x2", "8x16" },
		{ "8x8x2", "0,0,0+4x4x2", "16x2", "32" },
		/* nothing to do; a dimension of 2 never misses its wrap */
		{ "4x8x2x4", "0,0,0,0+4x8x2x4", "4x8x2x4", "4x8x2x4" },
		{ "8x8x4", "6,3,0+2x2x4", "2x2x4", "2x2x4" },
		{ "8x8", "3,3+1x1", "1", "1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		assert_string_equal(converted(row[i].torus, row[i].region,
					      TORUS_CONVERT_COMBINE),
				    row[i].combine);
		assert_string_equal(converted(row[i].torus, row[i].region,
					      TORUS_CONVERT_PAIR),
				    row[i].pair);
	}
}

/* Are two nodes the same or one link apart? */
static bool adjacent(const struct torus *t, uint32_t a, uint32_t b)
{
	uint32_t ca[TORUS_MAX_DIMS], cb[TORUS_MAX_DIMS], steps = 0;

	torus_coord(t, a, ca);
	torus_coord(t, b, cb);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = ca[d] > cb[d] ? ca[d] - cb[d] : cb[d] - ca[d];

		if (t->wrap[d] && t->size[d] - n < n)
			n = t->size[d] - n;
		steps += n;
	}
	return steps == 1;
}

/* Every node once, and neighbours in every ring adjacent; the last and the
 * first as well where the ring is closed. */
static void walk_rings(const struct torus *t,
		       const struct torus_placement *place)
{
	uint32_t size[TORUS_MAX_DIMS], nodes, across = 1;
	uint64_t seen[64] = { 0 }, painted[64] = { 0 };

	torus_fold_sizes(t, place, size);
	nodes = torus_region_nodes(&place->region, t);
	assert_true(t->nodes <= 64 * 64);
	for (uint32_t k = 0; k < nodes; k++) {
		uint32_t coord[TORUS_MAX_DIMS];
		uint32_t node = torus_region_rank_node(&place->region, t,
						       &place->orientation,
						       place->axes, k, coord);

		assert_false(torus_bits_test(seen, node));
		torus_bits_set(seen, node);
		across = 1;
		for (uint32_t a = place->axes; a-- > 0;) {
			bool last = coord[a] == size[a] - 1;
			uint32_t next = last ? k - coord[a] * across :
					       k + across;

			across *= size[a];
			if (size[a] == 1 || (last && !(place->ring >> a & 1)))
				continue;
			next = torus_region_rank_node(&place->region, t,
						      &place->orientation,
						      place->axes, next, NULL);
			if (!adjacent(t, node, next))
				fail_msg("rank %u: nodes %u and %u", k, node,
					 next);
		}
	}
	assert_int_equal(across, nodes);
	assert_int_equal(torus_bits_count(seen, 64), nodes);
	torus_region_paint(&place->region, t, painted);
	assert_memory_equal(seen, painted, sizeof(seen));
}

/* Every semitorus of some machines, both conversions, two bases. */
static void rings_are_physical(void **state)
{
	static const char *const string[] = {
		"16",           "8x8",      "8x8:MM",       "8x4x2",
		"4x4x4:MTM",    "8x16x2x4", "2x2x2x6x8",    "2^5",
		"4x8x2x4:MMTT", "8x8x8",    "4x4x4x4:MMMM",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++) {
		struct torus t = unit_torus(string[i]);
		uint32_t log[TORUS_MAX_DIMS] = { 0 }, d;

		do {
			struct torus_placement place = { 0 };

			torus_region_whole(&place.region, &t);
			for (d = 0; d < t.dims; d++) {
				uint32_t e = 1u << log[d];

				place.region.extent[d] = e;
				place.region.base[d] = t.size[d] - e;
			}
			torus_fold(&t, TORUS_CONVERT_COMBINE, &place);
			walk_rings(&t, &place);
			torus_fold(&t, TORUS_CONVERT_PAIR, &place);
			walk_rings(&t, &place);
			for (d = 0; d < t.dims; d++) {
				if (2u << log[d]++ <= t.size[d])
					break;
				log[d] = 0;
			}
		} while (d < t.dims);
	}
}

/* Shapes: the rings of the conversion, in any order unless pinned. */
static void shapes_are_the_rings_in_any_order(void **state)
{
	static const struct {
		const char *torus, *key, *value, *shape, *letters;
		bool rotate;
		enum torus_answer answer;
		const char *orientation;
	} row[] = {
		/* the 16 of 8x8 by NEP is 8x2 */
		{ "8x8", NULL, NULL, "8x2", "TT", true, TORUS_FITS, "0,1" },
		{ "8x8", NULL, NULL, "2x8", "NN", true, TORUS_FITS, "1,0" },
		{ "8x8", NULL, NULL, "2x8", "NN", false, TORUS_NEVER, NULL },
		{ "8x8", NULL, NULL, "8x2", "NN", false, TORUS_FITS, "0,1" },
		{ "8x8", NULL, NULL, "4x4", "NN", true, TORUS_NEVER, NULL },
		{ "8x8", NULL, NULL, "3x4", "NN", true, TORUS_NEVER, NULL },
		{ "8x8", NULL, NULL, "16x8", "NN", true, TORUS_NEVER, NULL },
		{ "8x8", NULL, NULL, "1", "T", true, TORUS_FITS, "-,-" },
		/* one open dimension folds with a closed one; pinned it stays */
		{ "8x8", NULL, NULL, "32", "T", true, TORUS_FITS, "0+1" },
		{ "8x8", NULL, NULL, "8x4", "TT", false, TORUS_NEVER, NULL },
		{ "8x8", NULL, NULL, "8x4", "TM", false, TORUS_FITS, "0,1" },
		{ "4x8x2x4:MMTT", NULL, NULL, "4x32x2", "NNN", true, TORUS_FITS,
		  NULL },
		{ "4x8x2x4:MMTT", "convert", "pair", "16x16", "TT", true,
		  TORUS_FITS, NULL },
		{ "4x8x2x4:MMTT", "convert", "pair", "4x32x2", "NNN", true,
		  TORUS_NEVER, NULL },
		{ "8", NULL, NULL, "4", "T", true, TORUS_NEVER, NULL },
		{ "8", NULL, NULL, "4", "N", true, TORUS_FITS, "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus_machine m = machine(row[i].torus, "semitorus-nep",
						 row[i].key, row[i].value);
		struct torus_state *s = torus_state_create(&m);
		struct torus_ask ask = unit_shape(row[i].shape, row[i].letters,
						  row[i].rotate);
		struct torus_placement out;
		struct torus_error err = { 0 };
		uint32_t size[TORUS_MAX_DIMS];

		if (torus_state_find(s, &ask, &out, &err) != row[i].answer)
			fail_msg("row %zu: %s", i, err.text);
		assert_int_equal(err.count, row[i].answer == TORUS_NEVER);
		if (row[i].answer == TORUS_FITS) {
			torus_fold_sizes(&m.pod[0].torus, &out, size);
			assert_int_equal(out.axes, ask.shape.axes);
			assert_memory_equal(size, ask.shape.extent,
					    out.axes * sizeof(*size));
			walk_rings(&m.pod[0].torus, &out);
		}
		if (row[i].orientation)
			assert_string_equal(unit_orientation(&m.pod[0].torus,
							     &out.orientation),
					    row[i].orientation);
		torus_state_destroy(s);
		torus_machine_free(&m);
	}
}

/* Expected failures: what the strategies cannot serve. */
static void impossible_requests_are_refused(void **state)
{
	static const char *const strategy[] = { "semitorus-ep", "semitorus-nep",
						"semitorus-buddy" };
	struct torus_options bad = { .used = 1,
				     .item = { { "convert", "fold" } } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct torus_strategy *s = unit_strategy(strategy[i]);
		struct torus t = unit_torus("3x3"), ok = unit_torus("3x4");
		struct torus_options none = { 0 };
		struct torus_error err = { 0 };

		assert_int_equal(torus_strategy_supports(s, &t, &none, &err),
				 -1);
		assert_non_null(strstr(err.text, strategy[i]));
		assert_int_equal(torus_strategy_supports(s, &ok, &none, &err),
				 0);
		assert_int_equal(torus_strategy_supports(s, &ok, &bad, &err),
				 -1);
		assert_non_null(strstr(err.text, "combine|pair"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_splits_as_published),
		cmocka_unit_test(equal_partition),
		cmocka_unit_test(equal_partition_order),
		cmocka_unit_test(equal_partition_of_one),
		cmocka_unit_test(non_equal_partition),
		cmocka_unit_test(siblings_merge_all_or_none),
		cmocka_unit_test(the_smallest_or_largest_semitorus_is_taken),
		cmocka_unit_test(open_dimensions_become_rings),
		cmocka_unit_test(rings_are_physical),
		cmocka_unit_test(shapes_are_the_rings_in_any_order),
		cmocka_unit_test(impossible_requests_are_refused),
	};

	return UNIT_RUN(tests);
}
