/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures of maps (map_picture.h). A cell is a square in its job's colour.
 * Lines separate different jobs, and each rectangle of one job has its letter.
 * Cost: O(nodes).
 */
#include "report/map_picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 16
#define POD_TITLE 24 /* height above each torus */
#define LINE 20      /* height of a line of text, also in the legend */
#define SIZE 12      /* of most text */
#define TITLE_SIZE 16
#define LEGEND_ROWS 40
#define REGION_SHOWN 40 /* characters; longer ones are cut */
#define LEGEND_GAP 28

static const struct report_canvas canvas = {
	.width = 1160,
	.height = 860,
	.cell_least = 8,
	.cell_most = 24,
	.gap_x = 12,
	.gap_y = 10,
	.letter = 7,
	.line = 16,
};

/* Widths of the legend's columns, in characters. */
struct legend_columns {
	uint32_t id, user, left, nodes, region, all;
};

static uint32_t map_picture_longest(uint32_t most, const char *text,
				    uint32_t limit)
{
	size_t n = strlen(text);

	if (n > limit)
		n = limit;
	return n > most ? (uint32_t)n : most;
}

static struct legend_columns columns_of(const struct report_map *map)
{
	struct legend_columns c = { .id = 3, .nodes = 5, .region = 6 };

	for (uint32_t j = 0; j < map->jobs; j++) {
		const struct report_map_job *job = &map->job[j];

		c.id = map_picture_longest(c.id, job->id, 31);
		c.user = map_picture_longest(c.user, job->user, 31);
		c.left = map_picture_longest(c.left, job->left, 31);
		c.region = map_picture_longest(c.region, job->region,
					       REGION_SHOWN);
	}
	if (c.user && c.user < 4)
		c.user = 4;
	if (c.left && c.left < 4)
		c.left = 4;
	c.all = c.id + 2 + c.user + (c.user ? 2 : 0) + c.left +
		(c.left ? 2 : 0) + c.nodes + 2 + c.region;
	return c;
}

static uint32_t text_width(const char *text, double size)
{
	return (uint32_t)((double)strlen(text) * size * REPORT_EM) + 1;
}

static uint32_t legend_width(const struct legend_columns *c)
{
	return LINE + (uint32_t)(c->all * SIZE * REPORT_EM) + 1;
}

static void map_picture_widen(struct report_picture *p, uint32_t width)
{
	if (p->width < width)
		p->width = width;
}

/* Lay out the text below the machine, and set the width that it needs. */
static void lay_out_words(struct report_picture *p)
{
	const struct report_map *map = p->map;
	struct legend_columns c = columns_of(map);
	uint32_t one = legend_width(&c) + LEGEND_GAP, lines;
	char words[REPORT_MAP_WORDS];

	report_map_totals_words(map, words);
	map_picture_widen(p, text_width(words, SIZE));
	if (map->note)
		map_picture_widen(p, text_width(map->note, SIZE));
	if (map->links)
		map_picture_widen(p, text_width(map->links, SIZE));
	if (map->title)
		map_picture_widen(p, text_width(map->title, TITLE_SIZE));
	if (map->jobs)
		map_picture_widen(p, legend_width(&c));
	p->columns = (p->width + LEGEND_GAP) / one;
	p->columns = p->columns ? p->columns : 1;
	p->rows = (map->jobs + p->columns - 1) / p->columns;
	if (p->rows > LEGEND_ROWS)
		p->rows = LEGEND_ROWS;
	lines = 1 + (map->links != NULL) + (map->note != NULL);
	if (map->jobs)
		lines += 1 + p->rows + (map->jobs > p->rows * p->columns);
	p->words_top = p->height;
	p->height += lines * LINE + (map->jobs ? LINE / 2 : 0);
}

