! Calls MPI_Barrier at two lines to which gfortran gives the line of the subroutine, and at two lines
! to which it gives that of the branch around them.
module stepping
  use mpi
  implicit none
contains
  subroutine step(values, n, comm)
    integer, intent(in) :: n, comm
    double precision, intent(inout) :: values(n)
    double precision :: total
    integer :: ierror
    call MPI_Barrier(comm, ierror)
    total = sum(values)
    if (n > 3) then
      call MPI_Barrier(comm, ierror)
      values(1) = total
      call MPI_Barrier(comm, ierror)
    end if
    values = values / total
    call MPI_Barrier(comm, ierror)
  end subroutine
end module

program source_lines
  use mpi
  use stepping
  implicit none
  double precision :: values(8)
  integer :: ierror
  values = 1
  call MPI_Init(ierror)
  call step(values, 8, MPI_COMM_WORLD)
  call MPI_Finalize(ierror)
end program
