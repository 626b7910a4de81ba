! Calls the procedures of module plimsoll that measure and checks the results; language_check.cpp checks the written files.
! c_interface_test.c is the same test in C.
module plimsoll_fortran_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real64
  use mpi_f08
  use plimsoll
  implicit none

  integer :: failures = 0
  integer :: rank = 0
  integer :: ranks = 0
  type(plimsoll_object_handle) :: asked ! half_a_second() returns its load
  integer :: times_asked = 0
  integer :: ends = 0
  integer :: starts = 0
  integer(int64) :: last_phase = -1

  ! Objects of this rank, as language_check.cpp expects them.
  type :: objects
    type(plimsoll_object_handle) :: counted, modelled, guest, member
  end type

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
    subroutine begin_capture() bind(c, name="plimsoll_begin_capture")
    end subroutine
    function end_capture(text) bind(c, name="plimsoll_end_capture") result(times)
      import
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: times
    end function
  end interface

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    type(plimsoll_load_recorder) :: recorder
    if (condition) return
    write (error_unit, "(a, i0, 5a)") "rank ", rank, ": not true: ", what, " (last error: ", &
      recorder%error_message(), ")"
    failures = failures + 1
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

  subroutine check_without_start()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_object_handle) :: object
    integer :: stat
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

  subroutine register_all(recorder, made)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    type(objects), intent(out) :: made
    type(plimsoll_object_handle) :: extra(3)
    type(plimsoll_object_id) :: id
    integer(int64) :: another
    integer :: i, next
    next = mod(rank + 1, ranks)
    another = recorder%add_collection()
    made%counted = recorder%register_object([int(rank, int64), -2_int64, 5000000000_int64])
    call check(recorder%id(made%counted) == plimsoll_make_object_id(rank, 0_int64), "the counted object has number 0")

    made%modelled = recorder%register_object([rank], collection=another, number=100_int64 + rank, home=next, &
      migratable=.false., measured=.false.)
    id = plimsoll_make_object_id(next, 100_int64 + rank, migratable=.false.)
    call check(recorder%id(made%modelled) == id, "the modelled object has the given home and number")

    id = plimsoll_make_object_id(next, 7_int64)
    made%guest = recorder%register_object(id)
    call check(recorder%id(made%guest) == id, "the guest keeps its id")
    call check(recorder%find(id) == made%guest, "the guest is found")
    call check(recorder%find(plimsoll_make_object_id(0, 999_int64)) == plimsoll_object_handle(0), "an unknown object is not found")
    call check(plimsoll_make_object_id(0, -1_int64) == plimsoll_object_id(0), "number -1 has no id")
    call check(plimsoll_object_number(id) == 7, "the id contains the number")
    call check(plimsoll_object_number(plimsoll_rank_object_id(0)) == -1, "the id of a rank object contains no number")

    made%member = recorder%register_object_group()
    call check(made%member /= plimsoll_object_handle(0), "the group has a member")
    call check(recorder%id(made%member) /= plimsoll_object_id(0), "the member of the group has an id")
    call check(recorder%rank_object() /= plimsoll_object_handle(0), "the rank object exists")

    ! The other forms of register_object, for objects that are removed immediately.
    extra(1) = recorder%register_object(number=500_int64)
    extra(2) = recorder%register_object(plimsoll_make_object_id(rank, 501_int64), [1, 2], collection=another, measured=.false.)
    extra(3) = recorder%register_object(plimsoll_make_object_id(rank, 502_int64), [1_int64])
    do i = 1, 3
      call check(recorder%id(extra(i)) == plimsoll_make_object_id(rank, 499_int64 + i), "each form registers an object")
      call recorder%remove_object(extra(i))
    end do
  end subroutine

  ! Replaces objects and removes the new ones.
  subroutine check_changing_objects(recorder)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    type(plimsoll_object_handle) :: made(2)
    type(plimsoll_object_id) :: ids(2), none(0)
    integer(int64) :: collection
    collection = recorder%add_collection()
    ids = [plimsoll_make_object_id(rank, 601_int64), plimsoll_make_object_id(rank, 602_int64)]
    made = recorder%set_objects(ids, collection=collection)
    call check(recorder%find(ids(1)) == made(1), "the first object is registered")
    call check(recorder%id(made(2)) == ids(2), "the second object is registered")
    call recorder%set_position(made(1), [0.5_real64, 1.5_real64])
    call recorder%inherit(made(1), made(2), 0.5_real64)
    call recorder%inherit(made(1), made(2))
    call check(size(recorder%set_objects(none, collection=collection)) == 0, "no objects are left")
    call check(recorder%find(ids(1)) == plimsoll_object_handle(0), "the first object is removed")
    call check(plimsoll_rank_object_id(rank) == recorder%id(recorder%rank_object()), "each rank object has an id")
  end subroutine

  ! Changes whether an object is measured, and whether it may migrate.
  subroutine check_object_properties()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_object_handle) :: object
    integer :: stat
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    object = recorder%register_object()
    call recorder%set_measured(object, .false.)
    call recorder%begin_work(object)
    call spin(0.002_real64)
    call recorder%end_work(object)
    call check(near(recorder%get_obj_time(object), 0.0_real64), "the object is not measured")
    call recorder%set_measured(object, .true.)
    call recorder%begin_work(object)
    call spin(0.002_real64)
    call recorder%end_work(object)
    call check(recorder%get_obj_time(object) >= 0.0019_real64, "the object is measured")
    call recorder%set_migratable(object, .false.)
    call recorder%set_migratable(object, .true.)
    call recorder%next_phase(stat)
    call check(stat == 0, "an object may become migratable again")
    call recorder%set_migratable(recorder%rank_object(), .true.)
    call recorder%next_phase(stat)
    call check(stat == 2, "the rank object is not migratable")
    call check(index(recorder%error_message(), "cannot become migratable") > 0, "the message says so")
    call recorder%remove_object(object)
    call recorder%remove_all_values(object)
    call recorder%next_phase(stat)
    call check(stat == 2, "the object is not registered")
    call check(index(recorder%error_message(), "remove_all_values(): object") > 0, "the message names the procedure")
    call recorder%finish(stat)
  end subroutine

  subroutine send_messages(recorder, one, other)
    type(plimsoll_load_recorder), intent(in) :: recorder
    type(plimsoll_object_id), intent(in) :: one, other
    integer :: next
    next = mod(rank + 1, ranks)
    call recorder%record_message(one, other, 100_int64)
    call recorder%record_message(one, other, 100_int64)
    call recorder%record_message(one, next, 30_int64)
    call recorder%record_message(next, one, 40_int64)
    call recorder%record_broadcast(one, other, 50_int64)
    call recorder%record_broadcast(one, ranks - 1, 60_int64)
    call recorder%record_broadcast(0, one, 70_int64)
    call recorder%add_writable_shared_id(rank, 5_int64, 80_int64)
    call recorder%add_read_only_shared_id(0, 6_int64, 10000000000_int64)
    call recorder%record_edge(plimsoll_category_local_invoke, one%number, one%number, 90_int64, 3_int64)
    call recorder%record_edge(plimsoll_category_collective_to_collection_bcast, int(next, int64), one%number, 95_int64, 4_int64)
  end subroutine

  ! Records everything once, in phase 0.
  subroutine measure(recorder, made)
    type(plimsoll_load_recorder), intent(in) :: recorder
    type(objects), intent(in) :: made
    call recorder%set_subphase(1)
    call recorder%add_time(made%counted, 0.25_real64)
    call recorder%leave_subphase()
    call recorder%add_time(made%counted, 0.5_real64)
    call check(near(recorder%get_obj_time(made%counted), 0.75_real64), "added times add up")
    call recorder%add_time(made%guest, 1.0_real64)
    call recorder%set_obj_time(made%guest, 2.0_real64)
    call check(near(recorder%get_obj_time(made%guest), 2.0_real64), "a time can be replaced")

    call recorder%begin_work(made%member)
    call spin(0.02_real64)
    call recorder%end_work(made%member)
    call check(recorder%get_obj_time(made%member) >= 0.0199_real64, "work is measured")
    call recorder%begin_idle()
    call spin(0.01_real64)
    call recorder%end_idle()

    call recorder%instrument(.false.)
    call recorder%add_time(made%counted, 100.0_real64)
    call recorder%record_message(recorder%id(made%counted), plimsoll_make_object_id(0, 0_int64), 1_int64)
    call recorder%instrument(.true.)

    call send_messages(recorder, recorder%id(made%counted), recorder%id(made%guest))
    call set_values(recorder, made%counted)
  end subroutine

  subroutine set_values(recorder, object)
    type(plimsoll_load_recorder), intent(in) :: recorder
    type(plimsoll_object_handle), intent(in) :: object
    character(20) :: padded = "a ""wave"""
    call recorder%set_value(object, "cells", 1)
    call recorder%set_value(object, "cells  ", 1099511627776_int64)
    call recorder%set_value(object, "name", padded)
    call recorder%set_value(object, "weight", 1.5_real64, attribute=.true.)
    call recorder%set_value(object, "gone", 1, attribute=.true.)
    call recorder%remove_value(object, "gone", attribute=.true.)
    call recorder%set_phase_value("step", 11)
    call recorder%set_phase_value("time", "later")
    call recorder%set_phase_value("time", 1_int64)
    call recorder%set_phase_value("time", 0.125_real64)
    call recorder%set_rank_value("kind", 1)
    call recorder%set_rank_value("kind", 1_int64)
    call recorder%set_rank_value("kind", 1.0_real64)
    call recorder%set_rank_value("kind", "test")
  end subroutine

  subroutine check_summary(summary)
    type(plimsoll_phase_summary), intent(in) :: summary
    call check(summary%phase == 0, "the summary is of phase 0")
    call check(near(summary%total_s, summary%objects_s + summary%background_s + summary%idle_s), "times add up")
    call check(summary%objects_s >= 0.0199_real64, "objects worked")
    call check(summary%idle_s >= 0.0099_real64, "the rank was idle")
    call check(summary%duration_s >= 0.0299_real64, "the phase lasted")
    call check(summary%rank_load_mean_s >= 3.2699_real64, "the mean is >= 0.75 + 0.5 + 2 + 0.02")
    call check(summary%rank_load_max_s >= summary%rank_load_mean_s - 1e-9_real64, "the maximum is >= the mean")
    call check(near(summary%imbalance, summary%rank_load_max_s/summary%rank_load_mean_s - 1), "imbalance is max/mean - 1")
    call check(summary%objects == 5*ranks, "all objects and ranks are counted")
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

  ! Makes an error on the last rank only, in phase 1; all ranks receive it.
  subroutine check_error(recorder, made)
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

  subroutine remove_things(recorder, made)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    type(objects), intent(in) :: made
    type(plimsoll_object_id) :: guest
    guest = recorder%id(made%guest)
    call recorder%remove_object(made%guest)
    call check(recorder%find(guest) == plimsoll_object_handle(0), "a removed object is not found")
    call check(recorder%id(made%guest) == plimsoll_object_id(0), "a removed object has no id")
    call recorder%remove_value(made%counted, "name")
    call recorder%remove_value(made%counted, "weight", attribute=.true.)
    call recorder%set_value(made%counted, "forgotten", 1, attribute=.true.)
    call recorder%remove_all_values(made%counted)
    call recorder%set_value(made%counted, "cells", 1099511627776_int64)
    call recorder%user_set_lb_load(no_time)
  end subroutine