int report_picture_init(struct report_picture *p, const struct report_map *map,
			const struct report_map_style *style, bool words)
{
	struct report_canvas room = canvas;
	uint32_t pods = map->machine->pods;

	room.block = style->block;
	*p = (struct report_picture){ .map = map, .words = words };
	p->cells = calloc(pods, sizeof(*p->cells));
	p->top = calloc(pods, sizeof(*p->top));
	if (!p->cells || !p->top)
		goto error;
	p->height = words && map->title ? MARGIN + TITLE_SIZE + 8 : MARGIN;
	for (uint32_t i = 0; i < pods; i++) {
		char title[REPORT_CELLS_WORDS];

		if (report_cells_init(&p->cells[i], map, i, &room))
			goto error;
		report_cells_title(&p->cells[i], title);
		map_picture_widen(p, p->cells[i].layout.width);
		map_picture_widen(p, text_width(title, SIZE));
		p->top[i] = p->height + POD_TITLE;
		p->height = p->top[i] + p->cells[i].layout.height + MARGIN;
	}
	if (words)
		lay_out_words(p);
	p->width += 2 * MARGIN;
	p->height += words ? MARGIN / 2 : 0;
	if (p->width <= 16000 && p->height <= 16000)
		return 0;
	errno = EFBIG; /* what cairo and browsers can still draw at double size */
error:
	report_picture_free(p);
	return -1;
}

void report_picture_free(struct report_picture *p)
{
	for (uint32_t i = 0; p->cells && i < p->map->machine->pods; i++)
		report_cells_free(&p->cells[i]);
	free(p->cells);
	free(p->top);
	p->cells = NULL;
	p->top = NULL;
}

/* The cells of a torus as planes: cell c is at x, y of plane c / size. */
struct plane {
	const struct report_cells *cells;
	uint32_t width, height, first; /* first: its first cell */
	uint32_t left, top;            /* pixels */
};

/* Return what x, y shows; ABSENT outside and if there is no node. */
static uint32_t map_picture_is_drawn(const struct plane *p, uint32_t x,
				     uint32_t y)
{
	uint32_t c = p->first + y * p->width + x;

	if (x >= p->width || y >= p->height || c >= p->cells->layout.cells)
		return REPORT_MAP_ABSENT;
	return p->cells->cell[c];
}

static bool is_free(uint32_t cell)
{
	return cell == REPORT_MAP_IDLE || cell == REPORT_MAP_ABSENT;
}

/* Return true if a line must separate the two. */
static bool map_picture_is_border(uint32_t a, uint32_t b, bool fit)
{
	if (a == b || (is_free(a) && is_free(b)))
		return false;
	return (a == REPORT_MAP_FIT || b == REPORT_MAP_FIT) == fit;
}

static enum report_colour fill_of(uint32_t cell)
{
	if (report_map_is_job(cell))
		return report_colour_of(cell - 1);
	return cell == REPORT_MAP_DOWN ? REPORT_DOWN :
	       cell == REPORT_MAP_IDLE ? REPORT_IDLE :
					 REPORT_PAPER;
}

static void draw_cells(const struct plane *p, struct report_pen *pen)
{
	uint32_t side = p->cells->layout.cell;
	struct report_box box = { .w = side - 1, .h = side - 1 };
	char words[REPORT_CELLS_WORDS];

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			uint32_t cell = map_picture_is_drawn(p, x, y);

			if (cell == REPORT_MAP_ABSENT)
				continue;
			if (pen->titles)
				report_cells_words(p->cells,
						   p->first + y * p->width + x,
						   words);
			box.x = p->left + x * side;
			box.y = p->top + y * side;
			pen->rect(pen, box, fill_of(cell),
				  report_map_is_job(cell) ? cell - 1 :
							    UINT32_MAX,
				  pen->titles ? words : NULL);
		}
	}
}

/* Draw lines between cells, as long as possible. `along`: direction, 0 across,
 * 1 down. */
static void draw_borders(const struct plane *p, struct report_pen *pen,
			 int along, bool fit)
{
	uint32_t side = p->cells->layout.cell;
	uint32_t length = along ? p->height : p->width;
	uint32_t lines = along ? p->width : p->height;
	double width = fit ? 3 : side > 12 ? 1.6 : 1.2;

	for (uint32_t k = 0; k <= lines; k++) {
		uint32_t begin = UINT32_MAX;

		for (uint32_t i = 0; i <= length; i++) {
			uint32_t a = along ? map_picture_is_drawn(p, k - 1, i) :
					     map_picture_is_drawn(p, i, k - 1);
			uint32_t b = along ? map_picture_is_drawn(p, k, i) :
					     map_picture_is_drawn(p, i, k);
			double at = k * side - 0.5;
			bool line = i < length &&
				    map_picture_is_border(a, b, fit);

			if (line && begin == UINT32_MAX)
				begin = i;
			if (line || begin == UINT32_MAX)
				continue;
			if (along)
				pen->line(pen, p->left + at,
					  p->top + begin * side - 0.5,
					  p->left + at, p->top + i * side - 0.5,
					  width);
			else
				pen->line(pen, p->left + begin * side - 0.5,
					  p->top + at, p->left + i * side - 0.5,
					  p->top + at, width);
			begin = UINT32_MAX;
		}
	}
}

