/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The .csv of a map, a line per node that a job holds; for recipes.t. */
#include "report/map.h"

static int map_csv_draw(const struct report_map *map,
			const struct report_map_style *style, FILE *out)
{
	(void)style;
	fputs("node,job\n", out);
	for (uint32_t b = 0; b < map->machine->words * 64; b++)
		if (report_map_is_job(map->cell[b]))
			fprintf(out, "%u,%s\n", b,
				map->job[map->cell[b] - 1].id);
	return ferror(out) ? -1 : 0;
}

const struct report_drawer report_drawer_csv = {
	.ending = ".csv",
	.summary = "a line per busy node",
	.draw = map_csv_draw,
};
