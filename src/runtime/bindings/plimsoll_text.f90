! Texts of Fortran and C, for Plimsoll's modules only.
module plimsoll_text
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: c_text, c_characters, fortran_text

  interface
    ! Counts the characters of a C string before its null character, with strlen() of the C library.
    function string_length(text) bind(c, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  pure function c_text(text)
    character(*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: c_text
    c_text = trim(text)//c_null_char
  end function

  ! Returns the same as an array, whose address C functions can receive.
  pure function c_characters(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: characters(:)
    allocate (characters(len_trim(text) + 1))
    characters = transfer(c_text(text), characters)
  end function

  function fortran_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(text, characters, [string_length(text)])
    allocate (character(size(characters)) :: copy)
    do i = 1, size(characters)
      copy(i:i) = characters(i)
    end do
  end function
end module
