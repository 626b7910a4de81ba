! Makes mistakes when the objects of a Fortran program are balanced.
module fortran_balancing_errors_test
  use plimsoll
  use fortran_balanced_program
  use fortran_check
  implicit none

contains

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
end module
