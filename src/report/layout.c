/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nested planes (layout.h): built from the inside out, dimension by dimension. */
#include "report/layout.h"

#include <stdio.h>
#include <string.h>

#define LONG_ROW 64 /* cells; a machine of one dimension grows down first */

static uint32_t layout_digits(uint32_t n)
{
	uint32_t d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return d;
}

/* Return the width of "4=15", with a space after it if it is on the left. */
static uint32_t label_room(const struct torus *t, uint32_t d,
			   const struct report_canvas *c)
{
	return (2 + layout_digits((t->size[d] - 1) * t->unit[d]) +
		!report_layout_beside(d)) *
	       c->letter;
}

/* Return the cells per row of a machine of one dimension. */
static uint32_t row_cells(uint32_t cells, uint32_t room)
{
	uint32_t row = LONG_ROW;

	if (cells <= room && cells <= LONG_ROW)
		return cells;
	while (row > 1 && row > room)
		row /= 2;
	while (row * 2 <= room && cells / row > row)
		row *= 2;
	return row;
}

/* Extend the layout while dimensions are added around it. */
static void one_dimension(struct report_layout *l, const struct torus *t,
			  const struct report_canvas *c)
{
	uint32_t margin = (layout_digits((t->size[0] - 1) * t->unit[0]) + 1) *
			  c->letter;
	uint32_t room = c->width > margin ? (c->width - margin) / l->cell : 1;
	uint32_t rows;

	l->across[0] = row_cells(l->size[0], room ? room : 1);
	l->step_x[0] = l->cell;
	l->step_y[0] = l->cell;
	rows = (l->size[0] + l->across[0] - 1) / l->across[0];
	l->x = l->left[0] = rows > 1 ? margin : 0;
	l->width = l->x + l->across[0] * l->cell;
	l->height = rows * l->cell;
}

/* Arrange copies of the layout so far for dimension d; `room` is the width. */
static void layout_copies(struct report_layout *l, const struct torus *t,
			  uint32_t d, const struct report_canvas *c,
			  uint32_t room)
{
	uint32_t label = label_room(t, d, c), n = l->size[d], rows;
	uint32_t gap_x = c->gap_x + (d / 2 - 1) * (c->gap_x / 2);
	uint32_t gap_y = c->gap_y + (d / 2 - 1) * (c->gap_y / 2);

	l->across[d] = 1;
	if (report_layout_beside(d)) {
		if (l->width < l->x + label)
			l->width = l->x + label;
		l->y += c->line;
		l->height += c->line;
		l->across[d] = (room + gap_x) / (l->width + gap_x);
		if (l->across[d] < 1)
			l->across[d] = 1;
		/* rows of about the same length */
		rows = (n + l->across[d] - 1) / l->across[d];
		l->across[d] = (n + rows - 1) / rows;
	} else {
		l->x += label;
		l->width += label;
	}
	l->left[d] = l->x;
	l->top[d] = l->y;
	l->step_x[d] = l->width + gap_x;
	l->step_y[d] = l->height + gap_y;
	rows = (n + l->across[d] - 1) / l->across[d];
	l->width += (l->across[d] - 1) * l->step_x[d];
	l->height += (rows - 1) * l->step_y[d];
}

/* Compute the layout for one size of cells and blocks. Return true if it
 * fits. */
static bool lay_out(struct report_layout *l, const struct torus *t,
		    const struct report_canvas *c, uint32_t cell, uint32_t block)
{
	uint32_t room = c->width;

	*l = (struct report_layout){ .cell = cell, .block = block, .cells = 1 };
	for (uint32_t d = 0; d < t->dims; d++) {
		l->blocks[d] = block < t->size[d] ? block : t->size[d];
		l->size[d] = (t->size[d] + l->blocks[d] - 1) / l->blocks[d];
		l->cells *= l->size[d];
	}
	for (uint32_t d = 3; d < t->dims; d += 2)
		room -= room > label_room(t, d, c) ? label_room(t, d, c) : room;
	if (t->dims == 1)
		one_dimension(l, t, c);
	else {
		l->across[0] = l->size[0];
		l->across[1] = 1;
		l->step_x[0] = l->cell;
		l->step_y[1] = l->cell;
		l->width = l->size[0] * l->cell;
		l->height = l->size[1] * l->cell;
	}
	for (uint32_t d = 2; d < t->dims; d++) {
		if (!report_layout_beside(d))
			room += label_room(t, d, c);
		layout_copies(l, t, d, c, room);
	}
	return l->width <= c->width && l->height <= c->height;
}

void report_layout_make(struct report_layout *l, const struct torus *t,
			const struct report_canvas *c)
{
	uint32_t block = c->block ? c->block : 1;

	for (;; block *= 2) {
		for (uint32_t cell = c->cell_most; cell >= c->cell_least;
		     cell--) {
			if (lay_out(l, t, c, cell, block))
				return;
		}
		if (c->block || l->cells == 1)
			return;
	}
}

static void layout_place(const struct report_layout *l, const struct torus *t,
			 const uint32_t *at, uint32_t *x, uint32_t *y)
{
	*x = l->x;
	*y = l->y;
	for (uint32_t d = 0; d < t->dims; d++) {
		*x += at[d] % l->across[d] * l->step_x[d];
		*y += at[d] / l->across[d] * l->step_y[d];
	}
}

void report_layout_cell(const struct report_layout *l, const struct torus *t,
			uint32_t index, uint32_t *x, uint32_t *y)
{
	uint32_t at[TORUS_MAX_DIMS] = { 0 };

	for (uint32_t d = 0; d < t->dims; d++) {
		at[d] = index % l->size[d];
		index /= l->size[d];
	}
	layout_place(l, t, at, x, y);
}

uint32_t report_layout_of(const struct report_layout *l, const struct torus *t,
			  uint32_t node)
{
	uint32_t index = 0, step = 1;

	node /= t->per_vertex;
	for (uint32_t d = 0; d < t->dims; d++) {
		index += node % t->size[d] / l->blocks[d] * step;
		node /= t->size[d];
		step *= l->size[d];
	}
	return index;
}

bool report_layout_label(const struct report_layout *l, const struct torus *t,
			 uint32_t *k, struct report_label *label)
{
	uint32_t at[TORUS_MAX_DIMS] = { 0 }, rest = (*k)++, d, copies_of = 1;

	if (t->dims == 1) {
		uint32_t first = rest * l->across[0];

		/* the number of the first node, left of each row */
		if (l->left[0] == 0 || first >= l->size[0])
			return false;
		label->x = 0;
		label->y = rest * l->step_y[0];
		snprintf(label->text, sizeof(label->text), "%u",
			 first * l->blocks[0] * t->unit[0]);
		return true;
	}
	/* first the labels of dimension 2 at every place, then of 3, ... */
	for (d = 2; d < t->dims; d++) {
		copies_of = 1;
		for (uint32_t e = d; e < t->dims; e++)
			copies_of *= l->size[e];
		if (rest < copies_of)
			break;
		rest -= copies_of;
	}
	if (d >= t->dims)
		return false;
	for (uint32_t e = d; e < t->dims; e++) {
		at[e] = rest % l->size[e];
		rest /= l->size[e];
	}
	layout_place(l, t, at, &label->x, &label->y);
	if (report_layout_beside(d))
		label->y -= l->top[d];
	else
		label->x -= l->left[d];
	snprintf(label->text, sizeof(label->text), "%u=%u", d,
		 at[d] * l->blocks[d] * t->unit[d]);
	return true;
}
