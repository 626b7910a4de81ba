! Makes every kind of profiled call that differs between Fortran and C, on 4 ranks. Uses mpif.h, or `use mpi`
! with WITH_MPI_MODULE, or `use mpi_f08` with WITH_MPI_F08. The mpi_f08 calls omit ierror, except one of MPI_Pcontrol.
#ifdef WITH_MPI_F08
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define IERROR
#define MPI_INTERFACE use mpi_f08
#define MPI_INCLUDE implicit none
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#define REQUEST integer
#define IERROR , ierror
#ifdef WITH_MPI_MODULE
#define MPI_INTERFACE use mpi
#define MPI_INCLUDE implicit none
#else
#define MPI_INTERFACE
#define MPI_INCLUDE include 'mpif.h'
#endif
#endif

program fortran_calls
  MPI_INTERFACE
#ifdef WITH_OPENMPI
#ifdef WITH_MPI_F08
  use mpi_f08_ext
#elif defined(WITH_MPI_MODULE)
  use mpi_ext
#endif
#endif
  MPI_INCLUDE
#if defined(WITH_OPENMPI) && !defined(WITH_MPI_F08) && !defined(WITH_MPI_MODULE)
  include 'mpif-ext.h'
#endif
#ifdef WITH_OPENMPI
#define MPI_Alltoallv_init MPIX_Alltoallv_init
#endif
  integer, parameter :: size = 4
  COMMUNICATOR :: copy
  integer :: ierror, provided, rank, i

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided IERROR)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IERROR)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy IERROR)
  call in_place()
  call nonblocking()
  call many_types()
  call ring()
  call persistent()
  call paused()
  call MPI_Comm_free(copy IERROR)
  call MPI_Finalize(ierror)

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print *, 'fortran_calls: wrong result: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1 IERROR)
  end subroutine check

  ! Rank r exchanges r + i numbers with rank i. Then each pair exchanges one number. Then each rank sends one
  ! number to all.
  subroutine in_place()
    integer :: counts(size), at(size), numbers(7 * size)
    counts = [(rank + i, i = 0, size - 1)]
    at = [(7 * i, i = 0, size - 1)]
    numbers = [((100 * rank + i, provided = 1, 7), i = 0, size - 1)]
    call MPI_Alltoallv(MPI_IN_PLACE, counts, at, MPI_INTEGER, numbers, counts, at, MPI_INTEGER, copy IERROR)
    do i = 1, size
      call check(all(numbers(at(i) + 1:at(i) + counts(i)) == 100 * (i - 1) + rank), 'Alltoallv in place')
    end do
    numbers(:size) = [(100 * rank + i, i = 0, size - 1)]
    call MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, copy IERROR)
    call check(all(numbers(:size) == [(100 * i + rank, i = 0, size - 1)]), 'Alltoall in place')
    counts = 1
    at = [(i, i = 0, size - 1)]
    numbers(rank + 1) = 7 * rank
    call MPI_Allgatherv(MPI_IN_PLACE, 1, MPI_INTEGER, numbers, counts, at, MPI_INTEGER, copy IERROR)
    call check(all(numbers(:size) == [(7 * i, i = 0, size - 1)]), 'Allgatherv in place')
  end subroutine in_place

  subroutine nonblocking()
    integer, asynchronous :: sent(2 * size), received(2 * size)
    integer :: counts(size), at(size)
    REQUEST :: request
    counts = 2
    at = [(2 * i, i = 0, size - 1)]
    sent = [(100 * rank + i / 2, i = 0, 2 * size - 1)]
    call MPI_Ialltoallv(sent, counts, at, MPI_INTEGER, received, counts, at, MPI_INTEGER, copy, request IERROR)
    call MPI_Wait(request, MPI_STATUS_IGNORE IERROR)
    call check(all(received == [(100 * (i / 2) + rank, i = 0, 2 * size - 1)]), 'Ialltoallv')
  end subroutine nonblocking

  ! Integers to and from even ranks; reals of twice the size to and from odd ranks.
  subroutine many_types()
    double precision :: sent(size), received(size)
    integer :: counts(size), at(size)
    DATATYPE :: sent_types(size), received_types(size)
    counts = 1
    at = [(8 * i, i = 0, size - 1)]
    sent = 100 * rank
    received = -1
    do i = 1, size
      sent_types(i) = merge(MPI_DOUBLE_PRECISION, MPI_INTEGER, mod(rank + i, 2) == 0)
      received_types(i) = sent_types(i)
    end do
    call MPI_Alltoallw(sent, counts, at, sent_types, received, counts, at, received_types, copy IERROR)
    do i = 1, size
      if (mod(rank + i, 2) == 0) call check(int(received(i)) == 100 * (i - 1), 'Alltoallw')
    end do
  end subroutine many_types

  subroutine ring()
    COMMUNICATOR :: circle
    integer :: sent(2), received(2), left, right
    call MPI_Cart_create(copy, 1, [size], [.true.], .false., circle IERROR)
    call MPI_Cart_shift(circle, 0, 1, left, right IERROR)
    sent = [100 * rank, 100 * rank + 1]
    call MPI_Neighbor_alltoall(sent, 1, MPI_INTEGER, received, 1, MPI_INTEGER, circle IERROR)
    call check(received(1) == 100 * left + 1 .and. received(2) == 100 * right, 'Neighbor_alltoall')
    call MPI_Comm_free(circle IERROR)
  end subroutine ring

  subroutine persistent()
    integer, asynchronous :: sent(3 * size), received(3 * size)
    integer :: counts(size), at(size)
    REQUEST :: requests(1)
    counts = 3
    at = [(3 * i, i = 0, size - 1)]
    sent = [(100 * rank + i / 3, i = 0, 3 * size - 1)]
    call MPI_Alltoallv_init(sent, counts, at, MPI_INTEGER, received, counts, at, MPI_INTEGER, copy, &
                            MPI_INFO_NULL, requests(1) IERROR)
    call MPI_Start(requests(1) IERROR)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE IERROR)
    received = -1
    call MPI_Startall(1, requests IERROR)
    call MPI_Waitany(1, requests, i, MPI_STATUS_IGNORE IERROR)
    call check(all(received == [(100 * (i / 3) + rank, i = 0, 3 * size - 1)]), 'Alltoallv_init')
    call MPI_Request_free(requests(1) IERROR)
  end subroutine persistent

  ! Only the second of the two calls is recorded.
  subroutine paused()
    integer :: sent(9 * size), received(9 * size), k
    sent = rank
    do k = 8, 9
#if defined(WITH_MPICH) && defined(WITH_MPI_F08)
      ierror = -1
      call MPI_Pcontrol(k - 8, ierror)
      call check(ierror == MPI_SUCCESS, 'Pcontrol')
#endif
      call MPI_Pcontrol(k - 8)
      call MPI_Alltoall(sent, k, MPI_INTEGER, received, k, MPI_INTEGER, copy IERROR)
      call check(all(received(:k * size) == [(i / k, i = 0, k * size - 1)]), 'Alltoall')
    end do
  end subroutine paused
end program fortran_calls
