! golden_cases.c in Fortran: uses mpif.h, or `use mpi` with WITH_MPI_MODULE, or `use mpi_f08` with
! WITH_MPI_F08.
#ifdef WITH_MPI_F08
#define COMMUNICATOR type(MPI_Comm)
#define MPI_INTERFACE use mpi_f08
#define MPI_INCLUDE implicit none
#elif defined(WITH_MPI_MODULE)
#define COMMUNICATOR integer
#define MPI_INTERFACE use mpi
#define MPI_INCLUDE implicit none
#else
#define COMMUNICATOR integer
#define MPI_INTERFACE
#define MPI_INCLUDE include 'mpif.h'
#endif

program golden_cases
  MPI_INTERFACE
  MPI_INCLUDE
  integer, parameter :: max_bytes = 300
  character(len=20) :: which
  integer :: ierror, world_size, world_rank

  call MPI_Init(ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, world_size, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, ierror)
  call get_command_argument(1, which)
  select case (which)
  case ('alltoallv')
    call send_i_to_rank_i(MPI_COMM_WORLD)
  case ('multi')
    call multi()
  case ('types')
    call types()
  case ('sparse')
    call sparse()
  case ('reversed')
    call reversed()
  case ('allgatherv')
    call allgatherv()
  case ('alltoall')
    call alltoall()
  case default
    call check(.false., 'unknown case')
  end select
  call MPI_Finalize(ierror)

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print *, 'golden_cases: wrong result: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine check

  function one_after_another(counts) result(displacements)
    integer, intent(in) :: counts(:)
    integer :: displacements(size(counts)), k
    displacements(1) = 0
    do k = 2, size(counts)
      displacements(k) = displacements(k - 1) + counts(k - 1)
    end do
  end function one_after_another

  subroutine send_i_to_rank_i(comm)
    COMMUNICATOR, intent(in) :: comm
    integer, allocatable :: send_counts(:), recv_counts(:), send_at(:), recv_at(:), sent(:), received(:)
    integer :: n, rank, i, k
    call MPI_Comm_size(comm, n, ierror)
    call MPI_Comm_rank(comm, rank, ierror)
    send_counts = [(i, i = 0, n - 1)]
    recv_counts = [(rank, i = 0, n - 1)]
    send_at = one_after_another(send_counts)
    recv_at = one_after_another(recv_counts)
    sent = [((100 * rank + 10 * i + k, k = 0, i - 1), i = 0, n - 1)]
    allocate (received(max(1, n * rank)))
    call MPI_Alltoallv(sent, send_counts, send_at, MPI_INTEGER, received, recv_counts, recv_at, MPI_INTEGER, comm, ierror)
    do i = 0, n - 1
      do k = 0, rank - 1
        call check(received(recv_at(i + 1) + k + 1) == 100 * i + 10 * rank + k, 'alltoallv')
      end do
    end do
  end subroutine send_i_to_rank_i

  subroutine exchange_bytes(comm, send_counts, recv_counts)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in) :: send_counts(:), recv_counts(:)
    integer :: send_at(size(send_counts)), recv_at(size(send_counts)), rank, i, k
    character :: sent(size(send_counts) * max_bytes), received(size(send_counts) * max_bytes)
    call MPI_Comm_rank(comm, rank, ierror)
    send_at = one_after_another(send_counts)
    recv_at = one_after_another(recv_counts)
    sent = achar(rank + 1)
    received = achar(0)
    call MPI_Alltoallv(sent, send_counts, send_at, MPI_CHARACTER, received, recv_counts, recv_at, MPI_CHARACTER, comm, ierror)
    do i = 1, size(recv_counts)
      do k = 1, recv_counts(i)
        call check(received(recv_at(i) + k) == achar(i), 'bytes')
      end do
    end do
  end subroutine exchange_bytes

  subroutine exchange_equal_bytes(comm, bytes)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in) :: bytes
    integer :: counts(world_size)
    counts = bytes
    call exchange_bytes(comm, counts, counts)
  end subroutine exchange_equal_bytes

  subroutine multi()
    COMMUNICATOR :: half
    call MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, 0, half, ierror)
    call send_i_to_rank_i(half)
    call send_i_to_rank_i(MPI_COMM_WORLD)
    call send_i_to_rank_i(half)
    call MPI_Comm_free(half, ierror)
  end subroutine multi

  subroutine types()
    integer :: counts(world_size), at(world_size), integers(world_size), received_integers(world_size), i
    double precision :: reals(world_size), received_reals(world_size)
    counts = 1
    at = [(i, i = 0, world_size - 1)]
    integers = 10 * world_rank + at
    reals = world_rank + 0.125d0 * at
    call MPI_Alltoallv(integers, counts, at, MPI_INTEGER, received_integers, counts, at, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call MPI_Alltoallv(reals, counts, at, MPI_DOUBLE_PRECISION, received_reals, counts, at, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, ierror)
    call check(all(received_integers == 10 * at + world_rank), 'integers')
    call check(all(received_reals == at + 0.125d0 * world_rank), 'reals')
  end subroutine types

  subroutine sparse()
    integer :: none(world_size), from_first(world_size), everyone(world_size)
    none = 0
    from_first = 0
    from_first(1) = 10
    everyone = 10
    call exchange_bytes(MPI_COMM_WORLD, merge(everyone, none, world_rank == 0), from_first)
    call exchange_bytes(MPI_COMM_WORLD, from_first, merge(everyone, none, world_rank == 0))
    call exchange_bytes(MPI_COMM_WORLD, none, none)
    call exchange_equal_bytes(MPI_COMM_WORLD, 300)
  end subroutine sparse

  subroutine reversed()
    COMMUNICATOR :: reverse
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, reverse, ierror)
    call exchange_equal_bytes(reverse, 1)
    call exchange_equal_bytes(MPI_COMM_WORLD, 2)
    call MPI_Comm_free(reverse, ierror)
  end subroutine reversed

  subroutine allgatherv()
    integer :: counts(world_size), at(world_size), received(2 * world_size), sent(2), length, i, k
    do length = 1, 2
      counts = length
      at = [(length * i, i = 0, world_size - 1)]
      sent = [10 * world_rank, 10 * world_rank + 1]
      call MPI_Allgatherv(sent, length, MPI_INTEGER, received, counts, at, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call check(all(received(:length * world_size) == [((10 * i + k, k = 0, length - 1), i = 0, world_size - 1)]), &
                 'allgatherv')
    end do
  end subroutine allgatherv

  subroutine alltoall()
    character :: sent(8 * world_size), received(8 * world_size)
    integer :: k
    sent = [(achar(16 * world_rank + k / 8), k = 0, 8 * world_size - 1)]
    call MPI_Alltoall(sent, 8, MPI_CHARACTER, received, 8, MPI_CHARACTER, MPI_COMM_WORLD, ierror)
    call check(all(received == [(achar(16 * (k / 8) + world_rank), k = 0, 8 * world_size - 1)]), 'alltoall')
  end subroutine alltoall
end program golden_cases
