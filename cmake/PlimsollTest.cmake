find_package(GTest REQUIRED)
include(GoogleTest)

# Where the real data files and verdicts are; tests that need them skip where it is absent.
set(PLIMSOLL_SHARED_DIR "${PROJECT_SOURCE_DIR}/../shared" CACHE PATH "Folder of real LB data and verdicts")

# plimsoll_add_test(<name> SOURCES ... [LIBRARIES ...] [TIMEOUT seconds])
#
# A GoogleTest program of which every case is a test of its own.
function(plimsoll_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  add_executable(${name} ${test_SOURCES})
  plimsoll_compile_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE PLIMSOLL_SHARED_DIR="${PLIMSOLL_SHARED_DIR}")
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} PROPERTIES TIMEOUT ${test_TIMEOUT} DISCOVERY_TIMEOUT 60)
endfunction()
