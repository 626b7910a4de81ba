! Initial distributions of the particles over the mesh.
module distribution
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  type :: distribution_type
    character(:), allocatable :: name
    real(real64) :: particles                  ! approximate number of particles
    real(real64) :: cells                      ! cells per side of the mesh
    real(real64), allocatable :: parameters(:) ! rho; alpha, beta; or left, right, bottom, top
  contains
    procedure :: problem, expected_particles
  end type

  ! Random numbers that round the expected numbers. Each cell has its own position in the sequence, so that the
  ! particles do not depend on the number of ranks. The generator is x(n + 1) = 48271 x(n) mod (2^31 - 1), by Park and
  ! Miller, which needs 64-bit integers only and therefore gives the same numbers in all languages.
  type :: random_sequence
    integer(int64), private :: state
  contains
    procedure :: start_at, next
  end type
  integer(int64), parameter, private :: modulus = 2147483647
contains
  ! Returns what is wrong with the name or the parameters; empty if they are valid.
  function problem(self) result(text)
    class(distribution_type), intent(in) :: self
    character(:), allocatable :: text
    text = ""
    associate (p => self%parameters)
      select case (self%name)
      case ("GEOMETRIC")
        if (size(p) /= 1) then
          text = "RHO, with 0 < RHO < 1"
        else if (p(1) <= 0 .or. p(1) >= 1) then
          text = "RHO, with 0 < RHO < 1"
        end if
      case ("LINEAR")
        text = "ALPHA BETA, with 0 <= ALPHA <= BETA and BETA > 0"
        if (size(p) /= 2) then
        else if (p(1) >= 0 .and. p(2) >= p(1) .and. p(2) > 0) then
          text = ""
        end if
      case ("PATCH")
        text = "LEFT RIGHT BOTTOM TOP, with 0 <= LEFT < RIGHT <= L and 0 <= BOTTOM < TOP <= L"
        if (size(p) /= 4) then
        else if (any(p < 0) .or. any(p > self%cells) .or. p(1) >= p(2) .or. p(3) >= p(4)) then
        else
          text = ""
          if (any(abs(p - aint(p)) > 0)) text = "LEFT RIGHT BOTTOM TOP, integers"
        end if
      case ("SINUSOIDAL", "UNIFORM")
        if (size(p) /= 0) text = "none"
      case default
        text = 'unknown distribution "'//self%name//'"; available: GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, UNIFORM'
        return
      end select
    end associate
    if (text /= "") text = "invalid parameters of "//self%name//": expected "//text
  end function

  ! Returns the expected number of particles in a cell, usually a fraction.
  function expected_particles(self, column, row) result(expected)
    class(distribution_type), intent(in) :: self
    integer, intent(in) :: column, row
    real(real64) :: expected, first, cosine, total
    associate (p => self%parameters, particles => self%particles, cells => self%cells)
      select case (self%name)
      case ("GEOMETRIC")
        first = particles*(1 - p(1))/(1 - p(1)**cells)/cells
        expected = first*p(1)**real(column, real64) ! an integer exponent would round differently than C and C++
      case ("SINUSOIDAL")
        cosine = cos(column*3.141592653589793_real64/cells)
        expected = 2*cosine*cosine*particles/(cells*cells)
      case ("LINEAR")
        total = p(2)*cells - 0.5_real64*p(1)*cells
        expected = (p(2) - p(1)*column/(cells - 1))/total*particles/cells
      case ("PATCH")
        expected = 0
        if (p(1) <= column .and. column < p(2) .and. p(3) <= row .and. row < p(4)) &
          expected = particles/((p(2) - p(1))*(p(4) - p(3)))
      case default
        expected = particles/(cells*cells)
      end select
    end associate
  end function

  subroutine start_at(self, position)
    class(random_sequence), intent(out) :: self
    integer(int64), intent(in) :: position
    integer(int64) :: factor, remaining
    self%state = 27182818
    factor = 48271
    remaining = position
    do while (remaining > 0)
      if (mod(remaining, 2_int64) == 1) self%state = mod(self%state*factor, modulus)
      factor = mod(factor*factor, modulus)
      remaining = remaining/2
    end do
  end subroutine

  ! Returns the next number between 0 and 1.
  real(real64) function next(self)
    class(random_sequence), intent(inout) :: self
    self%state = mod(self%state*48271, modulus)
    next = real(self%state, real64)/modulus
  end function
end module
