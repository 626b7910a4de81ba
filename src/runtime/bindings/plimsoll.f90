! Plimsoll from Fortran 2008: measures what the objects of an MPI program cost and what they send, phase by phase, and
! writes it to LB data files. The same as plimsoll::LoadRecorder of C++ (<plimsoll/runtime/load_recorder.hpp>), where
! everything is explained at length.
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
! Errors. start, next_phase and finish are collective and have a `stat`: 0, or else 1 (bad input), 2 (wrong usage) or 3
! (the system failed), the same on all ranks; recorder%error_message() then says what it is. It is not optional, because
! a library should not stop a program. The other procedures report what is wrong at the next phase end. Before start and
! after finish they do nothing.
!
! Threads. One thread uses a recorder: the one that calls MPI. Recorders are not to be copied.
!
! Longer than 500 lines: it is one module for its users, and submodules would declare every procedure twice.
module plimsoll
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use plimsoll_c
  implicit none
  private
  ! All public names begin with plimsoll_, so that they do not clash with those of a program.
  public :: plimsoll_load_recorder, plimsoll_object_handle, plimsoll_object_id, plimsoll_phase_summary
  public :: operator(==), operator(/=)
  public :: plimsoll_make_object_id
  public :: plimsoll_load_model, plimsoll_phase_end_hook, plimsoll_phase_start_hook
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

  abstract interface
    ! The load of an object, in seconds, in the phase that ends.
    function plimsoll_load_model(object) result(time_s)
      import
      type(plimsoll_object_handle), intent(in) :: object
      real(real64) :: time_s
    end function
    ! A phase has ended, and was like this.
    subroutine plimsoll_phase_end_hook(summary)
      import
      type(plimsoll_phase_summary), intent(in) :: summary
    end subroutine
    ! A phase begins.
    subroutine plimsoll_phase_start_hook(phase)
      import
      integer(int64), intent(in) :: phase
    end subroutine
  end interface

  ! What C calls back; each recorder keeps a list of its own.
  type :: callback
    procedure(plimsoll_load_model), pointer, nopass :: model => null()
    procedure(plimsoll_phase_end_hook), pointer, nopass :: end_hook => null()
    procedure(plimsoll_phase_start_hook), pointer, nopass :: start_hook => null()
    type(callback), pointer :: next => null()
  end type

  ! Measures the objects of this rank.
  type :: plimsoll_load_recorder
    private
    type(c_ptr) :: c = c_null_ptr
    type(callback), pointer :: callbacks => null()
  contains
    procedure :: start, next_phase, finish
    procedure, nopass :: error_message

    procedure, private :: register_plain, register_int32, register_int64
    procedure, private :: register_id_plain, register_id_int32, register_id_int64
    generic :: register_object => register_plain, register_int32, register_int64, &
      register_id_plain, register_id_int32, register_id_int64
    procedure :: add_collection, register_object_group, remove_object, rank_object, id, find

    procedure :: begin_work, end_work, begin_idle, end_idle, add_time, set_obj_time, get_obj_time
    procedure :: user_set_lb_load, set_subphase, leave_subphase, instrument

    procedure, private :: message_to_object, message_to_rank, message_from_rank
    generic :: record_message => message_to_object, message_to_rank, message_from_rank
    procedure, private :: broadcast_to_object, broadcast_to_rank, broadcast_from_rank
    generic :: record_broadcast => broadcast_to_object, broadcast_to_rank, broadcast_from_rank
    procedure :: add_writable_shared_id, add_read_only_shared_id, record_edge

    procedure, private :: set_int32, set_int64, set_real, set_text
    generic :: set_value => set_int32, set_int64, set_real, set_text
    procedure, private :: set_phase_int32, set_phase_int64, set_phase_real, set_phase_text
    generic :: set_phase_value => set_phase_int32, set_phase_int64, set_phase_real, set_phase_text
    procedure, private :: set_rank_int32, set_rank_int64, set_rank_real, set_rank_text
    generic :: set_rank_value => set_rank_int32, set_rank_int64, set_rank_real, set_rank_text
    procedure :: remove_value

    procedure :: phase, on_phase_end, on_phase_start
  end type

