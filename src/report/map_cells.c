/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assigns nodes to cells (map_picture.h), by counting. */
#include "report/map_picture.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int map_cells_ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Return the length of the run of equal values at the front. */
static uint32_t run_of(const uint32_t *value, uint32_t n)
{
	uint32_t run = 1;

	while (run < n && value[run] == value[0])
		run++;
	return run;
}

/* Return true if job a has fewer cells for its nodes than the other. */
static bool map_cells_behind(const struct report_cells *cells, uint32_t a,
			     uint32_t b)
{
	const struct report_map_job *job = cells->map->job;

	return (uint64_t)cells->drawn[a - 1] * job[b - 1].nodes <
	       (uint64_t)cells->drawn[b - 1] * job[a - 1].nodes;
}

static uint32_t map_cell_decide(const struct report_cells *cells,
				const uint32_t *shows, uint32_t n)
{
	uint32_t best = REPORT_MAP_ABSENT, most = 0;
	uint32_t job = 0, job_most = 0, busy = 0;

	for (uint32_t i = 0, run; i < n; i += run) {
		run = run_of(shows + i, n - i);
		if (shows[i] == REPORT_MAP_FIT)
			return REPORT_MAP_FIT;
		if (report_map_is_job(shows[i])) {
			busy += run;
			if (run > job_most ||
			    (run == job_most &&
			     map_cells_behind(cells, shows[i], job))) {
				job_most = run;
				job = shows[i];
			}
		} else if (run > most && shows[i] != REPORT_MAP_ABSENT) {
			most = run;
			best = shows[i];
		}
	}
	return busy && busy >= most ? job : best;
}

/* Return how many of a cell's nodes show the value. */
static uint32_t map_cells_nodes_of(const struct report_cells *cells,
				   uint32_t cell, uint32_t shown)
{
	uint32_t n = 0;

	for (uint32_t i = cells->first[cell]; i < cells->first[cell + 1]; i++)
		n += cells->shows[i] == shown;
	return n;
}

/* Give a cell to a job that no cell shows. */
static void draw_missing(struct report_cells *cells, uint32_t job)
{
	uint32_t at = 0, most = 0, was;

	for (uint32_t c = 0; c < cells->layout.cells; c++) {
		uint32_t n = map_cells_nodes_of(cells, c, job + 1);

		was = cells->cell[c];
		/* the last cell of another job is the last choice */
		n = 2 * n -
		    (n && report_map_is_job(was) && cells->drawn[was - 1] == 1);
		if (n > most && was != REPORT_MAP_FIT) {
			most = n;
			at = c;
		}
	}
	if (!most)
		return; /* in another torus, or hidden by the requested place */
	was = cells->cell[at];
	if (report_map_is_job(was) && cells->drawn[was - 1] == 1) {
		cells->cell[at] = REPORT_MAP_SHARED;
		return;
	}
	if (report_map_is_job(was))
		cells->drawn[was - 1]--;
	cells->cell[at] = job + 1;
	cells->drawn[job] = 1;
}

/* Sort the nodes by cell, then the values of each cell. */
static void map_cells_collect(struct report_cells *cells)
{
	uint32_t count = cells->layout.cells, *first = cells->first;

	for (uint32_t i = 0; i < cells->t->nodes; i++)
		first[report_layout_of(&cells->layout, cells->t, i) + 1]++;
	for (uint32_t c = 0; c < count; c++)
		first[c + 1] += first[c];
	for (uint32_t i = 0; i < cells->t->nodes; i++) {
		uint32_t c = report_layout_of(&cells->layout, cells->t, i);

		cells->shows[first[c]++] =
			cells->map->cell[torus_machine_bit(cells->map->machine,
							   cells->pod, i)];
	}
	/* every entry has moved to the next cell's */
	for (uint32_t c = count; c > 0; c--)
		first[c] = first[c - 1];
	first[0] = 0;
	for (uint32_t c = 0; c < count; c++) {
		uint32_t n = first[c + 1] - first[c];

		if (n > 1)
			qsort(cells->shows + first[c], n, sizeof(*cells->shows),
			      map_cells_ascending);
		cells->cell[c] = map_cell_decide(cells, cells->shows + first[c],
						 n);
		if (report_map_is_job(cells->cell[c]))
			cells->drawn[cells->cell[c] - 1]++;
	}
	for (uint32_t j = 0;
	     (cells->layout.block > 1 || cells->t->per_vertex > 1) &&
	     j < cells->map->jobs;
	     j++)
		if (!cells->drawn[j])
			draw_missing(cells, j);
}

