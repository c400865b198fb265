! A pipelined wavefront, as LU's and Sweep3D's: on a two-dimensional grid of processes, plane by plane, small messages come from the
! north and the west and go on to the south and the east; every second sweep runs the other way. `size`: doubles of a message;
! `steps`: sweeps of 24 planes. Right: each value is its distance from the sweep's corner.
program wavefront
  use program_module
  implicit none
  integer, parameter :: planes = 24
  integer :: rows, columns, row, column, sweep, plane, way, sources(2), targets(2)
  real(8), allocatable :: north(:), west(:), value(:)
  real(8) :: expected, checksum = 0
  logical :: right = .true.

  call start(250, 10, 60, 16384)
  rows = 1
  do while (4*rows*rows <= ranks)
    rows = 2*rows
  end do
  columns = ranks/rows
  row = rank/columns
  column = mod(rank, columns)
  allocate (north(size_n), west(size_n), value(size_n))
  do sweep = 1, steps
    way = merge(1, -1, mod(sweep, 2) == 1)
    sources = [peer(row - way, column), peer(row, column - way)]
    targets = [peer(row + way, column), peer(row, column + way)]
    expected = merge(row + column, rows - 1 - row + columns - 1 - column, way == 1)
    do plane = 1, planes
      north = -1
      west = -1
      call MPI_Recv(north, size_n, MPI_DOUBLE_PRECISION, sources(1), plane, MPI_COMM_WORLD, MPI_STATUS_IGNORE, failed)
      call MPI_Recv(west, size_n, MPI_DOUBLE_PRECISION, sources(2), plane, MPI_COMM_WORLD, MPI_STATUS_IGNORE, failed)
      if (sources(1) == MPI_PROC_NULL .and. sources(2) == MPI_PROC_NULL) north = plane - 1
      value = max(north, west) + 1
      call compute(1d0)
      right = right .and. all(value == expected + plane)
      call MPI_Send(value, size_n, MPI_DOUBLE_PRECISION, targets(1), plane, MPI_COMM_WORLD, failed)
      call MPI_Send(value, size_n, MPI_DOUBLE_PRECISION, targets(2), plane, MPI_COMM_WORLD, failed)
      checksum = checksum + value(1)
    end do
  end do
  call finish('wavefront', right, checksum)

contains

  integer function peer(r, c)
    integer, intent(in) :: r, c
    peer = MPI_PROC_NULL
    if (r >= 0 .and. r < rows .and. c >= 0 .and. c < columns) peer = r*columns + c
  end function
end program
