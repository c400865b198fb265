! SYSTEM_CLOCK beside MPI_Wtime (--virtual-clocks): as clocks.c, of which it prints the first message, and how far the clock got from
! the last look to behind MPI_Finalize.
program clocks
  use mpi
  implicit none
  integer, parameter :: kBytes = 1000000
  integer :: rank, error
  integer(8) :: before, came, end, rate
  real(8) :: first(2), second(2)
  character, allocatable :: bytes(:)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  allocate (bytes(kBytes))
  bytes = 'x'
  call MPI_Barrier(MPI_COMM_WORLD, error)
  first(1) = MPI_Wtime()
  call system_clock(before, rate)
  first(2) = MPI_Wtime()
  call pass()
  second(1) = MPI_Wtime()
  call system_clock(came)
  second(2) = MPI_Wtime()
  call pass()
  call MPI_Finalize(error)
  call system_clock(end)
  if (rank == 1) then
    print '(a,3f14.9)', 'message', dble(came - before) / dble(rate), second(1) - first(2), second(2) - first(1)
    print '(a,f14.9)', 'end', dble(end - came) / dble(rate)
  end if

contains

  subroutine pass()
    if (rank == 0) call MPI_Send(bytes, kBytes, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, error)
    if (rank == 1) call MPI_Recv(bytes, kBytes, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end subroutine pass

end program clocks
