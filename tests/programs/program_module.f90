! What the Fortran programs of this folder share, as program.h does for C and C++: arguments, computation, verdict.
module program_module
  use mpi
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
#ifndef USLEEP
#define USLEEP "usleep"
#define LATE /* a simulation's sleeps are not */
#endif
  integer :: rank, ranks, steps, failed
  integer :: size_n
  real(8) :: work_n, sleep_s = 0, late_s = 0, began_s
  real(8), allocatable :: field(:)
  interface
    integer(c_int) function c_usleep(microseconds) bind(c, name=USLEEP)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
contains
  subroutine start(default_size, default_steps, default_work, points)
    integer, intent(in) :: default_size, default_steps, default_work, points
    character(len=32) :: option, text
    integer :: i
    size_n = default_size
    steps = default_steps
    work_n = default_work
    do i = 1, command_argument_count() - 1, 2
      call get_command_argument(i, option)
      call get_command_argument(i + 1, text)
      if (option == '--size') read (text, *) size_n
      if (option == '--steps') read (text, *) steps
      if (option == '--work') read (text, *) work_n
      if (option == '--sleep') read (text, *) sleep_s
    end do
    allocate (field(points))
    field = 1
    call MPI_Init(failed)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
    began_s = MPI_Wtime()
  end subroutine

  subroutine compute(share)
    real(8), intent(in) :: share
    integer :: sweep, i, n
    if (sleep_s > 0) then
      call sleep_for(sleep_s*share)
      return
    end if
    n = size(field)
    do sweep = 1, int(work_n*share)
      do i = 1, n - 1
        field(i) = 0.5d0*field(i) + 0.25d0*(field(i) + field(i + 1))
      end do
    end do
  end subroutine

  ! As long as that in the mean, under each scheduler (program.h).
  subroutine sleep_for(seconds)
    real(8), intent(in) :: seconds
    real(8) :: asked, late
    integer(int64) :: began, ended, rate
    integer :: ignored
    asked = max(seconds - late_s, 0d0)
    call system_clock(began, rate)
    ignored = c_usleep(int(asked*1d6, c_int))
    call system_clock(ended)
    late = real(ended - began, 8)/rate - asked
#ifdef LATE
    late_s = late_s + 0.25d0*(min(late, 2d-4) - late_s)
#endif
  end subroutine

  subroutine finish(name, right, checksum)
    character(len=*), intent(in) :: name
    logical, intent(in) :: right
    real(8), intent(in) :: checksum
    real(8) :: mine, longest, total
    logical :: all_right
    mine = MPI_Wtime() - began_s
    call MPI_Reduce(mine, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, failed)
    call MPI_Reduce(checksum, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, failed)
    call MPI_Allreduce(right .and. all(field == 1), all_right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, failed)
    if (rank == 0) then
      print '(3a,es18.10)', name, ': ', merge('right, checksum', 'WRONG, checksum', all_right), total
      print '(a,f0.9)', 'time ', longest
    end if
    call MPI_Finalize(failed)
    if (.not. all_right) stop 1
  end subroutine
end module
