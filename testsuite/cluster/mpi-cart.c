/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An MPI program: a Cartesian grid of the job's shape (TORUS_GEOMETRY), rank order kept.
 * Rank 0 prints a line per pair of neighbours: the ranks, and how many hops apart their
 * nodes are by TORUS_COORD, where the ends of a closed ring (TORUS_RING) are one hop
 * apart.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

/* "4x2" or "3,1": the numbers. How many. */
static int numbers(const char *text, int *to)
{
	int n = 0;
	char *end;

	while (text && *text && n < MOST) {
		to[n++] = (int)strtol(text, &end, 10);
		text = *end ? end + 1 : end;
	}
	return n;
}

static int hops(const int *a, const int *b, const int *size, const char *ring,
		int axes)
{
	int sum = 0;

	for (int i = 0; i < axes; i++) {
		int d = abs(a[i] - b[i]);

		if (ring && ring[i] == 'T' && size[i] - d < d)
			d = size[i] - d;
		sum += d;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int size[MOST] = { 0 }, own[MOST] = { 0 }, wrap[MOST] = { 0 };
	int axes, rank, ranks, *all;
	const char *ring = getenv("TORUS_RING");
	MPI_Comm grid;

	MPI_Init(&argc, &argv);
	axes = numbers(getenv("TORUS_GEOMETRY"), size);
	numbers(getenv("TORUS_COORD"), own);
	MPI_Cart_create(MPI_COMM_WORLD, axes, size, wrap, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Comm_size(grid, &ranks);
	all = malloc((size_t)ranks * sizeof(own));
	MPI_Gather(own, MOST, MPI_INT, all, MOST, MPI_INT, 0, grid);
	for (int r = 0; rank == 0 && r < ranks; r++) {
		int at[MOST], other;

		MPI_Cart_coords(grid, r, axes, at);
		for (int i = 0; i < axes; i++) {
			if (++at[i] < size[i]) {
				MPI_Cart_rank(grid, at, &other);
				printf("%d %d %d\n", r, other,
				       hops(all + r * MOST, all + other * MOST,
					    size, ring, axes));
			}
			at[i]--;
		}
	}
	free(all);
	MPI_Finalize();
	return 0;
}
