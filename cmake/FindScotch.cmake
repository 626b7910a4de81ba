# Finds Scotch as Scotch::Scotch, with the library that prints its error messages on stderr. A program may replace that
# library with its own functions. This file is also installed, because programs that link an installed static module
# need Scotch too.
find_path(Scotch_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(Scotch_LIBRARY scotch)
find_library(Scotch_MESSAGES_LIBRARY scotcherr)
mark_as_advanced(Scotch_INCLUDE_DIR Scotch_LIBRARY Scotch_MESSAGES_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Scotch REQUIRED_VARS Scotch_LIBRARY Scotch_MESSAGES_LIBRARY Scotch_INCLUDE_DIR)
if(Scotch_FOUND AND NOT TARGET Scotch::Scotch)
  add_library(Scotch::Scotch UNKNOWN IMPORTED)
  set_target_properties(
    Scotch::Scotch PROPERTIES IMPORTED_LOCATION ${Scotch_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Scotch_INCLUDE_DIR}
                              INTERFACE_LINK_LIBRARIES ${Scotch_MESSAGES_LIBRARY})
endif()
