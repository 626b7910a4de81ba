# Finds CBC, the solver of mixed-integer linear programs.
include(${CMAKE_CURRENT_LIST_DIR}/FindByPkgConfig.cmake)
plimsoll_find_by_pkg_config(CBC cbc)
