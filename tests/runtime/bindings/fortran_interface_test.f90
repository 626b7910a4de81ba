! Calls the procedures of module plimsoll that measure and checks the results; language_check.cpp checks the written files.
! c_interface_test.c is the same test in C.
module fortran_interface_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use plimsoll
  use fortran_check
  use fortran_features_test
  use fortran_lifecycle_test
  use fortran_objects_test
  use fortran_recording_test
  implicit none

  type(plimsoll_object_handle) :: asked ! half_a_second() returns its load
  integer :: times_asked = 0
  integer :: ends = 0
  integer :: starts = 0
  integer(int64) :: last_phase = -1

  interface
    function check_written(folder, ranks) bind(c, name="plimsoll_check_written") result(failed)
      import
      character(kind=c_char), intent(in) :: folder(*)
      integer(c_int), value :: ranks
      integer(c_int) :: failed
    end function
    function phases_written(folder, subfolder, ranks) bind(c, name="plimsoll_phases_written") result(phases)
      import
      character(kind=c_char), intent(in) :: folder(*), subfolder(*)
      integer(c_int), value :: ranks
      integer(c_int) :: phases
    end function
  end interface

contains

  function half_a_second(object) result(time_s)
    type(plimsoll_object_handle), intent(in) :: object
    real(real64) :: time_s
    asked = object
    times_asked = times_asked + 1
    time_s = 0.5_real64
  end function

  function no_time(object) result(time_s)
    type(plimsoll_object_handle), intent(in) :: object
    real(real64) :: time_s
    asked = object
    time_s = 0
  end function

  subroutine at_end(summary)
    type(plimsoll_phase_summary), intent(in) :: summary
    ends = ends + 1
    last_phase = summary%phase
  end subroutine

  subroutine at_start(phase)
    integer(int64), intent(in) :: phase
    call check(phase == last_phase + 1, "a phase starts after the one that ended")
    starts = starts + 1
  end subroutine

  ! Makes an error on the last rank only, in phase 1; all ranks receive it.
  subroutine check_error_of_one_rank(recorder, made)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    type(objects), intent(in) :: made
    character(40) :: who
    integer :: stat
    who = "in phase 1 does not match the last"
    if (ranks > 1) write (who, "(a, i0, a)") "rank ", ranks - 1, ": end_work() for object "
    if (rank == ranks - 1) call recorder%end_work(made%counted)
    call recorder%next_phase(stat)
    call check(stat == 2, "wrong use on one rank is an error on all ranks")
    call check(index(recorder%error_message(), trim(who)) > 0, "the message contains the problem and the rank")
    call check(recorder%phase() == 2, "phase 2 has begun")
  end subroutine
end module

program test
  use fortran_interface_test
  implicit none
  type(plimsoll_load_recorder) :: recorder
  type(objects) :: made
  type(plimsoll_phase_summary) :: summary
  character(4096) :: folder
  integer :: stat
  call recorder%start(0, stat)
  call check(stat == 2, "the recorder does not start before MPI")
  call check(index(recorder%error_message(), "MPI_Init") > 0, "the message names MPI_Init")

  call start_test()
  call get_command_argument(1, folder)
  call check_without_start()
  call check_unchecked_errors()
  call check_object_properties()
  call check_inferred_loads()
  call check_device_times()
  call check_defaults(trim(folder))

  call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
  call check(stat == 0, "the recorder starts")
  call check(recorder%data_files() == trim(folder)//"/data.%p.json.br", "the arguments select the data files")
  call register_all(recorder, made)
  call check_changing_objects(recorder)
  call check_values_read(recorder)
  call recorder%user_set_lb_load(half_a_second)
  call recorder%on_phase_end(at_end)
  call recorder%on_phase_start(at_start)
  call measure(recorder, made)
  call recorder%next_phase(stat, summary)
  call check(stat == 0, "phase 0 ends")
  call check_summary(summary)
  call check(asked == made%modelled .and. times_asked == 1, "the model was called once, for the modelled object")
  call check(ends == 1 .and. starts == 1, "the hooks were called once")

  call check_error_of_one_rank(recorder, made)
  call remove_things(recorder, made)
  call recorder%user_set_lb_load(no_time)
  call recorder%next_phase(stat)
  call check(stat == 0, "phase 2 ends")
  call check(times_asked == 2 .and. ends == 3, "the last model is called, and so are the hooks")
  call recorder%finish(stat)
  call check(stat == 0, "the recorder finishes")

  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) failures = failures + check_written(trim(folder)//c_null_char, ranks)
  call start_unfinished(recorder)
  call MPI_Finalize()
  if (rank == 0) call check(phases_written(trim(folder)//c_null_char, "unfinished"//c_null_char, ranks) == 2, &
    "MPI_Finalize completes the files")
  if (failures > 0) error stop
end program
