/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine state as text (state_text.c). */
#ifndef TORUS_STATE_TEXT_H
#define TORUS_STATE_TEXT_H

#include "torus/placement.h"
#include "torus/state.h"
#include "torus/region.h"

/*
 * Write the state as text, one line per pod's strategy and one per hold in the
 * order of the commits; read it into a new state of the same machine, whose slots
 * 0, 1, ... get the holds in that order. A mismatch is an error. The outside pod
 * and the holds with nodes there are omitted, since that pod may have other nodes
 * when the text is read.
 */
int torus_state_save(const struct torus_state *s, struct torus_text *text);
int torus_state_restore(struct torus_state *s, const char *text,
			struct torus_error *err);

/*
 * Append the state's text, with the outside pod, and replace the state by what
 * torus_state_restore() makes of that text, so that a reader continues exactly as
 * this state does. Slots change, owners become NULL. -1 with errno and the state
 * unchanged.
 */
int torus_state_renew(struct torus_state *s, struct torus_text *text);

/* Append a hold as text; read a hold. Reading overwrites the text and fills the
 * room, which must have nodes and regions. 0, or -1 with errno (and a line in
 * err). */
int torus_hold_format(const struct torus_machine *m, const struct torus_hold *h,
		      struct torus_text *text);
int torus_hold_parse(const struct torus_machine *m, char *text,
		     struct torus_hold *hold,
		     const struct torus_placement_room *room,
		     struct torus_error *err);

/* Create another state with the same holds, those of the outside pod too, and the
 * same nodes out of service. Slots and owners are its own. NULL with errno. */
struct torus_state *torus_state_twin(const struct torus_state *s);

/* region_text.c: the text forms of regions, node sets and orientations. */

/* Text forms, in vertices. The formatters return lengths as snprintf(). */
int torus_region_format(const struct torus_region *r, const struct torus *t,
			char *buffer, size_t size);
int torus_orientation_format(const struct torus_orientation *o,
			     const struct torus *t, char *buffer, size_t size);

/* Read the text of an orientation. -1 with a line in err. */
int torus_orientation_parse(struct torus_orientation *o, const struct torus *t,
			    const char *string, struct torus_error *err);

/* Append NAME:{0-3,7} for the nodes set in map. 0, or -1 with ENOMEM. */
int torus_nodes_format(struct torus_text *text, const struct torus *t,
		       const uint64_t *map);

/*
 * Read a region or scattered nodes; the torus name may be missing, otherwise it
 * must be the torus's. *scattered says which was read. If scattered, `nodes` (a
 * bitmap of the torus's words, zeroed by this call) gets the nodes, else *r
 * gets the region. -1 with a line in err.
 */
int torus_region_parse(struct torus_region *r, bool *scattered, uint64_t *nodes,
		       const struct torus *t, const char *string,
		       struct torus_error *err);

#endif
