! Starts and ends recorders in Fortran, with defaults of the program and with errors.
module fortran_lifecycle_test
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use plimsoll
  use fortran_check
  implicit none

  interface
    subroutine begin_capture() bind(c, name="plimsoll_begin_capture")
    end subroutine
    function end_capture(text) bind(c, name="plimsoll_end_capture") result(times)
      import
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: times
    end function
  end interface

contains

  subroutine check_without_start()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_object_handle) :: object
    integer :: stat
    call plimsoll_region_begin("solve")
    call plimsoll_region_end("solve")
    object = recorder%register_object()
    call check(object == plimsoll_object_handle(0), "a recorder that did not start registers nothing")
    call recorder%begin_work(object)
    call recorder%end_work(object)
    call recorder%next_phase(stat)
    call check(stat == 2, "a recorder that did not start has no phases")
    call check(index(recorder%error_message(), "start it first") > 0, "the message contains a hint")
    call recorder%finish(stat)
    call check(stat == 0, "a recorder that did not start can be finished")
    call recorder%start(MPI_COMM_NULL%MPI_VAL, stat)
    call check(stat == 2, "MPI_COMM_NULL is an error")
    call check(index(recorder%error_message(), "MPI_COMM_NULL") > 0, "the message names MPI_COMM_NULL")
  end subroutine

  ! Rank 0 prints errors that the program does not check, once.
  subroutine check_unchecked_errors()
    type(plimsoll_load_recorder) :: recorder
    integer :: phase, printed, stat
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    call check(stat == 0, "a quiet recorder starts")
    call begin_capture()
    do phase = 1, 3
      call recorder%begin_work(recorder%rank_object())
      call recorder%next_phase(stat)
      if (stat /= 2) failures = failures + 1
    end do
    call recorder%finish(stat)
    printed = end_capture("plimsoll: unchecked error: phase 0 ended with 1 begin_work() calls still open"//c_null_char)
    call check(stat == 0, "the recorder finishes")
    call check(printed == merge(1, 0, rank == 0), "rank 0 prints the error once")
  end subroutine

  subroutine check_defaults(folder)
    character(*), intent(in) :: folder
    type(plimsoll_load_recorder) :: recorder
    integer :: stat
    call recorder%set_default("lb_dta", "true", stat)
    call check(stat == 2, "an unknown name is an error")
    call check(index(recorder%error_message(), "did you mean lb_data?") > 0, "the message suggests a name")
    call recorder%set_default("lb_history", "-1", stat)
    call check(stat == 2, "an invalid value is an error")
    call check(index(recorder%error_message(), "use an integer >= 0") > 0, "the message describes valid values")
    call recorder%set_default("lb_spec", "true", stat)
    call recorder%set_default("lb_spec_file  ", folder//"/none  ", stat)
    call check(stat == 0, "defaults can be set")
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    call check(stat == 3, "the specification file does not exist")
    call check(index(recorder%error_message(), folder//"/none") > 0, "the message names the file")
    call recorder%set_default("lb_spec", "false", stat)
    call recorder%set_default("lb_spec_file", "", stat)
    call check(stat == 0, "defaults can be replaced")
  end subroutine

  ! Starts a recorder that is not finished.
  subroutine start_unfinished(recorder)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    integer :: stat
    call recorder%set_default("lb_data", "true", stat)
    call recorder%set_default("lb_data_file", "unfinished.%p.json", stat)
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    call check(stat == 0, "a recorder starts that is not finished")
    call recorder%next_phase(stat)
    call recorder%next_phase(stat)
    call check(stat == 0, "phases of it end")
  end subroutine
end module
