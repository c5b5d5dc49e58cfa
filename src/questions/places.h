/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All places of a question as a list. Strategies that cannot list their places but
 * find one wherever there is one (`complete`) are stood in for by submesh.
 */
#ifndef QUESTIONS_PLACES_H
#define QUESTIONS_PLACES_H

#include "torus/state.h"

#define PLACES_MOST 8000000

struct places {
	struct torus_placement *place; /* in the order of `storus place --all` */
	uint32_t count, room;
	bool scattered; /* any usable nodes will do: none are listed */
};

/*
 * List the places that the ask has now. 0, or -1 with ENOMEM, E2BIG (more than
 * PLACES_MOST), or ENOSYS where the torus `*pod` has a strategy that cannot say
 * where there is a place, or (no torus: *pod is UINT32_MAX) the ask is for
 * several regions.
 */
int places_find(struct torus_state *s, const struct torus_ask *ask,
		struct places *list, uint32_t *pod);
void places_free(struct places *list);

#endif
