/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest number of places of a question that can be taken at the same
 * time, that is, the largest set of disjoint places.
 *
 * The set is found by greedy choice in several orders. On a torus of at most 64
 * nodes an exact search considers one node at a time and caches the result for
 * each set of remaining nodes:
 *
 *     most(left) = max( most(left without its lowest node),
 *                       1 + most(left without P) for P with that lowest node )
 *
 * The exact search gives up after PACKING_STEPS sets. Upper bounds: (covered
 * nodes) / (nodes of the smallest place); and, for any weights of nodes such
 * that every place weighs at least 1, the weight of all nodes (the dual of the
 * fractional packing; weights by multiplicative updates, after Plotkin, Shmoys
 * and Tardos 1995).
 *
 * Cost: O(rounds x places x nodes per place), bounded by PACKING_WORK.
 */
#ifndef QUESTIONS_PACKING_H
#define QUESTIONS_PACKING_H

#include "torus/state.h"

#include <stdint.h>

#define PACKING_STEPS 4000000
#define PACKING_WORK 100000000 /* nodes of examined places */

struct packing {
	uint32_t disjoint;         /* found */
	uint32_t disjoint_at_most; /* proved */
};

/* Solve for the places of one pod, none scattered. Return 0, or -1 with
 * ENOMEM. */
int packing_solve(const struct torus *t, const struct torus_placement *place,
		  uint32_t places, struct packing *answer);

/* Internals of packing.h: places as lists of nodes, the dual bound, the exact search
 * of small toruses. */

/* Nodes of place i: node[first[i]] .. node[first[i + 1] - 1]. */
struct packing_lists {
	uint32_t places, nodes; /* nodes: of the torus */
	uint32_t *first, *node;
};

/* Set *at_most to an upper bound, at most `bound`, of the places that are
 * disjoint; `disjoint` of them are known. -1 with ENOMEM. */
int packing_dual(const struct packing_lists *l, uint32_t bound,
		 uint32_t disjoint, uint32_t *at_most);

/*
 * Find the largest set on a torus of at most 64 nodes. Return 1 with the result
 * in *most, 0 if it gave up after PACKING_STEPS, -1 with ENOMEM.
 */
int packing_exact(const struct packing_lists *l, uint32_t *most);

/* places.c: all places of a question as a list. */

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
/* Return true if the places of a state do not only depend on which nodes are free, so
 * that those of an empty machine are others: of a partition tree. */
bool places_depend(const struct torus_machine *m, const struct torus_ask *ask);

#endif
