# Finds Zoltan of Trilinos as Zoltan::Zoltan, which was built for Open MPI (as those of Debian are) and
# can be linked to no other. Also installed: whoever links an installed static module needs it too.
find_path(Zoltan_INCLUDE_DIR zoltan.h PATH_SUFFIXES trilinos)
find_library(Zoltan_LIBRARY NAMES trilinos_zoltan zoltan)
mark_as_advanced(Zoltan_INCLUDE_DIR Zoltan_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zoltan REQUIRED_VARS Zoltan_LIBRARY Zoltan_INCLUDE_DIR)
if(Zoltan_FOUND AND NOT TARGET Zoltan::Zoltan)
  add_library(Zoltan::Zoltan UNKNOWN IMPORTED)
  set_target_properties(Zoltan::Zoltan PROPERTIES IMPORTED_LOCATION ${Zoltan_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                      ${Zoltan_INCLUDE_DIR})
endif()
