# Libraries that every build needs. They come from the dependency archive if it is unpacked beside or in the checkout
# (scripts/dependencies-archive), otherwise from the system. Both define the same targets.
#
# Libraries from the archive become a part of Plimsoll's libraries, and their symbols stay invisible to the programs of
# users, which may contain other versions (plimsoll_embed_dependencies).
find_path(PLIMSOLL_DEPENDENCIES_DIR fmt/include/fmt/format.h
          PATHS ${PROJECT_SOURCE_DIR}/plimsoll-dependencies ${PROJECT_SOURCE_DIR}/../plimsoll-dependencies
          NO_DEFAULT_PATH DOC "Unpacked dependency archive")
find_package(Threads REQUIRED)
# Where headers of the archive that our public headers include are installed.
set(PLIMSOLL_INSTALLED_DEPENDENCIES ${CMAKE_INSTALL_INCLUDEDIR}/plimsoll-dependencies)

# plimsoll_prepare_embedding(<target>): compiles variables of inline functions as weak symbols. Several libraries may define
# weak symbols that belong to no group, unlike the unique symbols of GCC.
function(plimsoll_prepare_embedding target)
  if(PLIMSOLL_DEPENDENCIES_DIR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  endif()
endfunction()

# plimsoll_library_from_source(<target> <directory> SOURCES <pattern>... [INCLUDE <directory>] [DEFINITIONS ...])
function(plimsoll_library_from_source target directory)
  cmake_parse_arguments(PARSE_ARGV 2 library "" "INCLUDE" "SOURCES;DEFINITIONS")
  set(root ${PLIMSOLL_DEPENDENCIES_DIR}/${directory})
  string(MAKE_C_IDENTIFIER plimsoll_dependency_${target} name)
  list(TRANSFORM library_SOURCES PREPEND ${root}/)
  file(GLOB sources CONFIGURE_DEPENDS ${library_SOURCES})
  if(NOT sources)
    message(FATAL_ERROR "${root} is incomplete; unpack the dependency archive again")
  endif()
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${root}/${library_INCLUDE})
  target_compile_definitions(${name} PUBLIC ${library_DEFINITIONS})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_compile_options(${name} PRIVATE -w -ffunction-sections -fdata-sections)
  plimsoll_prepare_embedding(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
                                           CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  add_library(${target} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_EMBEDDED_DEPENDENCIES ${name})
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_BUILD_DEPENDENCIES ${target})
endfunction()

# plimsoll_headers_from_source(<target> <directory> [INCLUDE <directory>] [DEFINITIONS ...])
function(plimsoll_headers_from_source target directory)
  cmake_parse_arguments(PARSE_ARGV 2 library "" "INCLUDE" "DEFINITIONS")
  string(MAKE_C_IDENTIFIER plimsoll_dependency_${target} name)
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE ${PLIMSOLL_DEPENDENCIES_DIR}/${directory}/${library_INCLUDE})
  target_compile_definitions(${name} INTERFACE ${library_DEFINITIONS})
  add_library(${target} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_BUILD_DEPENDENCIES ${target})
endfunction()

# plimsoll_find_header(<target> <header> [REQUIRED]): a library that consists of headers. Without it, only sources that include
# them cannot be compiled, unless it is REQUIRED.
function(plimsoll_find_header target header)
  string(MAKE_C_IDENTIFIER plimsoll_dependency_${target} name)
  string(TOUPPER ${name}_INCLUDE_DIR variable)
  find_path(${variable} ${header} ${ARGN})
  mark_as_advanced(${variable})
  add_library(${name} INTERFACE)
  if(${variable})
    target_include_directories(${name} SYSTEM INTERFACE ${${variable}})
  endif()
  add_library(${target} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_BUILD_DEPENDENCIES ${target})
endfunction()

# plimsoll_split_dependencies(<result for users> <result for the build> <target>...): separates the libraries that programs
# of users link too from those that only the build of Plimsoll needs.
function(plimsoll_split_dependencies users build)
  get_property(build_only GLOBAL PROPERTY PLIMSOLL_BUILD_DEPENDENCIES)
  set(of_users ${ARGN})
  set(of_build "")
  foreach(library IN LISTS ARGN)
    if(library IN_LIST build_only)
      list(REMOVE_ITEM of_users ${library})
      list(APPEND of_build ${library})
    endif()
  endforeach()
  set(${users} ${of_users} PARENT_SCOPE)
  set(${build} ${of_build} PARENT_SCOPE)
endfunction()

