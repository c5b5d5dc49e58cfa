/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions: text forms, bitmaps, closed rings, rank order. Bitmaps and
 * validity are compared with sets of coordinates on every region of small
 * toruses. */
#include "torus/state_text.h"
#include "unit.h"

#define MAX_NODES 64

static void region_text(void **state)
{
	static const struct {
		const char *torus, *in, *out;
	} good[] = {
		{ "8x8x8", "torus:2,0,4+4x4x2", "torus:2,0,4+4x4x2" },
		{ "8x8x8", "2,0,4+4x4x2", "torus:2,0,4+4x4x2" },
		{ "8x8", "1,0+4x4/2x2", "torus:1,0+4x4/2x2" },
		{ "8x8", "1,0+4x4/1x1", "torus:1,0+4x4" },
		{ "8x8", "1,0+4x4/2x1", "torus:1,0+4x4/2x1" },
		{ "8", "6+4", "torus:6+4" },
		{ "8:M", "4+4", "torus:4+4" },
		{ "8:M", "1+4/2", "torus:1+4/2" },
		{ "8", "7+4/2", "torus:7+4/2" },
		{ "1", "0+1", "torus:0+1" },
		{ "2^8", "0,0,0,0,0,0,0,0+2x2x2x2x2x2x2x2",
		  "torus:0,0,0,0,0,0,0,0+2x2x2x2x2x2x2x2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct torus t = unit_torus(good[i].torus);
		struct torus_error err = { 0 };
		uint64_t nodes[8];
		struct torus_region r;
		bool scattered = true;
		char text[TORUS_REGION_SIZE];

		memset(&r, 0xff, sizeof(r));
		if (torus_region_parse(&r, &scattered, nodes, &t, good[i].in,
				       &err))
			fail_msg("%s: %s", good[i].in, err.text);
		assert_false(scattered);
		assert_int_equal(torus_region_format(&r, &t, text, sizeof(text)),
				 strlen(good[i].out));
		assert_string_equal(text, good[i].out);
		for (uint32_t d = t.dims; d < TORUS_MAX_DIMS; d++) {
			assert_int_equal(r.base[d], 0);
			assert_int_equal(r.extent[d], 1);
			assert_int_equal(r.stride[d], 1);
		}
	}
}

/* Expected failures. */
static void region_text_refused(void **state)
{
	static const struct {
		const char *torus, *text;
	} bad[] = {
		{ "8x8", "" },
		{ "8x8", "torus:" },
		{ "8x8", "pod0:0,0+2x2" },
		{ "8x8", ":0,0+2x2" },
		{ "8x8", "toru:0,0+2x2" },
		{ "8x8", "torus2:0,0+2x2" },
		{ "8x8", "0,0" },
		{ "8x8", "0,0+" },
		{ "8x8", "+2x2" },
		{ "8x8", "0+2" },
		{ "8x8", "0,0,0+2x2x2" },
		{ "8x8", "0,0+2" },
		{ "8x8", "0,0+2x2x2" },
		{ "8x8", "0,0+2x2/" },
		{ "8x8", "0,0+2x2/2" },
		{ "8x8", "0,0+2x2/2x2x2" },
		{ "8x8", "0,0+2x2 " },
		{ "8x8", " 0,0+2x2" },
		{ "8x8", "0, 0+2x2" },
		{ "8x8", "0,0+2,2" },
		{ "8x8", "0x0+2x2" },
		{ "8x8", "-1,0+2x2" },
		{ "8x8", "00,0+2x2" },
		{ "8x8", "0,0+02x2" },
		{ "8x8", "0,0+0x2" },
		{ "8x8", "0,0+9x2" },
		{ "8x8", "8,0+2x2" },
		{ "8x8", "0,0+2x2/0x1" },
		{ "8x8", "0,0+4x4/3x1" },
		{ "8x8", "0,0+8x8/2x1" },
		{ "8x8:MT", "7,0+2x2" },
		{ "8x8:MT", "2,0+4x4/2x1" },
		{ "8x8", "4294967296,0+2x2" },
		{ "8x8", "0,0+4294967297x2" },
		{ "8x8", "0,0+2x2/4294967297x1" },
		{ "8x8", "0,0+3x1/4294967295x1" },
		{ "8x8", "{}" },
		{ "8x8", "{" },
		{ "8x8", "{0" },
		{ "8x8", "{0-}" },
		{ "8x8", "{-3}" },
		{ "8x8", "{3-0}" },
		{ "8x8", "{64}" },
		{ "8x8", "{0-64}" },
		{ "8x8", "{0,}" },
		{ "8x8", "{0,,1}" },
		{ "8x8", "{0}x" },
		{ "8x8", "{0;1}" },
		{ "8x8", "{4294967296}" },
		{ "8x8", "pod:{0}" },
		{ "8x8", "{0-3,3}" },
		{ "8x8", "{5,5}" },
		{ "8x8", "{7,0-63}" },
		{ "8x8", "{0-1,1-2}" },
		{ "8x8", "{0-1-2}" },
		{ "8x8", "{ 0}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct torus t = unit_torus(bad[i].torus);
		struct torus_error err = { 0 };
		struct torus_region r;
		uint64_t nodes[1];
		bool scattered;

		errno = 0;
		if (torus_region_parse(&r, &scattered, nodes, &t, bad[i].text,
				       &err) != -1)
			fail_msg("\"%s\" was accepted", bad[i].text);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(err.count, 1);
		assert_int_equal(torus_region_parse(&r, &scattered, nodes, &t,
						    bad[i].text, NULL),
				 -1);
	}
}

static void scattered_text(void **state)
{
	static const struct {
		const char *in, *out;
	} good[] = {
		{ "{0-3,7}", "pod0:{0-3,7}" },
		{ "pod0:{7}", "pod0:{7}" },
		{ "{69,3}", "pod0:{3,69}" },
		{ "{0-69}", "pod0:{0-69}" },
		{ "{62-65}", "pod0:{62-65}" },
		{ "{0,2,4-5,63,64}", "pod0:{0,2,4-5,63-64}" },
	};
	struct torus t;

	(void)state;
	assert_int_equal(torus_init_flat(&t, "pod0", 70, NULL), 0);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct torus_text text = { 0 };
		uint64_t nodes[2] = { UINT64_MAX, UINT64_MAX };
		struct torus_region r;
		bool scattered = false;

		assert_int_equal(torus_region_parse(&r, &scattered, nodes, &t,
						    good[i].in, NULL),
				 0);
		assert_true(scattered);
		assert_int_equal(torus_nodes_format(&text, &t, nodes), 0);
		assert_string_equal(text.data, good[i].out);
		torus_text_free(&text);
	}
}

static void orientation_text(void **state)
{
	struct torus t = unit_torus("4x4x4");
	struct torus_orientation o = { .axis = { 2, -1, 0 } };

	(void)state;
	assert_string_equal(unit_orientation(&t, &o), "2,-,0");
	o = (struct torus_orientation){ .folded = true, .axis = { 0, 0, 1 } };
	assert_string_equal(unit_orientation(&t, &o), "0+1,2");
	o = (struct torus_orientation){ .folded = true, .axis = { 0, 1, 0 } };
	assert_string_equal(unit_orientation(&t, &o), "0+2,1");
	o = (struct torus_orientation){ .folded = true, .axis = { 0, -1, 0 } };
	assert_string_equal(unit_orientation(&t, &o), "0+2");
}

static void shapes_are_formatted_and_squeezed(void **state)
{
	struct torus_ask a = unit_shape("8x1x8", NULL, true);
	char text[16];

	(void)state;
	assert_int_equal(torus_shape_volume(&a.shape), 64);
	assert_int_equal(torus_shape_format(&a.shape, text, sizeof(text)), 5);
	assert_string_equal(text, "8x1x8");
	torus_shape_squeeze(&a.shape);
	torus_shape_format(&a.shape, text, sizeof(text));
	assert_string_equal(text, "8x8");
	a = unit_shape("1x1x1", NULL, true);
	torus_shape_squeeze(&a.shape);
	assert_int_equal(a.shape.axes, 1);
	assert_int_equal(a.shape.extent[0], 1);
	a = unit_shape("4294967295x4294967295", NULL, true);
	assert_true(torus_shape_volume(&a.shape) ==
		    UINT64_C(4294967295) * UINT64_C(4294967295));
	a = unit_shape("4294967295x4294967295x2", NULL, true);
	assert_true(torus_shape_volume(&a.shape) == UINT64_MAX);
}

/*
 * The naive region: member[i] for every node index of dims sizes, by listing
 * base + k x stride per dimension. Returns false if it leaves the torus or
 * uses a node twice.
 */
static bool naive_region(const struct torus *t, const struct torus_region *r,
			 bool *member)
{
	uint32_t k[TORUS_MAX_DIMS] = { 0 };

	memset(member, false, MAX_NODES);
	for (uint32_t d = 0; d < t->dims; d++) {
		if (r->extent[d] < 1 || r->base[d] >= t->size[d] ||
		    r->stride[d] < 1)
			return false;
	}
	for (;;) {
		uint32_t index = 0, weight = 1, d;

		for (d = 0; d < t->dims; d++) {
			uint32_t c = r->base[d] + k[d] * r->stride[d];

			if (c >= t->size[d] &&
			    (!t->wrap[d] || k[d] * r->stride[d] >= t->size[d]))
				return false;
			index += c % t->size[d] * weight;
			weight *= t->size[d];
		}
		if (member[index])
			return false;
		member[index] = true;
		for (d = 0; d < t->dims && ++k[d] == r->extent[d]; d++)
			k[d] = 0;
		if (d == t->dims)
			return true;
	}
}

static void compare_maps(const struct torus *t, const struct torus_region *r,
			 const bool *member, uint64_t noise)
{
	uint64_t map[1] = { noise }, want;
	bool inside = true, touches = false;
	uint32_t nodes = 0;

	want = noise;
	for (uint32_t i = 0; i < t->nodes; i++) {
		uint64_t bit = UINT64_C(1) << i;

		nodes += member[i];
		want |= member[i] ? bit : 0;
		inside &= !member[i] || noise & bit;
		touches |= member[i] && noise & bit;
	}
	assert_int_equal(torus_region_nodes(r, t), nodes);
	assert_int_equal(torus_region_inside(r, t, map), inside);
	assert_int_equal(torus_region_touches(r, t, map), touches);
	torus_region_paint(r, t, map);
	assert_true(map[0] == want);
	for (uint32_t i = 0; i < t->nodes; i++) {
		if (member[i])
			want &= ~(UINT64_C(1) << i);
	}
	map[0] = noise;
	torus_region_erase(r, t, map);
	assert_true(map[0] == (want & noise));
}

/* Every base, extent and stride of a torus, and some that are wrong. */
static void every_region(const struct torus *t, struct torus_region *r,
			 uint32_t d)
{
	bool member[MAX_NODES], ok;

	if (d < t->dims) {
		uint32_t n = t->size[d];

		for (r->base[d] = 0; r->base[d] <= n; r->base[d]++)
			for (r->extent[d] = 0; r->extent[d] <= n + 1;
			     r->extent[d]++)
				for (r->stride[d] = 0; r->stride[d] <= n;
				     r->stride[d]++)
					every_region(t, r, d + 1);
		return;
	}
	ok = naive_region(t, r, member);
	if ((torus_region_check(r, t, NULL) == 0) != ok) {
		char text[TORUS_REGION_SIZE];

		torus_region_format(r, t, text, sizeof(text));
		fail_msg("%s should be %s", text, ok ? "valid" : "refused");
	}
	if (!ok)
		return;
	compare_maps(t, r, member, 0);
	compare_maps(t, r, member, torus_bits_low(t->nodes));
	compare_maps(t, r, member,
		     UINT64_C(0x9e3779b97f4a7c15) * (r->base[0] + 1) *
				     (r->extent[0] + 7) &
			     torus_bits_low(t->nodes));
}

static void regions_list_their_nodes(void **state)
{
	static const char *const machine[] = {
		"9",      "9:M",       "1",         "2",   "4x3",
		"4x3:TM", "4x3:MT",    "4x3:MM",    "1x5", "5x1",
		"2x2x3",  "3x2x2:MTM", "1x3x1:MTT",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machine) / sizeof(*machine); i++) {
		struct torus t = unit_torus(machine[i]);
		struct torus_region r;

		torus_region_whole(&r, &t);
		assert_int_equal(torus_region_nodes(&r, &t), t.nodes);
		every_region(&t, &r, 0);
	}
}

