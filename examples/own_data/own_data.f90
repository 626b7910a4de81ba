! Example of a program that measures its work with Plimsoll and keeps its own data structures. This is the Fortran
! version of own_data.cpp, which explains it.
module quadrature
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  real(real64), parameter :: width = 0.03_real64 ! width of the peak
  real(real64), parameter :: tolerance = 1e-12_real64
contains
  function peak(x, centre)
    real(real64), intent(in) :: x, centre
    real(real64) :: peak
    peak = width/(width*width + (x - centre)*(x - centre))
  end function

  ! Returns the exact integral of the peak from 0 to 1.
  function exact(centre)
    real(real64), intent(in) :: centre
    real(real64) :: exact
    exact = atan((1 - centre)/width) + atan(centre/width)
  end function

  ! Integrates with the adaptive trapezoidal rule from a to b, where the peak has the values fa and fb.
  recursive function integrate(centre, a, b, fa, fb, evaluations) result(integral)
    real(real64), intent(in) :: centre, a, b, fa, fb
    real(real64), intent(inout) :: evaluations
    real(real64) :: integral, m, fm, coarse, fine
    m = 0.5_real64*(a + b)
    fm = peak(m, centre)
    evaluations = evaluations + 1
    coarse = (b - a)/2*(fa + fb)
    fine = (b - a)/4*(fa + 2*fm + fb)
    integral = fine + (fine - coarse)/3
    if (abs(fine - coarse) <= 3*tolerance*(b - a)) return
    integral = integrate(centre, a, m, fa, fm, evaluations)
    integral = integral + integrate(centre, m, b, fm, fb, evaluations)
  end function
end module

program own_data
  use mpi
  use plimsoll
  use quadrature
  implicit none
  integer, parameter :: interval_count = 64, steps = 4
  type(plimsoll_load_recorder) :: recorder
  type(plimsoll_object_handle) :: object(0:interval_count - 1)
  type(plimsoll_object_id) :: sender
  real(real64), dimension(0:interval_count) :: at, left, evaluations
  real(real64) :: centre, sums(2), worst_error
  integer :: error, rank, ranks, first, last, i, step

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  if (ranks > interval_count) then
    if (rank == 0) write (error_unit, "(a,i0,a)") "use at most ", interval_count, " ranks: each rank needs an interval"
    call MPI_Finalize(error)
    error stop
  end if
  call recorder%set_default("lb_check", "true", error) ! finds mistakes such as an object on two ranks
  call check(error)
  call recorder%start(MPI_COMM_WORLD, error) ! reads --vt_lb_... from the command line
  call check(error)
  first = interval_count*rank/ranks
  last = interval_count*(rank + 1)/ranks - 1

  ! Objects that are numbered the same way on all ranks can refer to each other in messages.
  do i = first, last
    object(i) = recorder%register_object([i], number=int(i, int64))
  end do

  at = [(real(i, real64)/interval_count, i=0, interval_count)]
  worst_error = 0
  do step = 0, steps - 1
    centre = 0.2_real64 + 0.2_real64*step

    call recorder%set_subphase(0) ! neighbouring intervals exchange boundary values
    do i = first, last
      call recorder%begin_work(object(i))
      left(i) = peak(at(i), centre)
      call recorder%end_work(object(i))
    end do
    left(last + 1) = peak(1.0_real64, centre)
    call recorder%begin_idle() ! waiting is idle time, not work
    call MPI_Sendrecv(left(first), 1, MPI_DOUBLE_PRECISION, merge(rank - 1, MPI_PROC_NULL, rank > 0), 0, &
      left(last + 1), 1, MPI_DOUBLE_PRECISION, merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks), 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call recorder%end_idle()
    do i = first, min(last, interval_count - 2)
      sender = plimsoll_make_object_id(merge(rank, rank + 1, i < last), int(i + 1, int64))
      ! Also recorded if both intervals are on this rank: a strategy must know what belongs together.
      call recorder%record_message(sender, recorder%id(object(i)), 8_int64)
    end do

    call recorder%set_subphase(1) ! each interval is integrated
    sums = 0                      ! sums of integral and evaluations
    do i = first, last
      call recorder%begin_work(object(i))
      evaluations(i) = 0
      sums(1) = sums(1) + integrate(centre, at(i), at(i + 1), left(i), left(i + 1), evaluations(i))
      sums(2) = sums(2) + evaluations(i)
      call recorder%set_value(object(i), "evaluations", evaluations(i))
      call recorder%end_work(object(i))
    end do
    call recorder%leave_subphase()
    call recorder%begin_idle()
    call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call recorder%end_idle()
    worst_error = max(worst_error, abs(sums(1) - exact(centre)))
    if (rank == 0) print "('step ', i0, ': integral ', f15.12, ', ', i10, ' evaluations')", step, sums(1), int(sums(2))
    call recorder%next_phase(error)
    call check(error)
  end do
  call recorder%finish(error)
  call check(error)
  if (rank == 0) print "(a)", merge("as exact as required", "NOT EXACT           ", worst_error < 1e-10_real64)
  call MPI_Finalize(error)
  if (worst_error >= 1e-10_real64) error stop
contains
  subroutine check(status)
    integer, intent(in) :: status
    integer :: own_rank, ignored
    if (status == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, own_rank, ignored)
    if (own_rank == 0) write (error_unit, "(a)") recorder%error_message() ! the same on all ranks
    call MPI_Finalize(ignored)
    stop 1
  end subroutine
end program
