/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps (map.h) in letters, for the terminal and for .txt:
 *
 *     2=0     2=1     2=2     2=3        . idle   # out of service
 *     AABB    AABB    ....    ....       A B ... jobs, see the legend
 *     AABB    AABB    ....    ....       + several jobs   * the place
 *
 * A torus is first drawn into a grid of characters, which is then printed line
 * by line. Cost: O(nodes).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "format/stream.h"
#include "report/map_picture.h"

#define MOST_LINES 100 /* per torus; beyond this cells become blocks */

/* Characters, and the cell (+ 1) of each, for its colour. */
struct grid {
	uint32_t width, height;
	char *text;
	uint32_t *cell;
};

static int grid_init(struct grid *g, const struct report_layout *l)
{
	size_t n;

	/* a label may extend beyond the last panel */
	g->width = l->width + 24;
	g->height = l->height;
	n = (size_t)g->width * g->height;
	g->text = malloc(n);
	g->cell = calloc(n, sizeof(*g->cell));
	if (!g->text || !g->cell)
		return -1;
	memset(g->text, ' ', n);
	return 0;
}

static void map_terminal_fill(struct grid *g, const struct report_cells *cells)
{
	struct report_label label;
	uint32_t x, y, k = 0;

	while (report_layout_label(&cells->layout, cells->t, &k, &label))
		memcpy(g->text + (size_t)label.y * g->width + label.x,
		       label.text, strlen(label.text));
	for (uint32_t c = 0; c < cells->layout.cells; c++) {
		size_t at;

		report_layout_cell(&cells->layout, cells->t, c, &x, &y);
		at = (size_t)y * g->width + x;
		g->text[at] = report_map_character(cells->map, cells->cell[c]);
		g->cell[at] = c + 1;
	}
}

/* Return the job at a place of the grid, counted from 1; 0: none. */
static uint32_t map_terminal_job(const struct grid *g,
				 const struct report_cells *cells, size_t at)
{
	uint32_t shown = g->cell[at] ? cells->cell[g->cell[at] - 1] : 0;

	return g->cell[at] && report_map_is_job(shown) ? shown : 0;
}

/* Give the job a letter that none beside it has in the grid. */
static void map_terminal_reletter(struct grid *g,
				  const struct report_cells *cells, uint32_t job)
{
	const size_t n = (size_t)g->width * g->height, w = g->width;
	bool used[256] = { false };
	char letter;

	for (size_t at = 0; at < n; at++) {
		const size_t beside[] = { at - 1, at + 1, at - w, at + w };

		if (map_terminal_job(g, cells, at) != job)
			continue;
		for (int k = 0; k < 4; k++) /* below 0 is above n */
			if (beside[k] < n)
				used[(uint8_t)g->text[beside[k]]] = true;
	}
	used[(uint8_t)cells->map->job[job - 1].letter] = true;
	letter = report_map_letter(job - 1, used);
	cells->map->job[job - 1].letter = letter;
	for (size_t at = 0; at < n; at++)
		if (map_terminal_job(g, cells, at) == job)
			g->text[at] = letter;
}

/* Jobs side by side have different letters: report_map_add() looks at nodes, and where cells
 * are blocks of nodes others are side by side. */
static void map_terminal_part(struct grid *g, const struct report_cells *cells)
{
	const size_t n = (size_t)g->width * g->height;

	for (size_t at = 0; at < n; at++) {
		const size_t beside[] = { at + 1, at + g->width };
		uint32_t job = map_terminal_job(g, cells, at), other;

		for (int k = 0; k < 2 && job; k++) {
			if (beside[k] >= n)
				continue;
			other = map_terminal_job(g, cells, beside[k]);
			if (other && other != job &&
			    g->text[at] == g->text[beside[k]])
				map_terminal_reletter(g, cells, other);
		}
	}
}

static const char *colour_of(uint32_t shown)
{
	static const char *const colours[] = {
		"\033[94m", "\033[93m", "\033[92m", "\033[95m", "\033[96m",
		"\033[34m", "\033[33m", "\033[32m", "\033[35m", "\033[36m",
	};

	switch (shown) {
	case REPORT_MAP_DOWN:
		return "\033[91m";
	case REPORT_MAP_IDLE:
	case REPORT_MAP_ABSENT:
		return "\033[2m";
	case REPORT_MAP_SHARED:
	case REPORT_MAP_HIDDEN:
	case REPORT_MAP_RESERVED:
		return "\033[1m";
	case REPORT_MAP_FIT:
		return "\033[1;7m";
	default:
		return colours[(shown - 1) % (sizeof(colours) / sizeof(*colours))];
	}
}

/* Print a line without trailing spaces, with escape sequences only where
 * colours change. */
