/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal's drawer of maps (map.h):
 *
 *     2=0     2=1     2=2     2=3        . idle   # out of service
 *     AABB    AABB    ....    ....       A B ... jobs, see the legend
 *     AABB    AABB    ....    ....       + several jobs
 *
 * Panels stand side by side as far as the width goes. Cost: O(nodes).
 */
#include <string.h>

#include "report/map.h"

#define GAP 3         /* columns between panels */
#define LONG_ROW 64   /* nodes per row of a machine of one dimension */

/* How a pod is laid out. */
struct layout {
	const struct torus *t;
	uint32_t pod;
	uint32_t width, height; /* of a panel, in cells */
	uint32_t panels;
	uint32_t across;        /* panels side by side */
	uint32_t title;         /* columns of a panel's title */
};

static uint32_t title_of(const struct torus *t, uint32_t panel, char *text,
			 size_t size)
{
	uint32_t used = 0;

	text[0] = '\0';
	for (uint32_t d = 2; d < t->dims; d++) {
		used += (uint32_t)snprintf(text + used, size - used, "%s%u=%u",
					   d > 2 ? " " : "", d,
					   panel % t->size[d]);
		panel /= t->size[d];
	}
	return used;
}

static struct layout lay_out(const struct torus *t, uint32_t pod,
			     uint32_t columns)
{
	struct layout l = { .t = t, .pod = pod, .panels = 1 };
	char title[128];
	uint32_t cells;

	if (t->dims == 1) {
		l.width = t->size[0] < LONG_ROW ? t->size[0] : LONG_ROW;
		l.height = (t->size[0] + l.width - 1) / l.width;
	} else {
		l.width = t->size[0];
		l.height = t->size[1];
		l.panels = t->nodes / (l.width * l.height);
	}
	l.title = title_of(t, l.panels - 1, title, sizeof(title));
	cells = (l.width > l.title ? l.width : l.title) + GAP;
	l.across = (columns + GAP) / cells;
	if (l.across < 1)
		l.across = 1;
	if (l.across > l.panels)
		l.across = l.panels;
	return l;
}

static const char *colour_of(uint32_t cell)
{
	static const char *const colours[] = {
		"\033[94m", "\033[93m", "\033[92m", "\033[95m", "\033[96m",
		"\033[34m", "\033[33m", "\033[32m", "\033[35m", "\033[36m",
	};

	if (cell == REPORT_MAP_DOWN)
		return "\033[91m";
	if (cell == REPORT_MAP_IDLE || cell == REPORT_MAP_ABSENT)
		return "\033[2m";
	if (cell == REPORT_MAP_SHARED)
		return "\033[1m";
	return colours[(cell - 1) % (sizeof(colours) / sizeof(*colours))];
}

static char character_of(uint32_t cell)
{
	switch (cell) {
	case REPORT_MAP_IDLE:
		return '.';
	case REPORT_MAP_DOWN:
		return '#';
	case REPORT_MAP_SHARED:
		return '+';
	case REPORT_MAP_ABSENT:
		return ' ';
	default:
		return report_map_letter(cell - 1);
	}
}

/* One row of one panel, without what follows it. */
static void draw_row(const struct report_map *map, const struct layout *l,
		     uint32_t panel, uint32_t y, bool colour, FILE *out)
{
	uint32_t before = REPORT_MAP_IDLE;
	uint32_t index = (panel * l->height + y) * l->width;
	bool coloured = false;

	for (uint32_t x = 0; x < l->width && index < l->t->nodes;
	     x++, index++) {
		uint32_t cell = map->cell[torus_machine_bit(map->machine,
							    l->pod, index)];

		if (colour && (!coloured || cell != before))
			fprintf(out, "\033[0m%s", colour_of(cell));
		coloured = true;
		before = cell;
		fputc(character_of(cell), out);
	}
	if (colour && coloured)
		fputs("\033[0m", out);
}

static void draw_titles(const struct layout *l, uint32_t first, uint32_t last,
			FILE *out)
{
	uint32_t cells = l->width > l->title ? l->width : l->title;
	char title[128];

	if (l->title == 0)
		return;
	for (uint32_t panel = first; panel < last; panel++) {
		title_of(l->t, panel, title, sizeof(title));
		fprintf(out, "%s%-*s", panel > first ? "   " : "",
			panel + 1 < last ? (int)cells : 0, title);
	}
	fputc('\n', out);
}

