! Calls whose arguments differ between Fortran and C: handles, MPI_IN_PLACE, MPI_STATUS_IGNORE, arrays of types,
! persistent requests, text. The argument is the name of a new file. Comments at calls: the bytes that each rank sends and receives.
program fortran_calls
#if defined(WITH_MPI_F08)
  use mpi_f08
#elif defined(WITH_MPI_MODULE)
  use mpi
#endif
  implicit none
#if defined(WITH_MPIF_H)
  include 'mpif.h'
#endif
#if defined(WITH_MPI_F08)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define COMM type(MPI_Comm)
#define FILE type(MPI_File)
#else
#define REQUEST integer
#define DATATYPE integer
#define COMM integer
#define FILE integer
#endif
  integer :: rank, ranks, ierror, next, k
  integer :: out(64), in(64), counts(8), places(8)
  REQUEST :: request
  DATATYPE :: types(8)
  COMM :: other
  FILE :: data
  character(len=1000) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  out = rank
  call MPI_Irecv(in, 4, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, request, ierror)           ! 0 0
  call MPI_Send(out, 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierror)                               ! 16 0
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)                                                ! 0 0
  call MPI_Isend(out, 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD, request, ierror)                     ! 16 0
  call MPI_Recv(in, 64, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)  ! 0 16
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)                                                ! 0 0
  call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)             ! 16 16
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)      ! 8 16
  counts = 3
  places = (/ (12 * (k - 1), k = 1, 8) /)
  types = MPI_INTEGER
  call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD, ierror) ! 24 24
  call MPI_Send_init(out, 5, MPI_INTEGER, next, 1, MPI_COMM_WORLD, request, ierror)
  call MPI_Start(request, ierror)                                                                  ! 20 0
  call MPI_Recv(in, 64, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)  ! 0 20
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)                                                ! 0 0
  call MPI_Request_free(request, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)                                                 ! 0 0
  call get_command_argument(1, name)
  call MPI_File_open(other, name, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, data, ierror)  ! 0 0
  if (ierror /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_File_close(data, ierror)                                                                ! 0 0
  call MPI_Comm_free(other, ierror)                                                                ! 0 0
  call MPI_Barrier(MPI_COMM_WORLD, ierror)                                                         ! 0 0
  call MPI_Finalize(ierror)  ! 0 0
end program fortran_calls
