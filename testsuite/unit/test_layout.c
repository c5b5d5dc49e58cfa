/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of maps: every cell has a place of its own inside of the picture,
 * coordinates stand beside cells, large machines are set in blocks. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"

static const struct report_canvas terminal = {
	.width = 80,
	.height = 100,
	.cell_least = 1,
	.cell_most = 1,
	.gap_x = 3,
	.gap_y = 1,
	.letter = 1,
	.line = 1,
};

static const struct report_canvas picture = {
	.width = 1160,
	.height = 860,
	.cell_least = 8,
	.cell_most = 24,
	.gap_x = 12,
	.gap_y = 10,
	.letter = 7,
	.line = 16,
};

static const struct report_canvas narrow = {
	.width = 20,
	.height = 100000,
	.cell_least = 1,
	.cell_most = 1,
	.gap_x = 3,
	.gap_y = 1,
	.letter = 1,
	.line = 1,
};

static const struct {
	const char *machine;
	const struct report_canvas *canvas;
	uint32_t block, width, height;
} cases[] = {
	{ "1", &terminal, 1, 1, 1 },
	{ "16", &terminal, 1, 16, 1 },
	{ "flat:128", &terminal, 1, 68, 2 },
	{ "flat:128", &picture, 1, 796, 96 },
	{ "4x4", &terminal, 1, 4, 4 },
	{ "4x4", &picture, 1, 96, 96 },
	{ "8x8x8", &terminal, 1, 41, 19 },
	{ "8x8x8", &narrow, 1, 19, 39 },
	{ "8x8x8", &picture, 1, 804, 426 },
	{ "2x2x2x6x8", &terminal, 1, 64, 49 },
	{ "64x32x32", &terminal, 4, 73, 19 },
	{ "64x32x32", &picture, 2, 1060, 606 },
	{ "2^8", &terminal, 1, 77, 37 },
	{ "2^8", &picture, 1, 0, 0 },
	{ "flat:1000000", &terminal, 256, 0, 0 },
	{ "300x7x5", &picture, 4, 0, 0 },
	{ "1x1x1", &terminal, 1, 3, 2 },
};

/* Whole squares of the canvas that something covers; never twice. */
struct cover {
	char *used;
	uint32_t width, height;
};

static void cover(struct cover *c, uint32_t x, uint32_t y, uint32_t w,
		  uint32_t h)
{
	assert_true(x + w <= c->width && y + h <= c->height);
	for (uint32_t j = y; j < y + h; j++) {
		for (uint32_t i = x; i < x + w; i++) {
			assert_int_equal(c->used[(size_t)j * c->width + i], 0);
			c->used[(size_t)j * c->width + i] = 1;
		}
	}
}

static void check_layout(const struct report_layout *l, const struct torus *t,
			 const struct report_canvas *canvas)
{
	struct cover c = { .width = l->width, .height = l->height };
	struct report_label label;
	uint32_t k = 0, x, y;

	c.used = calloc((size_t)c.width * c.height, 1);
	assert_non_null(c.used);
	for (uint32_t i = 0; i < l->cells; i++) {
		report_layout_cell(l, t, i, &x, &y);
		cover(&c, x, y, l->cell, l->cell);
	}
	while (report_layout_label(l, t, &k, &label))
		cover(&c, label.x, label.y,
		      (uint32_t)strlen(label.text) * canvas->letter,
		      canvas->line < l->cell ? canvas->line : l->cell);
	free(c.used);
	for (uint32_t node = 0; node < t->nodes; node++)
		assert_true(report_layout_of(l, t, node) < l->cells);
}

static void each_cell_has_a_place_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct torus_error err = { 0 };
		struct report_layout l;
		struct torus t;

		assert_int_equal(torus_parse(&t, cases[i].machine, &err), 0);
		report_layout_make(&l, &t, cases[i].canvas);
		print_message("%s: %ux%u, cells of %u, blocks of %u\n",
			      cases[i].machine, l.width, l.height, l.cell,
			      l.block);
		check_layout(&l, &t, cases[i].canvas);
		assert_true(l.width <= cases[i].canvas->width);
		assert_true(l.height <= cases[i].canvas->height);
		assert_int_equal(l.block, cases[i].block);
		if (cases[i].width) {
			assert_int_equal(l.width, cases[i].width);
			assert_int_equal(l.height, cases[i].height);
		}
	}
}

/* A block that was asked for is kept, even where the picture grows. */
static void a_block_that_was_asked_for_is_kept(void **state)
{
	struct report_canvas canvas = terminal;
	struct torus_error err = { 0 };
	struct report_layout l;
	struct torus t;

	(void)state;
	assert_int_equal(torus_parse(&t, "64x32x32", &err), 0);
	canvas.block = 1;
	report_layout_make(&l, &t, &canvas);
	assert_int_equal(l.cells, 65536);
	assert_true(l.height > canvas.height);
	check_layout(&l, &t, &canvas);
	canvas.block = 5;
	report_layout_make(&l, &t, &canvas);
	assert_int_equal(l.cells, 13 * 7 * 7);
	check_layout(&l, &t, &canvas);
	assert_int_equal(report_layout_of(&l, &t, t.nodes - 1), l.cells - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cell_has_a_place_of_its_own),
		cmocka_unit_test(a_block_that_was_asked_for_is_kept),
	};

	return UNIT_RUN(tests);
}
