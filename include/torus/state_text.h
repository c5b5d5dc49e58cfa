/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine state as text (state_text.c). */
#ifndef TORUS_STATE_TEXT_H
#define TORUS_STATE_TEXT_H

#include "torus/state.h"

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

#endif
