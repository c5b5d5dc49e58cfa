/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several regions of a shape (several.h): the search on one or more toruses, and the explanation if there is no place (several.c). */
#ifndef TORUS_SEVERAL_H
#define TORUS_SEVERAL_H

#include "torus/state.h"

/* The searches for several regions from now on belong to one pass, which bounds
 * their work together; or no longer. */
void torus_state_pass(struct torus_state *s, bool begins);

#endif
