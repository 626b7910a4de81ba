# PLIMSOLL_WITH_FORTRAN: the Fortran modules of the runtime. They need a Fortran compiler, and Python, which derives them from the C
# header. This is an included file because a function cannot enable a language.
include(CheckLanguage)
set(PLIMSOLL_WITH_FORTRAN AUTO CACHE STRING "Fortran modules of the runtime: AUTO, ON or OFF")
set_property(CACHE PLIMSOLL_WITH_FORTRAN PROPERTY STRINGS AUTO ON OFF)
set(fortran_state OFF)
if(PLIMSOLL_BUILD_RUNTIME AND PLIMSOLL_WITH_FORTRAN)
  check_language(Fortran)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(CMAKE_Fortran_COMPILER AND Python3_FOUND)
    enable_language(Fortran)
    set(fortran_state ON)
  elseif(NOT PLIMSOLL_WITH_FORTRAN STREQUAL "AUTO")
    message(FATAL_ERROR "PLIMSOLL_WITH_FORTRAN is ON, but a Fortran compiler or Python 3 is missing; set CMAKE_Fortran_COMPILER or \
Python3_EXECUTABLE")
  endif()
endif()
set(PLIMSOLL_WITH_FORTRAN ${fortran_state})
add_feature_info(PLIMSOLL_WITH_FORTRAN ${PLIMSOLL_WITH_FORTRAN} "Fortran modules of the runtime (Fortran compiler and Python 3)")

# Where modules are installed: compilers read only the modules of their own versions.
string(REGEX MATCH "^[0-9]+" fortran_version "${CMAKE_Fortran_COMPILER_VERSION}")
set(PLIMSOLL_FORTRAN_MODULES ${CMAKE_INSTALL_INCLUDEDIR}/plimsoll-fortran/${CMAKE_Fortran_COMPILER_ID}-${fortran_version})
