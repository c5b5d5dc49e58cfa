/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain why a request that fits the empty machine has no place now (torus_state_explain()) (explain.c). */
#ifndef TORUS_EXPLAIN_H
#define TORUS_EXPLAIN_H

#include "torus/state.h"

/* Name the links that the ask must avoid: "link pod0:2,0,4 1 (down)", or "links A
 * (down), B (weak) and 3 more"; as many as fit. False: there are none. */
bool torus_links_name(const struct torus_state *s, const struct torus_ask *ask,
		      char *text, size_t size);

/* Write one sentence on what blocks an ask that got NOT_NOW: jobs, nodes out of
 * service, or fragmentation. */
void torus_state_explain(const struct torus_state *s,
			 const struct torus_ask *ask, struct torus_error *why);

#endif
