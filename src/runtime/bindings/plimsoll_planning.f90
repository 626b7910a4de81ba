! Plans of migrations, and planning without a recorder, from the loads that a program knows:
!
!     call plimsoll_plan_objects(MPI_COMM_WORLD, ids, loads_s, "RefineLB", plan, stat)
!
! This mirrors plimsoll::plan(); its header <plimsoll/runtime/plan.hpp> contains the details. Module plimsoll includes
! this module.
module plimsoll_planning
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use plimsoll_c
  use plimsoll_text
  implicit none
  private
  public :: plimsoll_migration_plan, plimsoll_plan_objects
  ! For Plimsoll's modules only.
  public :: plan_view, copy_plan, take_plan, view_plan

  ! Migrations that a strategy decided on. Each rank has its own exports and imports; the other components are the same
  ! on all ranks. Times are in seconds.
  type :: plimsoll_migration_plan
    integer(int64) :: moves = 0 ! number of objects that migrate, over all ranks
    type(plimsoll_move), allocatable :: exports(:) ! objects that leave this rank
    type(plimsoll_move), allocatable :: imports(:) ! objects that come to this rank, by the rank that they leave
    real(real64) :: max_time_before_s = 0 ! predicted maximum time of a rank without the migrations
    real(real64) :: max_time_after_s = 0 ! predicted maximum time of a rank with them
    real(real64) :: mean_time_s = 0 ! predicted mean time of the ranks
    real(real64) :: decision_s = 0 ! time to gather the loads, decide, and distribute the decision
    character(:), allocatable :: strategy ! strategy that decided; empty if none ran
    character(:), allocatable :: remark ! why a strategy missed its target, or why nothing migrates; may be empty
  end type

  ! A plan of the program in the form of the C library.
  type :: plan_view
    type(plimsoll_c_plan) :: c
    character(kind=c_char), allocatable :: strategy(:), remark(:)
  end type

