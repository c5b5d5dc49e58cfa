/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Toruses: machine strings, indices and coordinates, names. */
#include "unit.h"

static const struct {
	const char *string;
	const char *written; /* canonical */
	uint32_t dims, nodes;
	uint32_t size[TORUS_MAX_DIMS];
	const char *wrap; /* T or M per dimension */
	bool flat;
} good[] = {
	{ "8x8x8", "8x8x8", 3, 512, { 8, 8, 8 }, "TTT", false },
	{ "8x8x8:TTM", "8x8x8:TTM", 3, 512, { 8, 8, 8 }, "TTM", false },
	{ "8x8x8:TTT", "8x8x8", 3, 512, { 8, 8, 8 }, "TTT", false },
	{ "3x5x2:MMM", "3x5x2:MMM", 3, 30, { 3, 5, 2 }, "MMM", false },
	{ "2^8",
	  "2x2x2x2x2x2x2x2",
	  8,
	  256,
	  { 2, 2, 2, 2, 2, 2, 2, 2 },
	  "TTTTTTTT",
	  false },
	{ "5^1", "5", 1, 5, { 5 }, "T", false },
	{ "16", "16", 1, 16, { 16 }, "T", false },
	{ "16:M", "16:M", 1, 16, { 16 }, "M", false },
	{ "1", "1", 1, 1, { 1 }, "T", false },
	{ "4x1x3", "4x1x3", 3, 12, { 4, 1, 3 }, "TTT", false },
	{ "1x2x3x4x5x6x7x8:TMTMTMTM",
	  "1x2x3x4x5x6x7x8:TMTMTMTM",
	  8,
	  40320,
	  { 1, 2, 3, 4, 5, 6, 7, 8 },
	  "TMTMTMTM",
	  false },
	{ "4096x4096",
	  "4096x4096",
	  2,
	  TORUS_MAX_NODES,
	  { 4096, 4096 },
	  "TT",
	  false },
	{ "16777216", "16777216", 1, TORUS_MAX_NODES, { 16777216 }, "T", false },
	{ "flat:128", "flat:128", 1, 128, { 128 }, "M", true },
	{ "flat:1", "flat:1", 1, 1, { 1 }, "M", true },
};

static void machine_strings_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct torus t = unit_torus(good[i].string);
		char text[TORUS_STRING_SIZE];
		uint32_t stride = 1;

		assert_int_equal(t.dims, good[i].dims);
		assert_int_equal(t.nodes, good[i].nodes);
		assert_int_equal(t.flat, good[i].flat);
		assert_string_equal(t.name, "torus");
		for (uint32_t d = 0; d < t.dims; d++) {
			assert_int_equal(t.size[d], good[i].size[d]);
			assert_int_equal(t.wrap[d], good[i].wrap[d] == 'T');
			assert_int_equal(t.stride[d], stride);
			stride *= t.size[d];
		}
		for (uint32_t d = t.dims; d < TORUS_MAX_DIMS; d++) {
			assert_int_equal(t.size[d], 1);
			assert_false(t.wrap[d]);
			assert_int_equal(t.stride[d], t.nodes);
		}
		assert_int_equal(torus_format(&t, text, sizeof(text)),
				 strlen(good[i].written));
		assert_string_equal(text, good[i].written);
	}
}

static void formats_like_snprintf(void **state)
{
	struct torus t = unit_torus("8x8x8:TTM");
	char text[6] = "?????";

	(void)state;
	assert_int_equal(torus_format(&t, text, sizeof(text)), 9);
	assert_string_equal(text, "8x8x8");
	assert_int_equal(torus_format(&t, NULL, 0), 9);
}

