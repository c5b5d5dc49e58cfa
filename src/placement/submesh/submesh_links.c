/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `submesh` with dead links. Bases with dead links along a dimension are
 * removed when the box gets 2 cells there. Longer boxes consist of such boxes
 * that overlap by one cell, so each of their links lies within one of these
 * (link_map.h).
 */
#include "placement/submesh/submesh.h"

/* Keep those bases of *in at which the box has no dead link, in `map`. Return
 * whether any is left. */
static bool links_take(struct submesh *s, const struct torus_link_box *box,
		       const uint64_t **in, uint64_t *map)
{
	const uint64_t *live = torus_link_map_bases(s->links, box);
	const uint64_t *from = *in;

	if (!live)
		return true;
	*in = map;
	return torus_erode_and(s->erode, from, live, map);
}

bool submesh_take_links(struct submesh *s, const uint32_t *extent,
			uint32_t along, const uint64_t **in)
{
	const struct torus_link_box box = { .extent = extent,
					    .along = along,
					    .weak = s->weak };

	return links_take(s, &box, in, s->level[0]);
}

bool submesh_take_cells(struct submesh *s, const uint64_t **in)
{
	uint32_t cell[TORUS_MAX_DIMS];

	for (uint32_t d = 0; d < TORUS_MAX_DIMS; d++)
		cell[d] = 1;
	return !s->links ||
	       submesh_take_links(s, cell, 1u << s->torus->dims, in);
}

bool submesh_lengthen_linked(struct submesh *s, uint32_t d, const uint32_t *box,
			     const uint64_t *in)
{
	uint32_t pair[TORUS_MAX_DIMS];
	const struct torus_link_box links = { .extent = pair,
					      .along = 1u << d,
					      .weak = s->weak };

	memcpy(pair, box, s->torus->dims * sizeof(*pair));
	pair[d] = 2;
	if (!submesh_erode(s, d, 1, 2, in))
		return false;
	in = s->level[d + 1];
	return links_take(s, &links, &in, s->level[d + 1]) &&
	       (box[d] == 2 || submesh_erode(s, d, 1, box[d] - 1, in));
}
