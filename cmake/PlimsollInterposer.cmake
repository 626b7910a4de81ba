# plimsoll_add_interposer(<name> SOURCES ... [LIBRARIES ...])
#
# Adds a library per MPI, libplimsoll-<name>-<mpi>.so, which can be preloaded into a program (target
# plimsoll_<name>_<mpi>), and the same without a suffix for the default MPI. It must not load libraries that the program
# may need in another version. Therefore it contains the parts of Plimsoll, fmt and the C++ library that it uses
# (plimsoll_inside_interposers), and exports only MPI names.
function(plimsoll_add_interposer name)
  cmake_parse_arguments(PARSE_ARGV 1 interposer "" "" "SOURCES;LIBRARIES")
  set(exports ${PROJECT_SOURCE_DIR}/cmake/interposer_exports.map)
  foreach(flavour IN LISTS MpiFlavour_NAMES)
    set(library plimsoll_${name}_${flavour})
    add_library(${library} SHARED ${interposer_SOURCES})
    plimsoll_compile_options(${library})
    plimsoll_compile_in_groups(${library})
    target_compile_options(${library} PRIVATE -fvisibility=hidden -ftls-model=initial-exec -ffunction-sections -fdata-sections)
    target_link_libraries(${library} PRIVATE ${interposer_LIBRARIES} plimsoll_inside_interposers MpiFlavour::${flavour})
    target_link_options(
      ${library} PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,--gc-sections
      -Wl,--version-script=${exports}
      -Wl,-z,lazy) # lets programs with another MPI, which lacks some functions, print a hint and continue
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize") # sanitiser symbols come from the program
      target_link_options(${library} PRIVATE -Wl,-z,defs)
    endif()
    set_target_properties(${library} PROPERTIES OUTPUT_NAME plimsoll-${name}-${flavour} LINK_DEPENDS ${exports} INSTALL_RPATH ""
                          INSTALL_RPATH_USE_LINK_PATH OFF) # uses the MPI that the program has loaded
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${flavour})
  endforeach()

  list(GET MpiFlavour_NAMES 0 default_flavour)
  set(plain_name ${CMAKE_CURRENT_BINARY_DIR}/${CMAKE_SHARED_LIBRARY_PREFIX}plimsoll-${name}${CMAKE_SHARED_LIBRARY_SUFFIX})
  add_custom_command(TARGET plimsoll_${name}_${default_flavour} POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:plimsoll_${name}_${default_flavour}> ${plain_name})
  install(FILES ${plain_name} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${default_flavour})
endfunction()