/* Expected failures. */
static const char *const bad[] = {
	"",
	" ",
	"x",
	"0",
	"8x0",
	"0x8",
	"x8",
	"8x",
	"8xx8",
	"8x8x",
	"08",
	"8x08",
	"00",
	"+8",
	"-8",
	" 8",
	"8 ",
	"8 x8",
	"8X8",
	"8*8",
	"8,8",
	"2^",
	"2^0",
	"2^9",
	"^3",
	"2^3^2",
	"2^3x2",
	"8x2^3",
	"2^-1",
	"0^2",
	"1x1x1x1x1x1x1x1x1",
	"8x8:",
	"8x8:T",
	"8x8:TTT",
	"8x8:tt",
	"8x8:TX",
	"8x8:TT ",
	"8x8:TT:TT",
	":TT",
	"flat",
	"flat:",
	"flat:0",
	"flat:x",
	"flat:8x8",
	"flat:+1",
	"flat:01",
	"flat: 1",
	"flat:128:T",
	"Flat:8",
	"16777217",
	"4097x4096",
	"flat:16777217",
	"99999999999999999999",
	"4294967296",
	"4294967297x1",
	"65536x65536x65536x65536x65536x65536",
	"999999999x999999999x999999999x999999999",
	"2^2147483648",
	"8x8\n8",
};

static void wrong_machine_strings_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct torus_error err = { 0 };
		struct torus t, before;

		memset(&t, 0x5a, sizeof(t));
		before = t;
		errno = 0;
		if (torus_parse(&t, bad[i], &err) != -1)
			fail_msg("\"%s\" was accepted", bad[i]);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(err.count, 1);
		assert_true(strlen(err.text) > 20);
		assert_null(strchr(err.text, '\n'));
		/* no side effect on failure */
		assert_memory_equal(&t, &before, sizeof(t));
		assert_int_equal(torus_parse(&t, bad[i], NULL), -1);
	}
}

static void init_refuses(void **state)
{
	const uint32_t size[9] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
	struct torus_error err = { 0 };
	struct torus t;

	(void)state;
	assert_int_equal(torus_init(&t, "a", 0, size, NULL, &err), -1);
	assert_int_equal(torus_init(&t, "a", 9, size, NULL, &err), -1);
	assert_int_equal(torus_init(&t, "", 2, size, NULL, &err), -1);
	assert_int_equal(torus_init(&t, "a b", 2, size, NULL, &err), -1);
	assert_int_equal(torus_init_flat(&t, "a", 0, &err), -1);
	assert_int_equal(err.count, 5);
	assert_int_equal(torus_init(&t, "a", 8, size, NULL, &err), 0);
	assert_int_equal(t.nodes, 256);
}

static void numbers_first_dimension_fastest(void **state)
{
	struct torus t = unit_torus("3x5x2");
	uint32_t coord[TORUS_MAX_DIMS], index = 0;

	(void)state;
	for (uint32_t z = 0; z < 2; z++) {
		for (uint32_t y = 0; y < 5; y++) {
			for (uint32_t x = 0; x < 3; x++, index++) {
				memset(coord, 0xff, sizeof(coord));
				torus_coord(&t, index, coord);
				assert_int_equal(coord[0], x);
				assert_int_equal(coord[1], y);
				assert_int_equal(coord[2], z);
				for (int d = 3; d < TORUS_MAX_DIMS; d++)
					assert_int_equal(coord[d], 0);
				assert_int_equal(torus_index(&t, coord), index);
			}
		}
	}
}

static void names_have_letters_digits_and_few_signs(void **state)
{
	char text[TORUS_NAME_SIZE + 1];

	(void)state;
	assert_true(torus_name_ok("torus"));
	assert_true(torus_name_ok("0"));
	assert_true(torus_name_ok("Pod-0_a.b"));
	assert_false(torus_name_ok(""));
	assert_false(torus_name_ok("-a"));
	assert_false(torus_name_ok("_a"));
	assert_false(torus_name_ok(".a"));
	assert_false(torus_name_ok("a b"));
	assert_false(torus_name_ok("a:b"));
	assert_false(torus_name_ok("a\n"));
	assert_false(torus_name_ok("\xc3\xa4"));
	memset(text, 'a', sizeof(text));
	text[TORUS_NAME_SIZE] = '\0';
	assert_false(torus_name_ok(text));
	text[TORUS_NAME_SIZE - 1] = '\0';
	assert_true(torus_name_ok(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_strings_are_read_and_written),
		cmocka_unit_test(formats_like_snprintf),
		cmocka_unit_test(wrong_machine_strings_change_nothing),
		cmocka_unit_test(init_refuses),
		cmocka_unit_test(numbers_first_dimension_fastest),
		cmocka_unit_test(names_have_letters_digits_and_few_signs),
	};

	return UNIT_RUN(tests);
}
