# Installed tree: libraries and headers, a CMake package with one component per module, and one pkg-config file per
# module.
include(CMakePackageConfigHelpers)

set(PLIMSOLL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plimsoll)
set(PLIMSOLL_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# For each library that modules link: the CMake package (/component) and the pkg-config module with which users of the
# installed module find it.
set(PLIMSOLL_PACKAGE_fmt::fmt fmt)
set(PLIMSOLL_PKGCONFIG_fmt::fmt fmt)
set(PLIMSOLL_PACKAGE_simdjson::simdjson simdjson)
set(PLIMSOLL_PKGCONFIG_simdjson::simdjson simdjson)
set(PLIMSOLL_PACKAGE_Brotli::Brotli Brotli)
set(PLIMSOLL_PKGCONFIG_Brotli::Brotli libbrotlienc libbrotlidec)
set(PLIMSOLL_PACKAGE_pugixml::pugixml pugixml)
set(PLIMSOLL_PKGCONFIG_pugixml::pugixml pugixml)
set(PLIMSOLL_PACKAGE_ZLIB::ZLIB ZLIB)
set(PLIMSOLL_PKGCONFIG_ZLIB::ZLIB zlib)
set(PLIMSOLL_PACKAGE_yaml-cpp yaml-cpp)
set(PLIMSOLL_PKGCONFIG_yaml-cpp yaml-cpp)
set(PLIMSOLL_PACKAGE_MpiFlavour::openmpi MpiFlavours/openmpi)
set(PLIMSOLL_PKGCONFIG_MpiFlavour::openmpi ompi)
set(PLIMSOLL_PACKAGE_MpiFlavour::mpich MpiFlavours/mpich)
set(PLIMSOLL_PKGCONFIG_MpiFlavour::mpich mpich)
set(PLIMSOLL_PACKAGE_MpiFlavour::mpi MpiFlavours/mpi)
set(PLIMSOLL_PKGCONFIG_MpiFlavour::mpi "") # the compiler wrapper adds the flags
set(PLIMSOLL_PACKAGE_Threads::Threads Threads)
set(PLIMSOLL_PKGCONFIG_Threads::Threads "") # every .pc file contains -pthread

# plimsoll_install_module(<name> DEPENDS ... PRIVATE_DEPENDS ...): installs the library; called by plimsoll_add_module.
function(plimsoll_install_module name)
  if(NOT PLIMSOLL_BUILD_LBDATA) # a profiler alone contains the modules that it uses
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "DEPENDS;PRIVATE_DEPENDS")
  set(target plimsoll_${name})
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_MODULES ${name})

  set(packages "")
  foreach(kind DEPENDS PRIVATE_DEPENDS)
    set(requires_${kind} "")
    foreach(library IN LISTS module_${kind})
      if(library MATCHES "^plimsoll::(.+)$")
        get_property(inherited GLOBAL PROPERTY PLIMSOLL_PACKAGES_${CMAKE_MATCH_1})
        list(APPEND packages ${inherited})
        list(APPEND requires_${kind} plimsoll-${CMAKE_MATCH_1})
      elseif(DEFINED PLIMSOLL_PACKAGE_${library})
        list(APPEND packages ${PLIMSOLL_PACKAGE_${library}})
        list(APPEND requires_${kind} ${PLIMSOLL_PKGCONFIG_${library}})
      else()
        message(FATAL_ERROR "Module ${name} links ${library}, which is missing from the table in cmake/PlimsollInstall.cmake; "
                            "specify there how users of the installed module find it")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set_property(GLOBAL PROPERTY PLIMSOLL_PACKAGES_${name} ${packages})

  # Programs that link a static library also link its private dependencies.
  if(NOT BUILD_SHARED_LIBS)
    list(APPEND requires_DEPENDS ${requires_PRIVATE_DEPENDS})
    set(requires_PRIVATE_DEPENDS "")
  endif()
  list(JOIN requires_DEPENDS " " requires)
  list(JOIN requires_PRIVATE_DEPENDS " " requires_private)
  file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_PREFIX}/${PLIMSOLL_PKGCONFIG_DIR} ${CMAKE_INSTALL_PREFIX})
  set(definitions $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>>)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/plimsoll-module.pc.in plimsoll-${name}.pc.in @ONLY)
  file(GENERATE OUTPUT plimsoll-${name}.pc INPUT ${CMAKE_CURRENT_BINARY_DIR}/plimsoll-${name}.pc.in)

  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plimsoll-${name}.pc DESTINATION ${PLIMSOLL_PKGCONFIG_DIR})
  install(TARGETS ${target} EXPORT plimsoll-targets)
endfunction()

# plimsoll_install_headers(<folder>): installs the public headers of a directory, which several modules may share.
# Subdirectories named internal contain headers that only modules of Plimsoll include.
function(plimsoll_install_headers folder)
  if(NOT PLIMSOLL_BUILD_LBDATA)
    return()
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plimsoll/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plimsoll
          PATTERN internal EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/include/plimsoll/${folder}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plimsoll)
endfunction()

# plimsoll_install_alias(<name> <module>): adds another name for an installed module, for CMake and pkg-config.
function(plimsoll_install_alias name module)
  set_property(GLOBAL APPEND PROPERTY PLIMSOLL_ALIASES ${name})
  set_property(GLOBAL PROPERTY PLIMSOLL_ALIAS_${name} ${module})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/plimsoll-alias.pc.in plimsoll-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plimsoll-${name}.pc DESTINATION ${PLIMSOLL_PKGCONFIG_DIR})
endfunction()

# Installs the CMake package of all modules. Call it after the last plimsoll_add_module.
function(plimsoll_install_package)
  if(NOT PLIMSOLL_BUILD_LBDATA)
    return()
  endif()
  get_property(modules GLOBAL PROPERTY PLIMSOLL_MODULES)
  set(packages_of_modules "")
  foreach(name IN LISTS modules)
    get_property(packages GLOBAL PROPERTY PLIMSOLL_PACKAGES_${name})
    list(JOIN packages " " packages)
    string(APPEND packages_of_modules "set(plimsoll_packages_of_${name} ${packages})\n")
  endforeach()
  set(module_of_aliases "")
  get_property(aliases GLOBAL PROPERTY PLIMSOLL_ALIASES)
  foreach(name IN LISTS aliases)
    get_property(module GLOBAL PROPERTY PLIMSOLL_ALIAS_${name})
    string(APPEND module_of_aliases "set(plimsoll_module_of_${name} ${module})\n")
  endforeach()
  list(JOIN modules " " modules)
  list(JOIN aliases " " aliases)
  configure_package_config_file(
    cmake/plimsoll-config.cmake.in plimsoll-config.cmake
    INSTALL_DESTINATION ${PLIMSOLL_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO)
  # Before version 1.0, every minor version may change interfaces.
  write_basic_package_version_file(plimsoll-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/plimsoll-config.cmake ${PROJECT_BINARY_DIR}/plimsoll-config-version.cmake
                cmake/FindBrotli.cmake cmake/FindMpiFlavours.cmake
          DESTINATION ${PLIMSOLL_CMAKE_DIR})
  install(EXPORT plimsoll-targets NAMESPACE plimsoll:: DESTINATION ${PLIMSOLL_CMAKE_DIR})
endfunction()