/* Rows longer than a word, and runs that join several dimensions. */
static void long_rows(void **state)
{
	static const char *const region[] = {
		"60,0,0+10x3x2", "0,0,0+100x2x1",      "0,1,1+100x3x2",
		"99,2,1+99x2x1", "3,0,0+25x3x2/4x1x1", "0,0,1+100x3x1",
	};
	struct torus t = unit_torus("100x3x2");

	(void)state;
	for (size_t i = 0; i < sizeof(region) / sizeof(*region); i++) {
		struct torus_region r;
		uint64_t nodes[10], map[10] = { 0 };
		bool scattered;

		assert_int_equal(torus_region_parse(&r, &scattered, nodes, &t,
						    region[i], NULL),
				 0);
		torus_region_paint(&r, &t, map);
		for (uint32_t n = 0; n < t.nodes; n++) {
			uint32_t c[3] = { n % 100, n / 100 % 3, n / 300 };
			bool in = true;

			for (int d = 0; d < 3; d++) {
				bool hit = false;

				for (uint32_t k = 0; k < r.extent[d]; k++)
					hit |= (r.base[d] + k * r.stride[d]) %
						       t.size[d] ==
					       c[d];
				in &= hit;
			}
			assert_int_equal(torus_bits_test(map, n), in);
		}
		assert_true(torus_region_inside(&r, &t, map));
		torus_region_erase(&r, &t, map);
		assert_int_equal(torus_bits_count(map, 10), 0);
		assert_false(torus_region_touches(&r, &t, map));
	}
}

