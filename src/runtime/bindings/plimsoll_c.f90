! Fortran declarations of the functions in plimsoll.h. Module plimsoll and the modules that it includes wrap them in a
! convenient interface.
!
! This module is longer than 500 lines because it mirrors the whole header, and a test compares both.
module plimsoll_c
  use, intrinsic :: iso_c_binding
  implicit none
  private

  ! Phase summary: struct plimsoll_summary. Times are in seconds; total = objects + background + idle, on this rank. The
  ! load statistics are over all ranks.
  type, bind(c), public :: plimsoll_phase_summary
    integer(c_int32_t) :: struct_size = 112
    integer(c_int64_t) :: phase = 0
    real(c_double) :: total_s = 0
    real(c_double) :: objects_s = 0
    real(c_double) :: background_s = 0
    real(c_double) :: idle_s = 0
    real(c_double) :: duration_s = 0
    real(c_double) :: rank_load_max_s = 0
    real(c_double) :: rank_load_mean_s = 0
    real(c_double) :: imbalance = 0 ! rank_load_max_s / rank_load_mean_s - 1
    integer(c_int64_t) :: objects = 0
    integer(c_int64_t) :: migrations = 0 ! objects that migrated at the end of the phase
    real(c_double) :: decision_s = 0 ! maximum time of a rank to decide on them
    real(c_double) :: migration_s = 0 ! maximum time of a rank to migrate them
  end type

  ! An object registered on this rank: struct plimsoll_object. Number 0 means no object.
  type, bind(c), public :: plimsoll_object_handle
    integer(c_int64_t) :: number = 0
  end type

  ! ID of an object, the same on all ranks and in the files: struct plimsoll_id. Number 0 means no ID. The number can
  ! be sent to other ranks.
  type, bind(c), public :: plimsoll_object_id
    integer(c_int64_t) :: number = 0
  end type

  ! Description of an object: struct plimsoll_spec, initialised as by PLIMSOLL_SPEC_INIT.
  type, bind(c), public :: plimsoll_object_spec
    integer(c_int32_t) :: struct_size = 32
    integer(c_int) :: home = -1
    integer(c_int) :: migratable = 1
    integer(c_int) :: measured = 1
    integer(c_int64_t) :: collection = 0
    integer(c_int64_t) :: number = -1
  end type

  ! Migration of one object: struct plimsoll_move.
  type, bind(c), public :: plimsoll_move
    type(plimsoll_object_id) :: object = plimsoll_object_id(0)
    integer(c_int) :: from = 0 ! rank that has the object
    integer(c_int) :: to = 0 ! rank that receives it; may be the same rank
    real(c_double) :: bytes = 0 ! size of the packed object; 0 if unknown
  end type

  ! Migrations of a plan: struct plimsoll_migration_plan. Module plimsoll_planning has a type with the same contents.
  type, bind(c), public :: plimsoll_c_plan
    integer(c_int32_t) :: struct_size = 104
    integer(c_int64_t) :: moves = 0
    integer(c_int64_t) :: export_count = 0
    type(c_ptr) :: exports = c_null_ptr
    integer(c_int64_t) :: import_count = 0
    type(c_ptr) :: imports = c_null_ptr
    real(c_double) :: max_time_before_s = 0
    real(c_double) :: max_time_after_s = 0
    real(c_double) :: mean_time_s = 0
    real(c_double) :: decision_s = 0
    type(c_ptr) :: strategy = c_null_ptr
    type(c_ptr) :: remark = c_null_ptr
    type(c_ptr) :: memory = c_null_ptr
  end type

  ! Functions that move objects: struct plimsoll_transport.
  type, bind(c), public :: plimsoll_c_transport
    integer(c_int32_t) :: struct_size = 48
    type(c_ptr) :: context = c_null_ptr
    type(c_funptr) :: size_bytes = c_null_funptr
    type(c_funptr) :: pack = c_null_funptr
    type(c_funptr) :: unpack = c_null_funptr
    type(c_funptr) :: remove = c_null_funptr
  end type

  ! Messages between two objects on any ranks, specified by their numbers: struct plimsoll_edge.
  type, bind(c), public :: plimsoll_edge
    integer(c_int64_t) :: from = 0
    integer(c_int64_t) :: to = 0
    real(c_double) :: bytes = 0
    integer(c_int64_t) :: messages = 0
  end type

  ! Objects of this rank in arrays: struct plimsoll_plan_input.
  type, bind(c), public :: plimsoll_c_plan_input
    integer(c_int32_t) :: struct_size = 96
    integer(c_int) :: available = 1
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: ids = c_null_ptr
    type(c_ptr) :: loads_s = c_null_ptr
    type(c_ptr) :: migratable = c_null_ptr
    type(c_ptr) :: positions = c_null_ptr
    integer(c_int64_t) :: axes = 0
    type(c_ptr) :: sizes_bytes = c_null_ptr
    integer(c_int64_t) :: edge_count = 0
    type(c_ptr) :: edges = c_null_ptr
    real(c_double) :: background_s = 0
    real(c_double) :: speed = 1
  end type

  ! Categories of edges: enum plimsoll_category. In Fortran, PLIMSOLL_BROADCAST would be the subroutine
  ! plimsoll_broadcast.
  enum, bind(c)
    enumerator :: plimsoll_category_send_recv = 1, plimsoll_category_collection_to_node, &
      plimsoll_category_node_to_collection, plimsoll_category_broadcast, plimsoll_category_collection_to_node_bcast, &
      plimsoll_category_node_to_collection_bcast, plimsoll_category_collective_to_collection_bcast, &
      plimsoll_category_local_invoke, plimsoll_category_write_shared, plimsoll_category_read_only_shared
  end enum

  ! Destination of user-defined values: enum plimsoll_value_place.
  enum, bind(c)
    enumerator :: plimsoll_place_user_defined, plimsoll_place_attributes, plimsoll_place_phase, plimsoll_place_rank
  end enum

  public :: plimsoll_category_send_recv, plimsoll_category_collection_to_node, plimsoll_category_node_to_collection
  public :: plimsoll_category_broadcast, plimsoll_category_collection_to_node_bcast
  public :: plimsoll_category_node_to_collection_bcast, plimsoll_category_collective_to_collection_bcast
  public :: plimsoll_category_local_invoke, plimsoll_category_write_shared, plimsoll_category_read_only_shared
  public :: plimsoll_place_user_defined, plimsoll_place_attributes, plimsoll_place_phase, plimsoll_place_rank
  public :: plimsoll_set_default, plimsoll_start_fortran, plimsoll_next_phase, plimsoll_finish, plimsoll_error_message
  public :: plimsoll_add_collection, plimsoll_register, plimsoll_register_id, plimsoll_register_group
  public :: plimsoll_remove, plimsoll_rank_object, plimsoll_id_of, plimsoll_find, plimsoll_make_id
  public :: plimsoll_number_of
  public :: plimsoll_rank_object_id, plimsoll_set_objects, plimsoll_inherit, plimsoll_set_position
  public :: plimsoll_set_migratable, plimsoll_set_measured
  public :: plimsoll_begin, plimsoll_end, plimsoll_begin_idle, plimsoll_end_idle
  public :: plimsoll_add_time, plimsoll_set_obj_time, plimsoll_get_obj_time, plimsoll_user_set_lb_load
  public :: plimsoll_set_subphase, plimsoll_leave_subphase, plimsoll_instrument
  public :: plimsoll_message, plimsoll_message_to_rank, plimsoll_message_from_rank
  public :: plimsoll_broadcast, plimsoll_broadcast_to_rank, plimsoll_broadcast_from_rank
  public :: plimsoll_writable_shared, plimsoll_read_only_shared, plimsoll_record_edge
  public :: plimsoll_set_integer, plimsoll_set_real, plimsoll_set_text, plimsoll_remove_value, plimsoll_remove_all_values
  public :: plimsoll_get_integer, plimsoll_get_real
  public :: plimsoll_on_phase_end, plimsoll_on_phase_start, plimsoll_phase, plimsoll_data_files
  public :: plimsoll_start_balancer, plimsoll_balance_at_phase_ends, plimsoll_request_migrations
  public :: plimsoll_plan, plimsoll_free_plan, plimsoll_moved, plimsoll_migrate, plimsoll_owner
  public :: plimsoll_set_strategy, plimsoll_set_load_model, plimsoll_set_available, plimsoll_on_migration
  public :: plimsoll_plan_objects_fortran
  public :: c_text, c_characters, fortran_text

  interface
    function plimsoll_set_default(name, value) bind(c) result(status)
      import
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int) :: status
    end function
    function plimsoll_start_fortran(recorder, communicator, argc, argv) bind(c) result(status)
      import
      type(c_ptr), intent(out) :: recorder
      integer(c_int), value :: communicator
      integer(c_int), intent(inout) :: argc
      type(c_ptr), intent(inout) :: argv(*)
      integer(c_int) :: status
    end function
    function plimsoll_next_phase(recorder, summary) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      type(c_ptr), value :: summary
      integer(c_int) :: status
    end function
    function plimsoll_finish(recorder) bind(c) result(status)
      import
      type(c_ptr), intent(inout) :: recorder
      integer(c_int) :: status
    end function
    function plimsoll_error_message() bind(c) result(text)
      import
      type(c_ptr) :: text
    end function

    function plimsoll_add_collection(recorder) bind(c) result(collection)
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t) :: collection
    end function
    function plimsoll_register(recorder, dimensions, index, spec) bind(c) result(object)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: index(*)
      type(plimsoll_object_spec), intent(in) :: spec
      type(plimsoll_object_handle) :: object
    end function
    function plimsoll_register_id(recorder, id, dimensions, index, spec) bind(c) result(object)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: id
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: index(*)
      type(plimsoll_object_spec), intent(in) :: spec
      type(plimsoll_object_handle) :: object
    end function
    function plimsoll_register_group(recorder) bind(c) result(object)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle) :: object
    end function
    subroutine plimsoll_remove(recorder, object) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
    end subroutine
    function plimsoll_rank_object(recorder) bind(c) result(object)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle) :: object
    end function
    function plimsoll_id_of(recorder, object) bind(c) result(id)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      type(plimsoll_object_id) :: id
    end function
    function plimsoll_find(recorder, id) bind(c) result(object)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: id
      type(plimsoll_object_handle) :: object
    end function
    function plimsoll_make_id(home, number, migratable) bind(c) result(id)
      import
      integer(c_int), value :: home
      integer(c_int64_t), value :: number
      integer(c_int), value :: migratable
      type(plimsoll_object_id) :: id
    end function
    function plimsoll_number_of(id) bind(c) result(number)
      import
      type(plimsoll_object_id), value :: id
      integer(c_int64_t) :: number
    end function

    function plimsoll_rank_object_id(rank) bind(c) result(id)
      import
      integer(c_int), value :: rank
      type(plimsoll_object_id) :: id
    end function
    subroutine plimsoll_set_objects(recorder, count, ids, spec, objects) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t), value :: count
      type(plimsoll_object_id), intent(in) :: ids(*)
      type(plimsoll_object_spec), intent(in) :: spec
      type(plimsoll_object_handle), intent(inout) :: objects(*)
    end subroutine
    subroutine plimsoll_inherit(recorder, parent, child, share) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: parent, child
      real(c_double), value :: share
    end subroutine
    subroutine plimsoll_set_position(recorder, object, dimensions, position) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      integer(c_int), value :: dimensions
      real(c_double), intent(in) :: position(*)
    end subroutine

    subroutine plimsoll_set_migratable(recorder, object, migratable) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      integer(c_int), value :: migratable
    end subroutine
    subroutine plimsoll_set_measured(recorder, object, measured) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      integer(c_int), value :: measured
    end subroutine

    subroutine plimsoll_begin(recorder, object) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
    end subroutine
    subroutine plimsoll_end(recorder, object) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
    end subroutine
    subroutine plimsoll_begin_idle(recorder) bind(c)
      import
      type(c_ptr), value :: recorder
    end subroutine
    subroutine plimsoll_end_idle(recorder) bind(c)
      import
      type(c_ptr), value :: recorder
    end subroutine
    subroutine plimsoll_add_time(recorder, object, time_s) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      real(c_double), value :: time_s
    end subroutine
    subroutine plimsoll_set_obj_time(recorder, object, time_s) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      real(c_double), value :: time_s
    end subroutine
    function plimsoll_get_obj_time(recorder, object) bind(c) result(time_s)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
      real(c_double) :: time_s
    end function
    subroutine plimsoll_user_set_lb_load(recorder, model, context) bind(c)
      import
      type(c_ptr), value :: recorder
      type(c_funptr), value :: model
      type(c_ptr), value :: context
    end subroutine
    subroutine plimsoll_set_subphase(recorder, subphase) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: subphase
    end subroutine
    subroutine plimsoll_leave_subphase(recorder) bind(c)
      import
      type(c_ptr), value :: recorder
    end subroutine
    subroutine plimsoll_instrument(recorder, on) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: on
    end subroutine

    subroutine plimsoll_message(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: from, to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_message_to_rank(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: from
      integer(c_int), value :: to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_message_from_rank(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: from
      type(plimsoll_object_id), value :: to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_broadcast(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: from, to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_broadcast_to_rank(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_id), value :: from
      integer(c_int), value :: to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_broadcast_from_rank(recorder, from, to, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: from
      type(plimsoll_object_id), value :: to
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine plimsoll_writable_shared(recorder, home, block, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: home
      integer(c_int64_t), value :: block, bytes
    end subroutine
    subroutine plimsoll_read_only_shared(recorder, home, block, bytes) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: home
      integer(c_int64_t), value :: block, bytes
    end subroutine
    subroutine plimsoll_record_edge(recorder, category, from, to, bytes, messages) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: category
      integer(c_int64_t), value :: from, to, bytes, messages
    end subroutine

    subroutine plimsoll_set_integer(recorder, place, object, name, value) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
    end subroutine
    subroutine plimsoll_set_real(recorder, place, object, name, value) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end subroutine
    subroutine plimsoll_set_text(recorder, place, object, name, value) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*), value(*)
    end subroutine
    function plimsoll_get_integer(recorder, place, object, name, value) bind(c) result(found)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: value
      integer(c_int) :: found
    end function
    function plimsoll_get_real(recorder, place, object, name, value) bind(c) result(found)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(inout) :: value
      integer(c_int) :: found
    end function
    subroutine plimsoll_remove_value(recorder, place, object, name) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: place
      type(plimsoll_object_handle), value :: object
      character(kind=c_char), intent(in) :: name(*)
    end subroutine

    subroutine plimsoll_remove_all_values(recorder, object) bind(c)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_object_handle), value :: object
    end subroutine

    subroutine plimsoll_on_phase_end(recorder, hook, context) bind(c)
      import
      type(c_ptr), value :: recorder
      type(c_funptr), value :: hook
      type(c_ptr), value :: context
    end subroutine
    subroutine plimsoll_on_phase_start(recorder, hook, context) bind(c)
      import
      type(c_ptr), value :: recorder
      type(c_funptr), value :: hook
      type(c_ptr), value :: context
    end subroutine
    function plimsoll_phase(recorder) bind(c) result(phase)
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t) :: phase
    end function
    function plimsoll_data_files(recorder) bind(c) result(text)
      import
      type(c_ptr), value :: recorder
      type(c_ptr) :: text
    end function

    function plimsoll_start_balancer(recorder) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      integer(c_int) :: status
    end function
    function plimsoll_balance_at_phase_ends(recorder, transport) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_c_transport), intent(in) :: transport
      integer(c_int) :: status
    end function
    function plimsoll_plan(recorder, strategy, plan) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      type(c_ptr), value :: strategy
      type(plimsoll_c_plan), intent(inout) :: plan
      integer(c_int) :: status
    end function
    subroutine plimsoll_free_plan(plan) bind(c)
      import
      type(plimsoll_c_plan), intent(inout) :: plan
    end subroutine
    subroutine plimsoll_request_migrations(recorder, count, moves) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t), value :: count
      type(plimsoll_move), intent(in) :: moves(*)
    end subroutine
    function plimsoll_moved(recorder, plan) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_c_plan), intent(in) :: plan
      integer(c_int) :: status
    end function
    function plimsoll_migrate(recorder, plan, transport) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      type(plimsoll_c_plan), intent(in) :: plan
      type(plimsoll_c_transport), intent(in) :: transport
      integer(c_int) :: status
    end function
    function plimsoll_owner(recorder, count, ids, ranks) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t), value :: count
      type(plimsoll_object_id), intent(in) :: ids(*)
      integer(c_int), intent(inout) :: ranks(*)
      integer(c_int) :: status
    end function
    function plimsoll_set_strategy(recorder, strategy) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      character(kind=c_char), intent(in) :: strategy(*)
      integer(c_int) :: status
    end function
    function plimsoll_set_load_model(recorder, model) bind(c) result(status)
      import
      type(c_ptr), value :: recorder
      character(kind=c_char), intent(in) :: model(*)
      integer(c_int) :: status
    end function
    subroutine plimsoll_set_available(recorder, available) bind(c)
      import
      type(c_ptr), value :: recorder
      integer(c_int), value :: available
    end subroutine
    subroutine plimsoll_on_migration(recorder, hook, context) bind(c)
      import
      type(c_ptr), value :: recorder
      type(c_funptr), value :: hook
      type(c_ptr), value :: context
    end subroutine
    function plimsoll_plan_objects_fortran(communicator, input, strategy, plan) bind(c) result(status)
      import
      integer(c_int), value :: communicator
      type(plimsoll_c_plan_input), intent(in) :: input
      character(kind=c_char), intent(in) :: strategy(*)
      type(plimsoll_c_plan), intent(inout) :: plan
      integer(c_int) :: status
    end function

    ! Counts the characters of a C string before its null character, with strlen() of the C library.
    function string_length(text) bind(c, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  pure function c_text(text)
    character(*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: c_text
    c_text = trim(text)//c_null_char
  end function

  ! Returns the same as an array, whose address C functions can receive.
  pure function c_characters(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: characters(:)
    allocate (characters(len_trim(text) + 1))
    characters = transfer(c_text(text), characters)
  end function

  function fortran_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(text, characters, [string_length(text)])
    allocate (character(size(characters)) :: copy)
    do i = 1, size(characters)
      copy(i:i) = characters(i)
    end do
  end function
end module
