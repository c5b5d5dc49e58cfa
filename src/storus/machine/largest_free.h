/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What could start now: the free nodes of each torus, all or those of a
 * partition, and the largest box of them. Nodes that are reserved now and those
 * out of service are left out.
 */
#ifndef STORUS_LARGEST_FREE_H
#define STORUS_LARGEST_FREE_H

#include <jansson.h>

#include "storus/machine/question.h"

struct largest_free {
	uint32_t free;  /* nodes */
	uint32_t nodes; /* of the box; 0: none is free */
	char box[TORUS_REGION_SIZE];
};

/* Fill an entry per torus. 0, or -1 with ENOMEM. */
int largest_free_find(const struct storus_question *q, const uint64_t *allowed,
		      struct largest_free *list);

/* {"torus", "free", "largest": {"region", "nodes"} or null} */
json_t *largest_free_json(const struct storus_question *q, uint32_t pod,
			  const struct largest_free *f);

#endif
