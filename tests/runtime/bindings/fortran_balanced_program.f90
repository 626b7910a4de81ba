! A Fortran program whose objects migrate, and that tests run. c_balanced_program.c is the same program in C.
module fortran_balanced_program
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use mpi_f08
  use plimsoll
  use fortran_check
  implicit none

  integer, parameter :: object_count = 24
  real(real64), parameter :: total_load_s = 300 ! 1 + 2 + ... + 24
  logical :: can_pack = .true.

  ! All objects start on rank 0. Object k = 1, 2, ... contains k numbers, and has a load of k seconds.
  type :: content
    integer(int64), allocatable :: numbers(:) ! not allocated if the object is on another rank
  end type
  type(content) :: objects(object_count)

contains

  function id_of(k) result(id)
    integer, intent(in) :: k
    type(plimsoll_object_id) :: id
    id = plimsoll_make_object_id(0, int(k, int64))
  end function

  function content_of(k) result(numbers)
    integer, intent(in) :: k
    integer(int64) :: numbers(k)
    integer :: i
    numbers = [(1000_int64*k + i, i=1, k)]
  end function

  function count_objects() result(count)
    integer :: count, k
    count = 0
    do k = 1, object_count
      if (allocated(objects(k)%numbers)) count = count + 1
    end do
  end function

  subroutine start_program(recorder, strategy)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    character(*), intent(in) :: strategy
    type(plimsoll_object_handle) :: object
    integer :: k, stat
    call recorder%set_default("lb_quiet", "true", stat)
    call recorder%set_default("lb", "true", stat)
    call recorder%set_default("lb_name", strategy, stat)
    call recorder%set_default("lb_when", "always", stat)
    call recorder%set_default("lb_run_lb_first_phase", "true", stat)
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    call check(stat == 0, "the recorder starts")
    can_pack = .true.
    do k = 1, object_count
      if (allocated(objects(k)%numbers)) deallocate (objects(k)%numbers)
      if (rank /= 0) cycle
      object = recorder%register_object(id_of(k))
      objects(k)%numbers = content_of(k)
    end do
  end subroutine

  subroutine end_phase(recorder, stat, summary)
    type(plimsoll_load_recorder), intent(inout) :: recorder
    integer, intent(out) :: stat
    type(plimsoll_phase_summary), intent(inout), optional :: summary
    type(plimsoll_object_handle) :: found
    integer :: k
    do k = 1, object_count
      found = recorder%find(id_of(k))
      call check((found /= plimsoll_object_handle(0)) .eqv. allocated(objects(k)%numbers), "objects are registered where they are")
      if (.not. allocated(objects(k)%numbers)) cycle
      call check(all(objects(k)%numbers == content_of(k)), "objects are complete")
      call recorder%add_time(found, real(k, real64))
    end do
    call recorder%next_phase(stat, summary)
  end subroutine

  ! --- Procedures for migrations ----------------------------------------------------------------------------------------

  function size_of_object(object) result(size_bytes)
    type(plimsoll_object_id), intent(in) :: object
    integer(int64) :: size_bytes
    size_bytes = 8*plimsoll_object_number(object)
  end function

  function pack_object(object, bytes) result(written)
    type(plimsoll_object_id), intent(in) :: object
    integer(int8), intent(inout) :: bytes(:)
    integer(int64) :: written
    written = -1
    if (.not. can_pack) return
    bytes = transfer(objects(plimsoll_object_number(object))%numbers, bytes)
    written = size(bytes)
  end function

  function unpack_object(object, bytes) result(read)
    type(plimsoll_object_id), intent(in) :: object
    integer(int8), intent(in) :: bytes(:)
    integer(int64) :: read, k
    k = plimsoll_object_number(object)
    call check(.not. allocated(objects(k)%numbers), "an object arrives once")
    objects(k)%numbers = transfer(bytes, objects(k)%numbers, int(k))
    read = size(bytes)
  end function

  subroutine remove_object(object)
    type(plimsoll_object_id), intent(in) :: object
    deallocate (objects(plimsoll_object_number(object))%numbers)
  end subroutine
end module
