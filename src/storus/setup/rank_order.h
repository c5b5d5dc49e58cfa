/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef STORUS_RANK_ORDER_H
#define STORUS_RANK_ORDER_H

#include "storus/setup/rank_list.h"

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