static void put_line(const struct grid *g, const struct report_cells *cells,
		     uint32_t y, bool colour, FILE *out)
{
	const char *text = g->text + (size_t)y * g->width, *now = NULL;
	const uint32_t *cell = g->cell + (size_t)y * g->width;
	uint32_t end = g->width;

	while (end > 0 && text[end - 1] == ' ')
		end--;
	for (uint32_t x = 0; x < end; x++) {
		const char *want = cell[x] ?
					   colour_of(cells->cell[cell[x] - 1]) :
					   NULL;

		if (colour && want != now)
			fprintf(out, "\033[0m%s", want ? want : "");
		now = want;
		putc(text[x], out);
	}
	fputs(colour && now ? "\033[0m\n" : "\n", out);
}

/* out NULL: only settle the letters. */
static int map_terminal_draw_pod(const struct report_map *map, uint32_t p,
				 const struct report_map_style *style, FILE *out)
{
	const struct report_canvas canvas = {
		.width = style->columns,
		.height = MOST_LINES,
		.cell_least = 1,
		.cell_most = 1,
		.gap_x = 3,
		.gap_y = 1,
		.letter = 1,
		.line = 1,
		.block = style->block,
	};
	char title[REPORT_CELLS_WORDS];
	struct report_cells cells;
	struct grid grid = { 0 };
	int rc = -1;

	if (report_cells_init(&cells, map, p, &canvas))
		return -1;
	if (grid_init(&grid, &cells.layout) == 0) {
		map_terminal_fill(&grid, &cells);
		if (out) {
			report_cells_title(&cells, title);
			fprintf(out, "%s\n\n", title);
			for (uint32_t y = 0; y < grid.height; y++)
				put_line(&grid, &cells, y, style->colour, out);
			putc('\n', out);
		} else {
			map_terminal_part(&grid, &cells);
		}
		rc = 0;
	}
	free(grid.text);
	free(grid.cell);
	report_cells_free(&cells);
	return rc;
}

/* Return the width of the column of a text at this offset in struct
 * report_map_job, at least of its heading; 0: all texts are empty. */
static int map_terminal_widest(const struct report_map *map,
			       const char *heading, size_t at)
{
	size_t most = 0;

	for (uint32_t j = 0; j < map->jobs; j++) {
		size_t length = strlen((const char *)&map->job[j] + at);

		if (length > most)
			most = length;
	}
	if (most && most < strlen(heading))
		most = strlen(heading);
	return (int)most;
}

static void map_terminal_draw_legend(const struct report_map *map, bool colour,
				     FILE *out)
{
	int id = map_terminal_widest(map, "job",
				     offsetof(struct report_map_job, id));
	int user = map_terminal_widest(map, "user",
				       offsetof(struct report_map_job, user));
	int left = map_terminal_widest(map, "left",
				       offsetof(struct report_map_job, left));

	if (map->jobs == 0)
		return;
	fprintf(out, "   %-*s", id, "job");
	if (user)
		fprintf(out, "  %-*s", user, "user");
	if (left)
		fprintf(out, "  %*s", left, "left");
	fprintf(out, "  %5s  %s\n", "nodes", "region");
	for (uint32_t j = 0; j < map->jobs; j++) {
		const struct report_map_job *job = &map->job[j];

		fprintf(out, "%s%c%s  %-*s", colour ? colour_of(j + 1) : "",
			job->letter, colour ? "\033[0m" : "", id, job->id);
		if (user)
			fprintf(out, "  %-*s", user, job->user);
		if (left)
			fprintf(out, "  %*s", left, job->left);
		fprintf(out, "  %5u  %s\n", job->nodes, job->region);
	}
}

int report_map_text(const struct report_map *map,
		    const struct report_map_style *style, FILE *out)
{
	char words[REPORT_MAP_WORDS];

	for (uint32_t p = 0; p < map->machine->pods; p++)
		if (map->jobs > REPORT_MAP_LETTERS &&
		    map_terminal_draw_pod(map, p, style, NULL))
			return -1;
	for (uint32_t p = 0; p < map->machine->pods; p++)
		if (map_terminal_draw_pod(map, p, style, out))
			return -1;
	report_map_totals_words(map, words);
	fprintf(out, "%s\n", words);
	if (map->largest)
		fprintf(out, "%s\n", map->largest);
	if (map->reserved)
		fprintf(out, "%s\n", map->reserved);
	if (map->links)
		fprintf(out, "%s\n", map->links);
	if (map->note)
		fprintf(out, "%s\n", map->note);
	if (map->jobs)
		putc('\n', out);
	map_terminal_draw_legend(map, style->colour, out);
	if (map->origin)
		putc('\n', out);
	report_origin_text(out, map->origin);
	return stream_failed(out) ? -1 : 0;
}

const struct report_drawer report_drawer_txt = {
	.ending = ".txt",
	.summary = "letters, as on the terminal",
	.draw = report_map_text,
};
