/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coordinates of a job's nodes as one short text, for TORUS_COORDS:
 *
 *   COORDS := ITEM{;ITEM}    ITEM := C{,C}    C := number | from-to
 *
 * one C per axis of the shape, and at most one range per item: the nodes that
 * follow one another along that axis, upwards or downwards.
 *
 *   0-3,0;0-3,1    is    0,0  1,0  2,0  3,0  0,1  1,1  2,1  3,1
 */
#ifndef TORUS_REQUEST_COORDS_H
#define TORUS_REQUEST_COORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/text.h"
#include "torus/torus.h"

/* Writes coordinates one after the other. Zero it and set axes. */
struct torus_coords_writer {
	uint32_t axes;
	struct torus_text text;

	/* the item not yet written */
	uint32_t nodes;
	uint32_t first[TORUS_MAX_DIMS], last[TORUS_MAX_DIMS];
	uint32_t axis; /* along which it runs, if nodes > 1 */
	bool down;
};

/* The next node's coordinate; at the end, flush what is pending. -1: ENOMEM. */
int torus_coords_add(struct torus_coords_writer *w, const uint32_t *coord);
int torus_coords_end(struct torus_coords_writer *w);

/*
 * The text of the n-th coordinate (from 0), as "1,0,3". 0, or -1 if there is
 * no such one, the text is malformed, or the buffer too small.
 */
int torus_coords_nth(const char *text, uint32_t n, char *buffer, size_t size);

/*
 * The n-th number (from 0) of a list as "0(x4),1,0(x3)", the form of
 * SLURM_TASKS_PER_NODE. 0, or -1 if there is no such one or the list is
 * malformed before it.
 */
int torus_counts_nth(const char *text, uint32_t n, uint32_t *value);

/*
 * A task's share of the vertices of its node, appended to `text` with ';'
 * between them: of those at `coord` ("2,0,4") and on, `unit` ("2x2x1") of them,
 * row-major with the last axis fastest, task `task` of `tasks` has an equal
 * part in order; with more tasks than vertices several have the same vertex.
 * 0, or -1 if a text is malformed or memory is short.
 */
int torus_coords_share(const char *coord, const char *unit, uint32_t task,
		       uint32_t tasks, struct torus_text *text);

#endif
