# Finds cpp-httplib, an HTTP server.
include(${CMAKE_CURRENT_LIST_DIR}/FindByPkgConfig.cmake)
plimsoll_find_by_pkg_config(Httplib cpp-httplib)
