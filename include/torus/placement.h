/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text form of placements and of sets of nodes (placement.c). */
#ifndef TORUS_PLACEMENT_H
#define TORUS_PLACEMENT_H

#include "torus/state.h"

/* Copy a placement, and its nodes and regions into the room. `to` may be
 * `place`. */
void torus_placement_copy(const struct torus_machine *m,
			  struct torus_placement *to,
			  const struct torus_placement *place,
			  struct torus_placement_room *room);

/* The same into a room of the caller's own, a zeroed one at first: allocate the
 * memory that it lacks. 0, or -1 with ENOMEM and `to` unchanged. */
int torus_placement_keep(const struct torus_machine *m,
			 struct torus_placement *to,
			 const struct torus_placement *place,
			 struct torus_placement_room *room);
void torus_placement_room_free(struct torus_placement_room *room);

/* Append the region or the scattered nodes with the torus's name; of spread nodes
 * each torus's, separated by commas. */
int torus_placement_format(const struct torus_machine *m,
			   const struct torus_placement *place,
			   struct torus_text *text);

/* Read such a text into a machine bitmap; the text is overwritten. 0, or -1
 * with EINVAL and a line in err. */
int torus_nodes_parse(const struct torus_machine *m, char *text, uint64_t *map,
		      struct torus_error *err);

#endif