contains

  ! --- Start, phases, finish ----------------------------------------------------------------------------------------

  ! Collective over the communicator, a handle as in module mpi, after MPI_Init. The arguments --vt_lb_... of the
  ! command line are read, and environment and configuration file, as docs/configuration.md says. A recorder that is
  ! under way is finished first; if that fails, none is started.
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

  ! Collective: ends the phase, writes it, and begins the next. After an error the phase is over nevertheless, and the
  ! program may go on; the summary is then empty.
  subroutine next_phase(self, stat, summary)
    class(plimsoll_load_recorder), intent(inout) :: self
    integer, intent(out) :: stat
    ! Neither assigned nor initialised here: that of a program that was built with an older module is shorter.
    type(plimsoll_phase_summary), intent(inout), target, optional :: summary
    type(c_ptr) :: filled
    filled = c_null_ptr
    if (present(summary)) filled = c_loc(summary)
    stat = plimsoll_next_phase(self%c, filled)
  end subroutine

  ! Collective: ends the files and the recorder. What was recorded since the last phase end is dropped.
  subroutine finish(self, stat)
    class(plimsoll_load_recorder), intent(inout) :: self
    integer, intent(out) :: stat
    type(callback), pointer :: next
    stat = plimsoll_finish(self%c)
    do while (associated(self%callbacks))
      next => self%callbacks%next
      deallocate (self%callbacks)
      self%callbacks => next
    end do
  end subroutine

  ! Of the last call on this rank whose stat was not 0.
  function error_message() result(message)
    character(:), allocatable :: message
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: c_text
    integer :: i
    c_text = plimsoll_error_message()
    call c_f_pointer(c_text, text, [string_length(c_text)])
    allocate (character(size(text)) :: message)
    do i = 1, size(text)
      message(i:i) = text(i)
    end do
  end function

  ! The phase under way, from 0.
  function phase(self)
    class(plimsoll_load_recorder), intent(in) :: self
    integer(int64) :: phase
    phase = plimsoll_phase(self%c)
  end function

  ! The hook is called when a phase has ended; several in the order of registration.
  subroutine on_phase_end(self, hook)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_phase_end_hook) :: hook
    call add_callback(self)
    self%callbacks%end_hook => hook
    call plimsoll_on_phase_end(self%c, c_funloc(call_end_hook), c_loc(self%callbacks))
  end subroutine

  ! The hook is called when the next phase has begun.
  subroutine on_phase_start(self, hook)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_phase_start_hook) :: hook
    call add_callback(self)
    self%callbacks%start_hook => hook
    call plimsoll_on_phase_start(self%c, c_funloc(call_start_hook), c_loc(self%callbacks))
  end subroutine

  ! --- Objects --------------------------------------------------------------------------------------------------------

  ! `collection` for register_object, another than the default one: the next number, so call it in the same order on all ranks.
  function add_collection(self) result(collection)
    class(plimsoll_load_recorder), intent(in) :: self
    integer(int64) :: collection
    collection = plimsoll_add_collection(self%c)
  end function

  ! register_object([index] [, collection] [, number] [, home] [, migratable] [, measured]): an object of this rank, from
  ! now until it is removed. index: in its collection, integers of either kind, any number of dimensions. collection:
  ! the default one if absent. number: unique among the objects of this home; counted if absent. home: a rank, this one if
  ! absent. measured = .false.: user_set_lb_load gives its load.
  function register_plain(self, collection, number, home, migratable, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    integer(int64), intent(in), optional :: collection, number
    integer, intent(in), optional :: home
    logical, intent(in), optional :: migratable, measured
    type(plimsoll_object_handle) :: object
    integer(int64) :: no_index(0)
    object = register_int64(self, no_index, collection, number, home, migratable, measured)
  end function

  function register_int32(self, index, collection, number, home, migratable, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    integer(int32), intent(in) :: index(:)
    integer(int64), intent(in), optional :: collection, number
    integer, intent(in), optional :: home
    logical, intent(in), optional :: migratable, measured
    type(plimsoll_object_handle) :: object
    object = register_int64(self, int(index, int64), collection, number, home, migratable, measured)
  end function

  function register_int64(self, index, collection, number, home, migratable, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(in), optional :: collection, number
    integer, intent(in), optional :: home
    logical, intent(in), optional :: migratable, measured
    type(plimsoll_object_handle) :: object
    type(plimsoll_object_spec) :: spec
    if (present(collection)) spec%collection = collection
    if (present(number)) spec%number = number
    if (present(home)) spec%home = home
    if (present(migratable)) spec%migratable = merge(1, 0, migratable)
    if (present(measured)) spec%measured = merge(1, 0, measured)
    object = plimsoll_register(self%c, size(index), index, spec)
  end function

  ! register_object(id [, index] [, collection] [, measured]): an object that came from another rank and keeps its id.
  function register_id_plain(self, id, collection, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: id
    integer(int64), intent(in), optional :: collection
    logical, intent(in), optional :: measured
    type(plimsoll_object_handle) :: object
    integer(int64) :: no_index(0)
    object = register_id_int64(self, id, no_index, collection, measured)
  end function

  function register_id_int32(self, id, index, collection, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: id
    integer(int32), intent(in) :: index(:)
    integer(int64), intent(in), optional :: collection
    logical, intent(in), optional :: measured
    type(plimsoll_object_handle) :: object
    object = register_id_int64(self, id, int(index, int64), collection, measured)
  end function

  function register_id_int64(self, id, index, collection, measured) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: id
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(in), optional :: collection
    logical, intent(in), optional :: measured
    type(plimsoll_object_handle) :: object
    type(plimsoll_object_spec) :: spec
    if (present(collection)) spec%collection = collection
    if (present(measured)) spec%measured = merge(1, 0, measured)
    object = plimsoll_register_id(self%c, id, size(index), index, spec)
  end function

  ! This rank's member of an object group, which all ranks make in the same order. It does not migrate.
  function register_object_group(self) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle) :: object
    object = plimsoll_register_group(self%c)
  end function

  ! The object has gone. What was measured of it in this phase is kept.
  subroutine remove_object(self, object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    call plimsoll_remove(self%c, object)
  end subroutine

  ! The rank itself, for work that belongs to no object: always there, never migratable.
  function rank_object(self) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle) :: object
    object = plimsoll_rank_object(self%c)
  end function

  ! For messages; none for an unknown object.
  function id(self, object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    type(plimsoll_object_id) :: id
    id = plimsoll_id_of(self%c, object)
  end function

  ! The object of an id if it is on this rank, else none.
  function find(self, id) result(object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: id
    type(plimsoll_object_handle) :: object
    object = plimsoll_find(self%c, id)
  end function

  ! The id of an object by its home and number, wherever it is; none if they do not fit. Migratable if absent.
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

  ! --- Work -------------------------------------------------------------------------------------------------------------

  ! Time from now on is of this object, until the matching end_work. May be nested: time is of the innermost.
  subroutine begin_work(self, object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    call plimsoll_begin(self%c, object)
  end subroutine

  subroutine end_work(self, object)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    call plimsoll_end(self%c, object)
  end subroutine

  ! Time from now on is idle, until end_idle: around waits for messages, so that they do not count as work.
  subroutine begin_idle(self)
    class(plimsoll_load_recorder), intent(in) :: self
    call plimsoll_begin_idle(self%c)
  end subroutine

  subroutine end_idle(self)
    class(plimsoll_load_recorder), intent(in) :: self
    call plimsoll_end_idle(self%c)
  end subroutine

  ! Adds seconds that the program measured itself to the load of an object, in the current subphase.
  subroutine add_time(self, object, time_s)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    real(real64), intent(in) :: time_s
    call plimsoll_add_time(self%c, object, time_s)
  end subroutine

  ! Replaces the object's load of this phase so far; what is measured later comes on top.
  subroutine set_obj_time(self, object, time_s)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    real(real64), intent(in) :: time_s
    call plimsoll_set_obj_time(self%c, object, time_s)
  end subroutine

  ! The object's load of this phase so far, in seconds.
  function get_obj_time(self, object) result(time_s)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    real(real64) :: time_s
    time_s = plimsoll_get_obj_time(self%c, object)
  end function

  ! The model is asked at each phase's end for the load of each object registered with measured = .false. The last model
  ! counts. Like a hook it must still be there then: a procedure of a module, or an internal one whose host is active.
  subroutine user_set_lb_load(self, model)
    class(plimsoll_load_recorder), intent(inout) :: self
    procedure(plimsoll_load_model) :: model
    call add_callback(self)
    self%callbacks%model => model
    call plimsoll_user_set_lb_load(self%c, c_funloc(call_model), c_loc(self%callbacks))
  end subroutine

  ! Time and added time from now on are also of this subphase, until the next call or the end of the phase.
  subroutine set_subphase(self, subphase)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: subphase
    call plimsoll_set_subphase(self%c, subphase)
  end subroutine

  ! ... of none.
  subroutine leave_subphase(self)
    class(plimsoll_load_recorder), intent(in) :: self
    call plimsoll_leave_subphase(self%c)
  end subroutine

  ! .false.: nothing is recorded, the clock stands still and each call costs nearly nothing. What is open ends.
  subroutine instrument(self, on)
    class(plimsoll_load_recorder), intent(in) :: self
    logical, intent(in) :: on
    call plimsoll_instrument(self%c, merge(1, 0, on))
  end subroutine

  ! --- Messages -----------------------------------------------------------------------------------------------------

  ! record_message(from, to, bytes): a message between two objects, named by id, or between an object and a rank. Record
  ! each once, on the side of the receiver as vt does, or on that of the sender.
  subroutine message_to_object(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: from, to
    integer(int64), intent(in) :: bytes
    call plimsoll_message(self%c, from, to, bytes)
  end subroutine

  subroutine message_to_rank(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: from
    integer, intent(in) :: to
    integer(int64), intent(in) :: bytes
    call plimsoll_message_to_rank(self%c, from, to, bytes)
  end subroutine

  subroutine message_from_rank(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: from
    type(plimsoll_object_id), intent(in) :: to
    integer(int64), intent(in) :: bytes
    call plimsoll_message_from_rank(self%c, from, to, bytes)
  end subroutine

  ! record_broadcast(from, to, bytes): the part of a broadcast that one receiver got.
  subroutine broadcast_to_object(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: from, to
    integer(int64), intent(in) :: bytes
    call plimsoll_broadcast(self%c, from, to, bytes)
  end subroutine

  subroutine broadcast_to_rank(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_id), intent(in) :: from
    integer, intent(in) :: to
    integer(int64), intent(in) :: bytes
    call plimsoll_broadcast_to_rank(self%c, from, to, bytes)
  end subroutine

  subroutine broadcast_from_rank(self, from, to, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: from
    type(plimsoll_object_id), intent(in) :: to
    integer(int64), intent(in) :: bytes
    call plimsoll_broadcast_from_rank(self%c, from, to, bytes)
  end subroutine

  ! A shared block of memory, homed on a rank, that this rank writes ...
  subroutine add_writable_shared_id(self, home, block, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: home
    integer(int64), intent(in) :: block, bytes
    call plimsoll_writable_shared(self%c, home, block, bytes)
  end subroutine

  ! ... or reads.
  subroutine add_read_only_shared_id(self, home, block, bytes)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: home
    integer(int64), intent(in) :: block, bytes
    call plimsoll_read_only_shared(self%c, home, block, bytes)
  end subroutine

  ! An edge of any category (plimsoll_category_send_recv ...). What from and to are follows from it: the number of an
  ! plimsoll_object_id, of a rank, or of a shared block.
  subroutine record_edge(self, category, from, to, bytes, messages)
    class(plimsoll_load_recorder), intent(in) :: self
    integer, intent(in) :: category
    integer(int64), intent(in) :: from, to, bytes, messages
    call plimsoll_record_edge(self%c, category, from, to, bytes, messages)
  end subroutine

  ! --- Values of the program's own --------------------------------------------------------------------------------------

  ! set_value(object, name, value [, attribute]): an integer, a real(real64) or a text that stands in the file with the
  ! object in this and all later phases, until removed; in its user_defined, or in its attributes if attribute is .true.
  ! Blanks at the end of names and texts are cut off.
  subroutine set_int32(self, object, name, value, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    logical, intent(in), optional :: attribute
    call set_int64(self, object, name, int(value, int64), attribute)
  end subroutine

  subroutine set_int64(self, object, name, value, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    logical, intent(in), optional :: attribute
    call plimsoll_set_integer(self%c, place(attribute), object, c_text(name), value)
  end subroutine

  subroutine set_real(self, object, name, value, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    logical, intent(in), optional :: attribute
    call plimsoll_set_real(self%c, place(attribute), object, c_text(name), value)
  end subroutine

  subroutine set_text(self, object, name, value, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name, value
    logical, intent(in), optional :: attribute
    call plimsoll_set_text(self%c, place(attribute), object, c_text(name), c_text(value))
  end subroutine

  ! Takes out what set_value put in.
  subroutine remove_value(self, object, name, attribute)
    class(plimsoll_load_recorder), intent(in) :: self
    type(plimsoll_object_handle), intent(in) :: object
    character(*), intent(in) :: name
    logical, intent(in), optional :: attribute
    call plimsoll_remove_value(self%c, place(attribute), object, c_text(name))
  end subroutine

  ! set_phase_value(name, value): in user_defined of this phase of this rank.
  subroutine set_phase_int32(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    call set_phase_int64(self, name, int(value, int64))
  end subroutine

  subroutine set_phase_int64(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    call plimsoll_set_integer(self%c, plimsoll_place_phase, no_object, c_text(name), value)
  end subroutine

  subroutine set_phase_real(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    call plimsoll_set_real(self%c, plimsoll_place_phase, no_object, c_text(name), value)
  end subroutine

  subroutine set_phase_text(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name, value
    call plimsoll_set_text(self%c, plimsoll_place_phase, no_object, c_text(name), c_text(value))
  end subroutine

  ! set_rank_value(name, value): in metadata.attributes of this rank's file; before the first phase ends.
  subroutine set_rank_int32(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    call set_rank_int64(self, name, int(value, int64))
  end subroutine

  subroutine set_rank_int64(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    call plimsoll_set_integer(self%c, plimsoll_place_rank, no_object, c_text(name), value)
  end subroutine

  subroutine set_rank_real(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    call plimsoll_set_real(self%c, plimsoll_place_rank, no_object, c_text(name), value)
  end subroutine

  subroutine set_rank_text(self, name, value)
    class(plimsoll_load_recorder), intent(in) :: self
    character(*), intent(in) :: name, value
    call plimsoll_set_text(self%c, plimsoll_place_rank, no_object, c_text(name), c_text(value))
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

  pure function c_text(text)
    character(*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: c_text
    c_text = trim(text)//c_null_char
  end function

  pure function place(attribute)
    logical, intent(in), optional :: attribute
    integer(c_int) :: place
    place = plimsoll_place_user_defined
    if (present(attribute)) place = merge(plimsoll_place_attributes, plimsoll_place_user_defined, attribute)
  end function

  ! argv as C has it, with the null pointer at its end; the words are in `text`.
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

  subroutine add_callback(self)
    class(plimsoll_load_recorder), intent(inout) :: self
    type(callback), pointer :: added
    allocate (added)
    added%next => self%callbacks
    self%callbacks => added
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
