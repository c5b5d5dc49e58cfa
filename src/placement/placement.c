/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text form of placements (torus/state.h). */
#include "torus/state.h"

/* NAME:{0-3},NAME:{7}: the toruses in order, those that have some. */
static int format_spread(const struct torus_machine *m,
			 const struct torus_placement *place,
			 struct torus_text *text)
{
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

int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text)
{
	const struct torus *t = &m->pod[place->pod].torus;
	char region[TORUS_REGION_SIZE];

	if (place->spread)
		return format_spread(m, place, text);
	if (place->scattered)
		return torus_nodes_format(text, t, place->nodes);
	torus_region_format(&place->region, t, region, sizeof(region));
	return torus_text_add(text, "%s", region);
}
