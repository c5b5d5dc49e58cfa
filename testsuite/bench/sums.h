/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An oracle for boxes in a cube with SIDE nodes to a side (the program's own):
 * free nodes in any of them, wrapped ones too, by prefix sums over twice the
 * machine. */
#ifndef BENCH_SUMS_H
#define BENCH_SUMS_H

#include "torus/state.h"

#define SUMS (2 * SIDE + 1)
static uint32_t sums[SUMS][SUMS][SUMS];

static inline void sums_prepare(const struct torus *t, const uint64_t *usable)
{
	for (uint32_t z = 1; z < SUMS; z++)
		for (uint32_t y = 1; y < SUMS; y++)
			for (uint32_t x = 1; x < SUMS; x++) {
				uint32_t c[TORUS_MAX_DIMS] = { (x - 1) % SIDE,
							       (y - 1) % SIDE,
							       (z - 1) % SIDE };
				sums[z][y][x] =
					torus_bits_test(usable,
							torus_index(t, c)) +
					sums[z - 1][y][x] + sums[z][y - 1][x] +
					sums[z][y][x - 1] -
					sums[z - 1][y - 1][x] -
					sums[z - 1][y][x - 1] -
					sums[z][y - 1][x - 1] +
					sums[z - 1][y - 1][x - 1];
			}
}

static inline uint32_t sums_free_in(uint32_t x, uint32_t y, uint32_t z,
				    const uint32_t *e)
{
	uint32_t X = x + e[0], Y = y + e[1], Z = z + e[2];

	return sums[Z][Y][X] - sums[z][Y][X] - sums[Z][y][X] - sums[Z][Y][x] +
	       sums[z][y][X] + sums[z][Y][x] + sums[Z][y][x] - sums[z][y][x];
}

#endif