static void draw_pod(const struct report_map *map, uint32_t p,
		     const struct report_map_style *style, FILE *out)
{
	const struct torus *t = &map->machine->pod[p].torus;
	struct layout l = lay_out(t, p, style->columns);
	uint32_t cells = l.width > l.title ? l.width : l.title;
	char machine[TORUS_STRING_SIZE];

	torus_format(t, machine, sizeof(machine));
	fprintf(out, "%s  %s", t->name, machine);
	if (t->dims > 1)
		fputs("   (dimension 0 across, 1 down)", out);
	fputs("\n\n", out);
	for (uint32_t first = 0; first < l.panels; first += l.across) {
		uint32_t last = first + l.across < l.panels ? first + l.across :
							      l.panels;

		draw_titles(&l, first, last, out);
		for (uint32_t y = 0; y < l.height; y++) {
			for (uint32_t panel = first; panel < last; panel++) {
				draw_row(map, &l, panel, y, style->colour, out);
				if (panel + 1 < last)
					fprintf(out, "%*s",
						(int)(cells - l.width + GAP),
						"");
			}
			fputc('\n', out);
		}
		fputc('\n', out);
	}
}

struct totals {
	uint32_t idle, busy, shared, down;
};

static struct totals count_cells(const struct report_map *map)
{
	struct totals n = { 0 };

	for (uint32_t p = 0; p < map->machine->pods; p++) {
		for (uint32_t i = 0; i < map->machine->pod[p].torus.nodes; i++) {
			uint32_t cell = map->cell[torus_machine_bit(
				map->machine, p, i)];

			n.idle += cell == REPORT_MAP_IDLE;
			n.shared += cell == REPORT_MAP_SHARED;
			n.down += cell == REPORT_MAP_DOWN;
			n.busy += cell != REPORT_MAP_IDLE &&
				  cell < REPORT_MAP_ABSENT;
		}
	}
	return n;
}

/* The widest of a column's texts, at least its heading. */
static int widest(const struct report_map *map, const char *heading,
		  const char *(*text)(const struct report_map_job *job))
{
	size_t most = strlen(heading);

	for (uint32_t j = 0; j < map->jobs; j++) {
		size_t length = strlen(text(&map->job[j]));

		if (length > most)
			most = length;
	}
	return (int)most;
}

static const char *id_text(const struct report_map_job *job)
{
	return job->id;
}

static const char *user_text(const struct report_map_job *job)
{
	return job->user;
}

static const char *left_text(const struct report_map_job *job)
{
	return job->left;
}

static void draw_legend(const struct report_map *map,
			const struct report_map_style *style, FILE *out)
{
	int id = widest(map, "job", id_text);
	int user = widest(map, "user", user_text);
	int left = widest(map, "left", left_text);

	if (map->jobs == 0)
		return;
	fprintf(out, "   %-*s  %-*s  %*s  %5s  %s\n", id, "job", user, "user",
		left, "left", "nodes", "region");
	for (uint32_t j = 0; j < map->jobs; j++) {
		const struct report_map_job *job = &map->job[j];

		fprintf(out, "%s%c%s  %-*s  %-*s  %*s  %5u  %s\n",
			style->colour ? colour_of(j + 1) : "",
			report_map_letter(j), style->colour ? "\033[0m" : "",
			id, job->id, user, job->user, left, job->left,
			job->nodes, job->region);
	}
}

void report_map_terminal(const struct report_map *map,
			 const struct report_map_style *style, FILE *out)
{
	struct totals n;

	for (uint32_t p = 0; p < map->machine->pods; p++)
		draw_pod(map, p, style, out);
	n = count_cells(map);
	fprintf(out, "%u job%s; %u nodes busy, ", map->jobs,
		map->jobs == 1 ? "" : "s", n.busy);
	if (n.shared)
		fprintf(out, "%u of them shared (+), ", n.shared);
	fprintf(out, "%u idle (.), %u out of service (#)\n\n", n.idle, n.down);
	draw_legend(map, style, out);
}