/* Return true if x, y shows this value and needs its own letter. */
static bool map_picture_is_titled(const struct plane *p, uint32_t x, uint32_t y,
				  uint32_t cell)
{
	return map_picture_is_drawn(p, x, y) == cell &&
	       !p->cells->titled[p->first + y * p->width + x];
}

/* Find the rectangle of one value whose upper left corner is x, y, and mark it
 * as labelled. */
static void map_picture_rectangle(const struct plane *p, uint32_t x, uint32_t y,
				  uint32_t *w, uint32_t *h)
{
	uint32_t cell = map_picture_is_drawn(p, x, y);
	bool same = true;

	*w = *h = 1;
	while (map_picture_is_titled(p, x + *w, y, cell))
		(*w)++;
	while (same) {
		for (uint32_t i = 0; i < *w && same; i++)
			same = map_picture_is_titled(p, x + i, y + *h, cell);
		*h += same;
	}
	for (uint32_t k = 0; k < *h; k++)
		memset(p->cells->titled + p->first + (y + k) * p->width + x, 1,
		       *w);
}

/* Draw a letter at x, y if it is legible; grid lines stop at it. */
static void draw_letter(const struct report_map *map, struct report_pen *pen,
			double x, double y, double size, uint32_t cell)
{
	char letter[2] = { report_map_character(map, cell), '\0' };
	enum report_colour fill = fill_of(cell);
	struct report_box box;

	if (size < 7)
		return;
	size = size > 19 ? 19 : size;
	x -= 0.5; /* without the gap after the cell */
	y -= 0.5;
	box = (struct report_box){ x - size * 0.45, y - size * 0.48, size * 0.9,
				   size * 0.96 };
	pen->rect(pen, box, fill,
		  report_map_is_job(cell) ? cell - 1 : UINT32_MAX, NULL);
	pen->text(pen, x, y + size * 0.36, size, REPORT_MIDDLE | REPORT_BOLD,
		  report_letter_on(fill), letter);
}

/* Draw a letter in the middle of each rectangle, as large as suitable. */
static void draw_letters(const struct plane *p, struct report_pen *pen)
{
	uint32_t side = p->cells->layout.cell, w, h;

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			uint32_t cell = map_picture_is_drawn(p, x, y);

			if (is_free(cell) ||
			    !map_picture_is_titled(p, x, y, cell))
				continue;
			map_picture_rectangle(p, x, y, &w, &h);
			draw_letter(p->cells->map, pen,
				    p->left + x * side + w * side / 2.0,
				    p->top + y * side + h * side / 2.0,
				    (w < h ? w : h) * side * 0.72, cell);
		}
	}
}

static void map_picture_draw_pod(const struct report_picture *picture,
				 uint32_t i, struct report_pen *pen)
{
	const struct report_cells *cells = &picture->cells[i];
	const struct report_layout *l = &cells->layout;
	struct plane p = { .cells = cells, .width = l->across[0] };
	char title[REPORT_CELLS_WORDS];
	struct report_label label;
	uint32_t k = 0;

	report_cells_title(cells, title);
	pen->text(pen, MARGIN, picture->top[i] - 9, SIZE, 0, REPORT_INK, title);
	while (report_layout_label(&cells->layout, cells->t, &k, &label))
		pen->text(pen, MARGIN + label.x, picture->top[i] + label.y + 11,
			  11, REPORT_MONO, REPORT_SOFT, label.text);
	p.height = cells->t->dims > 1 ? l->size[1] :
					(l->cells + p.width - 1) / p.width;
	for (; p.first < l->cells; p.first += p.width * p.height) {
		report_layout_cell(l, cells->t, p.first, &p.left, &p.top);
		p.left += MARGIN;
		p.top += picture->top[i];
		draw_cells(&p, pen);
		for (int fit = 0; fit < 2; fit++) {
			draw_borders(&p, pen, 0, fit);
			draw_borders(&p, pen, 1, fit);
		}
		draw_letters(&p, pen);
	}
}

