/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of a machine state (torus/state.h): one map of live links for each
 * torus that ever had a dead one.
 *
 * Cost: a change O(words of these toruses + links).
 */
#include "torus/placement.h"
#include "placement/state/state.h"

#include <errno.h>

#include "torus/regions.h"

int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links)
{
	if (torus_link_list_equal(&s->links, links))
		return 0;
	/* Create a map for each pod that the list names. */
	for (uint32_t i = 0; i < links->count; i++) {
		uint32_t p = links->link[i].pod;

		if (p >= s->machine->pods || !s->machine->pod[p].links) {
			errno = EINVAL;
			return -1;
		}
		if (!s->link_map[p])
			s->link_map[p] = torus_link_map_create(
				&s->machine->pod[p].grid);
		if (!s->link_map[p])
			return -1;
	}
	if (torus_link_list_copy(&s->links, links))
		return -1;
	for (uint32_t p = 0; p < s->machine->pods; p++) {
		if (s->link_map[p])
			torus_link_map_set(s->link_map[p], &s->links, p);
	}
	s->generation = ++s->last_generation;
	return 0;
}

const struct torus_link_list *torus_state_links(const struct torus_state *s)
{
	return &s->links;
}

/* Return true if the link lies within the region; ring: the dimensions that are
 * closed. */
static bool region_has_link(const struct torus *t, const struct torus_region *r,
			    const struct torus_orientation *o, uint8_t ring,
			    const struct torus_link *link)
{
	struct torus_region v = torus_region_scaled(r, t);
	uint32_t at[TORUS_MAX_DIMS], along = 0;
	int8_t axis = o->axis[link->dim];

	torus_vertex_coord(t, link->vertex, at);
	for (uint32_t d = 0; d < t->dims; d++) {
		uint32_t n = t->size[d] * t->unit[d];
		uint32_t off = (at[d] + n - v.base[d]) % n;

		if (v.stride[d] != 1 || off >= v.extent[d])
			return false;
		if (d == link->dim)
			along = off;
	}
	return along + 1 < v.extent[link->dim] ||
	       (torus_link_covers(t, r->extent, link->dim) && axis >= 0 &&
		ring >> axis & 1);
}

bool torus_placement_has_link(const struct torus_machine *m,
			      const struct torus_placement *place,
			      const struct torus_link *link)
{
	const struct torus *t = &m->pod[link->pod].torus;
	const struct torus_regions *list = place->regions;

	for (uint32_t i = 0; list && i < list->count; i++) {
		const struct torus_region_item *item = &list->item[i];

		if (item->pod == link->pod &&
		    region_has_link(t, &item->region, &item->orientation,
				    item->ring, link))
			return true;
	}
	return !place->scattered && place->pod == link->pod &&
	       region_has_link(t, &place->region, &place->orientation,
			       place->ring, link);
}

bool torus_state_has_dead_link(const struct torus_state *s,
			       const struct torus_placement *place, bool weak)
{
	for (uint32_t i = 0; i < s->links.count; i++) {
		const struct torus_link *l = &s->links.link[i];

		if ((l->health == TORUS_LINK_DOWN || !weak) &&
		    torus_placement_has_link(s->machine, place, l))
			return true;
	}
	return false;
}
