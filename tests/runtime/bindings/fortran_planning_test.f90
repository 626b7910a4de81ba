! Plans migrations in Fortran without a recorder.
module fortran_planning_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use plimsoll
  use fortran_check
  implicit none

contains

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
