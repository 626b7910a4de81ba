! Balancing of an MPI program while it runs. These procedures belong to plimsoll_load_recorder of module plimsoll, which
! includes this module. They mirror the C++ class plimsoll::Balancer; its header <plimsoll/runtime/balancer.hpp> contains
! the details. The settings of the recorder choose the strategy: --vt_lb --vt_lb_name=RefineLB.
!
! Either the recorder also migrates the program's objects, at each phase end at which this pays:
!
!     call recorder%start_balancer(stat)
!     call recorder%balance_at_phase_ends(size_of_block, pack_block, unpack_block, remove_block, stat)
!     ...
!     call recorder%next_phase(stat) ! may call these procedures
!
! Or the program migrates them with its own messages, at the beginning of a phase:
!
!     type(plimsoll_migration_plan) :: plan
!     call recorder%next_phase(stat)
!     call recorder%plan(plan, stat)
!     if (plan%moves > 0) then
!       call send_and_receive(plan%exports, plan%imports)
!       call recorder%moved(plan, stat)
!     end if
!
! A migrated object keeps its ID, user-defined values, position and load history. A plimsoll_object_handle is valid on
! one rank only: after a migration, call find on the new rank. The time of these procedures belongs to no phase.
!
! Procedures with a `stat` are collective, except set_strategy and set_load_model. Procedures that the program passes
! must still exist when they are called: use module procedures, or internal procedures whose host is active.
module plimsoll_balancing
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use plimsoll_c
  use plimsoll_planning
  use plimsoll_text
  implicit none
  private
  public :: plimsoll_balancer
  public :: plimsoll_size_of_object, plimsoll_pack_object, plimsoll_unpack_object, plimsoll_remove_object
  public :: plimsoll_migration_hook
  public :: plimsoll_load_model, plimsoll_phase_end_hook, plimsoll_phase_start_hook
  public :: callback, add_callback, free_callbacks ! for Plimsoll's modules only

  ! Procedures of the program that move its objects. They must not call MPI collectively. Each function returns a number
  ! of bytes; a negative number is an error, which all ranks receive as stat 3.
  abstract interface
    ! Returns the packed size of an object on this rank.
    function plimsoll_size_of_object(object) result(size_bytes)
      import
      type(plimsoll_object_id), intent(in) :: object
      integer(int64) :: size_bytes
    end function
    ! Writes an object into `bytes`, whose size is that of the first function, and returns the number of bytes that it
    ! wrote, which must be the same. The object must remain usable.
    function plimsoll_pack_object(object, bytes) result(written)
      import
      type(plimsoll_object_id), intent(in) :: object
      integer(int8), intent(inout) :: bytes(:)
      integer(int64) :: written
    end function
    ! Creates an object on this rank, and returns the number of bytes that it read, which must be all bytes.
    function plimsoll_unpack_object(object, bytes) result(read)
      import
      type(plimsoll_object_id), intent(in) :: object
      integer(int8), intent(in) :: bytes(:)
      integer(int64) :: read
    end function
    ! Removes an object that has left this rank, or that must leave it again after an error elsewhere.
    subroutine plimsoll_remove_object(object)
      import
      type(plimsoll_object_id), intent(in) :: object
    end subroutine
    ! Called on all ranks after the migrations of a plan.
    subroutine plimsoll_migration_hook(plan)
      import
      type(plimsoll_migration_plan), intent(in) :: plan
    end subroutine

    ! Returns the load of an object, in seconds, in the phase that ends.
    function plimsoll_load_model(object) result(time_s)
      import
      type(plimsoll_object_handle), intent(in) :: object
      real(real64) :: time_s
    end function
    ! Called at each phase end with the phase's summary.
    subroutine plimsoll_phase_end_hook(summary)
      import
      type(plimsoll_phase_summary), intent(in) :: summary
    end subroutine
    ! Called at each phase start.
    subroutine plimsoll_phase_start_hook(phase)
      import
      integer(int64), intent(in) :: phase
    end subroutine
  end interface

  ! Procedures that the C library calls back; each recorder keeps a list of them.
  type :: callback
    procedure(plimsoll_size_of_object), pointer, nopass :: size_of_object => null()
    procedure(plimsoll_pack_object), pointer, nopass :: pack_object => null()
    procedure(plimsoll_unpack_object), pointer, nopass :: unpack_object => null()
    procedure(plimsoll_remove_object), pointer, nopass :: remove_object => null()
    procedure(plimsoll_migration_hook), pointer, nopass :: hook => null()
    procedure(plimsoll_load_model), pointer, nopass :: model => null()
    procedure(plimsoll_phase_end_hook), pointer, nopass :: end_hook => null()
    procedure(plimsoll_phase_start_hook), pointer, nopass :: start_hook => null()
    type(callback), pointer :: next => null()
  end type

  ! The part of plimsoll_load_recorder that balances.
  type :: plimsoll_balancer
    type(c_ptr) :: c = c_null_ptr ! the recorder in the C library, for Plimsoll's modules only
    type(callback), pointer :: callbacks => null() ! for Plimsoll's modules only
  contains
    procedure :: balance_at_phase_ends, request_migrations, plan, moved, migrate, owner, on_migration

    ! The definitions of the following procedures, whose arguments are in parentheses, are derived from plimsoll.h.
    !
    ! start_balancer(stat) starts the balancer of a recorder, before the first phase whose loads it should know; finish
    ! ends it. An invalid strategy in the settings is an error (2), and an invalid LB configuration file, too (1).
    procedure :: start_balancer
    ! set_strategy(strategy, stat) runs this strategy after every phase instead of the strategies in the settings, also
    ! if the setting lb is off. Call it on all ranks with the same strategy.
    procedure :: set_strategy
    ! set_load_model(model, stat) replaces the load model of the settings (lb_load_model), which predicts the loads of
    ! objects, such as "LinearModel(length=5)". Call it on all ranks with the same model.
    procedure :: set_load_model
    ! set_available(available) sets whether objects may be placed on this rank. If not, the next decision moves its
    ! objects away.
    procedure :: set_available
  end type

