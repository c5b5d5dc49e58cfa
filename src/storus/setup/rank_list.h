/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of a job in rank order, from a placement or from the environment. */
#ifndef STORUS_RANK_LIST_H
#define STORUS_RANK_LIST_H

#include "torus/config.h"

/* A node of the job; the k-th of the list has rank k. */
struct storus_rank {
	uint32_t coord[TORUS_MAX_DIMS]; /* in the axes of the job's shape */
	uint32_t index;                 /* in its torus; UINT32_MAX: unknown */
	const char *name;               /* NULL: unknown */
	uint32_t slice;                 /* which of several regions */
};

/* Zeroed = empty. */
struct storus_ranks {
	uint32_t axes, nodes;
	uint32_t extent[TORUS_MAX_DIMS]; /* of the shape */
	bool slices; /* several regions of it, one after the other */
	struct storus_rank *rank;
	char *names; /* memory of names that belong to the list */
};

/* The nodes of a placement; the configuration must outlive the list. 0, or -1
 * with ENOMEM. */
int storus_ranks_place(struct storus_ranks *ranks,
		       const struct torus_config *config,
		       const struct torus_placement *place);

/* The nodes of the job that this process runs in, by TORUS_GEOMETRY,
 * TORUS_COORDS and SLURM_JOB_NODELIST. 0, or -1 with a line in err. */
int storus_ranks_job(struct storus_ranks *ranks, struct torus_error *err);

void storus_ranks_free(struct storus_ranks *ranks);

/*
 * Other orders of a job's ranks than row-major, along curves through its shape:
 *
 *	snake	the last axis there and back; neighbours in rank are adjacent nodes
 *	morton	Z order: the bits of the coordinates interleaved (Morton 1966)
 *	hilbert	Hilbert's curve, by Skilling's transposition (AIP Conf. Proc. 707, 2004);
 *		neighbours in rank are adjacent nodes where all extents are one power
 *		of 2, and near elsewhere
 *
 * Cost: O(nodes x log nodes).
 */

enum rank_order {
	RANK_ORDER_ROW_MAJOR,
	RANK_ORDER_MORTON,
	RANK_ORDER_HILBERT,
	RANK_ORDER_SNAKE,
};

/* Sort the list. 0, or -1 with ENOMEM, or EDOM where the shape has too many bits of
 * coordinates for a curve (128). */
int rank_order_sort(struct storus_ranks *ranks, enum rank_order order);

#endif
