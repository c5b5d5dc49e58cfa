/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge between Slurm's node numbers and the machine's bits (node_map.c). */
#ifndef SLURMCTLD_INSTANCE_NODE_MAP_H
#define SLURMCTLD_INSTANCE_NODE_MAP_H

#include "slurmctld/slurm_compat.h"

#include "torus/text.h"

struct instance;

/* Slurm's node numbers and the machine's bits. */
struct node_map {
	uint32_t nodes;     /* of Slurm's table */
	uint32_t words;     /* of a machine bitmap */
	uint32_t *bit_of;   /* [nodes]: machine bit, or UINT32_MAX */
	uint32_t *index_of; /* [machine words * 64]: Slurm's node number, or
			       UINT32_MAX */
};

/* Build the instance's map. `strict`: every node that torus.yaml names must be in
 * slurm.conf, else -1 with lines in err. -1 with ENOMEM. */
int node_map_make(struct instance *in, bool strict, struct torus_error *err);

/* Convert Slurm's bitmap to a machine bitmap; nodes outside the machine are
 * dropped. */
void node_map_from_slurm(const struct node_map *map, const bitstr_t *nodes,
			 uint64_t *to);
/* Convert a machine bitmap to Slurm's. Return the number of nodes set. */
uint32_t node_map_to_slurm(const struct node_map *map, const uint64_t *nodes,
			   bitstr_t *to);
/* Copy a map. -1 with ENOMEM. */
int node_map_copy(struct node_map *to, const struct node_map *from);
void node_map_free(struct node_map *map);

#endif
