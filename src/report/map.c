/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a map shows (map.h): nodes, jobs, letters. O(nodes of the job). */
#include "report/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int report_map_init(struct report_map *map, const struct torus_machine *m)
{
	*map = (struct report_map){ .machine = m };
	map->cell = calloc((size_t)m->words * 64 + 1, sizeof(*map->cell));
	if (!map->cell)
		return -1;
	for (uint32_t p = 0; p < m->pods; p++) {
		const struct torus_pod *pod = &m->pod[p];

		for (uint32_t i = 0; pod->present && i < pod->torus.nodes; i++) {
			if (!torus_bits_test(pod->present, i))
				map->cell[torus_machine_bit(m, p, i)] =
					REPORT_MAP_ABSENT;
		}
	}
	return 0;
}

void report_map_free(struct report_map *map)
{
	for (uint32_t j = 0; j < map->jobs; j++)
		free(map->job[j].region);
	free(map->job);
	free(map->cell);
	*map = (struct report_map){ 0 };
}

/* What a cell shows once one more job holds it. */
static uint32_t joined(uint32_t cell, uint32_t job)
{
	if (cell == REPORT_MAP_ABSENT)
		return cell;
	if (cell == REPORT_MAP_IDLE || cell == REPORT_MAP_DOWN)
		return job + 1;
	return REPORT_MAP_SHARED;
}

static bool taken(const struct report_map *map, const uint64_t *nodes)
{
	uint32_t words = map->machine->words;

	for (uint32_t bit = torus_bits_next(nodes, words, 0);
	     bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1)) {
		if (map->cell[bit] != REPORT_MAP_IDLE &&
		    map->cell[bit] != REPORT_MAP_DOWN)
			return true;
	}
	return false;
}

int report_map_add_shared(struct report_map *map,
			  const struct report_map_job *job,
			  const uint64_t *nodes)
{
	uint32_t words = map->machine->words;
	struct report_map_job *list;

	if ((map->jobs & (map->jobs - 1)) == 0) {
		size_t room = map->jobs ? (size_t)map->jobs * 2 : 1;

		list = realloc(map->job, room * sizeof(*list));
		if (!list)
			return -1;
		map->job = list;
	}
	list = &map->job[map->jobs];
	*list = *job;
	list->region = strdup(job->region ? job->region : "");
	if (!list->region)
		return -1;
	for (uint32_t bit = torus_bits_next(nodes, words, 0);
	     bit != UINT32_MAX; bit = torus_bits_next(nodes, words, bit + 1))
		map->cell[bit] = joined(map->cell[bit], map->jobs);
	return (int)map->jobs++;
}

int report_map_add(struct report_map *map, const struct report_map_job *job,
		   const uint64_t *nodes)
{
	if (taken(map, nodes)) {
		errno = EBUSY;
		return -1;
	}
	return report_map_add_shared(map, job, nodes);
}

char report_map_letter(uint32_t job)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	return letters[job % (sizeof(letters) - 1)];
}
