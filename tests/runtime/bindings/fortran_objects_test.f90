! Registers, replaces and removes objects in Fortran, and changes their properties.
module fortran_objects_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use plimsoll
  use fortran_check
  implicit none

  ! Objects of this rank, as language_check.cpp expects them.
  type :: objects
    type(plimsoll_object_handle) :: counted, modelled, guest, member
  end type

contains

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

  ! Reads values of a new object.
  subroutine check_values_read(recorder)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    type(plimsoll_object_handle) :: object
    integer(int64) :: cells
    real(real64) :: weight
    logical :: found
    object = recorder%register_object()
    call recorder%set_value(object, "cells", 7)
    call recorder%set_value(object, "weight", 1.5_real64, attribute=.true.)
    call recorder%get_value(object, "cells", cells, found)
    call check(found .and. cells == 7, "the integer is read")
    call recorder%get_value(object, "weight", weight, found, attribute=.true.)
    call check(found .and. near(weight, 1.5_real64), "the attribute is read")
    call recorder%get_value(object, "weight", weight, found)
    call check(.not. found .and. near(weight, 1.5_real64), "values and attributes have separate names")
    call recorder%get_value(object, "cells ", weight, found)
    call check(found .and. near(weight, 7.0_real64), "an integer is read as a real")
    call recorder%get_value(object, "weight", cells, found, attribute=.true.)
    call check(.not. found .and. cells == 7, "a real is not read as an integer")
    call recorder%remove_object(object)
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
  end subroutine
end module