contains

  include 'plimsoll_balancer.inc'

  ! --- Balancing at phase ends ----------------------------------------------------------------------------------------

  ! From now on, balances at each phase end, and migrates objects with these procedures of the program. next_phase
  ! returns the errors of plan and migrate; after an error, the program may continue.
  subroutine balance_at_phase_ends(self, size_of_object, pack_object, unpack_object, remove_object, stat)
    class(plimsoll_balancer), intent(inout) :: self
    procedure(plimsoll_size_of_object) :: size_of_object
    procedure(plimsoll_pack_object) :: pack_object
    procedure(plimsoll_unpack_object) :: unpack_object
    procedure(plimsoll_remove_object) :: remove_object
    integer, intent(out) :: stat
    call add_callback(self)
    self%callbacks%size_of_object => size_of_object
    self%callbacks%pack_object => pack_object
    self%callbacks%unpack_object => unpack_object
    self%callbacks%remove_object => remove_object
    stat = plimsoll_balance_at_phase_ends(self%c, c_transport(self%callbacks))
  end subroutine

  ! Requests that objects of this rank migrate at the end of this phase to the ranks `to` of their moves, along with those
  ! that a strategy moves. A request replaces what the strategy decides for its object; a request for its current rank
  ! keeps it there. Requires balance_at_phase_ends. A second call in the same phase replaces the first. If any rank has an
  ! error in the phase, the requests are dropped. next_phase returns an error (2) for a rank that is out of range, and for
  ! an object that is not on this rank or not migratable.
  subroutine request_migrations(self, moves)
    class(plimsoll_balancer), intent(inout) :: self
    type(plimsoll_move), intent(in) :: moves(:)
    call plimsoll_request_migrations(self%c, size(moves, kind=c_int64_t), moves)
  end subroutine

  ! Registers a hook that is called on all ranks after objects have migrated. Call it on all ranks.
  subroutine on_migration(self, hook)
    class(plimsoll_balancer), intent(inout) :: self
    procedure(plimsoll_migration_hook) :: hook
    call add_callback(self)
    self%callbacks%hook => hook
    call plimsoll_on_migration(self%c, c_funloc(call_hook), c_loc(self%callbacks))
  end subroutine

  ! --- Decisions of the program ---------------------------------------------------------------------------------------

  ! Plans migrations from the phase that has ended last. Without a strategy, the settings decide: the plan is empty if
  ! they select no strategy for that phase, or if migrating does not pay (setting lb_when). Otherwise the strategy, such
  ! as "RefineLB(tolerance=1.02)", decides, whether or not migrating pays. After an error, the plan is empty.
  subroutine plan(self, migrations, stat, strategy)
    class(plimsoll_balancer), intent(inout) :: self
    type(plimsoll_migration_plan), intent(out) :: migrations
    integer, intent(out) :: stat
    character(*), intent(in), optional :: strategy
    character(kind=c_char), allocatable, target :: text(:)
    type(plimsoll_c_plan) :: c_plan
    type(c_ptr) :: c_strategy
    c_strategy = c_null_ptr
    if (present(strategy)) then
      allocate (text, source=c_characters(strategy))
      c_strategy = c_loc(text)
    end if
    stat = plimsoll_plan(self%c, c_strategy, c_plan)
    call take_plan(c_plan, migrations)
  end subroutine

  ! Tells the recorder that the program has moved the objects of a plan. It is an error (2) if an object is not
  ! registered on the rank that it leaves, not migratable, or being measured.
  subroutine moved(self, migrations, stat)
    class(plimsoll_balancer), intent(inout) :: self
    type(plimsoll_migration_plan), intent(in), target :: migrations
    integer, intent(out) :: stat
    type(plan_view), target :: view
    call view_plan(migrations, view)
    stat = plimsoll_moved(self%c, view%c)
  end subroutine

  ! Moves the objects of a plan with these procedures of the program, and tells the recorder.
  subroutine migrate(self, migrations, size_of_object, pack_object, unpack_object, remove_object, stat)
    class(plimsoll_balancer), intent(inout) :: self
    type(plimsoll_migration_plan), intent(in), target :: migrations
    procedure(plimsoll_size_of_object) :: size_of_object
    procedure(plimsoll_pack_object) :: pack_object
    procedure(plimsoll_unpack_object) :: unpack_object
    procedure(plimsoll_remove_object) :: remove_object
    integer, intent(out) :: stat
    type(plan_view), target :: view
    type(callback), target :: functions
    call view_plan(migrations, view)
    functions%size_of_object => size_of_object
    functions%pack_object => pack_object
    functions%unpack_object => unpack_object
    functions%remove_object => remove_object
    stat = plimsoll_migrate(self%c, view%c, c_transport(functions))
  end subroutine

  ! Returns the rank of each object, or -1 if it is registered on no rank. Ranks may ask for different objects, or none.
  ! It is an error (2) if two ranks have registered one object.
  subroutine owner(self, ids, ranks, stat)
    class(plimsoll_balancer), intent(inout) :: self
    type(plimsoll_object_id), intent(in) :: ids(:)
    integer, allocatable, intent(out) :: ranks(:)
    integer, intent(out) :: stat
    allocate (ranks(size(ids)), source=-1)
    stat = plimsoll_owner(self%c, size(ids, kind=c_int64_t), ids, ranks)
  end subroutine

  ! --- Between Fortran and C ------------------------------------------------------------------------------------------

  subroutine add_callback(self)
    class(plimsoll_balancer), intent(inout) :: self
    type(callback), pointer :: added
    allocate (added)
    added%next => self%callbacks
    self%callbacks => added
  end subroutine

  ! Frees the list when the recorder finishes.
  subroutine free_callbacks(self)
    class(plimsoll_balancer), intent(inout) :: self
    type(callback), pointer :: next
    do while (associated(self%callbacks))
      next => self%callbacks%next
      deallocate (self%callbacks)
      self%callbacks => next
    end do
  end subroutine

  function c_transport(functions) result(transport)
    type(callback), intent(in), target :: functions
    type(plimsoll_c_transport) :: transport
    transport%context = c_loc(functions)
    transport%size_bytes = c_funloc(call_size_of_object)
    transport%pack = c_funloc(call_pack_object)
    transport%unpack = c_funloc(call_unpack_object)
    transport%remove = c_funloc(call_remove_object)
  end function

  function call_size_of_object(object, context) bind(c, name="") result(size_bytes)
    type(plimsoll_object_id), value :: object
    type(c_ptr), value :: context
    integer(c_int64_t) :: size_bytes
    type(callback), pointer :: called
    call c_f_pointer(context, called)
    size_bytes = called%size_of_object(object)
  end function

  function call_pack_object(object, bytes, size_bytes, context) bind(c, name="") result(written)
    type(plimsoll_object_id), value :: object
    type(c_ptr), value :: bytes
    integer(c_int64_t), value :: size_bytes
    type(c_ptr), value :: context
    integer(c_int64_t) :: written
    type(callback), pointer :: called
    integer(int8), pointer, contiguous :: view(:)
    call c_f_pointer(context, called)
    call c_f_pointer(bytes, view, [size_bytes])
    written = called%pack_object(object, view)
  end function

  function call_unpack_object(object, bytes, size_bytes, context) bind(c, name="") result(read)
    type(plimsoll_object_id), value :: object
    type(c_ptr), value :: bytes
    integer(c_int64_t), value :: size_bytes
    type(c_ptr), value :: context
    integer(c_int64_t) :: read
    type(callback), pointer :: called
    integer(int8), pointer, contiguous :: view(:)
    call c_f_pointer(context, called)
    call c_f_pointer(bytes, view, [size_bytes])
    read = called%unpack_object(object, view)
  end function

  subroutine call_remove_object(object, context) bind(c, name="")
    type(plimsoll_object_id), value :: object
    type(c_ptr), value :: context
    type(callback), pointer :: called
    call c_f_pointer(context, called)
    call called%remove_object(object)
  end subroutine

  subroutine call_hook(c_plan, context) bind(c, name="")
    type(plimsoll_c_plan), intent(in) :: c_plan
    type(c_ptr), value :: context
    type(callback), pointer :: called
    type(plimsoll_migration_plan) :: copy
    call c_f_pointer(context, called)
    call copy_plan(c_plan, copy)
    call called%hook(copy)
  end subroutine
end module
