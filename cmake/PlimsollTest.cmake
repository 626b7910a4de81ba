find_package(GTest REQUIRED)
include(GoogleTest)
if(PLIMSOLL_WITH_FORTRAN)
  include(MpiFortran)
endif()

# plimsoll_add_test(<name> SOURCES ... [LIBRARIES ...] [TIMEOUT seconds] [SHARDS n] [OPTIMISED] [ISOLATED pattern... | LONG])
#
# Adds a GoogleTest program that runs all its cases, as plimsoll_add_case_runs() explains. Each case that an ISOLATED pattern
# selects runs in a process of its own, as test <name>.<Suite>.<Case>, because it changes or copies the state of its
# process, e.g. by signals or fork(). LONG gives the test the label "long". OPTIMISED is for cases that compute for long.
function(plimsoll_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "OPTIMISED;LONG" "TIMEOUT;SHARDS" "SOURCES;LIBRARIES;ISOLATED")
  set(optimised "")
  if(test_OPTIMISED)
    set(optimised OPTIMISED)
  endif()
  plimsoll_add_test_program(${name} SOURCES ${test_SOURCES} LIBRARIES ${test_LIBRARIES} GTest::gtest_main ${optimised})
  set(others "")
  if(test_ISOLATED)
    list(JOIN test_ISOLATED : isolated)
    gtest_discover_tests(${name} TEST_PREFIX ${name}. TEST_FILTER ${isolated} PROPERTIES TIMEOUT 120 DISCOVERY_TIMEOUT 60)
    set(others -${isolated})
  endif()
  set(long "")
  if(test_LONG)
    set(long LONG)
    plimsoll_build_for_long_tests(${name})
  endif()
  plimsoll_add_case_runs(${name} FILTER ${others} TIMEOUT ${test_TIMEOUT} SHARDS ${test_SHARDS} ${long})
endfunction()

# plimsoll_add_case_runs(<program> [NAME name] [FILTER filter] [TIMEOUT seconds] [SHARDS n] [LONG])
#
# Runs the cases of a GoogleTest program, or those that a filter selects, in one process, as test <name or program>.
# scripts/run-tests counts the cases in the file that the program writes. SHARDS distributes the cases to n processes,
# <name>.shard_<i>, so that those of a program that runs long use several cores.
function(plimsoll_add_case_runs program)
  cmake_parse_arguments(PARSE_ARGV 1 run "LONG" "NAME;FILTER;TIMEOUT;SHARDS" "")
  if(NOT run_NAME)
    set(run_NAME ${program})
  endif()
  if(NOT run_TIMEOUT AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(run_TIMEOUT 3600)
  elseif(NOT run_TIMEOUT)
    set(run_TIMEOUT 600)
  endif()
  if(NOT run_SHARDS)
    set(run_SHARDS 1)
  endif()
  set(filter "")
  if(run_FILTER)
    set(filter --gtest_filter=${run_FILTER})
  endif()
  foreach(shard RANGE 1 ${run_SHARDS})
    set(test ${run_NAME})
    if(run_SHARDS GREATER 1)
      set(test ${run_NAME}.shard_${shard})
    endif()
    add_test(NAME ${test} COMMAND ${program} --gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${test}.xml ${filter})
    math(EXPR index "${shard} - 1")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${run_TIMEOUT}
                                            ENVIRONMENT "GTEST_TOTAL_SHARDS=${run_SHARDS};GTEST_SHARD_INDEX=${index}")
    if(run_LONG)
      set_property(TEST ${test} PROPERTY LABELS long)
    endif()
  endforeach()
endfunction()

# `make test` omits the tests with the label "long", which `make test-full` runs. They are tests with the other MPIs,
# the same tests with other numbers of ranks, tests of more than 2 GiB, and pictures and times of the report page.
#
# plimsoll_build_for_long_tests(<target>...): builds these targets with the target long_tests, unless another target
# needs them. `make test` does not build them.
add_custom_target(long_tests)
function(plimsoll_build_for_long_tests)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(long_tests ${ARGN})
endfunction()

# `make test` runs all tests with the main MPI, for which the real programs of some tests are built. With the other MPIs it
# runs those that say EVERY_MPI: a test of each kind of wrapper, transport and launcher, and tests of what differs between
# MPIs.
#
# plimsoll_long_with_other_mpi(<result> <mpi>): returns LONG, unless this is the main MPI.
# plimsoll_build_with_main_mpi(<mpi> <target>...): lets `make test` build these targets for the main MPI only.
list(GET MpiFlavour_NAMES 0 PLIMSOLL_MAIN_MPI)
if(openmpi IN_LIST MpiFlavour_NAMES)
  set(PLIMSOLL_MAIN_MPI openmpi)
endif()
function(plimsoll_long_with_other_mpi result flavour)
  set(long LONG)
  if(flavour STREQUAL PLIMSOLL_MAIN_MPI)
    set(long "")
  endif()
  set(${result} ${long} PARENT_SCOPE)
