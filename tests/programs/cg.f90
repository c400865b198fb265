! Conjugate gradients on a grid of processes: the matrix in blocks, a product summed along a row of the grid by exchanges of halves,
! then the transposed exchange that brings it to the columns again. Its partner is the rank itself on the grid's diagonal; with two
! ranks for both. `size`: unknowns; `steps`: times 25 iterations from a zero guess. The matrix is diagonal plus a constant.
! Right: the residual falls as the condition number lets it.
program cg
  use program_module
  implicit none
  integer, parameter :: inner = 25
  integer :: rows, columns, factor, row, column, partner, chunk, block, first, outer, iteration, i
  real(8), allocatable :: x(:), r(:), p(:), q(:), w(:), part(:), diagonal(:)
  real(8) :: rr, before, alpha, first_rr
  logical :: right = .true.

  call start(24000, 1, 300, 16384)
  rows = 1
  do while (4*rows*rows <= ranks)
    rows = 2*rows
  end do
  columns = ranks/rows
  factor = columns/rows
  row = rank/columns
  column = mod(rank, columns)
  ! Who holds, in row column/factor, what belongs into this column; the same for him.
  partner = (column/factor)*columns + factor*row + mod(column, factor)
  chunk = size_n/columns          ! unknowns of a column
  block = chunk*factor            ! of a row
  allocate (x(chunk), r(chunk), p(chunk), q(chunk), diagonal(chunk), w(block), part(block))
  do i = 1, chunk
    diagonal(i) = 1 + mod(column*chunk + i, 10)
  end do
  do outer = 1, steps
    x = 0
    r = 1
    p = r
    rr = dot(r, r)
    first_rr = rr
    do iteration = 1, inner
      call product(p, q)
      alpha = rr/dot(p, q)
      x = x + alpha*p
      r = r - alpha*q
      before = rr
      rr = dot(r, r)
      p = r + (rr/before)*p
    end do
    call product(x, q)
    right = right .and. dot(1 - q, 1 - q) <= 4*first_rr*0.55d0**(2*inner) * 100
  end do
  call finish('cg', right, merge(anint(1d6*sum(x)/chunk), 0d0, row == 0))

contains

  ! Sum over the columns of the grid, which hold all unknowns, by doubling.
  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    real(8) :: other
    integer :: distance, peer
    dot = sum(a*b)
    distance = 1
    do while (distance < columns)
      peer = row*columns + ieor(column, distance)
      call MPI_Sendrecv(dot, 1, MPI_DOUBLE_PRECISION, peer, 1, other, 1, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE, failed)
      dot = dot + other
      distance = 2*distance
    end do
  end function

  subroutine product(a, b)
    real(8), intent(in) :: a(:)
    real(8), intent(out) :: b(:)
    integer :: distance, peer, request
    call compute(1d0)
    w = sum(a)/size_n*0.1d0
    first = (column - row*factor)*chunk  ! where the matrix' diagonal is in this block
    if (column/factor == row) w(first + 1:first + chunk) = w(first + 1:first + chunk) + diagonal*a
    distance = 1
    do while (distance < columns)
      peer = row*columns + ieor(column, distance)
      call MPI_Irecv(part, block, MPI_DOUBLE_PRECISION, peer, 2, MPI_COMM_WORLD, request, failed)
      call MPI_Send(w, block, MPI_DOUBLE_PRECISION, peer, 2, MPI_COMM_WORLD, failed)
      call MPI_Wait(request, MPI_STATUS_IGNORE, failed)
      w = w + part
      distance = 2*distance
    end do
    call MPI_Irecv(b, chunk, MPI_DOUBLE_PRECISION, partner, 3, MPI_COMM_WORLD, request, failed)
    first = mod(partner, columns) - (mod(partner, columns)/factor)*factor  ! the half of this row's unknowns that he needs
    call MPI_Send(w(first*chunk + 1), chunk, MPI_DOUBLE_PRECISION, partner, 3, MPI_COMM_WORLD, failed)
    call MPI_Wait(request, MPI_STATUS_IGNORE, failed)
  end subroutine
end program
