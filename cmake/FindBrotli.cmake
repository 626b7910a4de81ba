# Finds the compression library brotli.
include(${CMAKE_CURRENT_LIST_DIR}/FindByPkgConfig.cmake)
plimsoll_find_by_pkg_config(Brotli libbrotlienc libbrotlidec)
