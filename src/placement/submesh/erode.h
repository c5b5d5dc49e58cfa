/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Erosion of node bitmaps: at which nodes does a line of n free nodes start?
 *
 * runs(n) along dimension d has bit p set iff the n nodes from p on along d are
 * all free. With a shift S by k steps along d,
 *
 *     runs(m + k) = runs(m) AND S_k(runs(m))        for 1 <= k <= m
 *
 * so runs(n) takes about log2(n) passes (the shift doubles), and a box is
 * eroded dimension by dimension. On a wrapped dimension S rotates. On an open
 * one it shifts in zeros, so a line that would leave the machine is never
 * found.
 *
 * A pass is one of four loops, by how the dimension lies in the words:
 *   words  one step is a whole number of words: AND of word arrays
 *   lane   all of the dimension's blocks divide a word: shifts in a register
 *   span   one step is part of a word, the block is whole words: a shift
 *          across words, which comes back at the block's edge; a block of four
 *          words (16x16 nodes) is one vector
 *   odd    anything else (5x3x7): shifts across words under a mask
 *
 * The inner loops, including those of torus_erode_and() and
 * torus_erode_ends(), are compiled twice: for AVX2 and for any processor.
 * create() chooses.
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

/* Use the processor's wide vectors if available (the default after create), or
 * not, for comparison. */
void torus_erode_wide(struct torus_erode *e, bool wide);

/*
 * Lengthen runs(have) in `in` to runs(want) in `out` along dimension d, where 1
 * <= have < want <= size. `spare` is a third bitmap for scratch. `in` is not
 * changed and must not be out or spare. Return whether any bit is set; if none
 * is, out is undefined.
 */
bool torus_erode_runs(struct torus_erode *e, uint32_t d, uint32_t have,
		      uint32_t want, const uint64_t *in, uint64_t *out,
		      uint64_t *spare);

/* Set out to a AND b, each of which may be out. Return whether any bit is
 * set. */
bool torus_erode_and(const struct torus_erode *e, const uint64_t *a,
		     const uint64_t *b, uint64_t *out);

/* Find the bits of `in` at an end of their run along d, that is without a
 * neighbour on at least one side. O(words). */
void torus_erode_ends(const struct torus_erode *e, uint32_t d,
		      const uint64_t *restrict in, uint64_t *restrict out);

#endif
