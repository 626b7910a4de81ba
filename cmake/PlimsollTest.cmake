find_package(GTest REQUIRED)
include(GoogleTest)
set(MPI_CXX_SKIP_MPICXX TRUE) # the C++ bindings are gone from MPI-3
find_package(MPI REQUIRED COMPONENTS CXX)

# plimsoll_add_test(<name> SOURCES ... [LIBRARIES ...] [TIMEOUT seconds])
#
# A GoogleTest program of which every case is a test of its own, <name>.<Suite>.<Case>. A case that calls
# GTEST_SKIP counts as skipped.
function(plimsoll_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  plimsoll_add_test_program(${name} SOURCES ${test_SOURCES} LIBRARIES ${test_LIBRARIES} GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. PROPERTIES TIMEOUT ${test_TIMEOUT} DISCOVERY_TIMEOUT 60)
endfunction()

# plimsoll_add_mpi_test(<name> SOURCES ... RANKS n... [LIBRARIES ...] [TIMEOUT seconds])
#
# A GoogleTest program that runs as a whole on each of these numbers of ranks, as test <name>.ranks_<n>. Every
# rank runs every case; a failure on any rank fails the test (tests/mpi/mpi_test_main.cpp).
function(plimsoll_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES;RANKS")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  plimsoll_add_test_program(${name} SOURCES ${test_SOURCES} ${PROJECT_SOURCE_DIR}/tests/mpi/mpi_test_main.cpp
                            LIBRARIES ${test_LIBRARIES} MPI::MPI_CXX fmt::fmt)
  foreach(ranks IN LISTS test_RANKS)
    add_test(NAME ${name}.ranks_${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                                                 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS})
    # Open MPI refuses by default to run as root or with more ranks than cores, both usual in containers; it also
    # binds ranks to cores, so that two tests at a time would share one core and leave another idle. Its
    # settings come through the environment because other MPIs do not know its options. The sanitisers must leave
    # Open MPI's own leaks and locks out, which takes complete stacks of what it allocates.
    set_tests_properties(
      ${name}.ranks_${ranks}
      PROPERTIES TIMEOUT ${test_TIMEOUT}
                 PROCESSORS ${ranks}
                 SKIP_RETURN_CODE 77
                 ENVIRONMENT "PLIMSOLL_TEST_RANKS=${ranks};OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;\
OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none;\
ASAN_OPTIONS=fast_unwind_on_malloc=0;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/lsan.supp;\
TSAN_OPTIONS=ignore_noninstrumented_modules=1 suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/tsan.supp")
  endforeach()
endfunction()

# What both kinds of test program have in common.
function(plimsoll_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${test_SOURCES})
  plimsoll_compile_options(${name})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE PLIMSOLL_SHARED_DIR="${PLIMSOLL_SHARED_DIR}")
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gmock)
endfunction()