int report_cells_init(struct report_cells *cells, const struct report_map *map,
		      uint32_t pod, const struct report_canvas *canvas)
{
	const struct torus *t = &map->machine->pod[pod].torus;

	*cells = (struct report_cells){ .map = map, .t = t, .pod = pod };
	report_layout_make(&cells->layout, t, canvas);
	cells->cell = calloc(cells->layout.cells, sizeof(*cells->cell));
	cells->first = calloc((size_t)cells->layout.cells + 1,
			      sizeof(*cells->first));
	cells->shows = calloc(t->nodes, sizeof(*cells->shows));
	cells->titled = calloc(cells->layout.cells, 1);
	cells->drawn = calloc((size_t)map->jobs + 1, sizeof(*cells->drawn));
	if (cells->cell && cells->first && cells->shows && cells->titled &&
	    cells->drawn) {
		map_cells_collect(cells);
		return 0;
	}
	report_cells_free(cells);
	return -1;
}

void report_cells_free(struct report_cells *cells)
{
	free(cells->cell);
	free(cells->first);
	free(cells->shows);
	free(cells->titled);
	free(cells->drawn);
	*cells = (struct report_cells){ 0 };
}

/* Append to a text of REPORT_CELLS_WORDS bytes, as long as there is room. */
static void map_cell_add(char *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void map_cell_add(char *buffer, const char *format, ...)
{
	size_t used = strlen(buffer);
	va_list ap;

	va_start(ap, format);
	vsnprintf(buffer + used, REPORT_CELLS_WORDS - used, format, ap);
	va_end(ap);
}

static void add_shown(const struct report_cells *cells, uint32_t shown,
		      bool whole, char *buffer)
{
	const struct report_map_job *job;

	if (!report_map_is_job(shown)) {
		map_cell_add(buffer, "%s",
			     shown == REPORT_MAP_IDLE ?
				     "idle" :
			     shown == REPORT_MAP_DOWN ?
				     "out of service" :
			     shown == REPORT_MAP_SHARED ?
				     "several jobs" :
			     shown == REPORT_MAP_FIT ?
				     "idle, in the place" :
			     shown == REPORT_MAP_HIDDEN ?
				     "in use, not visible to you" :
			     shown == REPORT_MAP_RESERVED ? "reserved" :
							    "no node");
		return;
	}
	job = &cells->map->job[shown - 1];
	map_cell_add(buffer, "job %s", job->id);
	if (!whole)
		return;
	if (job->user[0])
		map_cell_add(buffer, ", %s", job->user);
	if (job->left[0])
		map_cell_add(buffer, ", %s left", job->left);
	if (job->region[0])
		map_cell_add(buffer, ", %.100s", job->region);
}

void report_cells_words(const struct report_cells *cells, uint32_t cell,
			char *buffer)
{
	const uint32_t *shows = cells->shows + cells->first[cell];
	uint32_t n = cells->first[cell + 1] - cells->first[cell];

	buffer[0] = '\0';
	/* Write the first node of a cell: its coordinates, or its number. */
	for (uint32_t d = 0; d < cells->t->dims; d++) {
		map_cell_add(buffer, "%s%u", d ? "," : "",
			     cell % cells->layout.size[d] *
				     cells->layout.blocks[d] *
				     cells->t->unit[d]);
		cell /= cells->layout.size[d];
	}
	if (cells->layout.block > 1)
		map_cell_add(buffer, " and on, %u nodes", n);
	else if (n > 1)
		map_cell_add(buffer, ", %u nodes", n);
	map_cell_add(buffer, ": ");
	for (uint32_t i = 0, run; i < n; i += run) {
		run = run_of(shows + i, n - i);
		if (i)
			map_cell_add(buffer, ", ");
		if (run < n)
			map_cell_add(buffer, "%u ", run);
		add_shown(cells, shows[i], run == n, buffer);
	}
}

void report_cells_title(const struct report_cells *cells, char *buffer)
{
	const struct report_layout *l = &cells->layout;
	char machine[TORUS_STRING_SIZE];

	torus_format(cells->t, machine, sizeof(machine));
	buffer[0] = '\0';
	map_cell_add(buffer, "%s  %s", cells->t->name, machine);
	if (cells->t->dims > 1)
		map_cell_add(buffer, "   (dimension 0 across, 1 down)");
	if (l->block < 2) {
		const struct torus *t = cells->t;

		/* Describe a cell that is not a single node at one vertex. */
		if (t->per_vertex > 1)
			map_cell_add(buffer, "   a cell is a vertex of %u nodes",
				     t->per_vertex);
		if (torus_node_vertices(t) != 1) {
			map_cell_add(buffer, "   a cell is a node of ");
			for (uint32_t d = 0; d < t->dims; d++)
				map_cell_add(buffer, "%s%u", d ? "x" : "",
					     t->unit[d]);
			map_cell_add(buffer, " vertices");
		}
		return;
	}
	map_cell_add(buffer, "   a cell is ");
	for (uint32_t d = 0; d < cells->t->dims; d++)
		map_cell_add(buffer, "%s%u", d ? "x" : "", l->blocks[d]);
	map_cell_add(buffer, " nodes: a job where half of them are busy");
}
