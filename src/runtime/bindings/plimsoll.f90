! Fortran 2008 interface of Plimsoll: measures the load and the messages of an MPI program's objects, phase by phase,
! writes both to LB data files, and balances the load. It mirrors the C++ class plimsoll::LoadRecorder; its header
! <plimsoll/runtime/load_recorder.hpp> contains the details. Module plimsoll_balancing, which this module includes,
! describes the balancing.
!
!     use plimsoll
!     type(plimsoll_load_recorder) :: recorder
!     type(plimsoll_object_handle) :: block
!     call recorder%start(MPI_COMM_WORLD, stat) ! with mpi_f08: MPI_COMM_WORLD%MPI_VAL
!     if (stat /= 0) error stop
!     block = recorder%register_object([3])
!     do step = 1, steps
!       call recorder%begin_work(block)
!       call compute()
!       call recorder%end_work(block)
!       call recorder%next_phase(stat)
!       if (stat /= 0) error stop
!     end do
!     call recorder%finish(stat)
!
! Errors. start, next_phase and finish are collective and return a `stat`, the same on all ranks: 0 on success, 1 (bad
! input), 2 (wrong usage) or 3 (system error). After an error, recorder%error_message() returns the message. If the
! program does not call it before its next call of such a procedure, or before it ends, the error is unchecked: rank 0
! prints the message. `stat` is not optional, because a library should not stop a program. The other procedures report
! their errors at the next phase end. Before start and after finish they do nothing.
!
! Threads. Use a recorder from one thread only: the one that calls MPI. Do not copy recorders.
module plimsoll
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use plimsoll_balancing
  use plimsoll_c, c_region_begin => plimsoll_region_begin, c_region_end => plimsoll_region_end
  use plimsoll_planning
  use plimsoll_text
  implicit none
  private
  ! Public names begin with plimsoll_, so that they do not conflict with names of the program.
  public :: plimsoll_load_recorder, plimsoll_object_handle, plimsoll_object_id, plimsoll_phase_summary
  public :: operator(==), operator(/=)
  public :: plimsoll_region_begin, plimsoll_region_end
  public :: plimsoll_make_object_id, plimsoll_object_number, plimsoll_rank_object_id
  public :: plimsoll_load_model, plimsoll_phase_end_hook, plimsoll_phase_start_hook
  public :: plimsoll_migration_plan, plimsoll_move, plimsoll_edge, plimsoll_plan_objects
  public :: plimsoll_size_of_object, plimsoll_pack_object, plimsoll_unpack_object, plimsoll_remove_object
  public :: plimsoll_migration_hook
  public :: plimsoll_category_send_recv, plimsoll_category_collection_to_node, plimsoll_category_node_to_collection
  public :: plimsoll_category_broadcast, plimsoll_category_collection_to_node_bcast
  public :: plimsoll_category_node_to_collection_bcast, plimsoll_category_collective_to_collection_bcast
  public :: plimsoll_category_local_invoke, plimsoll_category_write_shared, plimsoll_category_read_only_shared

  type(plimsoll_object_handle), parameter :: no_object = plimsoll_object_handle()

  interface operator(==)
    module procedure same_object, same_id
  end interface
  interface operator(/=)
    module procedure different_objects, different_ids
  end interface

  ! Generic names, because gfortran confuses procedures with those of C that have the same name.
  interface plimsoll_region_begin
    module procedure region_begin
  end interface
  interface plimsoll_region_end
    module procedure region_end
  end interface

  ! Measures the objects on this rank.
  type, extends(plimsoll_balancer) :: plimsoll_load_recorder
  contains
    procedure :: start, next_phase, finish
    procedure, nopass :: error_message, set_default

    procedure :: set_objects, inherit, set_position, set_features, get_feature_cost
    procedure :: user_set_lb_load, data_files, on_phase_end, on_phase_start
    procedure, private :: get_int64, get_real
    generic :: get_value => get_int64, get_real

    ! The definitions of the following procedures, whose arguments are in parentheses, are derived from plimsoll.h.
    !
    ! register_object([index] [, collection] [, number] [, home] [, migratable] [, measured]) registers an object on this
    ! rank until it is removed.
    ! - index: position in its collection, integers of either kind, any number of dimensions
    ! - collection: the default collection if absent
    ! - number: unique among the objects with this home; counted if absent
    ! - home: home rank; this rank if absent
    ! - measured: .false. if the model set by user_set_lb_load provides the load
    ! register_object(id [, index] [, collection] [, measured]) registers an object that came from another rank and keeps
    ! its ID.
    procedure, private :: register_plain, register_int32, register_int64
    procedure, private :: register_id_plain, register_id_int32, register_id_int64
    generic :: register_object => register_plain, register_int32, register_int64, &
      register_id_plain, register_id_int32, register_id_int64
    ! phase() returns the number of the current phase, from 0.
    ! add_collection() returns a new collection for register_object. Collections are numbered in the order of the calls,
    ! so all ranks must create them in the same order.
    procedure :: phase, add_collection
    ! register_object_group() registers this rank's member of an object group. All ranks make their groups in the same
    ! order. Members do not migrate.
    ! remove_object(object) removes an object that has left this rank. Its measurements in this phase are kept.
    procedure :: register_object_group, remove_object
    ! set_migratable(object, migratable) sets whether strategies may migrate an object that was registered as migratable.
    ! It keeps its ID. It is an error if a plan contains an object that may not migrate.
    procedure :: set_migratable
    ! rank_object() returns the object of the rank itself, for work that belongs to no object. It always exists and is
    ! not migratable.
    ! id(object) returns the ID of an object, for messages; none for an unknown object.
    ! find(id) returns the object with an ID if it is on this rank, otherwise none.
    procedure :: rank_object, id, find

    ! begin_work(object) assigns subsequent time to this object, until the matching end_work(object). Calls may be
    ! nested: time belongs to the innermost object.
    ! begin_idle() counts subsequent time as idle, until end_idle(). Use it around waits for messages, which then do not
    ! count as work.
    procedure :: begin_work, end_work, begin_idle, end_idle
    ! add_time(object, time_s) adds time that the program measured itself, in seconds, to the load of an object in the
    ! current subphase.
    ! add_device_time(object, time_s, phase) adds time, in seconds, that the device (GPU) of this rank worked for an object.
    ! phase is phase() when the program started that work. Device times are a load dimension of their own; with the
    ! setting lb_loads=device, they are the load.
    ! set_obj_time(object, time_s) replaces the load of an object in this phase so far. Time measured later is added to
    ! the new load. get_obj_time(object) returns the load so far, in seconds.
    procedure :: add_time, add_device_time, set_obj_time, get_obj_time
    ! set_measured(object, measured) sets whether begin_work and end_work measure the load of an object, like the argument
    ! measured of register_object, in this phase as a whole and in later phases.
    procedure :: set_measured
    ! infer_loads(names, stat) infers the loads of objects from features such as "cells, particles", from now on: explains
    ! the time of each rank that belongs to no other object by a cost per feature. Collective; all ranks must pass the
    ! same names.
    ! set_pack(object, pack) assigns an object to a pack (>= 0) of this rank, such as a device, until it migrates or is
    ! assigned again. The time of its pack is that of add_pack_time(pack, time_s), not that of the rank.
    procedure :: infer_loads, set_pack, add_pack_time
    ! set_subphase(subphase) starts a subphase. Subsequent measured and added time is also assigned to this subphase,
    ! until the next subphase starts or the phase ends. After leave_subphase(), time belongs to no subphase.
    procedure :: set_subphase, leave_subphase
    ! instrument(on) switches recording on or off. While it is off, the clock is stopped, and calls cost almost nothing.
    ! Switching it off ends all open work.
    procedure :: instrument

    ! record_message(from, to, bytes) records one message between two objects, specified by ID, or between an object and
    ! any rank. Record each message once: where it is received, as vt does, or where it is sent. Record messages between
    ! objects of the same rank, too, even if the program exchanges their data without MPI: strategies otherwise do not
    ! know which objects they should keep together.
    procedure, private :: message_to_object, message_to_rank, message_from_rank
    generic :: record_message => message_to_object, message_to_rank, message_from_rank
    ! record_broadcast(from, to, bytes) records one receiver's part of a broadcast.
    procedure, private :: broadcast_to_object, broadcast_to_rank, broadcast_from_rank
    generic :: record_broadcast => broadcast_to_object, broadcast_to_rank, broadcast_from_rank
    ! add_writable_shared_id(home, block, bytes) and add_read_only_shared_id(home, block, bytes) record a shared block of
    ! memory, with a home rank, that this rank writes or reads.
    procedure :: add_writable_shared_id, add_read_only_shared_id
    ! record_edge(category, from, to, bytes, messages) records an edge of any category (plimsoll_category_send_recv ...).
    ! The category determines whether from and to are the number of a plimsoll_object_id, a rank or a shared block.
    procedure :: record_edge

    ! set_value(object, name, value [, attribute]) writes an integer, a real(real64) or a string with the object in this
    ! phase and all later ones, until it is removed. It is written to the object's user_defined, or to its attributes if
    ! attribute is .true. Trailing spaces of names and strings are removed.
    procedure, private :: set_int32, set_int64, set_real, set_text
    generic :: set_value => set_int32, set_int64, set_real, set_text
    ! set_phase_value(name, value) writes a value to user_defined of this rank's record of this phase.
    procedure, private :: set_phase_int32, set_phase_int64, set_phase_real, set_phase_text
    generic :: set_phase_value => set_phase_int32, set_phase_int64, set_phase_real, set_phase_text
    ! set_rank_value(name, value) writes a value to metadata.attributes of this rank's file. Call it before the first
    ! phase ends.
    procedure, private :: set_rank_int32, set_rank_int64, set_rank_real, set_rank_text
    generic :: set_rank_value => set_rank_int32, set_rank_int64, set_rank_real, set_rank_text
    ! remove_value(object, name [, attribute]) removes a value that set_value set. remove_all_values(object) removes all
    ! values of an object, and its position, for another object with the ID of one that was removed in this phase.
    procedure :: remove_value, remove_all_values
  end type

