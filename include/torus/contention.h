/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contention for links: by how much jobs whose regions share links slow each
 * other down. Gupta and Srimani (1997), section 2.2, Definition 2 and
 * Theorem 1, generalised to 1-8 dimensions and any extents.
 *
 * Two disjoint regions share links where they have nodes on the same lines of
 * the machine along some dimension; there can only be one such dimension, the
 * one that keeps them apart. (In the paper's two dimensions: the same row or
 * the same column.) While both run, each is slowed by the other's share of
 * the line, extent / size of that dimension:
 *
 *   8x8: a 4x4 subtorus slows a 2x2 one in its rows by 4/8, the 2x2 slows the
 *   4x4 by 2/8 (Fig. 4: D/2 and D/4 for a time D together)
 *
 * An extent of 1 uses no link along its dimension; a part of a line uses the
 * links between its ends only. Jobs on scattered nodes are not counted.
 */
#ifndef TORUS_CONTENTION_H
#define TORUS_CONTENTION_H

#include "torus/state.h"

/*
 * Return the dimension along which two disjoint regions share links, or -1.
 * O(dimensions x extent).
 */
int torus_contention_along(const struct torus *t, const struct torus_region *a,
			   const struct torus_region *b);

/* Return the delay in microseconds that `by` causes another job after us
 * microseconds together, if they share lines along dimension d. Rounded
 * down. */
int64_t torus_contention_load(const struct torus *t,
			      const struct torus_region *by, int d, int64_t us);

/*
 * Return by how many millionths of its own run time a job in `place` is slowed
 * by the jobs that the state holds, while all run. each() (may be NULL) is
 * called for each hold that the job slows, and by how much. `place` may be the
 * place of a hold, which does not slow itself. O(holds x dimensions x extent).
 */
#define TORUS_CONTENTION_ONE INT64_C(1000000)

int64_t torus_contention_rate(
	const struct torus_state *s, const struct torus_placement *place,
	void (*each)(void *arg, uint32_t slot, int64_t millionths), void *arg);

#endif
