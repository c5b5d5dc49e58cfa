/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch files of runtimes that use the machine's own dimensions, from a job's ranks:
 *
 *	tpu	one line per host: its name and the variables that the TPU runtime
 *		reads, one process per host; hosts are numbered x fastest, separately
 *		in each of several regions
 *	mgd	a Tenstorrent mesh graph descriptor of the region; `storus import
 *		mgd` reads it back. One mesh per region of several.
 *
 * The orientation maps the shape's axes to the machine's dimensions; inside a job
 * TORUS_ORIENTATION, TORUS_UNIT and TORUS_RING describe them.
 * Cost: O(ranks).
 */
#ifndef STORUS_LAUNCH_H
#define STORUS_LAUNCH_H

#include <jansson.h>
#include <stdio.h>

#include "format/ranks.h"

enum launch_kind {
	LAUNCH_TPU,
	LAUNCH_MGD,
};

/* A region along the machine's dimensions, in vertices. */
struct launch_box {
	uint32_t dims;
	int8_t axis[TORUS_MAX_DIMS]; /* the shape's axis along it; -1: none */
	uint32_t extent[TORUS_MAX_DIMS], unit[TORUS_MAX_DIMS];
	bool ring[TORUS_MAX_DIMS]; /* closed, and longer than 2 */
};

/* Compute the box of the i-th region of a placement, or of the job in which this
 * process runs. Return 0, or -1 with a line in err: the nodes are no box (folded,
 * scattered). */
int launch_box_place(struct launch_box *box, const struct torus_machine *m,
		     const struct torus_placement *place, uint32_t i,
		     struct torus_error *err);
int launch_box_job(struct launch_box *box, const struct torus_ranks *ranks,
		   uint32_t i, struct torus_error *err);

/*
 * Return the rows of the i-th region with these `count` ranks, an array: a host's name and
 * its variables, or a mesh. NULL with a line in err.
 */
json_t *launch_rows(enum launch_kind kind, const struct launch_box *box,
		    const struct torus_rank *rank, uint32_t count, uint32_t i,
		    struct torus_error *err);

/* Write the begin of a file, and a row as the runtime reads it. */
void launch_begin(FILE *out, enum launch_kind kind);
void launch_put(FILE *out, enum launch_kind kind, json_t *row);

/* Write the end of a file of `regions` regions. */
void launch_end(FILE *out, enum launch_kind kind, uint32_t regions);

#endif