static void closed_axes_are_found(void **state)
{
	static const struct {
		const char *torus, *region;
		const char *rings; /* R or - per dimension */
	} row[] = {
		{ "8x8:TM", "0,0+8x8", "R-" },
		{ "8x8:TM", "0,0+4x4", "--" },
		{ "8x8:TM", "0,0+4x4/2x2", "R-" },
		{ "8x8:TM", "1,1+2x1", "RR" },
		{ "8x8:MM", "0,0+2x2", "RR" },
		{ "8x8:MM", "0,0+3x7", "--" },
		{ "8x8", "5,3+8x3", "R-" },
		{ "8x8", "5,3+7x3", "--" },
		{ "8x8", "5,3+3x4/2x1", "--" },
		{ "9x6", "1,0+3x3/3x2", "RR" },
		{ "9x6", "1,0+3x3/2x1", "--" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct torus t = unit_torus(row[i].torus);
		struct torus_region r;
		uint64_t nodes[1];
		bool scattered;

		assert_int_equal(torus_region_parse(&r, &scattered, nodes, &t,
						    row[i].region, NULL),
				 0);
		for (uint32_t d = 0; d < t.dims; d++)
			assert_int_equal(torus_region_closed(&r, &t, d),
					 row[i].rings[d] == 'R');
	}
}

static void equal_regions_have_the_same_nodes(void **state)
{
	struct torus t = unit_torus("8x8");
	struct torus_region a, b;

	(void)state;
	torus_region_whole(&a, &t);
	b = a;
	b.base[5] = 7; /* not of this torus */
	assert_true(torus_region_equal(&a, &b, &t));
	b = a;
	b.base[1] = 1;
	assert_false(torus_region_equal(&a, &b, &t));
	b = a;
	b.extent[1] = 1;
	assert_false(torus_region_equal(&a, &b, &t));
	b = a;
	b.stride[0] = 2;
	assert_false(torus_region_equal(&a, &b, &t));
}

/*
 * Shape 2x3 turned: axis 0 along dimension 2, axis 1 along dimension 0, and
 * across the edge of dimension 0. Row-major: axis 1 is the fastest.
 */
static void ranks_are_row_major_in_the_shape(void **state)
{
	static const uint32_t want[6][3] = {
		{ 3, 1, 0 }, { 0, 1, 0 }, { 1, 1, 0 },
		{ 3, 1, 1 }, { 0, 1, 1 }, { 1, 1, 1 },
	};
	struct torus t = unit_torus("4x4x2");
	struct torus_orientation o = { .axis = { 1, -1, 0 } };
	struct torus_region r = { .base = { 3, 1, 0 },
				  .extent = { 3, 1, 2 },
				  .stride = { 1, 1, 1 } };

	(void)state;
	for (uint32_t k = 0; k < 6; k++) {
		uint32_t coord[2];
		uint32_t node = torus_region_rank_node(&r, &t, &o, 2, k, coord);

		assert_int_equal(node,
				 want[k][0] + 4 * want[k][1] + 16 * want[k][2]);
		assert_int_equal(coord[0], k / 3);
		assert_int_equal(coord[1], k % 3);
		assert_int_equal(torus_region_rank_node(&r, &t, &o, 2, k, NULL),
				 node);
	}
}

/* Strided, and pinned axes of 1; one node has one axis and no dimension. */
static void ranks_special(void **state)
{
	struct torus t = unit_torus("8x4");
	struct torus_orientation o = { .axis = { 0, 1 } };
	struct torus_region r = { .base = { 5, 2 },
				  .extent = { 4, 1 },
				  .stride = { 2, 1 } };
	uint32_t coord[2] = { 9, 9 };

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		assert_int_equal(torus_region_rank_node(&r, &t, &o, 2, k, coord),
				 (5 + 2 * k) % 8 + 16);
		assert_int_equal(coord[0], k);
		assert_int_equal(coord[1], 0);
	}
	o = (struct torus_orientation){ .axis = { -1, -1 } };
	r.extent[0] = 1;
	coord[0] = 9;
	assert_int_equal(torus_region_rank_node(&r, &t, &o, 1, 0, coord),
			 5 + 16);
	assert_int_equal(coord[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(region_text),
		cmocka_unit_test(region_text_refused),
		cmocka_unit_test(scattered_text),
		cmocka_unit_test(orientation_text),
		cmocka_unit_test(shapes_are_formatted_and_squeezed),
		cmocka_unit_test(regions_list_their_nodes),
		cmocka_unit_test(long_rows),
		cmocka_unit_test(closed_axes_are_found),
		cmocka_unit_test(equal_regions_have_the_same_nodes),
		cmocka_unit_test(ranks_are_row_major_in_the_shape),
		cmocka_unit_test(ranks_special),
	};

	return UNIT_RUN(tests);
}
