! All pairs of bodies: the blocks of all ranks go round a ring, each computes with the block that is there, and hands it on by
! MPI_Sendrecv_replace. `size`: bodies of a rank, of four doubles. Right: each rank has met all bodies once in each step.
program bodies
  use program_module
  implicit none
  integer :: step, turn, i
  real(8), allocatable :: block(:, :), moved(:)
  real(8) :: met, all_bodies
  logical :: right = .true.

  call start(3000, 12, 600, 16384)
  allocate (block(4, size_n), moved(size_n))
  all_bodies = real(ranks, 8)*size_n*(real(ranks, 8)*size_n + 1)/2
  do step = 1, steps
    do i = 1, size_n
      block(:, i) = real(rank, 8)*size_n + i
    end do
    met = 0
    do turn = 1, ranks
      moved = block(4, :)
      met = met + sum(moved)
      call compute(1d0)
      if (turn < ranks) then
        call MPI_Sendrecv_replace(block, 4*size_n, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), turn, &
                                  mod(rank + ranks - 1, ranks), turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE, failed)
      end if
    end do
    right = right .and. met == all_bodies
  end do
  call finish('bodies', right, met)
end program
