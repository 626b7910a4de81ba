# Finds OTF2, which writes traces.
find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(OTF2_LIBRARY NAMES otf2 open-trace-format2)
mark_as_advanced(OTF2_INCLUDE_DIR OTF2_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2 REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR)