/* The legend's text for a job, or the column headings. */
struct legend_row {
	const char *id, *user, *left, *nodes, *region;
};

/* Write a job's line: "12    ann    00:04     32  pod0:..." */
static void legend_line(const struct legend_columns *c,
			const struct legend_row *row, char *buffer, size_t size)
{
	bool cut = strlen(row->region) > REGION_SHOWN;

	snprintf(buffer, size, "%-*.31s%s%-*.31s%s%*.31s  %*s  %.*s%s",
		 (int)c->id, row->id, c->user ? "  " : "", (int)c->user,
		 row->user, c->left ? "  " : "", (int)c->left, row->left,
		 (int)c->nodes, row->nodes,
		 cut ? REGION_SHOWN - 3 : REGION_SHOWN, row->region,
		 cut ? "..." : "");
}

static void draw_job(const struct report_picture *p,
		     const struct legend_columns *c, uint32_t j, double x,
		     double y, struct report_pen *pen)
{
	const struct report_map_job *job = &p->map->job[j];
	enum report_colour fill = report_colour_of(j);
	char letter[2] = { job->letter, '\0' };
	char nodes[16], line[256];
	const struct legend_row row = { job->id, job->user, job->left, nodes,
					job->region };

	snprintf(nodes, sizeof(nodes), "%u", job->nodes);
	legend_line(c, &row, line, sizeof(line));
	pen->rect(pen, (struct report_box){ x, y - 12, 14, 15 }, fill, j, NULL);
	pen->text(pen, x + 7, y, SIZE, REPORT_MIDDLE | REPORT_BOLD,
		  report_letter_on(fill), letter);
	pen->text(pen, x + LINE, y, SIZE, REPORT_MONO, REPORT_INK, line);
}

static void map_picture_draw_legend(const struct report_picture *p, double y,
				    struct report_pen *pen)
{
	struct legend_columns c = columns_of(p->map);
	uint32_t shown_jobs = p->rows * p->columns;
	uint32_t step = legend_width(&c) + LEGEND_GAP;
	const struct legend_row headings = { "job", c.user ? "user" : "",
					     c.left ? "left" : "", "nodes",
					     "region" };
	char line[256];

	legend_line(&c, &headings, line, sizeof(line));
	for (uint32_t k = 0; k < p->columns && k * p->rows < p->map->jobs; k++)
		pen->text(pen, MARGIN + k * step + LINE, y, SIZE, REPORT_MONO,
			  REPORT_SOFT, line);
	for (uint32_t j = 0; j < p->map->jobs && j < shown_jobs; j++)
		draw_job(p, &c, j, MARGIN + j / p->rows * step,
			 y + (j % p->rows + 1) * LINE, pen);
	if (p->map->jobs <= shown_jobs)
		return;
	snprintf(line, sizeof(line),
		 "and %u more jobs (all of them: .html, .txt)",
		 p->map->jobs - shown_jobs);
	pen->text(pen, MARGIN, y + (p->rows + 1) * LINE, SIZE, 0, REPORT_SOFT,
		  line);
}

void report_picture_draw(const struct report_picture *p, struct report_pen *pen)
{
	char words[REPORT_MAP_WORDS];
	double y = p->words_top + SIZE;

	if (p->words)
		pen->rect(pen, (struct report_box){ 0, 0, p->width, p->height },
			  REPORT_PAPER, UINT32_MAX, NULL);
	if (p->words && p->map->title)
		pen->text(pen, MARGIN, MARGIN + TITLE_SIZE, TITLE_SIZE,
			  REPORT_BOLD, REPORT_INK, p->map->title);
	for (uint32_t i = 0; i < p->map->machine->pods; i++)
		map_picture_draw_pod(p, i, pen);
	if (!p->words)
		return;
	report_map_totals_words(p->map, words);
	pen->text(pen, MARGIN, y, SIZE, 0, REPORT_INK, words);
	if (p->map->links) {
		y += LINE;
		pen->text(pen, MARGIN, y, SIZE, 0, REPORT_INK, p->map->links);
	}
	if (p->map->note) {
		y += LINE;
		pen->text(pen, MARGIN, y, SIZE, REPORT_BOLD, REPORT_INK,
			  p->map->note);
	}
	if (p->map->jobs)
		map_picture_draw_legend(p, y + LINE * 1.5, pen);
}
