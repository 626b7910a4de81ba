! Checks that blocking calls of Fortran programs are idle time, with module mpi and with mpi_f08. Rank 0 is late.
program auto_idle_test
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use plimsoll
  implicit none
  type(plimsoll_load_recorder) :: recorder
  type(plimsoll_object_handle) :: object
  integer :: stat, failures
  failures = 0
  call start_mpi()
  object = recorder%register_object()
  call check_mpi()
  call check_mpi_f08()
  call recorder%next_phase(stat)
  if (stat /= 0) error stop "next_phase failed"
  call recorder%finish(stat)
  call stop_mpi()
  if (failures > 0) error stop
contains
  subroutine start_mpi()
    use mpi
    integer :: error
    call MPI_Init(error)
    call recorder%start(MPI_COMM_WORLD, stat)
    if (stat == 0) return
    write (error_unit, "(a)") recorder%error_message()
    error stop
  end subroutine

  subroutine stop_mpi()
    use mpi
    integer :: error
    call MPI_Finalize(error)
  end subroutine

  subroutine check_load(name, total_s, waited_s)
    character(*), intent(in) :: name
    real(real64), intent(in) :: total_s, waited_s
    if (waited_s < 0.01_real64) return  ! rank 0, whose short call may be interrupted outside of the MPI library
    if (recorder%get_obj_time(object) <= total_s - 0.9_real64*waited_s + 1e-3_real64) return
    write (error_unit, "(3a, 3f9.5)") "the load contains ", name, ": load, total, wait ", &
      recorder%get_obj_time(object), total_s, waited_s
    failures = failures + 1
  end subroutine

  subroutine check_mpi()
    use mpi
    integer :: call_number, error, rank, sum, request, status(MPI_STATUS_SIZE)
    real(real64) :: begin_s, wait_s, waited_s
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    do call_number = 1, 3
      call MPI_Barrier(MPI_COMM_WORLD, error)
      call be_late(rank)
      call recorder%set_obj_time(object, 0.0_real64)
      begin_s = MPI_Wtime()
      call recorder%begin_work(object)
      wait_s = MPI_Wtime()
      if (call_number == 1) call MPI_Barrier(MPI_COMM_WORLD, error)
      if (call_number == 2) call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
      if (call_number == 3) then
        call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
        call MPI_Wait(request, status, error)
      end if
      waited_s = MPI_Wtime() - wait_s
      call recorder%end_work(object)
      call check_load("a call of module mpi", MPI_Wtime() - begin_s, waited_s)
    end do
  end subroutine

  subroutine check_mpi_f08()
    use mpi_f08
    integer :: call_number, rank, sum
    type(MPI_Request) :: request
    real(real64) :: begin_s, wait_s, waited_s
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    do call_number = 1, 3
      call MPI_Barrier(MPI_COMM_WORLD)
      call be_late(rank)
      call recorder%set_obj_time(object, 0.0_real64)
      begin_s = MPI_Wtime()
      call recorder%begin_work(object)
      wait_s = MPI_Wtime()
      if (call_number == 1) call MPI_Barrier(MPI_COMM_WORLD)
      if (call_number == 2) call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      if (call_number == 3) then
        call MPI_Ibarrier(MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
      end if
      waited_s = MPI_Wtime() - wait_s
      call recorder%end_work(object)
      call check_load("a call of module mpi_f08", MPI_Wtime() - begin_s, waited_s)
    end do
  end subroutine

  subroutine be_late(rank)
    use mpi
    integer, intent(in) :: rank
    real(real64) :: end_s
    if (rank /= 0) return
    end_s = MPI_Wtime() + 0.02_real64
    do while (MPI_Wtime() < end_s)
    end do
  end subroutine
end program
