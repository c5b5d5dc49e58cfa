/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coordinates of a job's nodes as one short text, for TORUS_COORDS:
 *
 *   COORDS := ITEM{;ITEM}    ITEM := C{,C}    C := number | from-to
 *
 * one C per axis of the shape, and at most one range per item: consecutive nodes
 * along that axis, upwards or downwards.
 *
 *   0-3,0;0-3,1    is    0,0  1,0  2,0  3,0  0,1  1,1  2,1  3,1
 */
#ifndef TORUS_REQUEST_COORDS_H
#define TORUS_REQUEST_COORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "torus/text.h"
#include "torus/torus.h"

/* A writer of coordinates, one after the other. Zero it and set axes. */
struct torus_coords_writer {
	uint32_t axes;
	struct torus_text text;

	/* the pending item */
	uint32_t nodes;
	uint32_t first[TORUS_MAX_DIMS], last[TORUS_MAX_DIMS];
	uint32_t axis; /* along which it runs, if nodes > 1 */
	bool down;
};

/* Add the next node's coordinate; at the end, write the pending item. -1 with
 * ENOMEM. */
int torus_coords_add(struct torus_coords_writer *w, const uint32_t *coord);
int torus_coords_end(struct torus_coords_writer *w);

/* A reader of coordinates, one after the other. Zero it and set text. */
struct torus_coords_reader {
	const char *text;

	/* the item that is being read */
	uint32_t axes, nodes, n;
	uint32_t from[TORUS_MAX_DIMS], to[TORUS_MAX_DIMS];
};

/* Read the next coordinate. Return its number of axes, or 0: the text has ended or is
 * malformed. */
uint32_t torus_coords_next(struct torus_coords_reader *r, uint32_t *coord);

/* Write the first number of a list like TORUS_SLICES and move *text behind it. `run` is
 * the reader's, 0 at first. 0, or -1 as torus_counts_nth(). */
int torus_counts_next(const char **text, uint32_t *run, uint32_t *value);

/*
 * Write the n-th coordinate (from 0), as "1,0,3". 0, or -1 if there is none, the
 * text is malformed, or the buffer is too small.
 */
int torus_coords_nth(const char *text, uint32_t n, char *buffer, size_t size);

/*
 * Read the n-th number (from 0) of a list like "0(x4),1,0(x3)", the form of
 * SLURM_TASKS_PER_NODE. 0, or -1 if there is none or the list is malformed before
 * it.
 */
int torus_counts_nth(const char *text, uint32_t n, uint32_t *value);

/*
 * Append a task's share of its node's vertices to `text`, separated by ';'. The
 * node is a box of `unit` ("2x2x1") vertices from `coord` ("2,0,4") on. They are
 * divided equally and in order, row-major with the last axis fastest, among
 * `tasks` tasks; with more tasks than vertices, several tasks have the same one.
 * 0, or -1 with a malformed text or ENOMEM.
 */
int torus_coords_share(const char *coord, const char *unit, uint32_t task,
		       uint32_t tasks, struct torus_text *text);

#endif
