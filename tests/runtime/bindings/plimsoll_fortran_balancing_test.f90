! Balances the objects of a Fortran program. c_balancing_test.c is the same test in C.
module plimsoll_fortran_balancing_test
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int64, real64
  use mpi_f08
  use plimsoll
  implicit none

  integer, parameter :: object_count = 24
  real(real64), parameter :: total_load_s = 300 ! 1 + 2 + ... + 24
  integer :: failures = 0
  integer :: rank = 0
  integer :: ranks = 0
  logical :: can_pack = .true.
  integer :: hooks = 0
  integer(int64) :: hook_moves = 0

  ! All objects start on rank 0. Object k = 1, 2, ... contains k numbers, and has a load of k seconds.
  type :: content
    integer(int64), allocatable :: numbers(:) ! not allocated if the object is on another rank
  end type
  type(content) :: objects(object_count)

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

  ! Checks an error, which has the same stat on all ranks, and a part of its message.
  subroutine check_error(stat, expected, text)
    integer, intent(in) :: stat, expected
    character(*), intent(in) :: text
    type(plimsoll_load_recorder) :: recorder
    call check(stat == expected, "the stat of: "//text)
    call check(index(recorder%error_message(), text) > 0, "the message contains: "//text)
  end subroutine

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

  subroutine after_migration(plan)
    type(plimsoll_migration_plan), intent(in) :: plan
    hooks = hooks + 1
    hook_moves = hook_moves + plan%moves
    call check(plan%strategy == "GreedyLB", "the hook knows the strategy")
    call check(all(plan%exports%from == rank) .and. all(plan%imports%to == rank), "the hook knows the moves")
  end subroutine

  ! --- Tests --------------------------------------------------------------------------------------------------------------

  subroutine check_automatic_migration()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_phase_summary) :: summary
    integer :: stat, total
    call start_program(recorder, "GreedyLB")
    call recorder%start_balancer(stat)
    call check(stat == 0, "the balancer starts")
    call recorder%balance_at_phase_ends(size_of_object, pack_object, unpack_object, remove_object, stat)
    call check(stat == 0, "objects migrate at phase ends")
    call recorder%on_migration(after_migration)

    call end_phase(recorder, stat, summary)
    call check(stat == 0, "phase 0 ends")
    call check(summary%rank_load_max_s >= total_load_s, "all objects are on rank 0")
    call check((summary%migrations > 0) .eqv. ranks > 1, "the summary counts migrations")
    call check(summary%decision_s > 0, "the decision takes time")
    call check((summary%migration_s > 0) .eqv. ranks > 1, "migrations take time")
    call check(hooks == merge(1, 0, ranks > 1), "the hook is called after migrations")
    call check(hook_moves == summary%migrations, "the hook knows the number of migrations")

    call end_phase(recorder, stat, summary)
    call check(summary%rank_load_max_s < total_load_s/ranks + 12, "the load is balanced")
    total = count_objects()
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(total == object_count, "no object is lost or doubled")
    call recorder%finish(stat)
    call check(stat == 0, "the recorder finishes")
  end subroutine

  ! The program's own messages for the migrations of a plan.
  subroutine send_and_receive(plan)
    type(plimsoll_migration_plan), intent(in) :: plan
    type(MPI_Request) :: requests(size(plan%exports))
    integer :: i, k
    do i = 1, size(plan%exports)
      k = int(plimsoll_object_number(plan%exports(i)%object))
      call MPI_Isend(objects(k)%numbers, k, MPI_INTEGER8, plan%exports(i)%to, k, MPI_COMM_WORLD, requests(i))
    end do
    do i = 1, size(plan%imports)
      k = int(plimsoll_object_number(plan%imports(i)%object))
      allocate (objects(k)%numbers(k))
      call MPI_Recv(objects(k)%numbers, k, MPI_INTEGER8, plan%imports(i)%from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end do
    call MPI_Waitall(size(requests), requests, MPI_STATUSES_IGNORE)
    do i = 1, size(plan%exports)
      call remove_object(plan%exports(i)%object)
    end do
  end subroutine

  subroutine check_own_transport()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_migration_plan) :: plan
    type(plimsoll_object_id) :: none(0)
    integer, allocatable :: owners(:)
    integer :: phase, stat
    call start_program(recorder, "RotateLB")
    call recorder%start_balancer(stat)
    do phase = 0, 2
      call check(count_objects() == merge(object_count, 0, rank == mod(phase, ranks)), "objects rotate")
      call end_phase(recorder, stat)
      call recorder%plan(plan, stat)
      call check(stat == 0 .and. plan%moves == merge(object_count, 0, ranks > 1), "all objects are to migrate")
      call check(size(plan%exports) == merge(plan%moves, 0_int64, rank == mod(phase, ranks)), "exports")
      call check(size(plan%imports) == merge(plan%moves, 0_int64, rank == mod(phase + 1, ranks)), "imports")
      call check(plan%strategy == "RotateLB", "the plan names its strategy")
      call check(plan%max_time_before_s >= total_load_s, "the plan predicts the maximum")
      call check(plan%mean_time_s >= total_load_s/ranks .and. plan%decision_s > 0, "the plan contains times")
      call send_and_receive(plan)
      call recorder%moved(plan, stat)
      call check(stat == 0, "the objects have moved")

      call recorder%owner([id_of(1), id_of(7), id_of(object_count + 1)], owners, stat)
      call check(stat == 0 .and. all(owners == [mod(phase + 1, ranks), mod(phase + 1, ranks), -1]), "owners are known")
      call recorder%owner(none, owners, stat)
      call check(stat == 0 .and. size(owners) == 0, "no objects have no owners")
    end do
    call recorder%finish(stat)
  end subroutine

  subroutine check_decisions_of_program()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_migration_plan) :: plan
    integer :: stat
    call start_program(recorder, "GreedyLB")
    call recorder%start_balancer(stat)
    call recorder%set_load_model("LinearModel(length=5)", stat)
    call check(stat == 0, "the load model can be set")
    call end_phase(recorder, stat)
    call recorder%plan(plan, stat, strategy="RotateLB")
    call check(stat == 0, "the program can choose a strategy")
    call recorder%migrate(plan, size_of_object, pack_object, unpack_object, remove_object, stat)
    call check(stat == 0, "objects migrate")
    call check(count_objects() == merge(object_count, 0, rank == mod(1, ranks)), "all objects are on the next rank")

    call recorder%set_strategy("RefineLB", stat)
    call check(stat == 0, "the strategy can be set")
    call recorder%balance_at_phase_ends(size_of_object, pack_object, unpack_object, remove_object, stat)
    call recorder%set_available(rank /= 1)
    call end_phase(recorder, stat)
    call check(stat == 0, "phase 1 ends")
    if (ranks > 1 .and. rank == 1) call check(count_objects() == 0, "objects leave the rank that is not available")
    call end_phase(recorder, stat)
    call recorder%finish(stat)
  end subroutine

  subroutine check_requests_of_program()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_phase_summary) :: summary
    type(plimsoll_move) :: none(0)
    integer :: k, expected, stat
    call start_program(recorder, "RotateLB")
    call recorder%start_balancer(stat)
    call recorder%balance_at_phase_ends(size_of_object, pack_object, unpack_object, remove_object, stat)
    if (rank == 0) call recorder%request_migrations([plimsoll_move(id_of(3), 0, ranks - 1, 0), plimsoll_move(id_of(5), 0, 0, 0)])
    call end_phase(recorder, stat, summary)
    call check(stat == 0 .and. summary%migrations == merge(object_count - 1, 0, ranks > 1), "all objects but one migrate")
    do k = 1, object_count
      expected = mod(1, ranks)
      if (k == 3) expected = ranks - 1
      if (k == 5) expected = 0
      call check(allocated(objects(k)%numbers) .eqv. rank == expected, "requests replace decisions of the strategy")
    end do

    ! A fixed object stays, and a request for it is an error.
    if (rank == 0) call recorder%set_migratable(recorder%find(id_of(5)), .false.)
    call end_phase(recorder, stat)
    call check(stat == 0 .and. (allocated(objects(5)%numbers) .eqv. rank == 0), "a fixed object stays")
    if (rank == 0) call recorder%request_migrations([plimsoll_move(id_of(5), 0, ranks - 1, 0)])
    call end_phase(recorder, stat)
    if (ranks > 1) call check_error(stat, 2, "migratable")
    call check(allocated(objects(5)%numbers) .eqv. rank == 0, "a fixed object still stays")
    call recorder%request_migrations([plimsoll_move(id_of(object_count + 1), rank, 0, 0)])
    call end_phase(recorder, stat)
    call check_error(stat, 2, "is requested to migrate, but not registered on this rank")
    call recorder%finish(stat)

    call start_program(recorder, "RotateLB")
    call recorder%request_migrations(none)
    call end_phase(recorder, stat)
    call check_error(stat, 2, "call start_balancer() first")
    call recorder%finish(stat)
  end subroutine

  subroutine check_errors()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_migration_plan) :: plan
    integer :: stat
    call recorder%start_balancer(stat)
    call check_error(stat, 2, "start it first")

    call start_program(recorder, "RotateLB")
    call recorder%plan(plan, stat)
    call check_error(stat, 2, "call start_balancer() first")
    call check(plan%moves == 0 .and. size(plan%exports) == 0, "after an error, a plan is empty")
    call recorder%start_balancer(stat)
    call recorder%set_strategy("GreedLB", stat)
    call check_error(stat, 2, "GreedLB")
    call recorder%set_load_model("NoModel", stat)
    call check_error(stat, 2, "NoModel")
    call recorder%plan(plan, stat, "GreedyLB")
    call check_error(stat, 2, "call next_phase() before a plan is made")

    call recorder%balance_at_phase_ends(size_of_object, pack_object, unpack_object, remove_object, stat)
    can_pack = .false.
    call end_phase(recorder, stat)
    if (ranks > 1) call check_error(stat, 3, "pack() of object")
    if (ranks > 1) call check_error(stat, 3, "failed: it returned -1")
    can_pack = .true.
    call end_phase(recorder, stat)
    call check(stat == 0, "the program continues")
    call check(count_objects() == merge(object_count, 0, rank == mod(1, ranks)), "the objects migrate later")

    call recorder%plan(plan, stat, "GreedLB")
    call check_error(stat, 2, "GreedLB")
    call recorder%plan(plan, stat, "RotateLB")
    if (rank == 1) call recorder%remove_object(recorder%find(id_of(3)))
    call recorder%moved(plan, stat)
    if (ranks > 1) call check_error(stat, 2, "is not registered on rank 1")
    call recorder%finish(stat)
  end subroutine

  ! Rank 0 has 2 objects for each rank, in pairs that send messages.
  subroutine check_plan_without_recorder()
    type(plimsoll_migration_plan) :: plan
    integer(int64), allocatable :: ids(:)
    real(real64), allocatable :: loads_s(:), positions(:, :), sizes_bytes(:)
    type(plimsoll_edge), allocatable :: edges(:)
    integer :: k, n, stat
    n = merge(2*ranks, 0, rank == 0)
    allocate (ids(n), loads_s(n), sizes_bytes(n), positions(2, n), edges(n/2))
    loads_s = 1
    sizes_bytes = 100
    do k = 1, n
      ids(k) = 5000000000_int64 + k
    end do
    do k = 1, n/2
      positions(1, 2*k - 1:2*k) = k
      positions(2, 2*k - 1:2*k) = 0.5_real64
      edges(k) = plimsoll_edge(ids(2*k - 1), ids(2*k), 1e6_real64, 10)
    end do
    call plimsoll_plan_objects(MPI_COMM_WORLD%MPI_VAL, ids, loads_s, "GreedyLB", plan, stat, sizes_bytes=sizes_bytes, &
      edges=edges)
    call check(stat == 0 .and. plan%moves == 2*ranks - 2, "each other rank gets 2 objects")
    call check(size(plan%exports) == merge(plan%moves, 0_int64, rank == 0), "rank 0 exports all others")
    call check(size(plan%imports) == merge(0, 2, rank == 0), "the others import 2")
    call check(abs(plan%max_time_after_s - 2) < 1e-9_real64, "the plan is balanced")
    call check(all(abs(plan%imports%bytes - 100) < 1e-9_real64), "the plan knows sizes")
    call check(all(plan%imports%object%number > 5000000000_int64), "the plan contains the program's numbers")

    call plimsoll_plan_objects(MPI_COMM_WORLD%MPI_VAL, ids, loads_s, "OrbLB", plan, stat, positions=positions, &
      background_s=0.0_real64, speed=1.0_real64, available=.true.)
    call check(stat == 0 .and. abs(plan%max_time_after_s - 2) < 1e-9_real64, "geometry balances, too")
    do k = 1, size(plan%imports) - 1, 2
      call check(abs(plan%imports(k)%object%number - plan%imports(k + 1)%object%number) == 1, "pairs stay together")
    end do

    call plimsoll_plan_objects(MPI_COMM_WORLD%MPI_VAL, ids, loads_s, "GreedyLB", plan, stat, migratable=[(.false., k=1, n)])
    call check(stat == 0 .and. plan%moves == 0, "objects that are not migratable stay")
    call plimsoll_plan_objects(MPI_COMM_WORLD%MPI_VAL, ids, loads_s, "GreedLB", plan, stat)
    call check_error(stat, 2, "GreedLB")
    call plimsoll_plan_objects(MPI_COMM_WORLD%MPI_VAL, ids, loads_s, "GreedyLB", plan, stat, sizes_bytes=[1.0_real64])
    call check_error(stat, 2, "one value per object")
  end subroutine
end module

program test
  use plimsoll_fortran_balancing_test
  type(plimsoll_migration_plan) :: plan
  integer(int64) :: ids(0)
  real(real64) :: loads_s(0)
  integer :: stat
  call plimsoll_plan_objects(0, ids, loads_s, "GreedyLB", plan, stat)
  call check_error(stat, 2, "MPI_Init")
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call check_automatic_migration()
  call check_own_transport()
  call check_decisions_of_program()
  call check_requests_of_program()
  call check_errors()
  call check_plan_without_recorder()
  call MPI_Finalize()
  if (failures > 0) error stop
end program
