! The physics of the particle-in-cell kernel: a periodic mesh of fixed charges, and the particles that they move.
!
! The mesh has L x L cells of size 1. Each vertex in an even column carries the charge 1, each vertex in an odd column
! the charge -1. A particle starts at the centre of a cell, and its charge is such that it moves exactly 2k + 1 cells to
! the right in each time step of length 1. Therefore its position is known after any number of steps.
module mesh
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  type :: particle
    real(real64) :: x, y             ! position: 0 <= x, y < L
    real(real64) :: v_x, v_y         ! velocity
    real(real64) :: charge           ! the mass is 1
    real(real64) :: start_x, start_y ! position at step 0
    integer(int64) :: number         ! from 1
  end type
  integer, parameter :: particle_bytes = storage_size(particle(0, 0, 0, 0, 0, 0, 0, 0))/8

  type :: mesh_type
    integer :: cells      ! L: cells per side, even
    integer :: k          ! a particle moves 2k + 1 cells in x per step ...
    integer :: m          ! ... and m cells in y
    integer :: block = 20 ! cells per side of a block, which divides `cells`
  contains
    procedure :: blocks_per_side, block_count, block_of, particle_in, move, position_error
    procedure, private :: wrap
  end type
contains
  ! Blocks are numbered from 0, column by column.
  pure integer function blocks_per_side(self)
    class(mesh_type), intent(in) :: self
    blocks_per_side = self%cells/self%block
  end function

  pure integer function block_count(self)
    class(mesh_type), intent(in) :: self
    block_count = self%blocks_per_side()**2
  end function

  pure integer function block_of(self, p)
    class(mesh_type), intent(in) :: self
    type(particle), intent(in) :: p
    block_of = int(p%x)/self%block*self%blocks_per_side() + int(p%y)/self%block
  end function

  ! Returns a particle at the centre of a cell.
  pure function particle_in(self, column, row) result(p)
    class(mesh_type), intent(in) :: self
    integer, intent(in) :: column, row
    type(particle) :: p
    real(real64) :: r, force
    r = sqrt(0.5_real64*0.5_real64 + 0.5_real64*0.5_real64) ! distance to each of the four vertices
    force = 4*0.5_real64/(r*r*r) ! in x, on a particle of charge 1 in an even column
    p%charge = merge(2, -2, mod(column, 2) == 0)*(2*self%k + 1)/force
    p%x = column + 0.5_real64
    p%y = row + 0.5_real64
    p%v_x = 0
    p%v_y = self%m
    p%start_x = p%x
    p%start_y = p%y
    p%number = 0
  end function

  ! Moves a particle by one time step: adds up the Coulomb forces of the four vertices of its cell.
  elemental subroutine move(self, p)
    class(mesh_type), intent(in) :: self
    type(particle), intent(inout) :: p
    real(real64) :: left, right, below, above, charge, a_x, a_y
    left = p%x - int(p%x)
    right = left - 1
    below = p%y - int(p%y)
    above = below - 1
    charge = merge(p%charge, -p%charge, mod(int(p%x), 2) == 0)
    a_x = 0
    a_y = 0
    call add_vertex(charge, left, below, a_x, a_y)
    call add_vertex(charge, left, above, a_x, a_y)
    call add_vertex(-charge, right, below, a_x, a_y)
    call add_vertex(-charge, right, above, a_x, a_y)
    p%x = self%wrap(p%x + p%v_x + 0.5_real64*a_x)
    p%y = self%wrap(p%y + p%v_y + 0.5_real64*a_y)
    p%v_x = p%v_x + a_x
    p%v_y = p%v_y + a_y
  end subroutine

  ! Adds the acceleration by a vertex at the given distance; `charge` is the product of both charges.
  pure subroutine add_vertex(charge, distance_x, distance_y, a_x, a_y)
    real(real64), intent(in) :: charge, distance_x, distance_y
    real(real64), intent(inout) :: a_x, a_y
    real(real64) :: r_squared, force
    r_squared = distance_x*distance_x + distance_y*distance_y
    force = charge/(r_squared*sqrt(r_squared))
    a_x = a_x + force*distance_x
    a_y = a_y + force*distance_y
  end subroutine

  ! Returns how far a particle is from its exact position after `steps` steps.
  pure real(real64) function position_error(self, p, steps)
    class(mesh_type), intent(in) :: self
    type(particle), intent(in) :: p
    integer, intent(in) :: steps
    real(real64) :: moved_x, moved_y
    moved_x = real(mod(int(steps, int64)*(2*self%k + 1), int(self%cells, int64)), real64)
    moved_y = real(mod(int(steps, int64)*self%m, int(self%cells, int64)), real64)
    position_error = max(abs(p%x - self%wrap(p%start_x + moved_x)), abs(p%y - self%wrap(p%start_y + moved_y)))
  end function

  ! Returns a coordinate between -L and 2L at its periodic position.
  pure real(real64) function wrap(self, coordinate)
    class(mesh_type), intent(in) :: self
    real(real64), intent(in) :: coordinate
    wrap = coordinate
    if (coordinate < 0) wrap = coordinate + self%cells
    if (coordinate >= self%cells) wrap = coordinate - self%cells
  end function

  ! Returns a number from 0 to 2^31 - 2 that depends on every bit of a particle's number, position and velocity. The sum
  ! over all particles does not depend on their order. No operation overflows, so that all languages agree.
  pure integer(int64) function checksum(p)
    type(particle), intent(in) :: p
    integer(int64), parameter :: modulus = 2147483647
    integer(int64) :: bits(4)
    integer :: i
    bits = transfer([p%x, p%y, p%v_x, p%v_y], bits)
    checksum = mod(p%number, modulus)
    do i = 1, 4
      checksum = mod(checksum*48271 + ishft(bits(i), -32), modulus)
      checksum = mod(checksum*48271 + ibits(bits(i), 0, 32), modulus)
    end do
  end function
end module
