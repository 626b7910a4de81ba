# Finds CBC, the solver of mixed-integer linear programs.
find_path(CBC_INCLUDE_DIR Cbc_C_Interface.h PATH_SUFFIXES coin coin-or)
find_library(CBC_LIBRARY CbcSolver)
mark_as_advanced(CBC_INCLUDE_DIR CBC_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBC REQUIRED_VARS CBC_LIBRARY CBC_INCLUDE_DIR)
