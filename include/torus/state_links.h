/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links of a machine state (torus/state.h): one map of live links for each torus that ever had a dead one (state_links.c). */
#ifndef TORUS_STATE_LINKS_H
#define TORUS_STATE_LINKS_H

#include "torus/state.h"

/*
 * Replace the list of links that are down or weak. Searches then find only
 * regions without a link that is dead for the ask. Holds stay. A change makes a
 * new generation. -1 with the state unchanged: ENOMEM, or EINVAL if a link is of a
 * torus whose links cannot be listed (torus_machine_links()).
 */
int torus_state_set_links(struct torus_state *s,
			  const struct torus_link_list *links);
const struct torus_link_list *torus_state_links(const struct torus_state *s);

/* Return true if the link joins two neighbours in one of the place's regions, or
 * closes a ring of it. */
bool torus_placement_has_link(const struct torus_machine *m,
			      const struct torus_placement *place,
			      const struct torus_link *link);

/* Return true if the place has such a link that is dead now. `weak`: weak links
 * are not dead. */
bool torus_state_has_dead_link(const struct torus_state *s,
			       const struct torus_placement *place, bool weak);

#endif
