/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The orientations of a three-dimensional request in the order of Bani-Mohammad
 * et al. (section IV), abc acb bac bca cab cba, and the first that fits. Shared
 * by the strategies of that paper, which differ in how they detect a base.
 *
 * The sides a, b and c are the axes as typed, axes of 1 included, if there are as many
 * as the machine has dimensions: 2x1x2 lies as 2x1x2 (Fig. 5), and without turning
 * axis i lies along dimension i. Of other shapes axes of 1 are dropped, and the missing
 * sides, which are 1, come last.
 */
#ifndef PLACEMENT_TURN_H
#define PLACEMENT_TURN_H

#include "placement/strategies.h"

#define TURN_DIMS 3

/* Find a base for a box of want[0] x want[1] x want[2] nodes (1 beyond the
 * machine's dimensions); base has TORUS_MAX_DIMS entries. `bases`: those that
 * the links allow; NULL: every base. */
typedef bool (*torus_turn_detect)(void *self, const uint32_t *want,
				  const uint64_t *bases, uint32_t *base);

/* Parameters of a strategy's search. */
struct torus_turn {
	const struct torus *torus;
	bool turning; /* false: only the orientation as requested */
	torus_turn_detect detect;
	void *self;
	struct submesh *grants; /* torus_turn_grants() */
};

/* Create the part of `submesh` that finds which volumes are granted for counts
 * on a machine where some cells have no node. Destroy it with
 * torus_strategy_submesh. NULL with ENOMEM, and NULL if `present` is NULL,
 * because every cell then has a node. */
struct submesh *torus_turn_grants(const struct torus *t,
				  const uint64_t *present);

/*
 * find() by detect(). A node count tries the boxes of the smallest volume that
 * the empty machine holds as a box and that has enough nodes, the most compact
 * first. If nodes are required, the search tries the bases around the first of
 * them and does not call detect().
 */
enum torus_answer torus_turn_find(const struct torus_turn *how,
				  const struct torus_ask *ask,
				  const uint64_t *usable,
				  struct torus_placement *out,
				  struct torus_error *why);

/* find_all() of these strategies. */
void torus_turn_find_all(const struct torus_turn *how,
			 const struct torus_ask *ask, const uint64_t *usable,
			 bool (*each)(void *arg,
				      const struct torus_placement *place),
			 void *arg);

#endif
