/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text form of placements (torus/state.h). */
#include "torus/state.h"

int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text)
{
	const struct torus *t = &m->pod[place->pod].torus;
	char region[TORUS_REGION_SIZE];

	if (place->scattered)
		return torus_nodes_format(text, t, place->nodes);
	torus_region_format(&place->region, t, region, sizeof(region));
	return torus_text_add(text, "%s", region);
}
