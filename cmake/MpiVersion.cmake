# plimsoll_mpi_version(<result> <target>): returns the version of an MPI library, such as 4.1.4, or nothing if it is unknown.
# The header of MPI contains it. Compiling a program finds that header also if only a compiler wrapper knows its directory.
function(plimsoll_mpi_version result target)
  string(MAKE_C_IDENTIFIER PLIMSOLL_VERSION_OF_${target} cached)
  if(NOT DEFINED ${cached})
    set(program ${PROJECT_BINARY_DIR}/CMakeFiles/mpi_version)
    file(WRITE ${program}.cpp "#include <mpi.h>
#define TEXT(words) #words
#define DOTTED(a, b, c) TEXT(a.b.c)
#ifdef OPEN_MPI
const char version[] = \"MPI version \" DOTTED(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#else
const char version[] = \"MPI version \" MPICH_VERSION;
#endif
int main(int count, char**) { return version[count]; }
")
    try_compile(is_compiled ${PROJECT_BINARY_DIR} SOURCES ${program}.cpp LINK_LIBRARIES ${target} COPY_FILE ${program})
    set(found "")
    if(is_compiled)
      file(STRINGS ${program} found REGEX "MPI version [0-9.]+" LIMIT_COUNT 1)
    endif()
    string(REGEX MATCH "[0-9][0-9.]*" found "${found}")
    set(${cached} "${found}" CACHE INTERNAL "")
    unset(is_compiled CACHE) # of another MPI for the next one
  endif()
  set(${result} "${${cached}}" PARENT_SCOPE)
endfunction()