endfunction()
function(plimsoll_build_with_main_mpi flavour)
  if(NOT flavour STREQUAL PLIMSOLL_MAIN_MPI)
    plimsoll_build_for_long_tests(${ARGN})
  endif()
endfunction()

# Numbers of ranks for the tests of each MPI. The maximum exceeds the number of cores of some machines. A test with
# another than the main MPI runs with a single number of ranks in `make test`.
set(PLIMSOLL_TEST_RANKS_openmpi 1 2 8)
set(PLIMSOLL_TEST_RANKS_mpich 1 3 4)
set(PLIMSOLL_TEST_RANKS_mpi 1 2 4)
set(PLIMSOLL_LONG_TEST_RANKS_openmpi 3 4)
set(PLIMSOLL_LONG_TEST_RANKS_mpich 2)
set(PLIMSOLL_LONG_TEST_RANKS_mpi "")
set(PLIMSOLL_OTHER_MPI_TEST_RANKS 3)

# Environment of MPI tests. By default, Open MPI refuses to run as root or with more ranks than cores, both of which are
# common in containers. It also binds ranks to cores, so that two concurrent tests would share one core and leave
# another idle. A waiting rank must yield; otherwise it blocks the rank that it waits for. Half of the time of a start goes to
# the search for devices and to communication between nodes, which these tests do not use. The settings are environment
# variables, because other MPIs reject Open MPI's options. The sanitisers must ignore leaks and locks inside Open MPI,
# which requires complete stacks of its allocations.
set(PLIMSOLL_MPI_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_pml=ob1
    PMIX_MCA_gds=hash
    HWLOC_PLUGINS_PATH=/nonexistent
    HWLOC_COMPONENTS=-linuxio
    ASAN_OPTIONS=fast_unwind_on_malloc=0
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/lsan.supp
    "TSAN_OPTIONS=ignore_noninstrumented_modules=1 atexit_sleep_ms=0 suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/tsan.supp")

# plimsoll_set_mpi_environment(<test> [VARIABLE=value...]): adds these variables and those above. Launchers of Open MPI that
# start and end at the same time fail if they share a directory for their sessions.
function(plimsoll_set_mpi_environment test)
  set(sessions OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/mpi-sessions/${test})
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${ARGN} ${PLIMSOLL_MPI_TEST_ENVIRONMENT} ${sessions})
endfunction()

