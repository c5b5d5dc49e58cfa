/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing and reading the run-length coded coordinates of coords.h. O(axes)
 * per node written; reading is O(length of the text).
 */
#include "request/coords.h"

#include <stdio.h>
#include <string.h>

static int coords_write_item(struct torus_coords_writer *w)
{
	const char *between = w->text.length ? ";" : "";

	for (uint32_t a = 0; a < w->axes; a++) {
		if (torus_text_add(&w->text, "%s%u", between, w->first[a]))
			return -1;
		if (w->nodes > 1 && a == w->axis &&
		    torus_text_add(&w->text, "-%u", w->last[a]))
			return -1;
		between = ",";
	}
	return 0;
}

/* Return true if coord is one step along a single axis from the item's last
 * coordinate. */
static bool coords_is_next(const struct torus_coords_writer *w,
			   const uint32_t *coord, uint32_t *axis, bool *down)
{
	uint32_t steps = 0;

	for (uint32_t a = 0; a < w->axes; a++) {
		if (coord[a] == w->last[a])
			continue;
		if (coord[a] != w->last[a] + 1 && coord[a] + 1 != w->last[a])
			return false;
		*axis = a;
		*down = coord[a] < w->last[a];
		steps++;
	}
	return steps == 1;
}

int torus_coords_add(struct torus_coords_writer *w, const uint32_t *coord)
{
	size_t bytes = w->axes * sizeof(*coord);
	uint32_t axis = 0;
	bool down = false;

	if (w->nodes > 0 && coords_is_next(w, coord, &axis, &down) &&
	    (w->nodes == 1 || (axis == w->axis && down == w->down))) {
		w->axis = axis;
		w->down = down;
		w->nodes++;
	} else {
		if (torus_coords_end(w))
			return -1;
		memcpy(w->first, coord, bytes);
		w->nodes = 1;
	}
	memcpy(w->last, coord, bytes);
	return 0;
}

int torus_coords_end(struct torus_coords_writer *w)
{
	int rc = w->nodes > 0 ? coords_write_item(w) : 0;

	w->nodes = 0;
	return rc;
}

static int coords_read_number(const char **text, uint32_t *n)
{
	uint64_t value = 0;
	const char *p = *text;

	while (*p >= '0' && *p <= '9' && value <= UINT32_MAX)
		value = value * 10 + (uint64_t)(*p++ - '0');
	if (p == *text || value > TORUS_MAX_NODES)
		return -1;
	*text = p;
	*n = (uint32_t)value;
	return 0;
}

/* Read the next item. */
static int coords_read_item(struct torus_coords_reader *item)
{
	const char **text = &item->text;

	item->axes = item->n = 0;
	item->nodes = 1;
	do {
		uint32_t a = item->axes++;

		if (a == TORUS_MAX_DIMS ||
		    coords_read_number(text, &item->from[a]))
			return -1;
		item->to[a] = item->from[a];
		if (**text == '-') {
			(*text)++;
			if (item->nodes > 1 ||
			    coords_read_number(text, &item->to[a]))
				return -1;
			item->nodes = item->to[a] > item->from[a] ?
					      item->to[a] - item->from[a] + 1 :
					      item->from[a] - item->to[a] + 1;
		}
	} while (*(*text)++ == ',');
	(*text)--;
	return **text == ';' || **text == '\0' ? 0 : -1;
}

uint32_t torus_coords_next(struct torus_coords_reader *r, uint32_t *coord)
{
	if (r->n == r->nodes) {
		if (r->text && r->nodes)
			r->text = *r->text == ';' ? r->text + 1 : NULL;
		if (!r->text || coords_read_item(r)) {
			*r = (struct torus_coords_reader){ 0 };
			return 0;
		}
	}
	for (uint32_t a = 0; a < r->axes; a++)
		coord[a] = r->to[a] > r->from[a] ? r->from[a] + r->n :
			   r->to[a] < r->from[a] ? r->from[a] - r->n :
						   r->from[a];
	r->n++;
	return r->axes;
}

int torus_coords_nth(const char *text, uint32_t n, char *buffer, size_t size)
{
	struct torus_coords_reader r = { .text = text };
	uint32_t coord[TORUS_MAX_DIMS], axes;
	size_t used = 0;

	do {
		axes = torus_coords_next(&r, coord);
		if (axes && n >= r.nodes) { /* the rest of its item, at once */
			n -= r.nodes - 1;
			r.n = r.nodes;
		}
	} while (axes && n-- > 0);
	for (uint32_t a = 0; a < axes; a++) {
		int length = snprintf(buffer + used, size - used, "%s%u",
				      a ? "," : "", coord[a]);

		if (length < 0 || (size_t)length >= size - used)
			return -1;
		used += (size_t)length;
	}
	return axes ? 0 : -1;
}

int torus_counts_next(const char **text, uint32_t *run, uint32_t *value)
{
	const char *p = *text;
	uint32_t times = 1;

	if (coords_read_number(&p, value))
		return -1;
	if (p[0] == '(' && p[1] == 'x') {
		p += 2;
		if (coords_read_number(&p, &times) || times == 0 || *p++ != ')')
			return -1;
	}
	if (*p != ',' && *p != '\0')
		return -1;
	if (++*run < times)
		return 0;
	*run = 0;
	*text = *p == ',' ? p + 1 : p;
	return 0;
}

int torus_counts_nth(const char *text, uint32_t n, uint32_t *value)
{
	uint32_t run = 0;

	do {
		if (torus_counts_next(&text, &run, value))
			return -1;
	} while (n-- > 0);
	return 0;
}

/* Read numbers separated by one character. Return their count, or 0. */
static uint32_t coords_read_list(const char *text, char between, uint32_t *value)
{
	uint32_t n = 0;

	for (;;) {
		if (n == TORUS_MAX_DIMS || coords_read_number(&text, &value[n]))
			return 0;
		n++;
		if (*text == '\0')
			return n;
		if (*text++ != between)
			return 0;
	}
}

/* Append the coordinate of vertex k of a node. */
static int coords_add_vertex(const uint32_t *first, const uint32_t *unit,
			     uint32_t axes, uint32_t k, struct torus_text *text)
{
	uint32_t at[TORUS_MAX_DIMS];

	for (uint32_t a = axes; a-- > 0;) {
		at[a] = first[a] + k % unit[a];
		k /= unit[a];
	}
	for (uint32_t a = 0; a < axes; a++) {
		if (torus_text_add(text, "%s%u",
				   a            ? "," :
				   text->length ? ";" :
						  "",
				   at[a]))
			return -1;
	}
	return 0;
}

int torus_coords_share(const char *coord, const char *unit, uint32_t task,
		       uint32_t tasks, struct torus_text *text)
{
	uint32_t first[TORUS_MAX_DIMS], size[TORUS_MAX_DIMS];
	uint32_t axes = coords_read_list(coord, ',', first);
	uint64_t vertices = 1, from, to;

	if (axes == 0 || coords_read_list(unit, 'x', size) != axes ||
	    task >= tasks)
		return -1;
	for (uint32_t a = 0; a < axes; a++)
		vertices *= size[a];
	if (vertices == 0 || vertices > TORUS_MAX_NODES)
		return -1;
	from = task * vertices / tasks;
	to = (task + UINT64_C(1)) * vertices / tasks;
	for (uint64_t k = from; k < to || k == from; k++) {
		if (coords_add_vertex(first, size, axes, (uint32_t)k, text))
			return -1;
	}
	return 0;
}
