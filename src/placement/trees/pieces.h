/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partition trees of the semitorus strategies: the machine as pieces whose
 * sizes are powers of two, how a piece is split for a job, and which pieces
 * merge again. Mao, Chen and Watson (2005), sections 2.3 and 3.
 *
 * The three ways to split a piece of 2x4x4x8 for a job of 16 nodes:
 *
 *   EP     16 pieces of 2x2x2x2, in row-major order
 *   NEP    [2x4x2] 2x4x2 | 2x4x4 | 2x4x4x2 | 2x4x4x4
 *             job     m      2m       4m        8m
 *   buddy  halves of halves, along the same dimensions as NEP
 *
 * EP and NEP merge all siblings at once. A buddy merges with its other half
 * alone.
 */
#ifndef PLACEMENT_PIECES_H
#define PLACEMENT_PIECES_H

#include "torus/strategy.h"
#include "torus/ask.h"

#define TORUS_NO_PIECE UINT32_MAX

enum torus_partition {
	TORUS_PARTITION_EP,
	TORUS_PARTITION_NEP,
	TORUS_PARTITION_BUDDY,
};

enum torus_piece_use {
	TORUS_PIECE_FREE,
	TORUS_PIECE_SPLIT,
	TORUS_PIECE_TAKEN
};

struct torus_piece {
	struct torus_region region;
	uint32_t parent, child, sibling; /* tree links, TORUS_NO_PIECE at ends */
	uint32_t offset;                 /* order of pieces: nodes before it */
	uint8_t use;                     /* enum torus_piece_use */
	uint8_t log;                     /* log2 of its nodes */
	/* The latest split: size and position of the job's piece. Kept after
	 * the merge, for undo. */
	uint8_t split_log;
	uint32_t split_base; /* node index */
};

struct torus_pieces {
	const struct torus *torus;
	enum torus_partition how;
	struct torus_piece *piece;
	uint32_t *idle; /* stack of unused pieces */
	uint32_t idles;
	uint32_t roots;  /* pieces 0 .. roots-1 */
	uint8_t largest; /* log2 of the largest root */
};

/* At most one dimension may have a size that is no power of two. Return 0, or -1
 * with ENOMEM; call torus_pieces_free() in any case. Memory: 2 x nodes pieces. */
int torus_pieces_init(struct torus_pieces *s, const struct torus *t,
		      enum torus_partition how);
void torus_pieces_free(struct torus_pieces *s);

/* Return the place of 2^log nodes in piece id that holds, or starts at, `base`. */
struct torus_region torus_pieces_at(const struct torus_pieces *s, uint32_t id,
				    uint8_t log, const uint32_t *base);

/* Return the first place of 2^log nodes that splitting piece id would create
 * for a job, usable or not. All its places have the same extents. */
struct torus_region torus_pieces_first(const struct torus_pieces *s,
				       uint32_t id, uint8_t log);

/* Return the leaf (free or taken) that holds a node. */
uint32_t torus_pieces_leaf(const struct torus_pieces *s, const uint32_t *base);

/* Find the first place of 2^log nodes in piece id that is usable and holds the
 * required nodes of the ask. Return false if there is none, or if the limit
 * ended the search. */
bool torus_pieces_narrow(const struct torus_pieces *s, uint32_t id, uint8_t log,
			 const uint64_t *usable, const struct torus_ask *ask,
			 struct torus_region *place);

/* Split a free piece for a job of 2^log nodes at `base`. A buddy is halved only
 * once. */
void torus_pieces_split(struct torus_pieces *s, uint32_t id, uint8_t log,
			const uint32_t *base);

/* Return true if splitting piece id for 2^log nodes at the base of `place`
 * creates `place`. */
bool torus_pieces_gives(const struct torus_pieces *s, uint32_t id, uint8_t log,
			const struct torus_region *place);

/* Return true if the piece is split and all of its children are free. */
bool torus_pieces_merges(const struct torus_pieces *s, uint32_t id);

/* The functions of struct torus_strategy, for all three strategies, whose `self`
 * begins with the pieces. */
int torus_pieces_commit(void *self, const struct torus_placement *place,
			struct torus_memo *memo);
void torus_pieces_release(void *self, const struct torus_placement *place,
			  struct torus_memo *memo);
void torus_pieces_undo_commit(void *self, const struct torus_placement *place,
			      const struct torus_memo *memo);
void torus_pieces_undo_release(void *self, const struct torus_placement *place,
			       const struct torus_memo *memo);
bool torus_pieces_knows(const void *self, const struct torus_placement *place);
bool torus_pieces_check(const void *self, const uint64_t *busy,
			struct torus_error *err);

/*
 * Write the trees one after the other: '.' a free piece, '#' a taken one,
 * (LOG@NODE:children) a split for 2^LOG nodes at node index NODE, or for
 * buddies (children).
 */
int torus_pieces_save(const void *self, struct torus_text *text);
int torus_pieces_restore(void *self, const char *text, struct torus_error *err);

/* fold.c: conversion of a semitorus to a torus: which dimensions form which ring. */

enum torus_convert {
	TORUS_CONVERT_COMBINE, /* all open dimensions form one ring */
	TORUS_CONVERT_PAIR,    /* each open one joins a closed one */
};

/* Set orientation, axes and ring of a placement whose region is set; its
 * extents are powers of two. Rings are numbered by their lowest dimension. */
void torus_fold(const struct torus *t, enum torus_convert how,
		struct torus_placement *place);

/* Fill the number of nodes of each ring. */
void torus_fold_sizes(const struct torus *t,
		      const struct torus_placement *place, uint32_t *size);

#endif