# plimsoll_add_mpi_test(<name> SOURCES ... [MPI_LIBRARIES ...] [LIBRARIES ...] [RANKS n...] [TIMEOUT seconds] [EVERY_MPI]
#                       [LONG])
#
# Adds a GoogleTest program for each MPI, <name>_<mpi>. It runs as a whole on each of these numbers of ranks (by default,
# on those above), as test <name>_<mpi>.ranks_<n>. Every rank runs every case; a failure on any rank fails the test
# (tests/mpi/mpi_test_main.cpp). MPI_LIBRARIES are names of modules that call MPI.
function(plimsoll_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "EVERY_MPI;LONG" "TIMEOUT" "SOURCES;LIBRARIES;MPI_LIBRARIES;RANKS")
  set(options "")
  foreach(option EVERY_MPI LONG)
    if(test_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  plimsoll_add_mpi_program(${name} SOURCES ${test_SOURCES} LIBRARIES ${test_LIBRARIES} MPI_LIBRARIES ${test_MPI_LIBRARIES}
                           ${options})
  foreach(flavour IN LISTS MpiFlavour_NAMES)
    target_link_libraries(${name}_${flavour} PRIVATE plimsoll_mpi_test_main_${flavour})
    plimsoll_add_mpi_runs(${name}_${flavour} ${flavour} RANKS ${test_RANKS} TIMEOUT ${test_TIMEOUT} ${options})
  endforeach()
endfunction()

# Common main() of these programs, compiled once per MPI.
foreach(flavour IN LISTS MpiFlavour_NAMES)
  add_library(plimsoll_mpi_test_main_${flavour} OBJECT ${PROJECT_SOURCE_DIR}/tests/mpi/mpi_test_main.cpp)
  plimsoll_compile_options(plimsoll_mpi_test_main_${flavour})
  target_compile_features(plimsoll_mpi_test_main_${flavour} PUBLIC cxx_std_20)
  target_link_libraries(plimsoll_mpi_test_main_${flavour} PUBLIC MpiFlavour::${flavour} GTest::gtest fmt::fmt)
endforeach()

# plimsoll_add_mpi_program(<name> SOURCES ... [MPI_LIBRARIES ...] [LIBRARIES ...] [EVERY_MPI] [LONG])
#
# Adds a test program for each MPI, <name>_<mpi>, with its own main(). It adds no test that runs the program.
function(plimsoll_add_mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 test "EVERY_MPI;LONG" "" "SOURCES;LIBRARIES;MPI_LIBRARIES")
  foreach(flavour IN LISTS MpiFlavour_NAMES)
    set(libraries ${test_LIBRARIES} MpiFlavour::${flavour})
    foreach(library IN LISTS test_MPI_LIBRARIES)
      list(APPEND libraries plimsoll::${library}_${flavour})
    endforeach()
    plimsoll_add_test_program(${name}_${flavour} SOURCES ${test_SOURCES} LIBRARIES ${libraries})
    plimsoll_yield_when_idle(${name}_${flavour})
    if(test_LONG)
      plimsoll_build_for_long_tests(${name}_${flavour})
    elseif(NOT test_EVERY_MPI)
      plimsoll_build_with_main_mpi(${flavour} ${name}_${flavour})
    endif()
  endforeach()
endfunction()

# plimsoll_yield_when_idle(<program>): makes idle ranks of a program, in any language, sleep.
add_library(plimsoll_yield_when_idle OBJECT ${PROJECT_SOURCE_DIR}/tests/mpi/yield_when_idle.c)
function(plimsoll_yield_when_idle program)
  target_link_libraries(${program} PRIVATE plimsoll_yield_when_idle ${CMAKE_DL_LIBS})
  target_link_options(${program} PRIVATE LINKER:--export-dynamic-symbol=sched_yield)
endfunction()

# plimsoll_add_mpi_runs(<program> <mpi> [NAME name] [RANKS n...] [TIMEOUT seconds] [ARGUMENTS ...] [EVERY_MPI] [LONG])
#
# Runs a program, a target in any language, on each of these numbers of ranks (by default, on those above), as test
# <name or program>.ranks_<n>.
function(plimsoll_add_mpi_runs program flavour)
  cmake_parse_arguments(PARSE_ARGV 2 run "EVERY_MPI;LONG" "TIMEOUT;NAME" "RANKS;ARGUMENTS")
  if(NOT run_TIMEOUT)
    set(run_TIMEOUT 120)
  endif()
  if(NOT run_NAME)
    set(run_NAME ${program})
  endif()
  set(all ${run_RANKS})
  set(short ${run_RANKS})
  if(NOT run_RANKS)
    set(all ${PLIMSOLL_TEST_RANKS_${flavour}} ${PLIMSOLL_LONG_TEST_RANKS_${flavour}})
    set(short ${PLIMSOLL_TEST_RANKS_${flavour}})
  endif()
  if(run_LONG)
    set(short "")
  elseif(NOT flavour STREQUAL PLIMSOLL_MAIN_MPI)
    set(short "")
    if(run_EVERY_MPI AND PLIMSOLL_OTHER_MPI_TEST_RANKS IN_LIST all)
      set(short ${PLIMSOLL_OTHER_MPI_TEST_RANKS})
    elseif(run_EVERY_MPI)
      list(GET all -1 short)
    endif()
  endif()
  foreach(ranks IN LISTS all)
    math(EXPR processors "(${ranks} + 3) / 4") # ranks wait most of the time
    add_test(NAME ${run_NAME}.ranks_${ranks} COMMAND ${MpiFlavour_${flavour}_LAUNCHER} -n ${ranks} $<TARGET_FILE:${program}>
                                                     ${run_ARGUMENTS})
    set_tests_properties(
      ${run_NAME}.ranks_${ranks}
      PROPERTIES TIMEOUT ${run_TIMEOUT}
                 PROCESSORS ${processors}
                 SKIP_RETURN_CODE 77)
    plimsoll_set_mpi_environment(${run_NAME}.ranks_${ranks} PLIMSOLL_TEST_RANKS=${ranks})
    if(NOT ranks IN_LIST short)
      set_property(TEST ${run_NAME}.ranks_${ranks} PROPERTY LABELS long)
    endif()
  endforeach()
endfunction()

# Headers of most tests, compiled once, because all test programs have the same options; -Winvalid-pch reports programs
# with others. Like groups of sources, this is off for clang-tidy.
if(PLIMSOLL_COMPILE_IN_GROUPS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "")
  add_library(plimsoll_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  plimsoll_compile_options(plimsoll_test_headers)
  target_compile_options(plimsoll_test_headers PRIVATE -O0)
  set_target_properties(plimsoll_test_headers PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF)
  target_compile_features(plimsoll_test_headers PRIVATE cxx_std_20)
  target_link_libraries(plimsoll_test_headers PRIVATE GTest::gmock fmt::fmt)
  foreach(header gmock/gmock.h gtest/gtest.h fmt/ranges.h algorithm cmath filesystem fstream functional map optional random span)
    target_precompile_headers(plimsoll_test_headers PRIVATE <${header}>)
  endforeach()
endif()

# Adds the common part of both kinds of test program.
function(plimsoll_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 test "OPTIMISED" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${test_SOURCES})
  plimsoll_compile_options(${name})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE PLIMSOLL_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
                                             PLIMSOLL_SHARED_DIR="${PLIMSOLL_SHARED_DIR}")
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gmock fmt::fmt)
  plimsoll_compile_in_groups(${name})
  if(test_OPTIMISED)
    return()
  endif()
  # Most of the time of compiling tests would go to optimising cases that run once.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  if(TARGET plimsoll_test_headers AND NOT test_SOURCES MATCHES "\\.c(;|$)") # CMake expects headers for each language
    plimsoll_reuse_headers(${name} plimsoll_test_headers)
  endif()
endfunction()
