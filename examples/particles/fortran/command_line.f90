! Arguments of the program.
module command_line
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use distribution
  use mesh
  implicit none

  character(*), parameter :: usage = &
    "usage: particles STEPS L N K M DISTRIBUTION [PARAMETER...] [--block=B] [--vt_lb_...]"//new_line("a")// &
    "  STEPS  number of time steps"//new_line("a")// &
    "  L      cells per side of the mesh, even"//new_line("a")// &
    "  N      approximate number of particles"//new_line("a")// &
    "  K, M   a particle moves 2K+1 cells in x and M cells in y per step"//new_line("a")// &
    "  B      cells per side of a block, a divisor of L [default: 20]"//new_line("a")// &
    "distributions: GEOMETRIC RHO, SINUSOIDAL, LINEAR ALPHA BETA, PATCH LEFT RIGHT BOTTOM TOP, UNIFORM"// &
    new_line("a")//"Settings of Plimsoll (--vt_lb_...) come last."

  type :: arguments_type
    integer :: steps
    type(mesh_type) :: mesh
    type(distribution_type) :: distribution
    character(:), allocatable :: error ! first error; empty if the arguments are valid
  contains
    procedure, private :: fail, to_integer, parse_mesh, parse_distribution
  end type

  type, private :: word
    character(:), allocatable :: text
  end type
contains
  ! Settings of Plimsoll begin with --vt and come last.
  function parse_arguments() result(arguments)
    type(arguments_type) :: arguments
    type(word), allocatable :: words(:)
    character(:), allocatable :: text
    integer :: i, n_words
    arguments%error = ""
    allocate (words(command_argument_count()))
    n_words = 0
    do i = 1, command_argument_count()
      text = argument(i)
      if (index(text, "--vt") == 1) exit
      if (index(text, "--block=") == 1) then
        arguments%mesh%block = arguments%to_integer(text(9:), "--block", 1, 2**15)
      else
        n_words = n_words + 1
        words(n_words)%text = text
      end if
    end do
    if (n_words < 6) call arguments%fail("missing arguments")
    if (arguments%error /= "") return
    arguments%steps = arguments%to_integer(words(1)%text, "STEPS", 1, 1000000000)
    call arguments%parse_mesh(words(2)%text, words(4)%text, words(5)%text)
    arguments%distribution%particles = arguments%to_integer(words(3)%text, "N", 1, 1000000000)
    if (arguments%error == "") call arguments%parse_distribution(words(6:n_words))
  end function

  subroutine parse_mesh(self, cells, k, m)
    class(arguments_type), intent(inout) :: self
    character(*), intent(in) :: cells, k, m
    self%mesh%cells = self%to_integer(cells, "L", 2, 2**15)
    if (self%error /= "") return
    if (mod(self%mesh%cells, 2) /= 0) call self%fail("invalid value "//cells//" for L: expected an even number")
    if (mod(self%mesh%cells, self%mesh%block) /= 0) call self%fail("L = "//cells//" is not a multiple of the block size " &
      //decimal(self%mesh%block)//"; use --block=B with a divisor of L")
    self%mesh%k = self%to_integer(k, "K", 0, self%mesh%cells/2 - 1)
    self%mesh%m = self%to_integer(m, "M", 1 - self%mesh%cells, self%mesh%cells - 1)
  end subroutine

  ! `words` are the name of the distribution and its parameters.
  subroutine parse_distribution(self, words)
    class(arguments_type), intent(inout) :: self
    type(word), intent(in) :: words(:)
    integer :: i, status
    self%distribution%name = words(1)%text
    self%distribution%cells = self%mesh%cells
    allocate (self%distribution%parameters(size(words) - 1))
    do i = 1, size(words) - 1
      status = verify(words(i + 1)%text, "+-.0123456789eE")
      if (status == 0) read (words(i + 1)%text, *, iostat=status) self%distribution%parameters(i)
      if (status /= 0) call self%fail('invalid value "'//words(i + 1)%text// &
        '" for a parameter of the distribution: expected a number')
    end do
    if (self%error == "") self%error = self%distribution%problem()
  end subroutine

  ! Returns an integer from `lowest` to `highest`.
  integer function to_integer(self, text, name, lowest, highest) result(number)
    class(arguments_type), intent(inout) :: self
    character(*), intent(in) :: text, name
    integer, intent(in) :: lowest, highest
    integer(int64) :: value
    integer :: status
    status = verify(text, "-0123456789")
    if (status == 0) read (text, *, iostat=status) value
    number = lowest
    if (status /= 0) then
      call self%fail('invalid value "'//text//'" for '//name//": expected an integer")
    else if (value < lowest .or. value > highest) then
      call self%fail("invalid value "//text//" for "//name//": expected "//decimal(lowest)//" to "//decimal(highest))
    else
      number = int(value)
    end if
  end function

  subroutine fail(self, error)
    class(arguments_type), intent(inout) :: self
    character(*), intent(in) :: error
    if (self%error == "") self%error = error
  end subroutine

  function argument(i) result(text)
    integer, intent(in) :: i
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(i, length=length)
    allocate (character(length) :: text)
    call get_command_argument(i, text)
  end function

  function decimal(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, "(i0)") number
    text = trim(digits)
  end function
end module
