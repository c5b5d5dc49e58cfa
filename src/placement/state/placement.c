/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text form of placements and of sets of nodes (torus/state.h). */
#include "torus/state_text.h"
#include "torus/regions.h"
#include "torus/state.h"
#include "torus/placement.h"

#include <string.h>

#include "torus/alloc.h"

int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text)
{
	const struct torus *t = &m->pod[place->pod].torus;
	char region[TORUS_REGION_SIZE];

	if (place->regions)
		return torus_regions_format(m, place->regions, text);
	if (place->spread) {
		/* Write NAME:{0-3},NAME:{7}: the toruses that have nodes, in order. */
		const char *between = "";

		for (uint32_t p = 0; p < m->pods; p++) {
			const struct torus_pod *pod = &m->pod[p];
			const uint64_t *nodes = place->nodes + pod->first_word;

			if (torus_bits_next(nodes, pod->words, 0) == UINT32_MAX)
				continue;
			if (torus_text_add(text, "%s", between) ||
			    torus_nodes_format(text, &pod->torus, nodes))
				return -1;
			between = ",";
		}
		return 0;
	}
	if (place->scattered)
		return torus_nodes_format(text, t, place->nodes);
	torus_region_format(&place->region, t, region, sizeof(region));
	return torus_text_add(text, "%s", region);
}

void torus_placement_copy(const struct torus_machine *m,
			  struct torus_placement *to,
			  const struct torus_placement *place,
			  struct torus_placement_room *room)
{
	if (to != place)
		*to = *place;
	if (!place->scattered)
		return;
	if (place->nodes != room->nodes) {
		/* Copy the nodes, only the words between which they lie if those are known. */
		uint32_t from = place->from_word;

		if (!place->to_word)
			torus_bits_copy(room->nodes, place->nodes,
					torus_placement_words(m, place));
		else if (room->to_word)
			torus_bits_zero_beside(room->nodes, room->from_word,
					       room->to_word, from,
					       place->to_word);
		else
			torus_bits_zero(room->nodes, m->words);
		if (place->to_word)
			torus_bits_copy(room->nodes + from, place->nodes + from,
					place->to_word - from);
		room->from_word = from;
		room->to_word = place->to_word;
	}
	to->nodes = room->nodes;
	if (place->regions && room->regions)
		torus_regions_copy(room->regions, place->regions);
	to->regions = place->regions ? room->regions : NULL;
}

int torus_placement_keep(const struct torus_machine *m,
			 struct torus_placement *to,
			 const struct torus_placement *place,
			 struct torus_placement_room *room)
{
	if (place->scattered && !room->nodes)
		room->nodes = torus_alloc(m->words, sizeof(*room->nodes));
	if (place->regions && !room->regions)
		room->regions = torus_alloc(1, sizeof(*room->regions));
	if ((place->scattered && !room->nodes) ||
	    (place->regions && !room->regions))
		return -1;
	torus_placement_copy(m, to, place, room);
	return 0;
}

void torus_placement_room_free(struct torus_placement_room *room)
{
	torus_free(room->nodes);
	torus_free(room->regions);
}

static int placement_refuse(const char *text, const char *expected,
			    struct torus_error *err)
{
	return torus_error_add(err, "nodes: got \"%.60s\": expected %s", text,
			       expected);
}

/* Read NAME:{0-3} into the map. */
static int placement_read_part(const struct torus_machine *m, const char *text,
			       uint64_t *map, struct torus_error *err)
{
	uint32_t p = torus_machine_prefix(m, text);
	const struct torus_pod *pod;
	struct torus_region region;
	bool scattered;

	if (!strchr(text, ':'))
		return placement_refuse(text, "the nodes of a torus", err);
	if (p == UINT32_MAX)
		return placement_refuse(text, "a torus of this machine", err);
	pod = &m->pod[p];
	map += pod->first_word;
	if (torus_bits_next(map, pod->words, 0) != UINT32_MAX)
		return placement_refuse(text, "each torus once", err);
	if (torus_region_parse(&region, &scattered, map, &pod->torus, text, err))
		return -1;
	return scattered ? 0 : placement_refuse(text, "nodes, no region", err);
}

int torus_nodes_parse(const struct torus_machine *m, char *text, uint64_t *map,
		      struct torus_error *err)
{
	torus_bits_zero(map, m->words);
	while (text) {
		char *next = strstr(text, "},");

		if (next) {
			next[1] = '\0';
			next += 2;
		}
		if (placement_read_part(m, text, map, err))
			return -1;
		text = next;
	}
	return 0;
}
