# Finds CBC, the solver of mixed-integer linear programs, with pkg-config, as CBC::CBC. This file is also installed,
# because programs that link an installed static module need CBC too.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(CBC_MODULE QUIET IMPORTED_TARGET cbc)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBC REQUIRED_VARS CBC_MODULE_FOUND VERSION_VAR CBC_MODULE_VERSION)
if(CBC_FOUND AND NOT TARGET CBC::CBC)
  add_library(CBC::CBC INTERFACE IMPORTED)
  target_link_libraries(CBC::CBC INTERFACE PkgConfig::CBC_MODULE)
endif()
