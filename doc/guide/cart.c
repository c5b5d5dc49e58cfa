/* A grid of 4x2 processes: which coordinate of the job's shape has each? */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int dims[2] = { 4, 2 }, open[2] = { 0, 0 }, rank, at[2];
	MPI_Comm grid;

	MPI_Init(&argc, &argv);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	printf("%d,%d is at %s\n", at[0], at[1], getenv("TORUS_COORD"));
	return MPI_Finalize();
}
