# Finds brotli, which only has pkg-config files, as PkgConfig::BROTLI. This file is also installed, because programs
# that link an installed static module need brotli too.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(BROTLI QUIET IMPORTED_TARGET libbrotlienc libbrotlidec)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Brotli REQUIRED_VARS BROTLI_LINK_LIBRARIES VERSION_VAR BROTLI_libbrotlienc_VERSION)
