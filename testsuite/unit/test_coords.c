/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TORUS_COORDS: what is written, what is read back, what is no coordinates. */
#include "unit.h"

#include "request/coords.h"

/* Write "0,0 1,0 ..." (parted by spaces). */
static struct torus_text write_all(const char *list, uint32_t axes)
{
	struct torus_coords_writer w = { .axes = axes };

	while (*list) {
		uint32_t coord[TORUS_MAX_DIMS];

		for (uint32_t a = 0; a < axes; a++) {
			char *end;

			coord[a] = (uint32_t)strtoul(list, &end, 10);
			list = *end ? end + 1 : end;
		}
		assert_int_equal(torus_coords_add(&w, coord), 0);
	}
	assert_int_equal(torus_coords_end(&w), 0);
	return w.text;
}

static const struct {
	uint32_t axes;
	const char *list, *text;
} written[] = {
	{ 1, "0", "0" },
	{ 1, "0 1 2 3", "0-3" },
	{ 1, "2 3 0 1", "2-3;0-1" },
	{ 1, "3 2 1 0", "3-0" },
	{ 1, "0 1 0 1", "0-1;0-1" },
	{ 1, "0 0", "0;0" },
	{ 1, "0 1 3", "0-1;3" },
	{ 2, "0,0 1,0 2,0 3,0 0,1 1,1 2,1 3,1", "0-3,0;0-3,1" },
	{ 2, "0,0 0,1 0,2 1,0 1,1 1,2", "0,0-2;1,0-2" },
	{ 2, "0,0 1,0 1,1 1,2", "0-1,0;1,1-2" },
	{ 2, "0,0 1,1 2,2", "0,0;1,1;2,2" },
	{ 3, "0,0,0 0,0,1 0,1,0 0,1,1", "0,0,0-1;0,1,0-1" },
	{ 3, "9,10,11 10,10,11 11,10,11", "9-11,10,11" },
	{ 8, "0,0,0,0,0,0,0,0 0,0,0,0,0,0,0,1", "0,0,0,0,0,0,0,0-1" },
};

static void write_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		struct torus_text text = write_all(written[i].list,
						   written[i].axes);

		assert_string_equal(text.data, written[i].text);
		torus_text_free(&text);
	}
}

static void read_them_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		char *list = strdup(written[i].list), *rest = list, *want;
		char got[64];
		uint32_t n = 0;

		assert_non_null(list);
		while ((want = strsep(&rest, " "))) {
			assert_int_equal(torus_coords_nth(written[i].text, n++,
							  got, sizeof(got)),
					 0);
			assert_string_equal(got, want);
		}
		assert_int_equal(torus_coords_nth(written[i].text, n, got,
						  sizeof(got)),
				 -1);
		free(list);
	}
}

/* The share of a task: all, one each, several each, fewer than tasks. */
static void tasks_share_vertices_evenly(void **state)
{
	static const struct {
		uint32_t task, tasks;
		const char *want;
	} share[] = {
		{ 0, 1, "2,0,4;2,1,4;3,0,4;3,1,4" },
		{ 0, 4, "2,0,4" },
		{ 3, 4, "3,1,4" },
		{ 1, 2, "3,0,4;3,1,4" },
		{ 2, 3, "3,0,4;3,1,4" },
		{ 5, 8, "3,0,4" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(share) / sizeof(*share); i++) {
		struct torus_text text = { 0 };

		assert_int_equal(torus_coords_share("2,0,4", "2x2x1",
						    share[i].task,
						    share[i].tasks, &text),
				 0);
		assert_string_equal(text.data, share[i].want);
		torus_text_free(&text);
	}
}

static void no_shares(void **state)
{
	struct torus_text text = { 0 };

	(void)state;
	assert_int_equal(torus_coords_share("2,0", "2x2x1", 0, 1, &text), -1);
	assert_int_equal(torus_coords_share("2,0", "2x", 0, 1, &text), -1);
	assert_int_equal(torus_coords_share("2,0", "2x0", 0, 1, &text), -1);
	assert_int_equal(torus_coords_share("2,0", "1x1", 1, 1, &text), -1);
	torus_text_free(&text);
}

/* A large box comes back node by node. */
static void whole_box(void **state)
{
	struct torus_coords_writer w = { .axes = 3 };
	char want[64], got[64];
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 16 * 16 * 16; i++) {
		uint32_t coord[3] = { i / 16 % 16, i % 16, i / 256 };

		assert_int_equal(torus_coords_add(&w, coord), 0);
	}
	assert_int_equal(torus_coords_end(&w), 0);
	assert_true(w.text.length < 256 * 16);
	for (uint32_t i = 0; i < 16 * 16 * 16; i++, n++) {
		snprintf(want, sizeof(want), "%u,%u,%u", i / 16 % 16, i % 16,
			 i / 256);
		assert_int_equal(torus_coords_nth(w.text.data, n, got,
						  sizeof(got)),
				 0);
		assert_string_equal(got, want);
	}
	torus_text_free(&w.text);
}

/* Expected failures: texts that are no coordinates, and a small buffer. */
static void texts_that_are_no_coordinates_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		";",
		",",
		"0,",
		"-1",
		"0-",
		"a",
		"0 1",
		"0-1,0-1",
		"0;;1",
		"0;",
		"0,0;x",
		"99999999999",
		"0,0,0,0,0,0,0,0,0",
		"0-1-2",
		"+1",
		"0x1",
	};
	char buffer[64];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(torus_coords_nth(wrong[i], 1000000, buffer,
						  sizeof(buffer)),
				 -1);
	assert_int_equal(torus_coords_nth("10,10", 0, buffer, 5), -1);
	assert_int_equal(torus_coords_nth("10,10", 0, buffer, 6), 0);
}

static void counts_are_read_by_position(void **state)
{
	static const struct {
		const char *text;
		uint32_t n;
		int value; /* -1: none */
	} table[] = {
		{ "7", 0, 7 },
		{ "7", 1, -1 },
		{ "0(x4),1", 3, 0 },
		{ "0(x4),1", 4, 1 },
		{ "0(x4),1", 5, -1 },
		{ "0,2(x2),1(x3)", 2, 2 },
		{ "0,2(x2),1(x3)", 5, 1 },
		{ "", 0, -1 },
		{ "x", 0, -1 },
		{ "0(x0)", 0, -1 },
		{ "0(x2", 0, -1 },
		{ "0(4)", 1, -1 },
		{ "0;1", 1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		uint32_t value = 0;
		int rc = torus_counts_nth(table[i].text, table[i].n, &value);

		assert_int_equal(rc, table[i].value < 0 ? -1 : 0);
		if (rc == 0)
			assert_int_equal(value, table[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_read_by_position),
		cmocka_unit_test(write_them),
		cmocka_unit_test(read_them_back),
		cmocka_unit_test(tasks_share_vertices_evenly),
		cmocka_unit_test(no_shares),
		cmocka_unit_test(whole_box),
		cmocka_unit_test(texts_that_are_no_coordinates_are_refused),
	};

	return UNIT_RUN(tests);
}
