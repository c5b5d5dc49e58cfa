/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch files of runtimes that use the machine's own dimensions, from a job's ranks:
 *
 *	tpu	one line per host: its name and the variables that the TPU runtime
 *		reads, one process per host; hosts are numbered x fastest, in each
 *		region of several by itself
 *	mgd	a Tenstorrent mesh graph descriptor of the region; `storus import
 *		mgd` reads it back. One mesh per region of several.
 *
 * Vertices along dimensions come from the shape's axes by the orientation; inside
 * of a job from TORUS_ORIENTATION, TORUS_UNIT and TORUS_RING.
 * Cost: O(ranks).
 */
#ifndef STORUS_LAUNCH_H
#define STORUS_LAUNCH_H

#include <stdio.h>

#include "storus/setup/rank_list.h"

enum launch_kind {
	LAUNCH_TPU,
	LAUNCH_MGD,
};

/* A region along the machine's dimensions, in vertices. */
struct launch_box {
	uint32_t dims;
	int8_t axis[TORUS_MAX_DIMS]; /* of the shape; -1: none */
	uint32_t extent[TORUS_MAX_DIMS], unit[TORUS_MAX_DIMS];
	bool ring[TORUS_MAX_DIMS]; /* closed, and longer than 2 */
};

/* The box of the i-th region: of a placement, or of the job that this process runs
 * in. 0, or -1 with a line in err: a shape that is no box (folded, scattered). */
int launch_box_place(struct launch_box *box, const struct torus_machine *m,
		     const struct torus_placement *place, uint32_t i,
		     struct torus_error *err);
int launch_box_job(struct launch_box *box, const struct storus_ranks *ranks,
		   uint32_t i, struct torus_error *err);

/* Write the `count` ranks of a region, its i-th. 0, or -1 with a line in err. */
int launch_write(FILE *out, enum launch_kind kind, const struct launch_box *box,
		 const struct storus_rank *rank, uint32_t count, uint32_t i,
		 struct torus_error *err);

/* What ends the file: regions in all. */
void launch_end(FILE *out, enum launch_kind kind, uint32_t regions);

#endif
