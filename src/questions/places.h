/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All places of a question as a list. For strategies that cannot list their
 * places but find one whenever one exists (`complete`), submesh lists them.
 */
#ifndef QUESTIONS_PLACES_H
#define QUESTIONS_PLACES_H

#include "torus/state.h"

#define PLACES_MOST 8000000

struct places {
	struct torus_placement *place; /* in the order of `storus place --all` */
	uint32_t count, room;
	bool scattered; /* any usable nodes suffice: none are listed */
};

/*
 * List the current places for the ask. Return 0, or -1 with ENOMEM, E2BIG (more
 * than PLACES_MOST), or ENOSYS if the torus `*pod` has a strategy that cannot
 * decide whether a place exists, or (*pod is UINT32_MAX) if the ask is for
 * several regions.
 */
int places_find(struct torus_state *s, const struct torus_ask *ask,
		struct places *list, uint32_t *pod);
void places_free(struct places *list);

#endif
