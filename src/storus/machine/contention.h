/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared links in `storus place` (torus/contention.h). */
#ifndef STORUS_CONTENTION_H
#define STORUS_CONTENTION_H

#include <jansson.h>

#include "torus/state.h"

/* Return true if links of the place could be shared: regions of its torus are
 * interleaved. */
bool storus_contention_possible(const struct torus_machine *m,
				const struct torus_placement *place);

/* {"dilation": 1.5, "disturbed": [{"region": ..., "before": 1.0,
 * "dilation": 1.5}]}; NULL: no memory. */
json_t *storus_contention_json(const struct torus_state *s,
			       const struct torus_placement *place);

/* The same in lines for people. */
void storus_contention_print(const struct torus_state *s,
			     const struct torus_placement *place);

#endif
