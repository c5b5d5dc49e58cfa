! A grid of 4x2 processes: which coordinate of the job's shape has each?
program cart
  use mpi
  implicit none
  integer :: grid, rank, at(2), err
  character(len=32) :: coord

  call MPI_Init(err)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [4, 2], [.false., .false.], .false., grid, err)
  call MPI_Comm_rank(grid, rank, err)
  call MPI_Cart_coords(grid, rank, 2, at, err)
  call get_environment_variable("TORUS_COORD", coord)
  print '(i0, ",", i0, " is at ", a)', at(1), at(2), trim(coord)
  call MPI_Finalize(err)
end program cart
