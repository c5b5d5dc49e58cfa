/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Erosion of node bitmaps: where does a line of n free nodes start?
 *
 * runs(n) along dimension d has bit p set iff the n nodes from p on along d are
 * all free. With a shift S by k steps along d,
 *
 *     runs(m + k) = runs(m) AND S_k(runs(m))        for 1 <= k <= m
 *
 * so that runs(n) takes about log2(n) passes (doubling the shift), and a box
 * is eroded dimension by dimension. On a wrapped dimension S rotates, on an
 * open one it shifts in zeros, so that what would leave the machine is never
 * found.
 *
 * A pass is one of four loops, by how the dimension lies in the words:
 *   words  one step is a whole number of words: AND of word arrays
 *   lane   all of the dimension's blocks divide a word: shifts in a register
 *   span   one step is part of a word, the block is whole words: a shift
 *          across words, which comes back at the block's edge
 *   odd    anything else (5x3x7): shifts across words under a mask
 *
 * The inner loops, also those of the ends, are compiled twice, for AVX2 and for
 * any processor; create() chooses.
 *
 * Cost: one pass is O(words), `odd` ones some times dearer. Memory: O(1).
 */
#ifndef PLACEMENT_ERODE_H
#define PLACEMENT_ERODE_H

#include "torus/bits.h"
#include "torus/torus.h"

struct torus_erode;

/* NULL with ENOMEM. t must outlive it. */
struct torus_erode *torus_erode_create(const struct torus *t);
void torus_erode_destroy(struct torus_erode *e);

/* Use the processor's wide vectors where it has them, as it does after create;
 * or not, to compare. */
void torus_erode_wide(struct torus_erode *e, bool wide);

/*
 * From runs(have) in `in` to runs(want) in `out` (want > have >= 1, want <= size), along
 * dimension d. `spare` is a third bitmap for scratch; in is left alone and
 * may not be out or spare. Returns whether any bit is set; out is undefined
 * if none is.
 */
bool torus_erode_runs(struct torus_erode *e, uint32_t d, uint32_t have,
		      uint32_t want, const uint64_t *in, uint64_t *out,
		      uint64_t *spare);

/* The bits of `in` at an end of their run along d: without a neighbour on
 * one side or on both. O(words). */
void torus_erode_ends(const struct torus_erode *e, uint32_t d,
		      const uint64_t *restrict in, uint64_t *restrict out);

#endif
