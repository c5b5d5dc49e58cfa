/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of packing.h: places as lists of nodes, the dual bound, the exact
 * search of small toruses. */
#ifndef QUESTIONS_PACKING_LISTS_H
#define QUESTIONS_PACKING_LISTS_H

#include <stdint.h>

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

#endif