# plimsoll_embed_dependencies(<target>): makes libraries from the archive invisible parts of a library.
function(plimsoll_embed_dependencies target)
  get_property(dependencies GLOBAL PROPERTY PLIMSOLL_EMBEDDED_DEPENDENCIES)
  get_target_property(type ${target} TYPE)
  if(NOT dependencies)
    return()
  elseif(type STREQUAL "STATIC_LIBRARY")
    add_dependencies(${target} ${dependencies})
    set(archives ${dependencies})
    list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    add_custom_command(
      TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -D ARCHIVE=$<TARGET_FILE:${target}> -D "DEPENDENCIES=${archives}" -D "NAMES=3fmt|4YAML|8simdjson|4pugi"
              -D LINKER=${CMAKE_LINKER} -D NM=${CMAKE_NM} -D OBJCOPY=${CMAKE_OBJCOPY} -D AR=${CMAKE_AR}
              -P ${PROJECT_SOURCE_DIR}/cmake/EmbedDependencies.cmake
      VERBATIM)
  else()
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/own_symbols.map)
  endif()
endfunction()

# plimsoll_require(<package> <version>): a package of at least this version, the oldest that is tested. Newer major versions are
# accepted too, unlike in find_package(<package> <version>).
function(plimsoll_require package version)
  find_package(${package} REQUIRED)
  if(${package}_VERSION AND ${package}_VERSION VERSION_LESS version)
    message(FATAL_ERROR "${package} ${${package}_VERSION} is too old; Plimsoll needs ${version} or newer. Install a newer one and set \
CMAKE_PREFIX_PATH, or unpack the dependency archive beside the checkout (docs/how-to/build-without-root.md)")
  endif()
endfunction()

if(PLIMSOLL_DEPENDENCIES_DIR)
  message(STATUS "Dependencies: sources in ${PLIMSOLL_DEPENDENCIES_DIR}")
  enable_language(C)
  plimsoll_library_from_source(fmt::fmt fmt SOURCES src/*.cc INCLUDE include)
  plimsoll_headers_from_source(fmt::fmt-header-only fmt INCLUDE include DEFINITIONS FMT_HEADER_ONLY)
  plimsoll_library_from_source(Brotli::Brotli brotli SOURCES c/*/*.c INCLUDE c/include)
  plimsoll_headers_from_source(xxHash::xxHash xxhash)
  if(PLIMSOLL_BUILD_LBDATA)
    plimsoll_library_from_source(simdjson::simdjson simdjson SOURCES singleheader/simdjson.cpp INCLUDE singleheader)
    plimsoll_library_from_source(yaml-cpp yaml-cpp SOURCES src/*.cpp INCLUDE include DEFINITIONS YAML_CPP_STATIC_DEFINE)
    plimsoll_headers_from_source(fast_float::fast_float fast_float INCLUDE include)
  endif()
  if(PLIMSOLL_BUILD_COMMAND)
    plimsoll_library_from_source(ZLIB::ZLIB zlib SOURCES *.c DEFINITIONS HAVE_UNISTD_H)
    plimsoll_headers_from_source(CLI11::CLI11 CLI11 INCLUDE include)
  endif()
  if(PLIMSOLL_BUILD_PELAYOUT)
    plimsoll_library_from_source(pugixml::pugixml pugixml SOURCES src/*.cpp INCLUDE src)
  endif()
  if(PLIMSOLL_BUILD_RUNTIME)
    plimsoll_headers_from_source(cereal::cereal cereal INCLUDE include)
    install(DIRECTORY ${PLIMSOLL_DEPENDENCIES_DIR}/cereal/include/ DESTINATION ${PLIMSOLL_INSTALLED_DEPENDENCIES}) # public
  endif()
else()
  plimsoll_require(fmt 9)
  plimsoll_require(Brotli 1)
  plimsoll_find_header(xxHash::xxHash xxhash.h REQUIRED)
  if(PLIMSOLL_BUILD_LBDATA)
    plimsoll_require(simdjson 3)
    plimsoll_require(yaml-cpp 0.7)
    plimsoll_find_header(fast_float::fast_float fast_float/fast_float.h REQUIRED)
  endif()
  if(PLIMSOLL_BUILD_COMMAND)
    plimsoll_require(ZLIB 1.2)
    plimsoll_require(CLI11 2.1)
  endif()
  if(PLIMSOLL_BUILD_PELAYOUT)
    plimsoll_require(pugixml 1.13)
  endif()
  if(PLIMSOLL_BUILD_RUNTIME)
    plimsoll_find_header(cereal::cereal cereal/cereal.hpp)
  endif()
endif()
