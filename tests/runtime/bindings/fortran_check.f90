! Checks and helpers that the tests of the Fortran interface share. c_check.h is the same in C.
module fortran_check
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08
  use plimsoll
  implicit none

  integer :: failures = 0
  integer :: rank = 0  ! of this process
  integer :: ranks = 0 ! number of ranks

contains

  ! Starts MPI, and sets rank and ranks.
  subroutine start_test()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end subroutine

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    type(plimsoll_load_recorder) :: recorder
    if (condition) return
    write (error_unit, "(a, i0, 5a)") "rank ", rank, ": not true: ", what, " (last error: ", &
      recorder%error_message(), ")"
    failures = failures + 1
  end subroutine

  ! Checks an error, which has the same stat on all ranks, and a part of its message.
  subroutine check_error(stat, expected, text)
    integer, intent(in) :: stat, expected
    character(*), intent(in) :: text
    type(plimsoll_load_recorder) :: recorder
    call check(stat == expected, "the stat of: "//text)
    call check(index(recorder%error_message(), text) > 0, "the message contains: "//text)
  end subroutine

  subroutine spin(time_s)
    real(real64), intent(in) :: time_s
    real(real64) :: end_s
    end_s = MPI_Wtime() + time_s
    do while (MPI_Wtime() < end_s)
    end do
  end subroutine

  function near(left, right)
    real(real64), intent(in) :: left, right
    logical :: near
    near = abs(left - right) < 1e-9_real64
  end function
end module
