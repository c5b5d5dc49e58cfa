/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of a machine state (torus/state.h): one map of live links for each
 * torus that ever had a dead one.
 *
 * Cost: of a change O(words of these toruses + links).
 */
#include "placement/state.h"

#include <errno.h>

/* A map for each pod that the list names. -1 with errno. */
static int state_links_reserve(struct torus_state *s,
			       const struct torus_link_list *links)
{
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
	return 0;
}

int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links)
{
	if (torus_link_list_equal(&s->links, links))
		return 0;
	if (state_links_reserve(s, links) ||
	    torus_link_list_copy(&s->links, links))
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
