/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of a map (map.h): nodes, jobs, letters, totals, and the table of
 * drawers. Adding a job is O(its nodes). */
#include "report/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torus/alloc.h"

const struct report_drawer *const report_drawers[] = {
#define MAP_DRAWER(name) &report_drawer_##name,
	REPORT_DRAWERS(MAP_DRAWER) NULL,
};

const struct report_drawer *report_drawer_of(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; report_drawers[i]; i++) {
		size_t n = strlen(report_drawers[i]->ending);

		if (length > n &&
		    !strcmp(path + length - n, report_drawers[i]->ending))
			return report_drawers[i];
	}
	return NULL;
}

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
	torus_free(map->job);
	free(map->cell);
	*map = (struct report_map){ 0 };
}

/* Return what a cell shows once one more job holds it. */
static uint32_t map_joined(uint32_t cell, uint32_t job)
{
	if (cell == REPORT_MAP_ABSENT)
		return cell;
	if (cell == REPORT_MAP_IDLE || cell == REPORT_MAP_DOWN ||
	    cell == REPORT_MAP_HIDDEN || cell == REPORT_MAP_RESERVED)
		return job + 1;
	return REPORT_MAP_SHARED;
}

/* Replace characters that a terminal or XML would interpret: names are
 * untrusted. */
static void map_plain(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

/* Note the letters of the jobs on the neighbours of a node. */
static void map_letters_beside(const struct report_map *map, uint32_t bit,
			       bool *used)
{
	const struct torus_machine *m = map->machine;
	uint32_t p = 0, x[TORUS_MAX_DIMS];
	const struct torus *t;

	while (p + 1 < m->pods && bit >= torus_machine_bit(m, p + 1, 0))
		p++;
	t = &m->pod[p].torus;
	bit -= torus_machine_bit(m, p, 0);
	torus_coord(t, bit, x);
	for (uint32_t d = 0; d < t->dims; d++) {
		for (int up = 0; up < 2; up++) {
			bool end = x[d] == (up ? t->size[d] - 1 : 0);
			uint32_t beside = up ? bit + t->stride[d] :
					       bit - t->stride[d],
				 shows;

			if (end)
				continue;
			shows = map->cell[torus_machine_bit(m, p, beside)];
			if (report_map_is_job(shows) && shows <= map->jobs)
				used[(uint8_t)map->job[shows - 1].letter] = true;
		}
	}
}

char report_map_letter(uint32_t job, const bool used[256])
{
	static const char letters[REPORT_MAP_LETTERS + 1] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	const uint32_t all = REPORT_MAP_LETTERS;
	uint32_t k = 0;

	while (k < all && used[(uint8_t)letters[(job + k) % all]])
		k++;
	return letters[(job + k) % all];
}

/* Choose the letter of the next job. */
static char map_letter(const struct report_map *map, const uint64_t *nodes)
{
	const uint32_t words = map->machine->words;
	bool used[256] = { false };

	for (uint32_t bit = torus_bits_next(nodes, words, 0);
	     bit != UINT32_MAX && map->jobs >= REPORT_MAP_LETTERS;
	     bit = torus_bits_next(nodes, words, bit + 1))
		map_letters_beside(map, bit, used);
	return report_map_letter(map->jobs, used);
}

int report_map_add(struct report_map *map, const struct report_map_job *job,
		   const uint64_t *nodes)
{
	uint32_t words = map->machine->words;
	struct report_map_job *list;

	if (TORUS_GROW(map->job, map->room, map->jobs + 1))
		return -1;
	list = &map->job[map->jobs];
	*list = *job;
	list->letter = map_letter(map, nodes);
	list->region = strdup(job->region ? job->region : "");
	if (!list->region)
		return -1;
	map_plain(list->id);
	map_plain(list->user);
	map_plain(list->left);
	map_plain(list->region);
	for (uint32_t bit = torus_bits_next(nodes, words, 0); bit != UINT32_MAX;
	     bit = torus_bits_next(nodes, words, bit + 1))
		map->cell[bit] = map_joined(map->cell[bit], map->jobs);
	return (int)map->jobs++;
}

char report_map_character(const struct report_map *map, uint32_t cell)
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
	case REPORT_MAP_FIT:
		return '*';
	case REPORT_MAP_HIDDEN:
		return '?';
	case REPORT_MAP_RESERVED:
		return '=';
	default:
		return map->job[cell - 1].letter;
	}
}

struct totals {
	uint32_t idle, busy, shared, down,
		fit;               /* shared nodes are also counted as busy */
	uint32_t hidden, reserved; /* not counted as busy or idle */
};

void report_map_totals_words(const struct report_map *map, char *buffer)
{
	char shared[48] = "", fit[48] = "", hidden[64] = "", reserved[32] = "";
	struct totals n = { 0 };

	for (uint32_t p = 0; p < map->machine->pods; p++) {
		uint32_t nodes = map->machine->pod[p].torus.nodes;

		for (uint32_t i = 0; i < nodes; i++) {
			uint32_t cell =
				map->cell[torus_machine_bit(map->machine, p, i)];

			n.fit += cell == REPORT_MAP_FIT;
			n.idle += cell == REPORT_MAP_IDLE ||
				  cell == REPORT_MAP_FIT;
			n.shared += cell == REPORT_MAP_SHARED;
			n.down += cell == REPORT_MAP_DOWN;
			n.hidden += cell == REPORT_MAP_HIDDEN;
			n.reserved += cell == REPORT_MAP_RESERVED;
			n.busy += report_map_is_job(cell) ||
				  cell == REPORT_MAP_SHARED;
		}
	}
	if (n.shared)
		snprintf(shared, sizeof(shared), "%u of them shared (+), ",
			 n.shared);
	if (n.fit)
		snprintf(fit, sizeof(fit), ", %u of them the place (*)", n.fit);
	if (n.hidden)
		snprintf(hidden, sizeof(hidden),
			 "%u in use, not visible to you (?), ", n.hidden);
	if (n.reserved)
		snprintf(reserved, sizeof(reserved), "%u reserved (=), ",
			 n.reserved);
	snprintf(buffer, REPORT_MAP_WORDS,
		 "%u job%s; %u nodes busy, %s%s%s%u idle (.)%s, %u out of service (#)",
		 map->jobs, map->jobs == 1 ? "" : "s", n.busy, shared, hidden,
		 reserved, n.idle, fit, n.down);
}