contains

  include 'plimsoll_load_recorder.inc'

  ! --- Start, phases, finish ----------------------------------------------------------------------------------------

  ! Sets the default of a setting for all recorders that this process starts later, e.g. ("lb_data", "true"). Arguments,
  ! environment and configuration file take precedence. Call it on all ranks with the same values. An unknown name or an
  ! invalid value is an error (2). See docs/reference/settings.md for the names.
  subroutine set_default(name, value, stat)
    character(*), intent(in) :: name, value
    integer, intent(out) :: stat
    stat = plimsoll_set_default(c_text(name), c_text(value))
  end subroutine

  ! Starts a recorder. Collective over the communicator, a handle as in module mpi. Call it after MPI_Init. Reads the
  ! command-line arguments --vt_lb_..., the environment and the configuration file, as described in
  ! docs/reference/settings.md. If a recorder is already started, it is finished first; if that fails, no recorder is
  ! started.
  subroutine start(self, communicator, stat)
    class(plimsoll_load_recorder), intent(inout) :: self
    integer, intent(in) :: communicator
    integer, intent(out) :: stat
    character(kind=c_char), allocatable, target :: text(:)
    type(c_ptr), allocatable :: argv(:)
    integer(c_int) :: argc
    if (c_associated(self%c)) then
      call finish(self, stat)
      if (stat /= 0) return
    end if
    call get_command_line(text, argv)
    argc = size(argv) - 1
    stat = plimsoll_start_fortran(self%c, communicator, argc, argv)
  end subroutine

  ! Ends the phase, writes it, and begins the next. Collective. Even after an error the phase has ended, and the program
  ! may continue; the summary is then empty.
  subroutine next_phase(self, stat, summary)
    class(plimsoll_load_recorder), intent(inout) :: self
    integer, intent(out) :: stat
    ! The summary is neither assigned nor initialised here, because it is shorter in programs built with an older
    ! module.
    type(plimsoll_phase_summary), intent(inout), target, optional :: summary
    type(c_ptr) :: filled
    filled = c_null_ptr
    if (present(summary)) filled = c_loc(summary)
    stat = plimsoll_next_phase(self%c, filled)
  end subroutine

  ! Completes the files and ends the recorder. Collective. Discards everything recorded since the last phase end. Without
  ! this call, MPI_Finalize completes the files.
  subroutine finish(self, stat)
    class(plimsoll_load_recorder), intent(inout) :: self
    integer, intent(out) :: stat
    stat = plimsoll_finish(self%c)
    call free_callbacks(self)
  end subroutine

  ! Returns the error message of the last call on this rank whose stat was not 0.
  function error_message() result(message)
    character(:), allocatable :: message
    message = fortran_text(plimsoll_error_message())
  end function

  ! Returns the paths of the LB data files that the recorder writes, with %p in place of the rank; empty if it writes
  ! none.
  function data_files(self) result(paths)
    class(plimsoll_load_recorder), intent(in) :: self
    character(:), allocatable :: paths
    paths = fortran_text(plimsoll_data_files(self%c))
  end function

  ! Registers a hook that is called at each phase end. Hooks are called in the order of registration.
  subroutine on_phase_end(self, hook)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_phase_end_hook) :: hook
    call add_callback(self)
    self%callbacks%end_hook => hook
    call plimsoll_on_phase_end(self%c, c_funloc(call_end_hook), c_loc(self%callbacks))
  end subroutine

  ! Registers a hook that is called at each phase start.
  subroutine on_phase_start(self, hook)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_phase_start_hook) :: hook
    call add_callback(self)
    self%callbacks%start_hook => hook
    call plimsoll_on_phase_start(self%c, c_funloc(call_start_hook), c_loc(self%callbacks))
  end subroutine

  ! --- Regions --------------------------------------------------------------------------------------------------------

  ! plimsoll_region_begin(name) begins a region for the profiler, `plimsoll profile --record mpi`: a part of the program,
  ! such as "solve", of which it reports times and efficiencies. Without the profiler, it does nothing. It needs no
  ! recorder. Regions nest: time belongs to the innermost one only. Call it on the thread that called MPI_Init, after
  ! MPI_Init. A program may use up to 64 names; region "other" contains the rest.
  subroutine region_begin(name)
    character(*), intent(in) :: name
    call c_region_begin(c_text(name))
  end subroutine

  ! plimsoll_region_end(name) ends the innermost region, which must have this name. Otherwise does nothing, and the profiler reports the mistake.
  subroutine region_end(name)
    character(*), intent(in) :: name
    call c_region_end(c_text(name))
  end subroutine

  ! --- Objects --------------------------------------------------------------------------------------------------------

  ! Returns the ID of an object on any rank from its home and number; none if they are out of range. `migratable` is
  ! .true. if absent.
  function plimsoll_make_object_id(home, number, migratable) result(id)
    integer, intent(in) :: home
    integer(int64), intent(in) :: number
    logical, intent(in), optional :: migratable
    type(plimsoll_object_id) :: id
    integer(c_int) :: moves
    moves = 1
    if (present(migratable)) moves = merge(1, 0, migratable)
    id = plimsoll_make_id(home, number, moves)
  end function

  ! Returns the number from which plimsoll_make_object_id made an ID; -1 for the ID of another kind of object.
  function plimsoll_object_number(id) result(number)
    type(plimsoll_object_id), intent(in) :: id
    integer(int64) :: number
    number = plimsoll_number_of(id)
  end function

  ! Makes `ids` the objects of the collection on this rank: removes its objects that are not in `ids`, and registers
  ! those that are new, like register_object(id). Returns the objects in the order of `ids`.
  function set_objects(self, ids, collection, measured) result(objects)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: ids(:)
    integer(int64), intent(in), optional :: collection
    logical, intent(in), optional :: measured
    type(plimsoll_object_handle) :: objects(size(ids))
    type(plimsoll_object_spec) :: spec
    if (present(collection)) spec%collection = collection
    if (present(measured)) spec%measured = merge(1, 0, measured)
    objects = no_object
    call plimsoll_set_objects(self%c, size(ids, kind=c_int64_t), ids, spec, objects)
  end function

  ! Passes `share` of the history of an object to an object that replaces all or part of it, and the parent's position
  ! and values that the child does not have. `share` is 1 if absent. A child of several parents gets the sum. Call it
  ! when the child is registered, before the parent is removed, at the beginning of a phase.
  subroutine inherit(self, parent, child, share)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: parent, child
    real(real64), intent(in), optional :: share
    real(real64) :: part
    part = 1
    if (present(share)) part = share
    call plimsoll_inherit(self%c, parent, child, part)
  end subroutine

  ! Sets the coordinates of an object, for strategies that use geometry. All objects of this rank must have the same
  ! number of coordinates: 1, 2 or 3.
  subroutine set_position(self, object, position)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    real(real64), intent(in) :: position(:)
    call plimsoll_set_position(self%c, object, size(position), position)
  end subroutine

  ! Sets the features of an object, in the order of infer_loads, until they are set again. They are between 0 and
  ! 1e100, and migrate along. An object without features keeps its measured load.
  subroutine set_features(self, object, features)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    real(real64), intent(in) :: features(:)
    call plimsoll_set_features(self%c, object, size(features), features)
  end subroutine

  ! Reads the seconds per unit of a feature and their standard error, as inferred at the last phase end. If they are
  ! unknown, `found` is .false., and the others remain unchanged.
  subroutine get_feature_cost(self, name, cost_s, error_s, found)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(inout) :: cost_s, error_s
    logical, intent(out) :: found
    found = plimsoll_get_feature_cost(self%c, c_text(name), cost_s, error_s) == 1
  end subroutine

  ! --- Work -------------------------------------------------------------------------------------------------------------

  ! Sets the load model, which is called at each phase end for each object that is not measured. It
  ! replaces the previous one. Like hooks, it must still exist when it is called: use a module procedure, or an internal
  ! procedure whose host is active.
  subroutine user_set_lb_load(self, model)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_load_model) :: model
    call add_callback(self)
    self%callbacks%model => model
    call plimsoll_user_set_lb_load(self%c, c_funloc(call_model), c_loc(self%callbacks))
  end subroutine

  ! --- User-defined values ----------------------------------------------------------------------------------------------

  ! get_value(object, name, value, found [, attribute]) reads an integer(int64), or a real(real64) from a number or an
  ! integer, that set_value set, also on another rank from which the object has come. If the object has no value of this
  ! name and type, found is .false. and value stays as it is.
  subroutine get_int64(self, object, name, value, found, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    integer(int64), intent(inout) :: value
    logical, intent(out) :: found
    logical, intent(in), optional :: attribute
    found = plimsoll_get_integer(self%c, place(attribute), object, c_text(name), value) == 1
  end subroutine

  subroutine get_real(self, object, name, value, found, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    real(real64), intent(inout) :: value
    logical, intent(out) :: found
    logical, intent(in), optional :: attribute
    found = plimsoll_get_real(self%c, place(attribute), object, c_text(name), value) == 1
  end subroutine

  ! --- Handles ----------------------------------------------------------------------------------------------------------

  elemental function same_object(left, right) result(same)
    type(plimsoll_object_handle), intent(in) :: left, right
    logical :: same
    same = left%number == right%number
  end function

  elemental function different_objects(left, right) result(different)
    type(plimsoll_object_handle), intent(in) :: left, right
    logical :: different
    different = left%number /= right%number
  end function

  elemental function same_id(left, right) result(same)
    type(plimsoll_object_id), intent(in) :: left, right
    logical :: same
    same = left%number == right%number
  end function

  elemental function different_ids(left, right) result(different)
    type(plimsoll_object_id), intent(in) :: left, right
    logical :: different
    different = left%number /= right%number
  end function

  ! --- Between Fortran and C ------------------------------------------------------------------------------------------

  pure function place(attribute)
    logical, intent(in), optional :: attribute
    integer(c_int) :: place
    place = plimsoll_place_user_defined
    if (present(attribute)) place = merge(plimsoll_place_attributes, plimsoll_place_user_defined, attribute)
  end function

  ! Builds argv as in C, with a null pointer at its end; `text` contains the words.
  subroutine get_command_line(text, argv)
    character(kind=c_char), allocatable, target, intent(out) :: text(:)
    type(c_ptr), allocatable, intent(out) :: argv(:)
    character(:), allocatable :: word
    integer :: argument, i, length, longest
    longest = 0
    do argument = 0, command_argument_count()
      call get_command_argument(argument, length=length)
      longest = max(longest, length)
    end do
    allocate (text((longest + 1)*(command_argument_count() + 1)), argv(command_argument_count() + 2))
    allocate (character(longest) :: word)
    text = c_null_char
    do argument = 0, command_argument_count()
      call get_command_argument(argument, word, length)
      do i = 1, length
        text(argument*(longest + 1) + i) = word(i:i)
      end do
      argv(argument + 1) = c_loc(text(argument*(longest + 1) + 1))
    end do
    argv(size(argv)) = c_null_ptr
  end subroutine

  function call_model(object, context) bind(c, name="") result(time_s)
    type(plimsoll_object_handle), value :: object
    type(c_ptr), value :: context
    real(c_double) :: time_s
    type(callback), pointer :: called
    call c_f_pointer(context, called)
    time_s = called%model(object)
  end function

  subroutine call_end_hook(summary, context) bind(c, name="")
    type(plimsoll_phase_summary), intent(in) :: summary
    type(c_ptr), value :: context
    type(callback), pointer :: called
    call c_f_pointer(context, called)
    call called%end_hook(summary)
  end subroutine

  subroutine call_start_hook(phase, context) bind(c, name="")
    integer(c_int64_t), value :: phase
    type(c_ptr), value :: context
    type(callback), pointer :: called
    call c_f_pointer(context, called)
    call called%start_hook(phase)
  end subroutine
end module
