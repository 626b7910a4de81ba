# Finds Trilinos' Zoltan. It is built for Open MPI (as in Debian) and cannot be used with other MPIs.
find_path(Zoltan_INCLUDE_DIR zoltan.h PATH_SUFFIXES trilinos)
find_library(Zoltan_LIBRARY NAMES trilinos_zoltan zoltan)
mark_as_advanced(Zoltan_INCLUDE_DIR Zoltan_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zoltan REQUIRED_VARS Zoltan_LIBRARY Zoltan_INCLUDE_DIR)
