/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of a job in rank order, from a placement or from the job's environment:
 * for `storus ranks`, for the layout of a step's tasks, and for TORUS_RANK.
 *
 *	row-major	the last axis fastest, as MPI_Cart_create
 *	snake	the last axis there and back; neighbours in rank are adjacent nodes
 *	morton	Z order: the bits of the coordinates interleaved (Morton 1966); not one hop
 *	hilbert	Hilbert's curve, by Skilling's transposition (AIP Conf. Proc. 707, 2004);
 *		neighbours in rank are adjacent nodes where all extents are one power
 *		of 2, and near elsewhere
 *	ring	a cycle through the box: adjacent nodes, and so are the last and the
 *		first, if an extent is even or an axis is closed; else as snake
 *
 * A node of several vertices is in the list once for each.
 * Cost: O(nodes + length of the texts); an order O(nodes x log nodes).
 */
#ifndef TORUS_FORMAT_RANKS_H
#define TORUS_FORMAT_RANKS_H

#include "torus/config.h"

/* A node of the job; the k-th of the list has rank k. */
struct torus_rank {
	uint32_t coord[TORUS_MAX_DIMS]; /* in the axes of the job's shape */
	uint32_t index;                 /* in its torus; UINT32_MAX: unknown */
	const char *name;               /* NULL: unknown */
	uint32_t slice;                 /* which of several regions */
	uint32_t host; /* position in the job's node list; of a placement: index */
	uint32_t at, of; /* which of its node's vertices */
};

/* Zeroed = empty. */
struct torus_ranks {
	uint32_t axes, nodes;
	uint32_t extent[TORUS_MAX_DIMS]; /* of the shape */
	uint32_t unit[TORUS_MAX_DIMS]; /* the vertices of a node, in the first region */
	uint32_t closed; /* bit a: axis a is a closed ring, in every region */
	bool slices;     /* several regions of it, one after the other */
	struct torus_rank *rank;
	char *names; /* memory of names that belong to the list */
};

/* The nodes of a placement; the configuration must outlive the list. 0, or -1
 * with ENOMEM. */
int torus_ranks_place(struct torus_ranks *ranks,
		      const struct torus_config *config,
		      const struct torus_placement *place);

/* Return the value of a variable of the job, or NULL. It stays valid during the call. */
typedef const char *(*torus_ranks_variable)(void *arg, const char *name);

/* The nodes of a job, by its variables TORUS_GEOMETRY, TORUS_COORDS, TORUS_SLICES,
 * TORUS_UNIT, TORUS_RING and SLURM_JOB_NODELIST, or TORUS_NODELIST instead of that. 0, or
 * -1 with a line in err. */
int torus_ranks_job(struct torus_ranks *ranks, torus_ranks_variable variable,
		    void *arg, struct torus_error *err);

void torus_ranks_free(struct torus_ranks *ranks);

/* A further order of `storus ranks`. */
#define TORUS_ORDER_RING TORUS_ORDERS

/* Sort the list by an enum torus_rank_order, or TORUS_ORDER_RING. 0, or -1 with ENOMEM,
 * or EDOM where the shape has too many bits of coordinates for a curve (128). */
int torus_ranks_sort(struct torus_ranks *ranks, uint32_t order);

/* Return true if TORUS_ORDER_RING closes: its last and first node are adjacent. */
bool torus_ranks_ring_closes(const struct torus_ranks *ranks);

/*
 * Which of the n tasks of its node begin at a vertex of the list: *first of them is the
 * number of the first one among the node's, the result is their count. Tasks share the
 * vertices of a node as in torus_coords_share().
 */
uint32_t torus_rank_tasks(const struct torus_rank *vertex, uint32_t n,
			  uint32_t *first);

#endif
