# Finds OTF2, which writes traces, with pkg-config, as OTF2::OTF2. This file is also installed, because programs that link
# an installed static module need OTF2 too.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(OTF2_MODULE QUIET IMPORTED_TARGET otf2)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_MODULE_FOUND VERSION_VAR OTF2_MODULE_VERSION)
if(OTF2_FOUND AND NOT TARGET OTF2::OTF2)
  add_library(OTF2::OTF2 INTERFACE IMPORTED)
  target_link_libraries(OTF2::OTF2 INTERFACE PkgConfig::OTF2_MODULE)
endif()
