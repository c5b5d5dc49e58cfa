# A grid of 4x2 processes: which coordinate of the job's shape has each?
import os
from mpi4py import MPI

grid = MPI.COMM_WORLD.Create_cart([4, 2])
at = grid.Get_coords(grid.Get_rank())
print("%d,%d is at %s" % (at[0], at[1], os.environ["TORUS_COORD"]))
