! Balances the objects of a Fortran program. c_balancing_test.c is the same test in C.
module fortran_balancing_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use plimsoll
  use fortran_balanced_program
  use fortran_balancing_errors_test
  use fortran_check
  use fortran_planning_test
  implicit none

  integer :: hooks = 0
  integer(int64) :: hook_moves = 0

contains

  subroutine after_migration(plan)
    type(plimsoll_migration_plan), intent(in) :: plan
    hooks = hooks + 1
    hook_moves = hook_moves + plan%moves
    call check(plan%strategy == "GreedyLB", "the hook knows the strategy")
    call check(all(plan%exports%from == rank) .and. all(plan%imports%to == rank), "the hook knows the moves")
  end subroutine

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
end module

program test
  use fortran_balancing_test
  implicit none
  type(plimsoll_migration_plan) :: plan
  integer(int64) :: ids(0)
  real(real64) :: loads_s(0)
  integer :: stat
  call plimsoll_plan_objects(0, ids, loads_s, "GreedyLB", plan, stat)
  call check_error(stat, 2, "MPI_Init")
  call start_test()
  call check_automatic_migration()
  call check_own_transport()
  call check_decisions_of_program()
  call check_requests_of_program()
  call check_errors()
  call check_plan_without_recorder()
  call MPI_Finalize()
  if (failures > 0) error stop
end program
