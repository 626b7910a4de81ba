! The particle-in-cell research kernel, measured and balanced by Plimsoll. The README next to this directory explains
! it.
program particle_in_cell
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use blocks
  use command_line
  use mesh
  use mpi
  use plimsoll
  implicit none

  ! What every run must reproduce exactly, however its blocks are placed.
  type :: result_type
    integer(int64) :: count = 0, sum_of_numbers = 0, checksum = 0
    integer(int64) :: misplaced = 0 ! particles that are not at their exact position
  end type

  type(arguments_type) :: arguments
  type(plimsoll_load_recorder), target :: recorder
  type(plimsoll_phase_summary) :: summary
  type(result_type) :: initial, final
  real(real64) :: first_imbalance, start_s, time_s
  logical :: complete, correct
  integer(int64) :: migrations = 0
  integer :: error, rank, step

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  arguments = parse_arguments()
  if (arguments%error /= "") then
    if (rank == 0) write (error_unit, "(a)") arguments%error, usage
    call MPI_Finalize(error)
    stop 2, quiet=.true.
  end if
  call recorder%set_default("lb_check", "true", error) ! finds mistakes such as a block on two ranks
  call check(error)
  call recorder%start(MPI_COMM_WORLD, error) ! reads --vt_lb_... from the command line
  call check(error)

  call blocks_of_rank%create(arguments%mesh, arguments%distribution, recorder)
  call recorder%start_balancer(error) ! moves blocks if the settings say so, as in --vt_lb --vt_lb_name=RefineLB
  call check(error)
  call recorder%balance_at_phase_ends(size_of_block, pack_block, unpack_block, remove_block, error)
  call check(error)
  initial = collect(0)
  if (rank == 0) print "(i0,' particles (',a,') on ',i0,' x ',i0,' cells in ',i0,' blocks on ',i0,' ranks')", &
    initial%count, arguments%distribution%name, arguments%mesh%cells, arguments%mesh%cells, &
    arguments%mesh%block_count(), blocks_of_rank%ranks

  start_s = MPI_Wtime()
  do step = 1, arguments%steps
    call blocks_of_rank%step()
    call recorder%next_phase(error, summary) ! each step is one phase
    call check(error)
    if (step == 1) first_imbalance = summary%imbalance
    if (summary%migrations == 0) cycle
    migrations = migrations + summary%migrations
    call blocks_of_rank%find_owners(error)
    call check(error)
  end do
  time_s = MPI_Wtime() - start_s

  final = collect(arguments%steps)
  complete = final%count == initial%count .and. final%sum_of_numbers == initial%count*(initial%count + 1)/2
  correct = complete .and. final%misplaced == 0
  if (rank == 0) then
    print "(a)", "time: "//fixed(time_s, 3)//" s, "//fixed(1e3*time_s/arguments%steps, 3)//" ms per step"
    print "(a)", "imbalance: "//fixed(first_imbalance, 4)//" in the first step, "//fixed(summary%imbalance, 4)//" in the last"
    print "('migrations: ',i0)", migrations
    print "('checksum: ',i0)", final%checksum
    print "(a,', ',i0,' misplaced')", trim(merge("verified:    ", "NOT VERIFIED:", correct))//" "// &
      trim(merge("all particles present    ", "particles lost or doubled", complete)), final%misplaced
    if (recorder%data_files() /= "") print "(a)", "LB data: "//recorder%data_files()
  end if
  call recorder%finish(error)
  call check(error)
  call MPI_Finalize(error)
  if (.not. correct) stop 1, quiet=.true.
contains
  type(result_type) function collect(steps) result(total)
    integer, intent(in) :: steps
    integer(int64) :: sums(4)
    integer :: error, i, number
    sums = 0
    do number = 0, size(blocks_of_rank%block) - 1
      associate (list => blocks_of_rank%block(number)%particles)
        do i = 1, list%count
          sums(1:3) = sums(1:3) + [1_int64, list%data(i)%number, checksum(list%data(i))]
          if (.not. arguments%mesh%position_error(list%data(i), steps) < 1e-6_real64) sums(4) = sums(4) + 1
        end do
      end associate
    end do
    call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, error)
    total = result_type(sums(1), sums(2), sums(3), sums(4))
  end function

  function fixed(value, digits) result(text)
    real(real64), intent(in) :: value
    integer, intent(in) :: digits
    character(:), allocatable :: text
    character(30) :: form, written
    write (form, "('(f30.',i0,')')") digits
    write (written, form) value
    text = trim(adjustl(written))
  end function

  subroutine check(status)
    integer, intent(in) :: status
    integer :: own_rank, ignored
    if (status == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, own_rank, ignored)
    if (own_rank == 0) write (error_unit, "(a)") recorder%error_message() ! the same on all ranks
    call MPI_Finalize(ignored)
    stop 1
  end subroutine
end program
