# Finds every MPI on this machine: for each a target MpiFlavour::<name>, its launcher MpiFlavour_<name>_LAUNCHER, and
# all names in MpiFlavour_NAMES. The first is the default: the one found by FindMPI. Open MPI and MPICH can be installed
# together (as Debian's packages are), but a library built for one cannot be linked to the other. COMPONENTS lists the
# required ones, and PLIMSOLL_MPI those to use of the ones found (default: all). This file is also installed, because users
# of an installed module that calls MPI need it.
include(CheckCXXSourceCompiles)
set(MpiFlavour_NAMES "")

# mpi_flavour_of(<result> <target>): returns openmpi, mpich (also for MPICH's derivatives), or mpi for all others.
function(mpi_flavour_of result target)
  set(CMAKE_REQUIRED_LIBRARIES ${target})
  check_cxx_source_compiles("#include <mpi.h>\n#ifndef OPEN_MPI\n#error\n#endif\nint main() {return 0;}" MPI_FLAVOUR_IS_OPENMPI)
  check_cxx_source_compiles("#include <mpi.h>\n#ifndef MPICH_VERSION\n#error\n#endif\nint main() {}" MPI_FLAVOUR_IS_MPICH)
  if(MPI_FLAVOUR_IS_OPENMPI)
    set(${result} openmpi PARENT_SCOPE)
  elseif(MPI_FLAVOUR_IS_MPICH)
    set(${result} mpich PARENT_SCOPE)
  else()
    set(${result} mpi PARENT_SCOPE)
  endif()
endfunction()

function(mpi_flavour_add name target launcher)
  if(PLIMSOLL_MPI AND NOT name IN_LIST PLIMSOLL_MPI)
    return()
  endif()
  if(NOT TARGET MpiFlavour::${name})
    add_library(MpiFlavour::${name} INTERFACE IMPORTED)
    target_link_libraries(MpiFlavour::${name} INTERFACE ${target})
    # MPI-3 has removed the C++ bindings.
    target_compile_definitions(MpiFlavour::${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  endif()
  set(MpiFlavour_NAMES ${MpiFlavour_NAMES} ${name} PARENT_SCOPE)
  set(MpiFlavour_${name}_LAUNCHER ${launcher} PARENT_SCOPE)
  set(MpiFlavours_${name}_FOUND TRUE PARENT_SCOPE)
endfunction()

set(MPI_CXX_SKIP_MPICXX TRUE)
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  mpi_flavour_of(mpi_flavour_default MPI::MPI_CXX)
  mpi_flavour_add(${mpi_flavour_default} MPI::MPI_CXX ${MPIEXEC_EXECUTABLE})
endif()

# Finds other MPIs by their pkg-config files.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  foreach(mpi_flavour_and_package openmpi=ompi mpich=mpich)
    string(REGEX MATCH "^(.*)=(.*)$" mpi_flavour_matched ${mpi_flavour_and_package})
    set(mpi_flavour ${CMAKE_MATCH_1})
    set(mpi_flavour_package ${CMAKE_MATCH_2})
    if(NOT mpi_flavour IN_LIST MpiFlavour_NAMES)
      pkg_check_modules(MPI_FLAVOUR_${mpi_flavour} QUIET IMPORTED_TARGET ${mpi_flavour_package})
      find_program(MPI_FLAVOUR_${mpi_flavour}_LAUNCHER NAMES mpiexec.${mpi_flavour})
      mark_as_advanced(MPI_FLAVOUR_${mpi_flavour}_LAUNCHER)
      if(MPI_FLAVOUR_${mpi_flavour}_FOUND AND MPI_FLAVOUR_${mpi_flavour}_LAUNCHER)
        mpi_flavour_add(${mpi_flavour} PkgConfig::MPI_FLAVOUR_${mpi_flavour} ${MPI_FLAVOUR_${mpi_flavour}_LAUNCHER})
      endif()
    endif()
  endforeach()
endif()

list(JOIN MpiFlavour_NAMES ", " mpi_flavours_found)
if(NOT mpi_flavours_found)
  set(mpi_flavours_found "none")
  if(PLIMSOLL_MPI)
    set(mpi_flavours_found "none of PLIMSOLL_MPI=${PLIMSOLL_MPI}")
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MpiFlavours HANDLE_COMPONENTS REQUIRED_VARS MpiFlavour_NAMES
  REASON_FAILURE_MESSAGE "MPI found: ${mpi_flavours_found}. Install libopenmpi-dev and openmpi-bin, or libmpich-dev and mpich, \
or set -DMPI_CXX_COMPILER= to the compiler wrapper of another MPI")