end module

program test
  use plimsoll_fortran_test
  type(plimsoll_load_recorder) :: recorder
  type(objects) :: made
  type(plimsoll_phase_summary) :: summary
  character(4096) :: folder
  integer :: stat
  call recorder%start(0, stat)
  call check(stat == 2, "the recorder does not start before MPI")
  call check(index(recorder%error_message(), "MPI_Init") > 0, "the message names MPI_Init")

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, folder)
  call check_without_start()
  call check_unchecked_errors()
  call check_object_properties()
  call check_defaults(trim(folder))

  call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
  call check(stat == 0, "the recorder starts")
  call check(recorder%data_files() == trim(folder)//"/data.%p.json.br", "the arguments select the data files")
  call register_all(recorder, made)
  call check_changing_objects(recorder)
  call recorder%user_set_lb_load(half_a_second)
  call recorder%on_phase_end(at_end)
  call recorder%on_phase_start(at_start)
  call measure(recorder, made)
  call recorder%next_phase(stat, summary)
  call check(stat == 0, "phase 0 ends")
  call check_summary(summary)
  call check(asked == made%modelled .and. times_asked == 1, "the model was called once, for the modelled object")
  call check(ends == 1 .and. starts == 1, "the hooks were called once")

  call check_error(recorder, made)
  call remove_things(recorder, made)
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
