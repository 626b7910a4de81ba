# Finds OTF2, which writes traces.
include(${CMAKE_CURRENT_LIST_DIR}/FindByPkgConfig.cmake)
plimsoll_find_by_pkg_config(OTF2 otf2)
