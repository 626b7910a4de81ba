# plimsoll_load_when_used(<target> <name>)
#
# Lets a module load the shared library that Find<name>.cmake found when it needs it (support::LoadedLibrary). The module
# does not link it, so programs that use the module do not see its symbols, and need not load it. Defines
# PLIMSOLL_<NAME>_LIBRARY in the sources of the module: the path under which the library keeps its interface.
function(plimsoll_load_when_used target name)
  plimsoll_loaded_library_path(library ${name})
  string(TOUPPER PLIMSOLL_${name}_LIBRARY definition)
  target_compile_definitions(${target} PRIVATE ${definition}="${library}")
  target_include_directories(${target} SYSTEM PRIVATE ${${name}_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

# plimsoll_loaded_library_path(<result> <name>): returns the path under which a library keeps its interface.
function(plimsoll_loaded_library_path result name)
  set(library ${${name}_LIBRARY})
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE headers ERROR_QUIET)
  if(NOT headers MATCHES "NEEDED")
    string(TOUPPER ${name} option)
    message(FATAL_ERROR "${library} is not a shared library; specify one (-D${name}_LIBRARY=...), or build without ${name} "
                        "(-DPLIMSOLL_WITH_${option}=OFF)")
  endif()
  if(headers MATCHES "SONAME +([^\n]+)")
    set(name_of_interface ${CMAKE_MATCH_1})
    get_filename_component(folder ${library} DIRECTORY)
    set(library ${folder}/${name_of_interface})
  endif()
  set(${result} ${library} PARENT_SCOPE)
endfunction()
