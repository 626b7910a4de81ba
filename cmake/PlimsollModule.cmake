include(PlimsollHardening)
include(PlimsollInstall)
include(PlimsollLoadedLibrary)

# plimsoll_add_module(<name> SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...] [INSTALLED_INCLUDES directory]
#                     [WITHOUT_HEADERS] [FOR_TESTS])
#
# Adds a module: a directory below src/, with one library, one namespace and one component of the installed package,
# plimsoll::<name>. Public headers are in include/plimsoll/<name>/, private ones next to the sources. Public headers are
# installed unless the module is WITHOUT_HEADERS. INSTALLED_INCLUDES is another directory of the installed package that users
# of the module include. A variant of a module for tests (FOR_TESTS) is not installed.
function(plimsoll_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "WITHOUT_HEADERS;FOR_TESTS" "INSTALLED_INCLUDES" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  set(target plimsoll_${name})
  add_library(${target} ${module_SOURCES})
  add_library(plimsoll::${name} ALIAS ${target})
  plimsoll_compile_options(${target})
  plimsoll_compile_in_groups(${target})
  if(NOT module_FOR_TESTS) # without the hardening of modules, the common headers would be invalid
    plimsoll_use_common_headers(${target})
  endif()
  # Lets programs link only the functions that they call.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  plimsoll_split_dependencies(module_PRIVATE_DEPENDS build_dependencies ${module_PRIVATE_DEPENDS})
  plimsoll_split_dependencies(module_DEPENDS public_headers ${module_DEPENDS})
  list(TRANSFORM public_headers REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE public_in_build)
  list(TRANSFORM build_dependencies REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE private_in_build)
  target_link_libraries(${target} PUBLIC ${module_DEPENDS} ${public_in_build} PRIVATE ${module_PRIVATE_DEPENDS} ${private_in_build})
  if(public_headers AND PLIMSOLL_DEPENDENCIES_DIR)
    list(APPEND module_INSTALLED_INCLUDES ${PLIMSOLL_INSTALLED_DEPENDENCIES})
  endif()
  set(more_includes "") # for pkg-config
  foreach(folder IN LISTS module_INSTALLED_INCLUDES)
    target_include_directories(${target} SYSTEM INTERFACE $<INSTALL_INTERFACE:${folder}>)
    string(APPEND more_includes " -I\${prefix}/${folder}")
  endforeach()
  if(build_dependencies)
    plimsoll_embed_dependencies(${target})
  endif()
  set_target_properties(
    ${target} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                         POSITION_INDEPENDENT_CODE ON)
  if(NOT module_FOR_TESTS)
    plimsoll_install_module(${name} DEPENDS ${module_DEPENDS} PRIVATE_DEPENDS ${module_PRIVATE_DEPENDS})
    if(NOT module_WITHOUT_HEADERS)
      plimsoll_install_headers(${name})
    endif()
  endif()
endfunction()

# plimsoll_add_mpi_module(<name> SOURCES ... [COMMON_SOURCES ...] [DEPENDS ...] [PRIVATE_DEPENDS ...] [MPI_DEPENDS ...]
#                         [INSTALLED_INCLUDES directory] [WITHOUT_HEADERS])
#
# Adds a module that calls MPI: one library per MPI found, e.g. plimsoll::<name>_openmpi and plimsoll::<name>_mpich.
# plimsoll::<name> is the library for the default MPI. MPI_DEPENDS are names of other such modules. COMMON_SOURCES do
# not include mpi.h. They are compiled once for all of these libraries, as plimsoll_<name>_common, which tests can link
# without an MPI.
function(plimsoll_add_mpi_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "WITHOUT_HEADERS" "INSTALLED_INCLUDES" "SOURCES;COMMON_SOURCES;DEPENDS;PRIVATE_DEPENDS;MPI_DEPENDS")
  if(module_COMMON_SOURCES)
    set(common plimsoll_${name}_common)
    add_library(${common} OBJECT ${module_COMMON_SOURCES})
    plimsoll_compile_options(${common})
    plimsoll_compile_in_groups(${common})
    plimsoll_use_common_headers(${common})
    target_compile_features(${common} PUBLIC cxx_std_20)
    target_include_directories(${common} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${common} PUBLIC ${module_DEPENDS} PRIVATE ${module_PRIVATE_DEPENDS})
    set_target_properties(${common} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    list(APPEND module_SOURCES $<TARGET_OBJECTS:${common}>)
  endif()
  foreach(flavour IN LISTS MpiFlavour_NAMES)
    set(depends ${module_DEPENDS} MpiFlavour::${flavour})
    foreach(dependence IN LISTS module_MPI_DEPENDS)
      list(APPEND depends plimsoll::${dependence}_${flavour})
    endforeach()
    plimsoll_add_module(${name}_${flavour} SOURCES ${module_SOURCES} DEPENDS ${depends}
                        PRIVATE_DEPENDS ${module_PRIVATE_DEPENDS} INSTALLED_INCLUDES ${module_INSTALLED_INCLUDES} WITHOUT_HEADERS)
  endforeach()
  if(NOT module_WITHOUT_HEADERS)
    plimsoll_install_headers(${name})
  endif()
  list(GET MpiFlavour_NAMES 0 default_flavour)
  add_library(plimsoll::${name} ALIAS plimsoll_${name}_${default_flavour})
  plimsoll_install_alias(${name} ${name}_${default_flavour})
endfunction()

# plimsoll_compile_in_groups(<target>): compiles the C++ sources of a target together, in a third of the time. A change of
# one source recompiles all of them. Their local names must differ; sources that cannot be combined with others have the
# property SKIP_UNITY_BUILD_INCLUSION or another UNITY_GROUP. GCC reports two uses as if they were mistakes in
# a header: a local variable with the name of another source's function, and a class with members of a source's local
# types. This is off for clang-tidy, which reads each source separately.
option(PLIMSOLL_COMPILE_IN_GROUPS "Compile the sources of each target together, which saves time" ON)
mark_as_advanced(PLIMSOLL_COMPILE_IN_GROUPS)
function(plimsoll_compile_in_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PLIMSOLL_COMPILE_IN_GROUPS} UNITY_BUILD_MODE GROUP)
  target_compile_options(
    ${target}
    PRIVATE $<$<AND:$<BOOL:${PLIMSOLL_COMPILE_IN_GROUPS}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-shadow;-Wno-subobject-linkage>
            $<$<AND:$<BOOL:${PLIMSOLL_COMPILE_IN_GROUPS}>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:-Wno-shadow>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP all)
    endif()
  endforeach()
endfunction()

# plimsoll_add_common_headers(): adds the target plimsoll_common_headers, headers of most sources of modules, compiled once.
# All modules have the same options; -Winvalid-pch reports one with others. Like groups, this is off for clang-tidy.
function(plimsoll_add_common_headers)
  if(NOT PLIMSOLL_COMPILE_IN_GROUPS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/common_headers.cpp CONTENT "")
  add_library(plimsoll_common_headers OBJECT ${PROJECT_BINARY_DIR}/common_headers.cpp)
  plimsoll_compile_options(plimsoll_common_headers)
  target_compile_features(plimsoll_common_headers PRIVATE cxx_std_20)
  set_target_properties(plimsoll_common_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(plimsoll_common_headers PRIVATE fmt::fmt)
  foreach(header fmt/format.h algorithm cmath filesystem functional map memory numeric optional ranges set span string vector)
    target_precompile_headers(plimsoll_common_headers PRIVATE <${header}>)
  endforeach()
endfunction()

function(plimsoll_use_common_headers target)
  get_target_property(sources ${target} SOURCES)
  if(TARGET plimsoll_common_headers AND NOT sources MATCHES "\\.c(;|$)") # CMake expects headers for each language
    plimsoll_reuse_headers(${target} plimsoll_common_headers)
  endif()
endfunction()

# Compiles the sources of a target with the headers of another one. GCC 12 then inlines in another order, and warns wrongly
# of memory accesses in std::string; the sanitisers find wrong accesses.
function(plimsoll_reuse_headers target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  set(wrong_warnings -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:${wrong_warnings}>)
endfunction()

# Sets warnings, contracts and reproducible arithmetic for every target, and hardening for targets below src/.
function(plimsoll_compile_options target)
  string(FIND ${CMAKE_CURRENT_SOURCE_DIR}/ ${PROJECT_SOURCE_DIR}/src/ position)
  if(position EQUAL 0)
    plimsoll_harden(${target})
  endif()
  # Hides the symbols of our static libraries in shared libraries that link them, so that several versions can coexist
  # in a process.
  get_target_property(type ${target} TYPE)
  if(type MATCHES "STATIC|OBJECT" AND NOT BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  set(not_fortran $<NOT:$<COMPILE_LANGUAGE:Fortran>>)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra $<${not_fortran}:-Wpedantic> -ffp-contract=off -fno-semantic-interposition
                      $<${not_fortran}:-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-missing-field-initializers>
                      $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=f2008>)
  # GCC 12 wrongly warns of overlapping memory where text is appended to a std::string (GCC bug 105651, fixed in 13).
  target_compile_options(
    ${target}
    PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
  # GCC collects garbage from a small heap on; a larger one saves a tenth of the time.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
  plimsoll_prepare_embedding(${target})
  if(PLIMSOLL_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PLIMSOLL_CONTRACTS)
    target_compile_definitions(${target} PRIVATE PLIMSOLL_CONTRACTS)
  endif()
endfunction()
