# plimsoll_find_by_pkg_config(<name> <module>...): finds a library with its pkg-config modules, as <name>::<name>. For the
# find modules of libraries without CMake files. They are installed with this file, because programs that link an installed
# static module need these libraries too.
macro(plimsoll_find_by_pkg_config name)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(${name}_MODULE QUIET IMPORTED_TARGET ${ARGN})
  endif()
  # pkg_check_modules sets one of these: the former for a single module, else the latter.
  set(${name}_VERSION ${${name}_MODULE_VERSION}${${name}_MODULE_${ARGV1}_VERSION})
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${name} REQUIRED_VARS ${name}_MODULE_FOUND VERSION_VAR ${name}_VERSION)
  if(${name}_FOUND AND NOT TARGET ${name}::${name})
    add_library(${name}::${name} INTERFACE IMPORTED)
    target_link_libraries(${name}::${name} INTERFACE PkgConfig::${name}_MODULE)
  endif()
endmacro()
