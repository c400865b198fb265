! A one-dimensional heat equation with mpi_f08: halo exchange by Sendrecv, residual by Allreduce, ends at MPI_PROC_NULL.
program f08_halo
  use mpi_f08
  implicit none
  integer, parameter :: cells = 1000, steps = 50
  real(8) :: now(0:cells + 1), next(cells), change, total
  integer :: rank, ranks, left, right, step

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = merge(MPI_PROC_NULL, rank - 1, rank == 0)
  right = merge(MPI_PROC_NULL, rank + 1, rank == ranks - 1)
  now = real(rank, 8)
  do step = 1, steps
    call MPI_Sendrecv(now(1), 1, MPI_DOUBLE_PRECISION, left, 1, now(cells + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(now(cells), 1, MPI_DOUBLE_PRECISION, right, 2, now(0), 1, MPI_DOUBLE_PRECISION, left, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    next = now(1:cells) + 0.25d0 * (now(0:cells - 1) - 2 * now(1:cells) + now(2:cells + 1))
    change = sum(abs(next - now(1:cells)))
    now(1:cells) = next
    call MPI_Allreduce(change, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  if (rank == 0) print '(a, i0, a, f12.8)', 'halo exchange of ', ranks, ' ranks, change ', total
  call MPI_Finalize()
end program
