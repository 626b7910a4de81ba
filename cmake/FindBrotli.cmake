# Finds brotli, which comes with pkg-config files only, as PkgConfig::BROTLI. Also installed: whoever links
# an installed static module needs it too.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(BROTLI QUIET IMPORTED_TARGET libbrotlienc libbrotlidec)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Brotli REQUIRED_VARS BROTLI_LINK_LIBRARIES VERSION_VAR BROTLI_libbrotlienc_VERSION)
