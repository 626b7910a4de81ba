! Records loads, messages and values in Fortran, which language_check.cpp finds in the files.
module fortran_recording_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use plimsoll
  use fortran_check
  use fortran_objects_test
  implicit none

contains

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
end module
