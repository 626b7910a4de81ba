! Defines names that are common in MPI programs. The test passes if this program compiles.
module own_names
  implicit none
  integer :: send_recv, local_invoke, write_shared
  type :: load_recorder
    integer :: unit = 6
  end type
  type :: object_handle
    integer :: cell = 1
  end type
  type :: object_id
    integer :: global = 2
  end type
  type :: phase_summary
    real :: seconds = 0.5
  end type
contains
  subroutine broadcast(values)
    integer, intent(inout) :: values(:)
    values = values(1)
  end subroutine

  function load_model(cells) result(load)
    integer, intent(in) :: cells
    real :: load
    load = 2.0*cells
  end function

  function make_object_id(home) result(id)
    integer, intent(in) :: home
    integer :: id
    id = home
  end function

  subroutine start()
    send_recv = 1
  end subroutine

  subroutine phase_end_hook()
    local_invoke = 1
  end subroutine
end module

program own_names_test
  use plimsoll
  use own_names
  implicit none
  type(plimsoll_load_recorder) :: recorder
  type(load_recorder) :: log
  type(object_handle) :: cell
  type(object_id) :: global
  type(phase_summary) :: summary
  integer :: values(2) = [1, 2]
  integer :: stat
  call start()
  call broadcast(values)
  call phase_end_hook()
  call recorder%record_edge(plimsoll_category_send_recv, 1_8, 2_8, 8_8, 1_8)
  call recorder%next_phase(stat)
  if (log%unit + cell%cell + global%global /= 9 .or. summary%seconds > 1) error stop
  if (stat == 2 .and. values(2) == 1 .and. load_model(1) > 1 .and. make_object_id(3) == 3) stop 0
  error stop
end program
