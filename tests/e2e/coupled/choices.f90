! choices.c through mpi_f08: the same cases, messages and lines. (Which request it was it knows by its status: MPICH 4.0's mpi_f08 counts
! positions from 0.)
program choices
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  interface
    subroutine pause_for(ms) bind(C)
      import :: c_int
      integer(c_int), value :: ms
    end subroutine
  end interface

  integer, parameter :: size_of_large = 1000000
  character(len=10), parameter :: names(8) = [character(len=10) :: &
      "waitany", "testany", "waitsome", "test", "iprobe", "any_source", "deferred", "mprobe"]
  character, asynchronous, save :: large(size_of_large), small(1)
  integer :: rank, i, first
  double precision :: began

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 8
    call MPI_Barrier(MPI_COMM_WORLD)
    began = MPI_Wtime()
    first = 0
    if (rank == 0) first = first_of(i, 10 * (i - 1))
    call senders(10 * (i - 1))
    if (names(i) == "deferred") then
      if (rank > 0) call MPI_Barrier(MPI_COMM_WORLD)
      if (rank == 2) then
        call MPI_Send(small, 1, MPI_CHARACTER, 0, 10 * (i - 1) + 1, MPI_COMM_WORLD)
        call pause_for(1)
      end if
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) print '(a, 1x, i0, 1x, f0.12)', trim(names(i)), first, MPI_Wtime() - began
  end do
  call MPI_Finalize()

contains

  subroutine senders(tag)
    integer, intent(in) :: tag
    if (rank == 3) call MPI_Send(large, size_of_large, MPI_CHARACTER, 1, tag, MPI_COMM_WORLD)
    if (rank == 1) call MPI_Recv(large, size_of_large, MPI_CHARACTER, 3, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (rank == 2) call pause_for(200)
    if (rank == 1 .or. rank == 2) call MPI_Send(small, 1, MPI_CHARACTER, 0, tag, MPI_COMM_WORLD)
    if (rank > 0) call pause_for(1) ! the message is alone in the network
  end subroutine

  subroutine post_both(requests, tag)
    type(MPI_Request), intent(out) :: requests(2)
    integer, intent(in) :: tag
    call MPI_Irecv(large, 1, MPI_CHARACTER, 1, tag, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(small, 1, MPI_CHARACTER, 2, tag, MPI_COMM_WORLD, requests(2))
  end subroutine

  integer function first_of(which, tag)
    integer, intent(in) :: which, tag
    select case (names(which))
    case ("waitany")
      first_of = by_waitany(tag)
    case ("testany")
      first_of = by_testany(tag)
    case ("waitsome")
      first_of = by_waitsome(tag)
    case ("test")
      first_of = by_test(tag)
    case ("iprobe")
      first_of = by_iprobe(tag)
    case ("any_source")
      first_of = by_any_source(tag)
    case ("deferred")
      first_of = by_deferred(tag)
    case default
      first_of = by_mprobe(tag)
    end select
  end function

  integer function by_waitany(tag)
    integer, intent(in) :: tag
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status, other
    integer :: at, rest
    call post_both(requests, tag)
    call MPI_Waitany(2, requests, at, status)
    call MPI_Waitany(2, requests, rest, other)
    by_waitany = merge(status%MPI_SOURCE, -1, status%MPI_SOURCE + other%MPI_SOURCE == 3)
  end function

  integer function by_testany(tag)
    integer, intent(in) :: tag
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    integer :: at
    logical :: found
    call post_both(requests, tag)
    do
      call MPI_Testany(2, requests, at, found, status)
      if (found) exit
      call pause_for(10)
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    by_testany = status%MPI_SOURCE
  end function

  integer function by_waitsome(tag)
    integer, intent(in) :: tag
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    integer :: many, rest, which(2), others(2)
    call post_both(requests, tag)
    call MPI_Waitsome(2, requests, many, which, statuses)
    by_waitsome = merge(statuses(1)%MPI_SOURCE, -1, many == 1)
    call MPI_Waitsome(2, requests, rest, others, MPI_STATUSES_IGNORE)
    if (rest /= 1) by_waitsome = -2
  end function

  integer function by_test(tag)
    integer, intent(in) :: tag
    type(MPI_Request) :: requests(2)
    logical :: found
    call post_both(requests, tag)
    call pause_for(400)
    call MPI_Test(requests(1), found, MPI_STATUS_IGNORE)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    by_test = merge(1, 2, found)
  end function

  integer function by_iprobe(tag)
    integer, intent(in) :: tag
    type(MPI_Status) :: status
    logical :: found
    call pause_for(100)
    call MPI_Iprobe(1, tag, MPI_COMM_WORLD, found, status)
    by_iprobe = merge(1, 2, found)
    call MPI_Recv(small, 1, MPI_CHARACTER, by_iprobe, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(small, 1, MPI_CHARACTER, 3 - by_iprobe, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end function

  integer function by_any_source(tag)
    integer, intent(in) :: tag
    type(MPI_Status) :: one, other
    integer :: bytes
    call MPI_Recv(large, size_of_large, MPI_CHARACTER, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, one)
    call MPI_Recv(large, size_of_large, MPI_CHARACTER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, other)
    call MPI_Get_count(other, MPI_CHARACTER, bytes)
    by_any_source = merge(one%MPI_SOURCE, -1, one%MPI_SOURCE + other%MPI_SOURCE == 3 .and. other%MPI_TAG == tag .and. bytes == 1)
  end function

  integer function by_deferred(tag)
    integer, intent(in) :: tag
    type(MPI_Request) :: requests(3)
    type(MPI_Status) :: statuses(3)
    type(MPI_Datatype) :: letters
    logical :: right
    call MPI_Type_contiguous(size_of_large, MPI_CHARACTER, letters)
    call MPI_Type_commit(letters)
    call MPI_Irecv(large, 1, letters, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, requests(1))
    call MPI_Type_free(letters)
    call MPI_Irecv(large, size_of_large, MPI_CHARACTER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2))
    call MPI_Irecv(small, 1, MPI_CHARACTER, 2, tag + 1, MPI_COMM_WORLD, requests(3))
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Waitall(3, requests, statuses)
    right = statuses(1)%MPI_SOURCE + statuses(2)%MPI_SOURCE == 3 .and. statuses(3)%MPI_SOURCE == 2 .and. &
        statuses(3)%MPI_TAG == tag + 1
    by_deferred = merge(statuses(1)%MPI_SOURCE, -1, right)
  end function

  integer function by_mprobe(tag)
    integer, intent(in) :: tag
    type(MPI_Message) :: message
    type(MPI_Status) :: status
    call MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, message, status)
    by_mprobe = status%MPI_SOURCE
    call MPI_Mrecv(large, size_of_large, MPI_CHARACTER, message, MPI_STATUS_IGNORE)
    call MPI_Recv(large, size_of_large, MPI_CHARACTER, 3 - by_mprobe, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end function
end program