contains

  ! Plans migrations of a program that does not use a recorder, with a strategy such as "RefineLB". Collective over the
  ! communicator, a handle as in module mpi. The arrays describe the objects of this rank:
  ! - ids: any numbers that are unique over all ranks; in the plan, they are the numbers of the objects
  ! - loads_s: expected load of each object
  ! - migratable: whether an object may migrate; .true. if absent
  ! - positions: coordinates (1, 2 or 3 rows) of each object (columns)
  ! - sizes_bytes: packed size of each object
  ! - edges: messages between objects on any ranks, each recorded on one rank only
  ! The other arguments describe this rank: background_s is its load that belongs to no object, speed its relative
  ! speed, 1 if absent, and available whether objects may be placed on it, .true. if absent.
  !
  ! It is an error (2) if the strategy is invalid, if an array that it needs is missing, or if an array does not have
  ! one value per object.
  subroutine plimsoll_plan_objects(communicator, ids, loads_s, strategy, migrations, stat, migratable, positions, &
                                   sizes_bytes, edges, background_s, speed, available)
    integer, intent(in) :: communicator
    integer(int64), intent(in), contiguous, target :: ids(:)
    real(real64), intent(in), contiguous, target :: loads_s(:)
    character(*), intent(in) :: strategy
    type(plimsoll_migration_plan), intent(out) :: migrations
    integer, intent(out) :: stat
    logical, intent(in), optional :: migratable(:)
    real(real64), intent(in), contiguous, target, optional :: positions(:, :)
    real(real64), intent(in), contiguous, target, optional :: sizes_bytes(:)
    type(plimsoll_edge), intent(in), contiguous, target, optional :: edges(:)
    real(real64), intent(in), optional :: background_s, speed
    logical, intent(in), optional :: available
    integer(int8), allocatable, target :: flags(:)
    type(plimsoll_c_plan_input) :: input
    type(plimsoll_c_plan) :: c_plan
    logical :: fits
    fits = size(loads_s) == size(ids)
    input%count = size(ids, kind=c_int64_t)
    input%ids = c_loc(ids)
    input%loads_s = c_loc(loads_s)
    if (present(migratable)) then
      fits = fits .and. size(migratable) == size(ids)
      allocate (flags(size(migratable)))
      flags = merge(1_int8, 0_int8, migratable)
      input%migratable = c_loc(flags)
    end if
    if (present(positions)) then
      fits = fits .and. size(positions, 2) == size(ids)
      input%axes = size(positions, 1, kind=c_int64_t)
      input%positions = c_loc(positions)
    end if
    if (present(sizes_bytes)) then
      fits = fits .and. size(sizes_bytes) == size(ids)
      input%sizes_bytes = c_loc(sizes_bytes)
    end if
    if (present(edges)) then
      input%edge_count = size(edges, kind=c_int64_t)
      input%edges = c_loc(edges)
    end if
    if (present(background_s)) input%background_s = background_s
    if (present(speed)) input%speed = speed
    if (present(available)) input%available = merge(1, 0, available)
    if (.not. fits) input%loads_s = c_null_ptr ! so that all ranks receive an error
    stat = plimsoll_plan_objects_fortran(communicator, input, c_text(strategy), c_plan)
    call take_plan(c_plan, migrations)
  end subroutine

  ! --- Between Fortran and C ------------------------------------------------------------------------------------------

  ! Copies a plan of the C library, and frees it.
  subroutine take_plan(c_plan, copy)
    type(plimsoll_c_plan), intent(inout) :: c_plan
    type(plimsoll_migration_plan), intent(out) :: copy
    call copy_plan(c_plan, copy)
    call plimsoll_free_plan(c_plan)
  end subroutine

  subroutine copy_plan(c_plan, copy)
    type(plimsoll_c_plan), intent(in) :: c_plan
    type(plimsoll_migration_plan), intent(out) :: copy
    copy%moves = c_plan%moves
    copy%exports = moves_of(c_plan%exports, c_plan%export_count)
    copy%imports = moves_of(c_plan%imports, c_plan%import_count)
    copy%max_time_before_s = c_plan%max_time_before_s
    copy%max_time_after_s = c_plan%max_time_after_s
    copy%mean_time_s = c_plan%mean_time_s
    copy%decision_s = c_plan%decision_s
    copy%strategy = ""
    copy%remark = ""
    if (c_associated(c_plan%strategy)) copy%strategy = fortran_text(c_plan%strategy)
    if (c_associated(c_plan%remark)) copy%remark = fortran_text(c_plan%remark)
  end subroutine

  function moves_of(moves, count) result(copy)
    type(c_ptr), intent(in) :: moves
    integer(c_int64_t), intent(in) :: count
    type(plimsoll_move), allocatable :: copy(:)
    type(plimsoll_move), pointer :: view(:)
    allocate (copy(count))
    if (count == 0) return
    call c_f_pointer(moves, view, [count])
    copy = view
  end function

  ! Makes a plan for the C library, which refers to the arrays of `migrations` and to the texts of the view.
  subroutine view_plan(migrations, view)
    type(plimsoll_migration_plan), intent(in), target :: migrations
    type(plan_view), intent(out), target :: view
    view%c%moves = migrations%moves
    if (allocated(migrations%exports)) then
      view%c%export_count = size(migrations%exports, kind=c_int64_t)
      view%c%exports = c_loc(migrations%exports)
    end if
    if (allocated(migrations%imports)) then
      view%c%import_count = size(migrations%imports, kind=c_int64_t)
      view%c%imports = c_loc(migrations%imports)
    end if
    view%c%max_time_before_s = migrations%max_time_before_s
    view%c%max_time_after_s = migrations%max_time_after_s
    view%c%mean_time_s = migrations%mean_time_s
    view%c%decision_s = migrations%decision_s
    if (allocated(migrations%strategy)) then
      view%strategy = c_characters(migrations%strategy)
      view%c%strategy = c_loc(view%strategy)
    end if
    if (allocated(migrations%remark)) then
      view%remark = c_characters(migrations%remark)
      view%c%remark = c_loc(view%remark)
    end if
  end subroutine
end module
